"""Telling people of flags: each message at least once, in order, whatever stops meanwhile."""

from evenhand.monitor.delivery.deliver import Told, deliver, test
from evenhand.monitor.delivery.message import NotDelivered
from evenhand.monitor.delivery.outbox import Waiting, give_up, waiting

__all__ = ["NotDelivered", "Told", "Waiting", "deliver", "give_up", "test", "waiting"]
