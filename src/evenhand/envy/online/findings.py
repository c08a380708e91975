"""Simulated and planned audits as findings: how they ended, how long they took, what they cost the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from evenhand.arrays import Floats
from evenhand.envy.online.simulated.planning import PlannedAudit
from evenhand.envy.online.simulated.played import PlayedAudit
from evenhand.envy.online.simulated.simulation import Simulation
from evenhand.findings import Count, Finding, Interval
from evenhand.more_data import with_more_data
from evenhand.pictures import Arm, Bounds, Line, Lines
from evenhand.results import AuditResult
from evenhand.stats.means.proportions import share_limits_at

SIMULATION, PLANNING = "envy_simulation", "envy_plan"
LEVEL = 0.95
# Costs are skewed, and with fewer audits Student's limits of their mean hold in 88 to 95%.
FEW = 100
FEW_AUDITS = "Of so few audits the interval is short: it holds in about nine of ten cases. Simulate more."
# More arms than this, and nobody can tell their bounds apart in a picture.
DRAWN_ARMS = 5
# Means that differ by less are meant to be equal: 0.1 + 0.2 against 0.3.
ROUNDING = 1e-9


def about_simulation(
    found: Simulation,
    means: Sequence[float],
    epsilon: float,
    delta: float,
    lost: float = 0.0,
    played: PlayedAudit | None = None,
    assumptions: tuple[str, ...] = (),
) -> AuditResult:
    """What simulated audits of a user with these means did; `played` is one of them, for its picture.

    `assumptions` are those of the audit's design: the simulated user keeps them, a real one may not.
    """
    runs = len(found.durations)
    common: dict[str, Any] = {"audit": SIMULATION, "n": Count(runs, "audits"), "assumptions": assumptions}
    true = (1 - lost) * np.asarray(means, dtype=float)
    outcomes = {word: found.share(word) for word in ("envy", "no_envy", "inconclusive")}
    decided = 1 - outcomes["inconclusive"]
    wrong = _wrong(found, true, epsilon)
    durations = np.sort(found.durations)
    details = _duration(durations)
    steps = float(found.durations.mean())
    findings = [
        Finding(measure="decided_audits", estimate=decided, details=outcomes, **common),
        _share("wrong_outcomes", wrong, delta, {}, common),
        _share("broken_constraint", ~found.held, delta, {"least_margin": float(found.margins.min())}, common),
        Finding(
            measure="audit_duration",
            estimate=details["median"],
            interval=_median_limits(durations),
            details=details,
            pictures=(
                *(() if played is None else (_arms_over_time(played, true),)),
                _ended_by(durations),
            ),
            **common,
        ),
        Finding(
            measure="audit_cost",
            estimate=float(found.costs.mean()),
            interval=_mean_limits(found.costs),
            details={
                "steps": steps,
                "own_reward": steps * float(means[0]),
                "within_90": float(np.quantile(found.costs, 0.9)),
                "own_share": float(found.pulls[:, 0].sum() / found.pulls.sum()),
            },
            warnings=(FEW_AUDITS,) if 1 < runs < FEW else (),
            **common,
        ),
    ]
    return AuditResult(tuple(findings), {}, found.seed)


def about_plan(
    rows: Sequence[PlannedAudit], runs: int, seed: int, assumptions: tuple[str, ...] = ()
) -> AuditResult:
    """What audits would take at each alpha."""
    common: dict[str, Any] = {"audit": PLANNING, "n": Count(runs, "audits"), "assumptions": assumptions}
    findings = [_shortest(rows, common)] if len(rows) > 1 else []
    findings += [
        Finding(
            measure="planned_duration",
            about={"alpha": row.alpha},
            estimate=row.duration,
            details={"within_90": row.duration_90, **row.outcomes},
            **common,
        )
        for row in rows
    ]
    findings += [
        Finding(
            measure="planned_cost",
            about={"alpha": row.alpha},
            estimate=row.cost,
            details={"own_share": row.own_share},
            **common,
        )
        for row in rows
    ]
    return AuditResult(tuple(findings), {}, seed)


def _shortest(rows: Sequence[PlannedAudit], common: dict[str, Any]) -> Finding:
    """The alpha with the shortest audits, and all of them for a picture."""
    shortest = min(rows, key=lambda row: row.duration)
    lines = [
        Line(name=name, points=tuple((row.alpha, getattr(row, name)) for row in rows))
        for name in ("duration", "duration_90", "cost")
    ]
    return Finding(
        measure="shortest_audit",
        estimate=shortest.duration,
        details={"alpha": shortest.alpha, "alphas": len(rows)},
        pictures=(Lines(of="alpha", lines=tuple(lines)),),
        **common,
    )


def _wrong(found: Simulation, true: Floats, epsilon: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Runs with "envy" where no policy is better, or "no_envy" where one is by more than epsilon."""
    gain = float(true[1:].max() - true[0])
    wrongly_envious = (found.outcomes == "envy") & (gain <= ROUNDING)
    wrongly_cleared = (found.outcomes == "no_envy") & (gain > epsilon + ROUNDING)
    return wrongly_envious | wrongly_cleared


