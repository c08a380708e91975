"""Flags: what a plan's thresholds raise, from the look at which a flag opens to that at which it closes."""

from evenhand.monitor.flags.listing import Acknowledged, Flag, acknowledge, listed
from evenhand.monitor.flags.record import Raised, after_looks

__all__ = ["Acknowledged", "Flag", "Raised", "acknowledge", "after_looks", "listed"]
