"""Do creators get equal opportunity, given what users like?"""

from evenhand.opportunity.audit import audit
from evenhand.opportunity.compare import compare
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.series import series

__all__ = ["LogCounts", "audit", "compare", "series"]