def _share(
    measure: str,
    hits: np.ndarray[Any, np.dtype[np.bool_]],
    tolerance: float,
    details: dict[str, Any],
    common: dict[str, Any],
) -> Finding:
    limits_at = share_limits_at(int(hits.sum()), len(hits), LEVEL)
    low, high = limits_at(1)
    found = Finding(
        measure=measure,
        estimate=float(hits.mean()),
        interval=Interval(low=low, high=high, level=LEVEL, method="Clopper-Pearson", validity="exact"),
        tolerance=tolerance,
        details=details,
        **common,
    )
    return with_more_data(found, limits_at, of="runs")


def _duration(durations: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, Any]:
    return {
        "median": float(np.median(durations)),
        "mean": float(durations.mean()),
        "within_90": float(np.quantile(durations, 0.9)),
        "longest": int(durations[-1]),
    }


def _ended_by(durations: np.ndarray[Any, np.dtype[np.int64]]) -> Lines:
    """The share of audits that ended by each step: a hundred points draw the whole distribution."""
    shares = np.linspace(0.01, 1, 100).round(2)
    steps = np.quantile(durations, shares, method="inverted_cdf")
    points = tuple((int(step), share) for step, share in zip(steps, shares.tolist(), strict=True))
    return Lines(of="ended", lines=(Line(name="ended", points=points),))


def _median_limits(ordered: np.ndarray[Any, np.dtype[np.int64]]) -> Interval | None:
    """Between two of the ordered durations; None where there are too few."""
    place = int(stats.binom.ppf((1 - LEVEL) / 2, len(ordered), 0.5))
    if place < 1:
        return None
    low, high = float(ordered[place - 1]), float(ordered[-place])
    return Interval(low=low, high=high, level=LEVEL, method="order statistics", validity="exact")


def _mean_limits(values: Floats) -> Interval | None:
    if len(values) < 2:
        return None
    error = float(values.std(ddof=1)) / np.sqrt(len(values))
    reach = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * error)
    middle = float(values.mean())
    return Interval(low=middle - reach, high=middle + reach, level=LEVEL, method="Student's t")


def _arms_over_time(played: PlayedAudit, true: Floats) -> Bounds:
    """Bounds of the user's own policy and of the others shown most, step by step.

    In blocks they are of differences, and so is the truth.
    """
    auditor = played.auditor
    differences = auditor.settings.design == "blocks"
    zero = float(true[0]) if differences else 0.0
    most = sorted(range(1, len(played.paths)), key=lambda arm: -auditor.assigned[arm])[:DRAWN_ARMS]
    return Bounds(
        outcome=auditor.outcome,
        steps=auditor.step,
        epsilon=auditor.settings.epsilon,
        differences=differences,
        others=len(played.paths) - 1,
        arms=tuple(
            Arm(
                arm=arm,
                mean=float(true[arm]) - zero,
                shown=auditor.assigned[arm],
                bounds=tuple(
                    (
                        at.step,
                        _digits(at.low),
                        None if at.average is None else _digits(at.average),
                        _digits(at.high),
                    )
                    for at in played.paths[arm]
                ),
            )
            for arm in [0, *sorted(most)]
        ),
    )


def _digits(value: float) -> float:
    """As many as a picture can show."""
    return round(value, 5)
