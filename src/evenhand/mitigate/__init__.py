"""What could be done about it: each mitigation gives back lists of the same shape, and before and after."""

from evenhand.mitigate.audit import Mitigation, rerank_groups
from evenhand.mitigate.choice import users_of, worst_groups
from evenhand.mitigate.comparison import Change, GapChange, MetricChange, before_and_after
from evenhand.mitigate.prior import group_prior
from evenhand.mitigate.rerank import Goal, rerank

__all__ = [
    "Change",
    "GapChange",
    "Goal",
    "MetricChange",
    "Mitigation",
    "before_and_after",
    "group_prior",
    "rerank",
    "rerank_groups",
    "users_of",
    "worst_groups",
]
