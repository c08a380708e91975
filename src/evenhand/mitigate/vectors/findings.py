"""From two sets of vectors to findings: classifiers, directions, groups of items, and lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.association import uncertainty
from evenhand.association.directions.contrasts import contrasts
from evenhand.association.directions.findings import (
    INDEPENDENT,
    Direction,
    Settings,
    direction_finding,
    established,
)
from evenhand.association.directions.fits import Classifying, fit_of
from evenhand.association.evidence import UnitSums
from evenhand.association.findings import Significance
from evenhand.association.measures import mean_difference
from evenhand.association.memberships import Flags
from evenhand.association.vectors.checks import Vectors, cosines
from evenhand.association.vectors.labels import Attribute, Groups
from evenhand.findings import Finding, Interval
from evenhand.mitigate.comparison import Change, paired_change
from evenhand.mitigate.vectors.probing import CLASSIFIERS, Probe, change, p_value, probe
from evenhand.recommenders import Interactions, Recommender
from evenhand.recommenders.evaluation import full_ranking_by_user, short_rankings

AUDIT = "mitigate_embeddings"
BEFORE, AFTER, ORIGINAL = "before", "after", "after, beside the original"
NOT_USED = "R-RIPA along this direction is not told: it did not pass its tests, and would say nothing."
ALL, CHOSEN, HELD_OUT, TOOK_PART = (
    "all users",
    "the users asked for",
    "held-out users",
    "users who made the mitigation",
)
MADE_BY = {"svc": "by a classifier", "centroid": "between the means"}
SAW_THEM = (
    "The mitigation saw the values of these users. On them it takes out noise as well, so accuracy below "
    "chance does not mean that less is known; above, it says what is known about them."
)
NOT_JUDGED = (
    "lists not judged: there are no interactions to judge them by, so nothing is said about what this cost; "
    "pass test (on the command line --test), with what the model did not learn from."
)
NO_CHANGE = "not told from no change"
EITHER = "a change, but weaker or stronger is not told"

Pair = tuple[Vectors, Vectors]  # before and after


@dataclass(frozen=True)
class Asked:
    methods: tuple[str, ...]
    permutations: int
    k: int
    alpha: float
    level: float
    seed: int


def probes(rows: Pair, codes: Ints, people: Attribute, who: str, asked: Asked) -> list[Finding]:
    """What fresh classifiers can tell of these users, before and after, and the change."""
    warnings = (SAW_THEM,) if who == TOOK_PART else ()
    values = dict(zip(people.words, np.bincount(codes, minlength=len(people.words)).tolist(), strict=True))
    found = []
    for classifier in CLASSIFIERS:
        old, new = (
            probe(side, codes, len(people.words), classifier, asked.level, asked.seed) for side in rows
        )
        subject = {"by": people.name, "who": who, "classifier": classifier}
        found += [
            _accuracy(one, subject | {"when": when}, asked.level, warnings, values)
            for one, when in ((old, BEFORE), (new, AFTER))
        ]
        estimate, low, high = change(old, new, asked.level)
        found.append(
            Finding(
                audit=AUDIT,
                measure="attribute_accuracy_change",
                subject=subject,
                estimate=estimate,
                interval=_limits(low, high, asked.level, "paired, cross-validated"),
                n=len(old.codes),
                people=values,
                assumptions=(INDEPENDENT,),
                warnings=warnings,
                details={
                    "before": old.balanced,
                    "after": new.balanced,
                    "meaning": _told(low, high, "less", "more"),
                },
            )
        )
    return found


def _accuracy(
    one: Probe, subject: dict[str, str], level: float, warnings: tuple[str, ...], values: dict[str, int]
) -> Finding:
    if one.low > one.chance:
        meaning = "more than chance"
    else:
        meaning = "below chance" if one.high < one.chance else "not told from chance"
    return Finding(
        audit=AUDIT,
        measure="attribute_accuracy",
        subject=subject,
        estimate=one.balanced,
        interval=_limits(one.low, one.high, level, "Wilson and MOVER, cross-validated users count half"),
        p_value=p_value(one),
        n=len(one.codes),
        people=values,
        assumptions=(INDEPENDENT,),
        warnings=warnings,
        details={
            "guessing": one.chance,
            "meaning": meaning,
            "accuracy": one.accuracy,
            "majority": one.majority,
        },
    )


def looks(
    rows: Pair,
    things: Pair,
    codes: Ints,
    people: Attribute,
    groups: Groups | None,
    pairs: Sequence[tuple[int, int]],
    same_space: bool,
    asked: Asked,
) -> list[Finding]:
    """Directions, and the groups along them: before, after, and new items beside the users as they were."""
    found = []
    for method in asked.methods:
        settings = Settings(
            method, "crossfit", asked.permutations, "permutation", "exclude", "mean", asked.alpha,
            asked.level, None, asked.seed, Classifying(),
        )  # fmt: skip
        listed = contrasts(codes, people.words, fit_of(method))
        for contrast in listed:
            lines = [established(contrast, side, settings, len(listed)) for side in rows]
            for line, side, when in zip(lines, rows, (BEFORE, AFTER), strict=True):
                finding = _told_when(direction_finding(line, side, people.name, settings, ()), when, method)
                warnings = () if line.passes or groups is None else (NOT_USED,)
                found.append(finding.model_copy(update={"warnings": warnings}))
            if groups is None:
                continue
            views = [(lines[0], rows[0], things[0], BEFORE), (lines[1], rows[1], things[1], AFTER)]
            views += [(lines[0], rows[0], things[1], ORIGINAL)] if same_space else []
            for line, side, items, when in views:
                along = _along(line, items, side, groups, people.name, settings)
                if contrast.is_binary and method == asked.methods[0]:
                    found += [_told_when(one, when) for one in along.associations(pairs)]
                # The finding of the direction says that it is not used further; each group need not.
                if line.passes:
                    found += [_told_when(one, when, method) for one in along.along_direction(pairs)]
    return found


def _along(
    line: Direction, items: Vectors, users: Vectors, groups: Groups, by: str, settings: Settings
) -> Significance:
    return Significance(
        line, items, users, groups, by, settings, lambda scores: Flags(None, None, None, groups.names)
    )


def _told_when(finding: Finding, when: str, method: str | None = None) -> Finding:
    """A finding of the association audit, with when it was so, and along the direction of which method."""
    more = {"when": when}
    if method is not None:
        more |= {"direction": f"{finding.subject['direction']} ({MADE_BY[method]})", "method": method}
    return finding.model_copy(update={"audit": AUDIT, "subject": finding.subject | more})


def changes_of_groups(
    rows: Pair, things: Pair, codes: Ints, people: Attribute, groups: Groups, asked: Asked
) -> list[Finding]:
    """GEAA after minus before: of the same items and users, so that what both share is not uncertain."""
    level = 1 - (1 - asked.level) / len(groups.names)
    name_of_line = " against ".join(people.words)
    lines = [mean_difference(side[codes == 0], side[codes == 1]) for side in rows]
    items = [cosines(side, line) for side, line in zip(things, lines, strict=True)]
    means = [UnitSums.of(side, groups.membership).means for side in things]
    found = []
    for place, name in enumerate(groups.names):
        inside = groups.membership[:, place]
        users = [cosines(side, mean[place]) for side, mean in zip(rows, means, strict=True)]
        own = items[0][inside], items[1][inside]
        limits, total = (_sum_limits(own, (users[0], users[1]), codes, sign, level) for sign in (-1, 1))
        old, new = (float(scores.mean()) for scores in own)
        found.append(
            Finding(
                audit=AUDIT,
                measure="geaa_change",
                subject={"by": people.name, "direction": name_of_line, "group": name},
                estimate=new - old,
                interval=None if limits is None else limits.model_copy(update={"level": asked.level}),
                n=int(inside.sum()),
                people={word: int((codes == code).sum()) for code, word in enumerate(people.words)},
                assumptions=(INDEPENDENT,),
                details={
                    "before": old,
                    "after": new,
                    "meaning": _nearer(limits, total),
                    "toward": people.words[0],
                    "away": people.words[1],
                },
            )
        )
    return found


def _sum_limits(items: Pair, users: Pair, codes: Ints, sign: int, level: float) -> Interval | None:
    """Of GEAA after plus (`sign` 1) or minus (-1) before, by what each item and each user adds to both."""
    added, shift = items[1] + sign * items[0], users[1] + sign * users[0]
    spread = uncertainty.together(
        [uncertainty.of_mean(part) for part in (added, shift[codes == 0], shift[codes == 1])]
    )
    return uncertainty.interval(float(added.mean()), spread, level, "paired jackknife over both sides", 4.0)


def _nearer(change: Interval | None, total: Interval | None) -> str:
    """Whether a group leans less than before, whichever way: after^2 - before^2 is the change times the sum,
    so both must be known to be on one side of 0. Of a group that leans the other way now, as much as before,
    the change alone would say neither truly."""
    if change is None or total is None or change.low <= 0 <= change.high:
        return NO_CHANGE
    if total.low <= 0 <= total.high:
        return EITHER
    return "weaker" if (change.low > 0) != (total.low > 0) else "stronger"


def ranking_changes(
    before: Recommender, after: Recommender, test: Interactions, seen: Any, by: str, asked: Asked
) -> list[Finding]:
    """Recall, MRR, NDCG, hit and precision of the lists of all users with a test item."""
    _, old = full_ranking_by_user(before, test, seen, asked.k)
    _, new = full_ranking_by_user(after, test, seen, asked.k)
    notes = short_rankings(test, seen, asked.k)
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
        subject={"by": by, "metric": f"{name}@{asked.k}"},
        estimate=one.difference,
        interval=_limits(one.low, one.high, asked.level, "paired differences") if known else None,
        harm="below",
        n=one.users,
        people={},
        assumptions=(INDEPENDENT,),
        warnings=notes,
        details={
            "before": one.before,
            "after": one.after,
            "meaning": _told(one.low, one.high, "worse", "better") if known else "unchanged",
            "users_better": one.users_better,
            "users_worse": one.users_worse,
        },
    )


def _limits(low: float | None, high: float | None, level: float, method: str) -> Interval | None:
    if low is None or high is None:
        return None
    return Interval(low=low, high=high, level=level, method=method)


def _told(low: float | None, high: float | None, below: str, above: str) -> str:
    """The word for a change whose whole interval lies on one side."""
    if low is None or high is None:
        return NO_CHANGE
    if high < 0:
        return below
    return above if low > 0 else NO_CHANGE
