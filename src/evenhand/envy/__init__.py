"""Would a user be better off with another user's recommendations?"""

from __future__ import annotations

from evenhand.envy.audit import audit
from evenhand.envy.utilities import utilities

__all__ = ["audit", "utilities"]
