"""Growth of association, told as findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.association import uncertainty
from evenhand.association.directions.contrasts import Contrast
from evenhand.association.directions.findings import AssociationSettings
from evenhand.association.findings import ITEMS_TOO, VARIES
from evenhand.association.growing.growth import Growth, Members, TrainingScores, growth, together
from evenhand.association.vectors.labels import Groups
from evenhand.findings import INDEPENDENT_USERS, Count, Exclusion, Finding, Interval
from evenhand.more_data import with_more_data
from evenhand.stats.multiplicity import holm

AUDIT = "association_amplification"
METHOD = "t over trainings, with the spread over {} and the jackknife over users"
SAME_USERS = (
    "Trainings of a state are independent of each other; all states are of the same users and items. Both "
    "are a sample: what is asked is whether it grew for users and items like these."
)
ONE_TRAINING = (
    "there is one training of the first or the last state: two trainings on the same data differ as well, so "
    "it cannot be known whether this is more; train each state several times with different seeds"
)
TURNED = (
    "in the last state they are on the other side, toward {}; growth is of how far they lean, to any side"
)
SOURCE = (
    "The Kolmogorov-Smirnov test, as in Beattie (2023), takes the entities of the two states for different "
    "ones, and knows nothing of the noise of training."
)


@dataclass(frozen=True)
class FollowedMean:
    """One mean that is followed; `found` is None where the direction is not good enough for it, and `why`."""

    contrast: Contrast
    measure: str
    about: About
    found: Growth | None
    n: int
    counted: str
    why: str


def questions(contrast: Contrast, states: list[list[TrainingScores]], groups: Groups) -> list[FollowedMean]:
    def follow(which: str, who: Members, side: int | None = None) -> Growth:
        rows = [[getattr(one, which) for one in trainings] for trainings in states]
        without = [[one.without[which] for one in row] for row in states]
        return growth(rows, without, who, side, least[which] if side is None else (0.0, 0.0))

    passes = [sum(one.passes for one in trainings) for trainings in (states[0], states[-1])]
    usable = passes == [len(states[0]), len(states[-1])]
    why = (
        f"the direction {contrast.name} passed its tests in {passes[0]} of {len(states[0])} trainings of the "
        f"first state and in {passes[1]} of {len(states[-1])} of the last; unless it does in all, what lies "
        "along it says nothing about the attribute"
    )
    least: dict[str, tuple[float, float]] = {}
    out = []
    for measure, which in (("geaa_growth", "eaa"), ("r_ripa_growth", "along")):
        ways = together([[getattr(one, which) for one in trainings] for trainings in states])
        change, total = (uncertainty.within(scores, groups.membership) for scores in ways)
        least[which] = change, total
        for place, name in enumerate(groups.names):
            members = groups.membership[:, place]
            one = follow(which, Members(members)) if usable or which == "eaa" else None
            out.append(
                FollowedMean(
                    contrast, measure, {"items": groups.about(name)}, one, int(members.sum()), "items", why
                )
            )
    sides = [contrast.codes == code for code in (0, 1)]
    for value, members, side in zip(contrast.names, sides, (1, -1), strict=True):
        one = follow("people", Members(members), side) if usable else None
        out.append(
            FollowedMean(contrast, "user_growth", {"value": value}, one, int(members.sum()), "users", why)
        )
    # Measured on users who did not make it, this is 0 for a direction of noise, and needs no test before it.
    gap = follow("people", Members(*sides), 1)
    return [*out, FollowedMean(contrast, "gap_growth", {}, gap, len(contrast.codes), "users", why)]


def findings_of(
    asked: list[FollowedMean],
    by: str,
    way: str,
    settings: AssociationSettings,
    excluded: tuple[Exclusion, ...],
) -> list[Finding]:
    """Told together, as all p-values are corrected for their number."""
    p_values = [_p_value(one.found, way) for one in asked]
    tested = [place for place, p_value in enumerate(p_values) if p_value is not None]
    corrected = holm(np.array([p_values[place] for place in tested]))
    adjusted = dict(zip(tested, corrected.tolist(), strict=True))
    family = Counter((one.contrast.name, one.measure) for one in asked)
    out = []
    for place, one in enumerate(asked):
        about: About = {"by": {"users": by}, "direction": one.contrast.name, **one.about}
        if one.found is None:
            out.append(
                Finding(
                    audit=AUDIT,
                    measure=one.measure,
                    about=about,
                    estimate=None,
                    warnings=(one.why,),
                    people=one.contrast.people,
                )
            )
            continue
        details = _details(one.found, one.contrast)
        if place in adjusted:
            details |= {"compared": len(tested), "adjusted_p_value": adjusted[place]}
        many = family[one.contrast.name, one.measure]
        out.append(
            _with_more_trainings(
                one.found,
                _each(settings.level, many),
                audit=AUDIT,
                measure=one.measure,
                about=about,
                estimate=one.found.estimate,
                interval=_interval(one, settings.level, many),
                tolerance=settings.tolerance,
                harm="above",
                p_value=p_values[place],
                n=Count(one.n, one.counted),
                people=one.contrast.people,
                excluded=excluded,
                assumptions=(
                    INDEPENDENT_USERS,
                    SAME_USERS,
                    *((ITEMS_TOO, VARIES) if one.counted == "items" else ()),
                ),
                warnings=_warnings(one.found, way, one.contrast),
                details=details,
            )
        )
    return out


def _with_more_trainings(found: Growth, level: float, **told: Any) -> Finding:
    """Users and items are those of all states; what there can be more of is trainings."""
    return with_more_data(
        Finding(**told),
        lambda times: found.limits(level, times) or (-np.inf, np.inf),
        of="trainings of both states",
    )


def _each(level: float, family: int) -> float:
    """The level of each interval with which all of them hold at once (Bonferroni)."""
    return 1 - (1 - level) / family


def _p_value(found: Growth | None, way: str) -> float | None:
    if found is None:
        return None
    return found.ks if way == "ks" else found.p_value


def _warnings(found: Growth, way: str, contrast: Contrast) -> tuple[str, ...]:
    said = [SOURCE] if way == "ks" else []
    if found.change.trainings is None:
        said.append(ONE_TRAINING)
    if found.turned:
        said.append(TURNED.format(contrast.names[1 if found.side > 0 else 0]))
    return tuple(said)


def _interval(one: FollowedMean, level: float, family: int) -> Interval | None:
    assert one.found is not None
    limits = one.found.limits(_each(level, family))
    if limits is None:
        return None
    method = METHOD.format(one.counted) + (f", simultaneous over {family:,}" if family > 1 else "")
    # Scores are cosines, or differences of them, so that a mean moves by 4 at most.
    return Interval(low=max(-4.0, limits[0]), high=min(4.0, limits[1]), level=level, method=method)


def _details(found: Growth, contrast: Contrast) -> dict[str, Any]:
    means = [float(np.mean(row)) for row in found.values]
    details: dict[str, Any] = {
        "side": contrast.names[0 if found.side > 0 else 1],
        "toward": contrast.names[0],
        "away": contrast.names[1],
        "first": means[0],
        "last": means[-1],
        "states": [{"mean": mean, "trainings": row} for mean, row in zip(means, found.values, strict=True)],
        "error_of_entities": _error(found.change.entities.variance),
        "error_of_users": _error(found.change.users.variance),
        "ks_p_value": found.ks,
    }
    if found.change.trainings is not None:
        details["error_of_trainings"] = _error(found.change.trainings.variance)
    return details


def _error(variance: float) -> float | None:
    return float(np.sqrt(variance)) if np.isfinite(variance) else None
