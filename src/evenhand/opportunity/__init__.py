"""Do creators get equal opportunity, given what users like?"""

from evenhand.opportunity.audit import audit
from evenhand.opportunity.compare import compare
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.experiments import experiments

__all__ = ["LogCounts", "audit", "compare", "experiments"]
