"""Random traffic that prefers popular items: known truth, weighted and unweighted answers."""

from dataclasses import dataclass

import numpy as np

from calibration.opportunity_worlds import contains, tilted
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty, relative_utilities

# Classes of popularity: share of all pairs, how much likelier each is drawn, how much more it is liked.
SHARES = np.array([0.02, 0.08, 0.20, 0.30, 0.40])
DRAWN = {
    "mild": np.array([4.0, 2.5, 1.5, 1.0, 0.6]),
    "strong": np.array([20.0, 8.0, 3.0, 1.0, 0.3]),
}
LIKED = np.array([3.0, 2.0, 1.0, 0.8, 0.5])
# Popular items are not spread evenly over groups: this is what makes unweighted counts wrong.
LEAN = np.array([0.6, 0.8, 1.0, 1.1, 1.1])


@dataclass(frozen=True)
class WeightedWorld:
    """Pairs by class of popularity and group; `rates` is the share of liked pairs of each group."""

    rates: np.ndarray
    utilities: np.ndarray
    treatment: np.ndarray
    drawn: np.ndarray
    rows: int = 50_000
    random_rows: int = 20_000
    lift: float = 2.0

    @property
    def liked_pairs(self) -> np.ndarray:
        """Share of all pairs that are liked, a class (rows) and a group (columns)."""
        shares = np.outer(SHARES * LIKED, np.ones(len(self.rates)))
        shares[:, 0] *= LEAN
        return shares / shares.sum(axis=0) * self.rates

    def draw(self, rng: np.random.Generator) -> tuple[list[LogCounts], LogCounts]:
        """Default logs of control and treatment, and the weighted random log."""
        groups = tuple(str(k) for k in range(len(self.rates)))
        logs = []
        for utilities in (self.utilities, self.treatment):
            q = self.lift * self.rates * utilities
            positives = rng.multinomial(self.rows, [*q, 1 - q.sum()])[:-1]
            logs.append(LogCounts.from_totals(list(groups), positives.tolist(), self.rows))
        liked = self.liked_pairs
        other = SHARES - liked.sum(axis=1)
        p = self.drawn / (SHARES @ self.drawn)
        shares = np.column_stack([liked, other]) * p[:, None]
        counts = rng.multinomial(self.random_rows, shares.ravel()).reshape(shares.shape)
        rows = counts[:, :-1].copy()
        rows[:, 0] += counts[:, -1]  # which group a pair that is not liked belongs to does not matter
        sums = [(part.T @ (1 / p) ** power)[None] for part in (rows, counts[:, :-1]) for power in (1, 2)]
        weights = Weights(*sums)
        random = LogCounts(groups, rows.sum(axis=0)[None], counts[:, :-1].sum(axis=0)[None], 0, weights)
        return logs, random


def world(groups: int, size: float, drawn: str, **options) -> WeightedWorld:
    rates = np.full(groups, 0.12 / groups)
    return WeightedWorld(rates, tilted(groups, size), tilted(groups, size * 1.5), DRAWN[drawn], **options)


WORLDS = {
    "2 groups, mild": world(2, 0.15, "mild"),
    "2 groups, strong": world(2, 0.15, "strong"),
    "4 groups, mild": world(4, 0.2, "mild"),
    "4 groups, strong": world(4, 0.2, "strong"),
    "8 groups, strong": world(8, 0.3, "strong"),
    "4 groups, strong, little random traffic": world(4, 0.3, "strong", random_rows=5_000),
}


def coverage(world: WeightedWorld, runs: int, seed: int = 3) -> dict[str, float]:
    """Percent of runs in which intervals hold the truth, and the bias of weighted and unweighted log U."""
    rng = np.random.default_rng(seed)
    h, d = penalty(world.utilities), relative_utilities(world.utilities)
    change = penalty(world.treatment) - h
    truth = np.log(world.utilities) - np.log(world.utilities).mean()
    hits = dict.fromkeys(("penalty", "relative_utility", "difference", "unweighted"), 0)
    errors = {"weighted": np.zeros(len(d)), "unweighted": np.zeros(len(d))}
    for _ in range(runs):
        logs, random = world.draw(rng)
        arms = Arms.from_logs(logs, random)
        inference = ArmInference(arms, 0, 0)
        hits["penalty"] += contains(inference.penalty_interval(0.95), h)
        groups = zip(inference.relative_utility_intervals(0.95), d, strict=True)
        hits["relative_utility"] += all(contains(bounds, value) for bounds, value in groups)
        difference = penalty_difference(arms, 1, 0, 0.95, 0)
        hits["difference"] += contains((difference.low, difference.high), change)
        plain = LogCounts(random.groups, random.rows, random.positives)
        blind = ArmInference(Arms.from_logs(logs, plain), 0, 0)
        hits["unweighted"] += contains(blind.penalty_interval(0.95), h)
        for name, found in (("weighted", inference), ("unweighted", blind)):
            log_u = np.log(found.utilities)
            errors[name] += (log_u - log_u.mean() - truth) / runs
    percents = {name: 100 * count / runs for name, count in hits.items()}
    return percents | {f"bias_{name}": float(np.abs(error).max()) for name, error in errors.items()}
