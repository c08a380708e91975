"""From one metric's values and the groups to compare, to findings: the gap, and whether it is real."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Floats
from evenhand.findings import INDEPENDENT_USERS, Count, Exclusion, Finding, Interval
from evenhand.groups.cells import Groups
from evenhand.groups.confirmation import Confirmation, confirm
from evenhand.groups.equality import MeansTest, compare_means
from evenhand.groups.evidence import Moments, cell_moments, group_moments
from evenhand.groups.lists.metrics import Better
from evenhand.groups.measures import (
    detectable_gap,
    errors_at_common_mean,
    largest_gap,
    most_gap,
    simultaneous_intervals,
)
from evenhand.groups.more_users import gap_limits_at
from evenhand.groups.people import people_of
from evenhand.more_data import with_more_data
from evenhand.pictures import Cell, Line, Lines, Map
from evenhand.stats.means.permutation import HIGHEST, LOWEST, RAW, SPREAD, STUDENTISED, Shuffles
from evenhand.stats.means.random_effects import SpreadOfMeans, spread_of_means

ONE_VALUE = (
    "In a half of a group all users have the same value, and no bounds say what they might have had, so no "
    "gap is confirmed; give bounds if there are any."
)
ALIKE = (
    "Halves of the users agree on a gap, but groups of one mean may give that as well (the p-value of the "
    "largest gap), so no gap is confirmed."
)
MISSED = (
    "Half of a group may have missed what users of all groups have now and then. What only its own users "
    "have is not allowed for: if their rare values are far from all others, a gap may be confirmed that is "
    "none."
)
POWER = 0.9


@dataclass(frozen=True)
class Measured:
    """A metric's values of the users to compare, and how to read them.

    `bounds` are where a value can lie at all, None if unknown. `cost` says what the search took, in words
    and numbers for the details.
    """

    label: str
    better: Better
    bounds: tuple[float, float] | None
    values: Floats
    groups: Groups
    excluded: tuple[Exclusion, ...] = ()
    warnings: tuple[str, ...] = ()
    cost: dict[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = (INDEPENDENT_USERS,)


@dataclass(frozen=True)
class GapSettings:
    level: float
    tolerance: float | None
    permutations: int
    top: int
    seed: int


def findings_of(
    measured: Measured, settings: GapSettings, progress: Callable[[str], None] = lambda message: None
) -> list[Finding]:
    """The findings of one metric: `confirmed_gap`, `uf`, `spread`, and `group_mean` for the extremes."""
    groups, values = measured.groups, measured.values
    means = group_moments(groups, cell_moments(groups.of, values))
    variance = float(values.var())
    gap = largest_gap(means)
    level, one_sided = settings.level, (1 + settings.level) / 2
    low, high, most = _together(measured, level, one_sided, settings.seed)
    means_test = compare_means(
        groups,
        values,
        measured.bounds,
        most=settings.permutations,
        seed=settings.seed,
        progress=lambda done, most: progress(f"{measured.label}: shuffle {done:,} of at most {most:,}"),
    )
    shuffles = means_test.shuffles
    differences = None
    if not means_test.overlapping:
        differences = spread_of_means(
            means.mean, errors_at_common_mean(means, means_test.ends), means_test.q_at_equal_means, level
        )
    confirmed = confirm(groups, values, np.random.default_rng([settings.seed, 1]), level, measured.bounds)
    detectable = detectable_gap(
        means, variance, means_test.ends, shuffles, POWER, 1 - level if measured.bounds is not None else 1.0
    )
    # Of groups that differ in shape, halves may confirm a gap that the test of equal means would not.
    p, least = means_test.p_value(STUDENTISED), 1 / (1 + settings.permutations)
    alike = p is not None and p > max(1 - level, least)
    order = np.argsort(means.mean, kind="stable")
    worst_first = order if measured.better == "higher" else order[::-1]
    about: About = {
        "by": {"users": tuple(groups.of.attributes)},
        "metric": measured.label,
    }
    top = min(settings.top, len(groups) // 2)
    common: dict[str, Any] = {
        "audit": "groups",
        "n": Count(len(values), "users"),
        "excluded": measured.excluded,
        "assumptions": measured.assumptions,
        "warnings": measured.warnings + _unsure(confirmed, alike),
    }
    # Ends that meet are everybody: a group in the middle must not be missing.
    ends_meet = 2 * settings.top >= len(groups)
    shown = [*worst_first] if ends_meet else [*worst_first[:top], *worst_first[::-1][:top][::-1]]
    halves = [end for half in confirmed.halves for end in (half.highest, half.lowest)]
    people = people_of(groups, [gap.highest, gap.lowest, *halves, *shown])
    common["people"] = people
    ends = {"highest": groups.name(gap.highest), "lowest": groups.name(gap.lowest)}
    rows = _rows(groups, means, low, high)
    method = f"simultaneous over {len(groups):,} groups"
    # Of the largest true gap: no smaller than that of the groups that were confirmed, no larger than the
    # intervals of all groups allow, each with half of the error.
    bounds = Interval(
        low=_at_most(max(0.0, confirmed.low), measured.bounds) if confirmed.sure and not alike else 0.0,
        high=_at_most(max(most, confirmed.high, 0.0), measured.bounds),
        level=level,
        method=f"below by split halves, above {method}",
    )
    missed = (MISSED,) if measured.bounds is None else ()
    uf = Finding(
        measure="uf",
        about=about,
        estimate=gap.size,
        interval=bounds,
        p_value=p,
        details=ends
        | {
            "groups": len(groups),
            "null": _null(shuffles),
            "raw_p_value": shuffles.p_value(RAW),
            "shuffled_p_value": shuffles.p_value(STUDENTISED),
            "confirmed": {
                "estimate": confirmed.estimate,
                "interval": {"low": confirmed.low, "high": confirmed.high, "level": settings.level},
                "sure": confirmed.sure,
            },
            "detectable_gap": {
                "gap": detectable,
                "power": POWER,
                "group_size": float(np.median(means.n)),
            },
            "advantaged": [rows[g] for g in worst_first[::-1][:top]],
            "disadvantaged": [rows[g] for g in worst_first[:top]],
            "better": measured.better,
            "search": {key: value for key, value in measured.cost.items() if key != "trace"},
        }
        | ({} if differences is None else {"tau": _tau(differences)}),
        pictures=(*_heat(groups, means), *_search(measured.cost)),
        **(common | {"assumptions": (*common["assumptions"], *missed, means_test.assumption)}),
    )
    limits_at = gap_limits_at(groups, values, measured.bounds, confirmed, level, settings.seed)
    halves_assume = common | {"assumptions": (*common["assumptions"], *missed)}
    gap_found = _confirmed(confirmed, groups, about, settings, halves_assume, uf)
    if not _contradicted(confirmed, alike):
        gap_found = with_more_data(gap_found, limits_at, of="users")
    found = [gap_found, uf]
    if differences is not None:
        found.append(_spread(differences, about, settings, common, means_test))
    reach = float(np.quantile(np.maximum(shuffles.shuffled[:, HIGHEST], -shuffles.shuffled[:, LOWEST]), 0.95))
    centre = float(values.mean())
    for g in shown:
        chance = reach * (variance / means.n[g]) ** 0.5
        found.append(
            Finding(
                measure="group_mean",
                about=about | {"users": groups.members_of(g)},
                estimate=float(means.mean[g]),
                interval=Interval(low=low[g], high=high[g], level=settings.level, method=method),
                harm="below" if measured.better == "higher" else "above",
                details={
                    "difference": float(means.mean[g] - centre),
                    "by_chance": {"low": centre - chance, "high": centre + chance},
                    "everybody": centre,
                },
                **(
                    common
                    | {
                        "n": Count(int(means.n[g]), "users"),
                        "excluded": (),
                        "people": {(name := groups.name(g)): people[name]},
                    }
                ),
            )
        )
    return found


def _at_most(gap: float, bounds: tuple[float, float] | None) -> float:
    """No gap is larger than what the metric can differ by."""
    return gap if bounds is None else min(gap, bounds[1] - bounds[0])


def _together(measured: Measured, level: float, one_sided: float, seed: int) -> tuple[Floats, Floats, float]:
    """Simultaneous intervals of all groups at `level`, and the largest gap possible at `one_sided`."""

    def intervals(level: float) -> tuple[Floats, Floats]:
        rng = np.random.default_rng([seed, 2])
        return simultaneous_intervals(measured.groups, measured.values, level, measured.bounds, rng)

    return *intervals(level), most_gap(*intervals(one_sided))


def _contradicted(confirmed: Confirmation, alike: bool) -> bool:
    """Whether the halves would confirm a gap that groups of one mean may well give."""
    return alike and confirmed.low > 0


def _unsure(confirmed: Confirmation, alike: bool) -> tuple[str, ...]:
    said = () if confirmed.sure else (ONE_VALUE,)
    return (*said, ALIKE) if _contradicted(confirmed, alike) else said


def _null(shuffles: Shuffles) -> dict[str, Any]:
    raw = shuffles.shuffled[:, RAW]
    return {
        "mean": float(raw.mean()),
        "p95": float(np.quantile(raw, 0.95)),
        "shuffles": len(raw),
        "studentised_gap": float(shuffles.observed[STUDENTISED]),
        "studentised_p95": float(np.quantile(shuffles.shuffled[:, STUDENTISED], 0.95)),
    }


def _tau(differences: SpreadOfMeans) -> dict[str, Any]:
    return {"estimate": differences.tau, "low": differences.low, "high": differences.high}


def _rows(groups: Groups, means: Moments, low: Floats, high: Floats) -> list[dict[str, Any]]:
    return [
        {
            "group": groups.name(g),
            "users": int(means.n[g]),
            "mean": float(means.mean[g]),
            "low": float(low[g]),
            "high": float(high[g]),
        }
        for g in range(len(groups))
    ]


def _confirmed(
    confirmed: Confirmation,
    groups: Groups,
    about: About,
    settings: GapSettings,
    common: dict[str, Any],
    uf: Finding,
) -> Finding:
    halves = [
        {
            "highest": groups.name(half.highest),
            "lowest": groups.name(half.lowest),
            "highest_users": int(groups.sizes[half.highest]),
            "lowest_users": int(groups.sizes[half.lowest]),
            "gap": half.gap,
        }
        for half in confirmed.halves
    ]
    return Finding(
        measure="confirmed_gap",
        about=about,
        estimate=max(0.0, confirmed.estimate),  # no largest gap is negative
        interval=uf.interval,
        tolerance=settings.tolerance,
        details={
            "raw_gap": uf.estimate,
            "chance_gap": uf.details["null"]["mean"],
            "split_half": uf.details["confirmed"],
            "halves": halves,
            "better": uf.details["better"],
        },
        **common,
    )


def _spread(
    differences: SpreadOfMeans,
    about: About,
    settings: GapSettings,
    common: dict[str, Any],
    means_test: MeansTest,
) -> Finding:
    return Finding(
        measure="spread",
        about=about,
        estimate=differences.tau,
        interval=Interval(
            low=differences.low,
            high=differences.high,
            level=settings.level,
            method="Q-profile, resampled at equal means",
        ),
        p_value=means_test.p_value(SPREAD),
        details={"q": differences.q, "df": differences.df},
        **(common | {"assumptions": (*common["assumptions"], means_test.assumption)}),
    )


def _heat(groups: Groups, means: Moments) -> tuple[Map, ...]:
    """Means by two attributes, where there are just two."""
    if len(groups.of.attributes) != 2 or (groups.codes < 0).any():
        return ()
    first, second = groups.of.values
    cells = [
        Cell(row=first[a], column=second[b], value=float(mean), users=int(n))
        for (a, b), mean, n in zip(groups.codes, means.mean, means.n, strict=True)
    ]
    rows, columns = groups.of.attributes
    return (Map(of="mean", rows=rows, columns=columns, cells=tuple(cells)),)


def _search(cost: Mapping[str, Any]) -> tuple[Lines, ...]:
    """The largest gap so far against the users scored, where a search went step by step."""
    trace = tuple((float(scored), float(gap)) for scored, gap in cost.get("trace", ()))
    return (Lines(of="search", lines=(Line(name="gap", points=trace),)),) if trace else ()
