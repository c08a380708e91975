"""Flags: what a plan's thresholds raise, from the look at which a flag opens to that at which it closes."""

from evenhand.monitor.flags.record import Raised, after_looks

__all__ = ["Raised", "after_looks"]
