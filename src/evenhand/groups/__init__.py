"""Which users are served worst, and is that more than chance?"""

from evenhand.groups.audit import audit
from evenhand.groups.lists.metrics import METRICS

__all__ = ["METRICS", "audit"]
