"""The metrics of one list by their definitions, in plain Python: FairRec (Guo and others 2023), EM1.1 to EM3.

Ties are broken in every possible way and the values averaged, so this is for small lists. `None` is a value
that is not defined. Each measure reads one ranked list, first item first, and the cut k.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations, groupby, permutations, product
from math import fsum, log2
from typing import NamedTuple


class Candidate(NamedTuple):
    score: float
    label: int
    item: int


Ranked = Sequence[Candidate]


def rankings(candidates: Collection[Candidate]) -> Iterator[list[Candidate]]:
    """Every order in which no item stands above one of a higher score."""
    falling = sorted(candidates, key=lambda c: -c.score)
    blocks = [list(block) for _, block in groupby(falling, key=lambda c: c.score)]
    for arrangement in product(*(permutations(block) for block in blocks)):
        yield list(chain.from_iterable(arrangement))


def expected(measure: Callable[[Ranked], float | None], candidates: Collection[Candidate]) -> float | None:
    """The mean of a measure over all rankings; None where it is None, which no order changes."""
    values = [measure(ranked) for ranked in rankings(candidates)]
    if None in values:
        assert set(values) == {None}
        return None
    return fsum(values) / len(values)


def has_positive(ranked: Ranked) -> bool:
    return any(c.label for c in ranked)


def auc(ranked: Ranked) -> float | None:
    """The share of pairs of a positive and a negative in which the positive stands higher."""
    pairs = [(a, b) for a, b in combinations(ranked, 2) if a.label != b.label]
    return sum(a.label for a, _ in pairs) / len(pairs) if pairs else None


def mrr(ranked: Ranked, k: int) -> float | None:
    """One over the place of the first positive, 0 where that is beyond k."""
    if not has_positive(ranked):
        return None
    place = 1 + [c.label for c in ranked].index(1)
    return 1 / place if place <= k else 0.0


def dcg(labels: Sequence[int]) -> float:
    """Equation 3 with 2^label - 1 = label for labels 0 and 1."""
    return fsum(label / log2(place + 1) for place, label in enumerate(labels, start=1))


def ndcg(ranked: Ranked, k: int) -> float | None:
    """Against the best order of the same list."""
    if not has_positive(ranked):
        return None
    labels = [c.label for c in ranked]
    return dcg(labels[:k]) / dcg(sorted(labels, reverse=True)[:k])


def ndcg_published(ranked: Ranked, k: int) -> float | None:
    """Against a list of k positives, whether there are that many or not."""
    return dcg([c.label for c in ranked[:k]]) / dcg([1] * k) if has_positive(ranked) else None


def hit(ranked: Ranked, k: int) -> float | None:
    return float(has_positive(ranked[:k])) if has_positive(ranked) else None


def recall(ranked: Ranked, k: int) -> float | None:
    positives = sum(c.label for c in ranked)
    return sum(c.label for c in ranked[:k]) / positives if positives else None


def precision(ranked: Ranked, k: int) -> float | None:
    """Of the number shown, which is less than k in a short list."""
    return sum(c.label for c in ranked[:k]) / len(ranked[:k]) if has_positive(ranked) else None


def jaccard(a: Collection[int], b: Collection[int]) -> float:
    """Two items without any category have nothing in common."""
    return len(set(a) & set(b)) / len(set(a) | set(b)) if set(a) | set(b) else 0.0


def urd(ranked: Ranked, k: int, categories: Sequence[Collection[int]]) -> float | None:
    """Equation 5: one minus the mean similarity of all pairs shown."""
    pairs = list(combinations([c.item for c in ranked[:k]], 2))
    return 1 - fsum(jaccard(categories[a], categories[b]) for a, b in pairs) / len(pairs) if pairs else None


def urp_signed(ranked: Ranked, k: int, popularity: Sequence[float], history: Collection[int]) -> float | None:
    """Equation 7 as it is printed: above 0 where the shown are more popular than the history."""
    shown = [c.item for c in ranked[:k]]
    if not shown or not history:
        return None
    return fsum(popularity[i] for i in shown) / len(shown) - fsum(popularity[i] for i in history) / len(
        history
    )


def urp(ranked: Ranked, k: int, popularity: Sequence[float], history: Collection[int]) -> float | None:
    """Equation 7 as it is described: the absolute value."""
    lift = urp_signed(ranked, k, popularity, history)
    return None if lift is None else abs(lift)
