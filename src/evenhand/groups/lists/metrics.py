"""How well one user is served: a value for each user from the candidate lists.

Definitions: FairRec (Guo and others 2023), EM1.1 to EM3. Ties are taken in expectation over all orders. Each
metric says which direction is better and between which bounds it lies, as the intervals need them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.findings import INDEPENDENT_USERS
from evenhand.groups.lists import kernels
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.mismatch import mismatch_of_shown

OBSERVED = (
    "What users want is what was observed of them. If that is observed less often for some users, or for "
    "what some users like, they look worse or better served than they are, and these data cannot tell."
)

Better = Literal["higher", "lower"]
NoPositive = Literal["exclude", "zero"]


@dataclass(frozen=True)
class ItemFacts:
    """What some metrics need to know about items and histories, by the codes of lists and users.

    The categories of item i are `categories[category_offsets[i]:category_offsets[i + 1]]`, ascending codes.
    `popularity` is the share of all interactions that are with the item, in percent (FairRec, equation 6).
    `history_popularity` is the mean popularity of what each user interacted with, NaN without a history.
    """

    category_offsets: Ints | None = None
    categories: NDArray[np.int32] | None = None
    popularity: Floats | None = None
    history_popularity: Floats | None = None


@dataclass(frozen=True)
class Metric:
    """One metric. Those that read labels are a `column` of `kernels.relevance`, which makes all in one pass;
    the others have a function of their own, `content`, of what is shown.

    `zero_without_positive`: counting a user without any positive as 0 makes sense, since that may be a
    failure of the list; an AUC or a recall of nothing is not 0 but undefined.
    """

    name: str
    title: str
    better: Better = "higher"
    column: int | None = None
    content: Callable[[CandidateLists, ItemFacts, int], Floats] | None = None
    needs: tuple[str, ...] = ()
    uses_cut: bool = True
    zero_without_positive: bool = True

    def label(self, k: int) -> str:
        """The name with its cut: "mrr@5"."""
        return f"{self.name}@{k}" if self.uses_cut else self.name

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be so for a mean over users to say how well they are served."""
        return (INDEPENDENT_USERS, *((OBSERVED,) if self.column is not None else ()))

    @property
    def undefined_for(self) -> str:
        """Which users have no value."""
        if self.column is not None:
            return "no candidates, or none that is positive or can be told from the others"
        return "no candidates, or no history" if "history" in self.needs else "fewer than two candidates"

    @property
    def share(self) -> tuple[float, float] | None:
        """The bounds of a metric that is a share; None if what is there to be recommended decides."""
        return None if "popularity" in self.needs else (0.0, 1.0)

    def bounds(self, facts: ItemFacts) -> tuple[float, float]:
        """Between which values every user's metric must lie."""
        if self.share is not None:
            return self.share
        assert facts.popularity is not None
        widest = float(np.ptp(facts.popularity))
        return (-widest, widest) if self.name == "urp_signed" else (0.0, widest)


def _diversity(lists: CandidateLists, facts: ItemFacts, k: int) -> Floats:
    assert facts.category_offsets is not None
    assert facts.categories is not None
    return kernels.diversity_of_shown(
        lists.offsets, lists.score, lists.item, facts.category_offsets, facts.categories, k
    )


def _popularity_lift(lists: CandidateLists, facts: ItemFacts, k: int) -> Floats:
    assert facts.popularity is not None
    assert facts.history_popularity is not None
    shown = kernels.mean_of_shown(lists.offsets, lists.score, lists.item, facts.popularity, k)
    return shown - facts.history_popularity


def _popularity_mismatch(lists: CandidateLists, facts: ItemFacts, k: int) -> Floats:
    """Not the absolute value of the lift: with ties, that would be of the mean of lists, which none is."""
    assert facts.popularity is not None
    assert facts.history_popularity is not None
    return mismatch_of_shown(
        lists.offsets, lists.score, lists.item, facts.popularity, facts.history_popularity, k
    )


_POPULARITY = ("popularity", "history")
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("auc", "AUC", column=kernels.AUC, uses_cut=False, zero_without_positive=False),
        Metric("mrr", "MRR", column=kernels.MRR),
        Metric("ndcg", "NDCG", column=kernels.NDCG),
        Metric("ndcg_published", "NDCG as published", column=kernels.NDCG_OF_K),
        Metric("hit", "hit rate", column=kernels.HIT),
        Metric("recall", "recall", column=kernels.RECALL, zero_without_positive=False),
        Metric("precision", "precision", column=kernels.PRECISION),
        Metric("urd", "diversity", content=_diversity, needs=("category",)),
        Metric("urp", "popularity mismatch", "lower", content=_popularity_mismatch, needs=_POPULARITY),
        Metric("urp_signed", "popularity lift", "lower", content=_popularity_lift, needs=_POPULARITY),
    )
}


def metric_named(name: str) -> Metric:
    """The metric of this name; raises the list of names if there is none."""
    if name not in METRICS:
        raise InputError(f"There is no metric {name!r}; there are: {', '.join(METRICS)}.")
    return METRICS[name]


def per_user(
    metrics: Sequence[Metric],
    lists: CandidateLists,
    facts: ItemFacts,
    k: int,
    no_positive: NoPositive = "exclude",
) -> dict[str, Floats]:
    """The values by the metric's name, one for each user; NaN where a metric is not defined."""
    table = np.empty((0, 0))
    if any(metric.column is not None for metric in metrics):
        table = kernels.relevance(lists.offsets, lists.score, lists.label, k)
    values: dict[str, Floats] = {}
    for metric in metrics:
        if metric.column is None:
            assert metric.content is not None
            values[metric.name] = metric.content(lists, facts, k)
            continue
        found = table[:, metric.column].copy()
        without_positive = np.isnan(table[:, kernels.MRR]) & (lists.lengths > 0)
        counts_as_zero = no_positive == "zero" and metric.zero_without_positive
        found[without_positive] = 0.0 if counts_as_zero else np.nan
        values[metric.name] = found
    return values
