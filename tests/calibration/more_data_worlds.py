"""Audits that do not decide, how much data they say it would take, and how often so much data decides."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.opportunity_worlds import World, tilted
from evenhand.findings import Finding, Interval, Verdict
from evenhand.more_data import shrinking, with_more_data
from evenhand.opportunity.inference.more_rows import penalty_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.measures import corrected_penalty, penalty

TOLERANCE = 1 / 9
Ways = dict[str, Callable[[Finding, ArmInference], Finding]]
WAYS: Ways = {
    "asked": lambda finding, inference: penalty_with_more_rows(finding, inference, 0.95),
    # What would be right if the interval were estimate +- c / sqrt(n).
    "root": lambda finding, _: with_more_data(finding, shrinking(finding)),
}


@dataclass(frozen=True)
class Logs:
    """So many groups with the penalty `h`, and few positives in each."""

    groups: int
    h: float
    rows: int
    random_rows: int

    def world(self, times: float = 1.0) -> World:
        shares = np.full(self.groups, 0.03 / self.groups)
        rows = round(times * self.rows), round(times * self.random_rows)
        return World.of(shares, tilted(self.groups, self.h), *rows)


FAIR = Logs(8, 0.05, 20_000, 10_000)
UNFAIR = Logs(8, 0.2, 8_000, 5_000)
UNFAIR_MANY = Logs(15, 0.18, 12_000, 6_000)


def penalties(world: World, runs: int, seed: int) -> list[tuple[Finding, ArmInference]]:
    found = []
    for a, b in world.draw(runs, seed):
        inference = ArmInference(world.arms(a, b), 0, 0)
        low, high = inference.penalty_interval(0.95)
        interval = Interval(low=low, high=high, level=0.95, method="hull")
        told = Finding(
            audit="opportunity", measure="reo_penalty", estimate=float(penalty(inference.utilities)),
            interval=interval, tolerance=TOLERANCE,
        )  # fmt: skip
        found.append((told, inference))
    return found


def typical(logs: Logs, count: int) -> list[tuple[Finding, ArmInference]]:
    """Audits that do not decide, and are about as far from the tolerance as the truth is.

    What an audit says is right if the truth is where its estimate is; elsewhere it cannot be.
    """
    near = 0.1 * abs(logs.h - TOLERANCE)
    chosen: list[tuple[Finding, ArmInference]] = []
    seed = 0
    while len(chosen) < count:
        for told, inference in penalties(logs.world(), 50, seed):
            estimate = corrected_penalty(inference.utilities, inference.covariance)
            if told.open_to_data and abs(estimate - logs.h) <= near:
                chosen.append((told, inference))
        seed += 1
    return chosen[:count]


def decided(logs: Logs, way: str, pilots: int, runs: int) -> tuple[int, list[float]]:
    """How many of `runs` audits a pilot decide with as much data as the pilot said, and what it said."""
    said, hits = [], 0
    for number, (told, inference) in enumerate(typical(logs, pilots)):
        needed = WAYS[way](told, inference).more_data
        if needed is None:
            continue
        said.append(needed.times)
        again = penalties(logs.world(needed.times), runs, 1_000 + number)
        hits += sum(finding.verdict is not Verdict.INCONCLUSIVE for finding, _ in again)
    return hits, said
