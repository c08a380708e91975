"""What could be done about it: new lists, new vectors or new training data, and always before and after."""

from evenhand.mitigate.adversarial import adversarial_bpr
from evenhand.mitigate.audit import Mitigation, rerank_groups
from evenhand.mitigate.before_and_after import Change, MetricChange, before_and_after
from evenhand.mitigate.erase_and_compare import Erased, erase_and_compare
from evenhand.mitigate.lists.choice import users_of, worst_groups
from evenhand.mitigate.lists.gaps import GapChange
from evenhand.mitigate.lists.prior import group_prior
from evenhand.mitigate.lists.rerank import Goal, rerank
from evenhand.mitigate.resample import resample
from evenhand.mitigate.vectors.embeddings import EmbeddingComparison, compare_embeddings
from evenhand.mitigate.vectors.erase import Erasure, erase
from evenhand.mitigate.vectors.mitigated import Mitigated

__all__ = [
    "Change",
    "EmbeddingComparison",
    "Erased",
    "Erasure",
    "GapChange",
    "Goal",
    "MetricChange",
    "Mitigated",
    "Mitigation",
    "adversarial_bpr",
    "before_and_after",
    "compare_embeddings",
    "erase",
    "erase_and_compare",
    "group_prior",
    "rerank",
    "rerank_groups",
    "resample",
    "users_of",
    "worst_groups",
]
