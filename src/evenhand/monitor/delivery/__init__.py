"""Telling people of flags: each message at least once, in order, whatever stops meanwhile."""

from evenhand.monitor.delivery.deliver import Told, deliver
from evenhand.monitor.delivery.outbox import Waiting, give_up, waiting

__all__ = ["Told", "Waiting", "deliver", "give_up", "waiting"]
