"""Days of evidence in a store, what they say together, and whom to tell."""

from evenhand.monitor.days.adding import Added, add, correct
from evenhand.monitor.days.forgetting import Forgotten, forget
from evenhand.monitor.days.removing import remove
from evenhand.monitor.history import History, history
from evenhand.monitor.over_days import over_days
from evenhand.monitor.page import write_page
from evenhand.monitor.promising import promises
from evenhand.store.connecting import Store, open_store

__all__ = [
    "Added",
    "Forgotten",
    "History",
    "Store",
    "add",
    "correct",
    "forget",
    "history",
    "open_store",
    "over_days",
    "promises",
    "remove",
    "write_page",
]
