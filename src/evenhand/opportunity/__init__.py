"""Do creators get equal opportunity, given what users like?"""

from evenhand.opportunity.audit import audit
from evenhand.opportunity.boost import boost
from evenhand.opportunity.compare import compare
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.experiments import experiments
from evenhand.opportunity.followed_days.followed import followed
from evenhand.opportunity.in_parts.arms import arms_at_random, experiments_at_random
from evenhand.opportunity.in_parts.halves import half_logs, half_parity, half_precision, half_stages
from evenhand.opportunity.logs.before_reading import check_before_reading
from evenhand.opportunity.parity import parity
from evenhand.opportunity.plan_traffic import plan_traffic
from evenhand.opportunity.sampler import Sampler, Served
from evenhand.opportunity.series import series
from evenhand.opportunity.stages import stages
from evenhand.opportunity.users import user_precision

__all__ = [
    "LogCounts",
    "Sampler",
    "Served",
    "arms_at_random",
    "audit",
    "boost",
    "check_before_reading",
    "compare",
    "experiments",
    "experiments_at_random",
    "followed",
    "half_logs",
    "half_parity",
    "half_precision",
    "half_stages",
    "parity",
    "plan_traffic",
    "series",
    "stages",
    "user_precision",
]
