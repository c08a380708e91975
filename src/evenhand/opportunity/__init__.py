"""Do creators get equal opportunity, given what users like?"""

from evenhand.opportunity.audit import audit
from evenhand.opportunity.compare import compare
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.plan_traffic import plan_traffic
from evenhand.opportunity.sampler import Sampler, Served

__all__ = ["LogCounts", "Sampler", "Served", "audit", "compare", "plan_traffic"]
