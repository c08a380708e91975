"""From two sets of vectors to findings: classifiers, directions, groups of items, and lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Ints, Vectors
from evenhand.association import AFTER, BEFORE, Attribute, Looking
from evenhand.findings import INDEPENDENT_USERS, Count, Finding, Interval
from evenhand.mitigate.before_and_after import Change, paired_change
from evenhand.mitigate.vectors.probing import CLASSIFIERS, Probe, change, p_value, probe
from evenhand.recommenders import Interactions, Recommender
from evenhand.recommenders.evaluation import full_ranking_by_user, short_rankings

AUDIT = "mitigate_embeddings"
ALL, CHOSEN, HELD_OUT, TOOK_PART = (
    "all users",
    "the users asked for",
    "held-out users",
    "users who made the mitigation",
)
SAW_THEM = (
    "The mitigation saw the values of these users. On them it takes out noise as well, so accuracy below "
    "chance does not mean that less is known; above, it says what is known about them."
)
NOT_JUDGED = (
    "lists not judged: there are no interactions to judge them by, so nothing is said about what this cost; "
    "pass test (on the command line --test), with what the model did not learn from."
)


@dataclass(frozen=True)
class Asked(Looking):
    """What is asked of the vectors, and how long the lists are."""

    k: int


def probes(
    rows: tuple[Vectors, Vectors], codes: Ints, people: Attribute, who: str, asked: Asked
) -> list[Finding]:
    """What fresh classifiers can tell of these users, before and after, and the change."""
    warnings = (SAW_THEM,) if who == TOOK_PART else ()
    values = dict(zip(people.words, np.bincount(codes, minlength=len(people.words)).tolist(), strict=True))
    found = []
    for classifier in CLASSIFIERS:
        old, new = (
            probe(side, codes, len(people.words), classifier, asked.level, asked.seed) for side in rows
        )
        about: About = {"by": {"users": people.name}, "who": who, "classifier": classifier}
        found += [
            _accuracy(one, about | {"when": when}, asked.level, warnings, values)
            for one, when in ((old, BEFORE), (new, AFTER))
        ]
        estimate, low, high = change(old, new, asked.level)
        found.append(
            Finding(
                audit=AUDIT,
                measure="attribute_accuracy_change",
                about=about,
                estimate=estimate,
                interval=_limits(low, high, asked.level, "paired, cross-validated"),
                n=Count(len(old.codes), "users"),
                people=values,
                assumptions=(INDEPENDENT_USERS,),
                warnings=warnings,
                details={"before": old.balanced, "after": new.balanced},
            )
        )
    return found


def _accuracy(
    one: Probe, about: About, level: float, warnings: tuple[str, ...], values: dict[str, int]
) -> Finding:
    return Finding(
        audit=AUDIT,
        measure="attribute_accuracy",
        about=about,
        estimate=one.balanced,
        interval=_limits(one.low, one.high, level, "Wilson and MOVER, cross-validated users count half"),
        p_value=p_value(one),
        n=Count(len(one.codes), "users"),
        people=values,
        assumptions=(INDEPENDENT_USERS,),
        warnings=warnings,
        details={
            "guessing": one.chance,
            "accuracy": one.accuracy,
            "majority": one.majority,
        },
    )


def ranking_changes(
    before: Recommender, after: Recommender, held_out: Interactions, seen: Any, by: str, asked: Asked
) -> list[Finding]:
    """Recall, MRR, NDCG, hit and precision of the lists of all users with a test item."""
    _, old = full_ranking_by_user(before, held_out, seen, asked.k)
    _, new = full_ranking_by_user(after, held_out, seen, asked.k)
    notes = short_rankings(held_out, seen, asked.k)
    # Whose test items move is luck, and hardly any may. If nothing moved in any metric, there was no change.
    moved = any((old[name] != new[name]).any() for name in old)
    ends = (-1.0, 1.0) if moved else None
    return [
        _ranking(name, paired_change(old[name], new[name], 1.0, asked.level, ends=ends), by, asked, notes)
        for name in old
    ]


def _ranking(name: str, one: Change, by: str, asked: Asked, notes: tuple[str, ...]) -> Finding:
    known = bool(one.low < one.high)
    return Finding(
        audit=AUDIT,
        measure="ranking_change",
        about={"by": {"users": by}, "metric": f"{name}@{asked.k}"},
        estimate=one.difference,
        interval=_limits(one.low, one.high, asked.level, "paired differences") if known else None,
        harm="below",
        n=Count(one.users, "users"),
        people={},
        assumptions=(INDEPENDENT_USERS,),
        warnings=notes,
        details={
            "before": one.before,
            "after": one.after,
            "users_better": one.users_better,
            "users_worse": one.users_worse,
        },
    )


def _limits(low: float | None, high: float | None, level: float, method: str) -> Interval | None:
    if low is None or high is None:
        return None
    return Interval(low=low, high=high, level=level, method=method)
