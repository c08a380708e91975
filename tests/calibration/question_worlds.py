"""Plans of several independent questions, each an opportunity audit of two groups, and what they claim."""

from collections.abc import Callable

import numpy as np

from calibration.opportunity_worlds import World
from evenhand.findings import Finding, Interval, Verdict
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.measures import relative_utilities
from evenhand.stats.multiplicity import answers_together
from short_findings import short

TOLERANCE, ROWS = 1 / 9, 20_000
Findings = list[Finding]


def world(gap: float) -> World:
    """One group above and one below the average, by `gap`; 1/9 is exactly at the tolerance."""
    return World.of([0.02, 0.04], [1 + gap, 1 - gap], ROWS, ROWS)


def plan(gaps: list[float], seed: int) -> list[Callable[[float], Findings]]:
    """A question for each gap, of a log of its own: the relative utilities of all groups, at any level."""

    def question(gap: float, place: int) -> Callable[[float], Findings]:
        here = world(gap)
        (a, b), *_ = here.draw(1, seed * 1_000 + place)
        inference = ArmInference(here.arms(a, b), 0, place)

        def ask(level: float) -> Findings:
            estimates = relative_utilities(inference.utilities)
            return [
                short(
                    audit="opportunity",
                    measure="relative_utility",
                    subject={"group": str(k)},
                    estimate=float(estimates[k]),
                    interval=Interval(low=low, high=high, level=level, method="logit"),
                    tolerance=TOLERANCE,
                    harm="outside",
                )
                for k, (low, high) in enumerate(inference.relative_utility_intervals(level))
            ]

        return ask

    return [question(gap, place) for place, gap in enumerate(gaps)]


def violates(findings: Findings) -> bool:
    return any(finding.verdict is Verdict.VIOLATION for finding in findings)


def violations(gaps: list[float], runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Runs x questions: which are violations when each is asked alone at 95%, and when they hold together."""
    alone, together = np.empty((2, runs, len(gaps)), dtype=bool)
    for run in range(runs):
        asked = plan(gaps, run)
        alone[run] = [violates(ask(0.95)) for ask in asked]
        together[run] = [violates(findings) for _, findings in answers_together(asked, violates, 0.95)]
    return alone, together
