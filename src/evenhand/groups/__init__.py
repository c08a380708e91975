"""Which users are served worst, and is that more than chance?"""

from evenhand.groups.attributes import Bins, Missing
from evenhand.groups.audit import audit
from evenhand.groups.before_reading import check_before_reading
from evenhand.groups.cells import Groups
from evenhand.groups.confirmation import one_half
from evenhand.groups.followed_days.followed import followed
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.kernels import jaccard
from evenhand.groups.lists.metrics import METRICS, Better, ItemFacts, Metric, metric_named, per_user
from evenhand.groups.people import people_of
from evenhand.groups.population import Compared, GroupRule, Population
from evenhand.groups.tables import Tables

__all__ = [
    "METRICS",
    "Better",
    "Bins",
    "CandidateLists",
    "Compared",
    "GroupRule",
    "Groups",
    "ItemFacts",
    "Metric",
    "Missing",
    "Population",
    "Tables",
    "audit",
    "check_before_reading",
    "followed",
    "jaccard",
    "metric_named",
    "one_half",
    "people_of",
    "per_user",
]
