"""Plans of random traffic, and what audits of so much simulated traffic then deliver."""

from dataclasses import dataclass

import numpy as np

import evenhand as eh
from calibration.opportunity_worlds import tilted
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty

ROWS, RANDOM_ROWS = 20_000.0, 1_000.0


@dataclass(frozen=True)
class Planned:
    """Assumed rates of groups, and what is planned for."""

    rates: np.ndarray
    utilities: np.ndarray
    options: dict

    @property
    def names(self) -> list[str]:
        return [str(k) for k in range(len(self.rates))]

    def plan(self) -> float:
        """Days, as planned."""
        return self._planned(random_rows_a_day=RANDOM_ROWS).find("days_needed").estimate

    def plan_share(self, days: float) -> float:
        """Random rows a day, as planned for so many days."""
        return self._planned(days=days).find("share_needed").details["random_rows"] / days

    def _planned(self, **traffic: float) -> eh.AuditResult:
        return eh.opportunity.plan_traffic(
            rates=dict(zip(self.names, self.rates, strict=True)),
            utilities=dict(zip(self.names, self.utilities, strict=True)),
            rows_a_day=ROWS,
            **traffic,
            **self.options,
        )

    @property
    def default_rates(self) -> list[np.ndarray]:
        """Those of default traffic as it is, and with the treatment if there is one."""
        q = [self.rates * self.utilities]
        if "treatment" in self.options:
            factors = np.array([self.options["treatment"].get(name, 1.0) for name in self.names])
            q.append(q[0] * factors * q[0].sum() / (q[0] * factors).sum())
        return q

    def arms_after(self, days: float, rng: np.random.Generator, random_rows: float) -> Arms:
        """Logs of so many days of each default traffic and of random traffic."""
        n, m = round(ROWS * days), round(random_rows * days)
        a = np.array(
            [rng.multinomial(n, [*shares, 1 - shares.sum()])[:-1] for shares in self.default_rates],
            dtype=float,
        )
        b = rng.multinomial(m, [*self.rates, 1 - self.rates.sum()])[:-1].astype(float)
        return Arms(tuple(self.names), a, np.full(len(a), float(n)), b, float(m), None, None)

    def delivered_half_width(
        self, days: float, runs: int, seed: int = 4, random_rows: float = RANDOM_ROWS
    ) -> float:
        rng = np.random.default_rng(seed)
        of = self.options.get("of", "penalty")
        widths = []
        for _ in range(runs):
            inference = ArmInference(self.arms_after(days, rng, random_rows), 0, 0)
            if of == "penalty":
                low, high = inference.penalty_interval(0.95)
            else:
                low, high = inference.relative_utility_intervals(0.95)[int(of)]
            widths.append((high - low) / 2)
        return float(np.mean(widths))

    def delivered_power(
        self, days: float, runs: int, seed: int = 5, random_rows: float = RANDOM_ROWS
    ) -> float:
        """Share of A/B tests whose interval is on the true side of 0."""
        rng = np.random.default_rng(seed)
        before, after = (float(penalty(shares / self.rates)) for shares in self.default_rates)
        found = 0
        for _ in range(runs):
            difference = penalty_difference(self.arms_after(days, rng, random_rows), 1, 0, 0.95, 0)
            found += difference.low > 0 if after > before else difference.high < 0
        return found / runs


def planned_from_pilots(world: Planned, rows: int, runs: int, seed: int = 8) -> tuple[float, float, int]:
    """Days that the true rates need; the median of those planned from pilots of so many random rows and
    twenty times as many default ones; and how many of their ranges hold the first."""
    rng, truth = np.random.default_rng(seed), world.plan()
    planned, held = [], 0
    (shown,) = world.default_rates
    for _ in range(runs):
        default, random = (
            LogCounts.from_totals(world.names, rng.multinomial(n, [*p, 1 - p.sum()])[:-1].tolist(), n)
            for n, p in ((20 * rows, shown), (rows, world.rates))
        )
        found = eh.opportunity.plan_traffic(
            default, random, rows_a_day=ROWS, random_rows_a_day=RANDOM_ROWS, **world.options
        ).find("days_needed")
        planned.append(found.estimate)
        held += found.interval.low <= truth <= found.interval.high
    return truth, float(np.median(planned)), held


def even(groups: int, size: float, liked: float = 0.1, **options) -> Planned:
    """Groups of one size; `liked` of all pairs are, and default traffic shows them twice as often."""
    return Planned(np.full(groups, liked / groups), 2 * tilted(groups, size), options)


HALF_WIDTHS = {
    "2 groups, h = .1, ±2 points": even(2, 0.1, 0.05, half_width=0.02),
    "2 groups, h = .3, ±5 points": even(2, 0.3, 0.02, half_width=0.05),
    "4 groups, fair, ±5 points": even(4, 0.0, half_width=0.05),
    "4 groups, h = .05, ±3 points": even(4, 0.05, half_width=0.03),
    "4 groups, h = .2, ±2 points": even(4, 0.2, half_width=0.02),
    "8 groups, h = .15, ±5 points": even(8, 0.15, half_width=0.05),
    "a rare group, ±10 points": Planned(
        np.array([0.05, 0.04, 0.002]), np.array([2.0, 2.0, 1.2]), {"half_width": 0.1}
    ),
    "4 groups, a group's utility, ±5 points": even(4, 0.2, half_width=0.05, of="3"),
}

POWERS = {
    "2 groups, h = .1 to .2": even(2, 0.1, 0.05, treatment={"0": 0.8}),
    "2 groups, h = .3 to .2": even(2, 0.3, 0.02, treatment={"1": 0.8}),
    "4 groups, less unequal": even(4, 0.2, treatment={"3": 0.7}),
    "4 groups, more unequal": even(4, 0.1, treatment={"3": 1.3}),
    "4 groups, from fair": even(4, 0.0, treatment={"3": 1.4}),
}


# Fewer days than 1,000 random rows a day would take, so that more of these are needed.
DAYS_FOR_WIDTHS = {
    "2 groups, h = .1, ±2 points": 60,
    "4 groups, fair, ±5 points": 7,
    "8 groups, h = .15, ±5 points": 10,
    "a rare group, ±10 points": 20,
    "4 groups, a group's utility, ±5 points": 40,
}
DAYS_FOR_POWERS = {"2 groups, h = .3 to .2": 8, "4 groups, less unequal": 16, "4 groups, from fair": 12}


# Shares of all pairs that are of each group, how many of them are liked, and the half-width that is wanted.
RARE = np.array([0.7, 0.295, 0.005])
TOLD = {
    "the last is liked three times as often, ±20 points": (RARE, [0.05, 0.05, 0.15], 0.2),
    "the same, ±10 points": (RARE, [0.05, 0.05, 0.15], 0.1),
    "liked ten times as often, ±10 points": (np.array([0.7, 0.298, 0.002]), [0.02, 0.02, 0.2], 0.1),
    "all are liked alike, ±30 points": (RARE, [0.05] * 3, 0.3),
    "20 equal groups, ±90 points": (np.full(20, 0.05), [0.05] * 20, 0.9),
}


def audits_that_leave_out(name: str, runs: int) -> tuple[float, int]:
    """Days planned, from a pilot that is so long that it has no noise, and how many audits of so many days
    leave out a group."""
    shares, liked, wanted = TOLD[name]
    rng, names = np.random.default_rng(9), [str(k) for k in range(len(shares))]

    def random(rows: int) -> LogCounts:
        of_groups = rng.multinomial(rows, shares)
        return LogCounts(tuple(names), of_groups[None], rng.binomial(of_groups, liked)[None])

    def default(rows: int) -> LogCounts:
        return LogCounts.from_totals(names, rng.binomial(rows, 2 * shares * liked).tolist(), rows)

    pilot = default(10**9), random(10**9)
    found = eh.opportunity.plan_traffic(
        *pilot, rows_a_day=ROWS, random_rows_a_day=RANDOM_ROWS, half_width=wanted
    )
    days = found.find("days_needed").estimate
    n, m = round(ROWS * days), round(RANDOM_ROWS * days)
    audits = (line_up({"default": default(n)}, random(m), "group", {}) for _ in range(runs))
    return days, sum(len(audit.random.groups) < len(names) for audit in audits)


@dataclass(frozen=True)
class Users:
    """Users who lean to some groups, with many rows each; as many in each log as `users`."""

    rates: np.ndarray
    utilities: np.ndarray
    rows_a_user: int = 11

    def logs(self, users: int, rng: np.random.Generator) -> tuple[LogCounts, LogCounts]:
        return self._log(users, self.rates * self.utilities, rng), self._log(users, self.rates, rng)

    def _log(self, users: int, rates: np.ndarray, rng: np.random.Generator) -> LogCounts:
        groups = len(rates)
        lean = rng.beta(0.5, 1, size=(users, groups)) * 3
        rows = rng.multinomial(self.rows_a_user, np.full(groups, 1 / groups), size=users)
        positives = rng.binomial(rows, groups * rates * lean)
        bucket = rng.integers(1024, size=users)
        counts = []
        for values in (rows, positives):
            table = np.zeros((1024, groups), dtype=np.int64)
            np.add.at(table, bucket, values)
            counts.append(table)
        return LogCounts(tuple(str(k) for k in range(groups)), *counts)


def half_width_of_users(
    world: Users, pilot_users: int, wanted: float, runs: int
) -> tuple[float, float, float]:
    """Days planned from a pilot of one day, the half-width that they deliver, and without clusters."""
    rng = np.random.default_rng(6)
    pilot = world.logs(pilot_users, rng)
    rows = pilot_users * world.rows_a_user
    options = {"rows_a_day": rows, "random_rows_a_day": rows, "half_width": wanted}
    days = eh.opportunity.plan_traffic(*pilot, **options).find("days_needed").estimate
    alone = [
        LogCounts(log.groups, log.rows.sum(axis=0)[None], log.positives.sum(axis=0)[None]) for log in pilot
    ]
    naive = eh.opportunity.plan_traffic(*alone, **options).find("days_needed").estimate
    widths = []
    for _ in range(runs):
        default, random = world.logs(round(pilot_users * days), rng)
        low, high = ArmInference(Arms.from_logs([default], random), 0, 0).penalty_interval(0.95)
        widths.append((high - low) / 2)
    return days, float(np.mean(widths)), naive


@dataclass(frozen=True)
class Uneven:
    """Random traffic that draws some pairs of each group less often: half of them, and by how much."""

    rates: np.ndarray
    utilities: np.ndarray
    often: np.ndarray
    seldom: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(k) for k in range(len(self.rates)))

    def default(self, rows: int, rng: np.random.Generator) -> LogCounts:
        q = self.rates * self.utilities
        liked = rng.multinomial(rows, [*q, 1 - q.sum()])[:-1]
        return LogCounts.from_totals(list(self.names), liked.tolist(), rows)

    def random(self, rows: int, rng: np.random.Generator) -> LogCounts:
        """Groups are of one size; within each, liked pairs are as common among both halves."""
        groups = len(self.rates)
        p = np.concatenate([self.often, self.seldom])
        liked = np.tile(self.rates, 2) / 2
        shares = np.concatenate([liked, 1 / (2 * groups) - liked]) * np.tile(p, 2)
        counts = rng.multinomial(rows, shares / shares.sum()).reshape(2, 2, groups)
        positives, others = counts
        w = 1 / p.reshape(2, groups)

        def sums(of: np.ndarray, weights: np.ndarray) -> np.ndarray:
            return (of * weights).sum(axis=0)[None].astype(float)

        every = positives + others
        weights = Weights(sums(every, w), sums(every, w**2), sums(positives, w), sums(positives, w**2))
        return LogCounts(self.names, every.sum(axis=0)[None], positives.sum(axis=0)[None], 0, weights)


def half_width_of_uneven_rows(
    world: Uneven, wanted: float, runs: int, seed: int = 7
) -> tuple[float, dict[str, float], dict[str, float]]:
    """The half-width delivered, and the liked rows of each group as planned and as collected."""
    rng = np.random.default_rng(seed)
    pilot = world.default(1_000_000, rng), world.random(1_000_000, rng)
    found = eh.opportunity.plan_traffic(
        *pilot, rows_a_day=ROWS, random_rows_a_day=RANDOM_ROWS, half_width=wanted
    ).find("days_needed")
    widths, collected = [], np.zeros(len(world.names))
    for _ in range(runs):
        default = world.default(round(found.details["default_rows"]), rng)
        random = world.random(round(found.details["random_rows"]), rng)
        low, high = ArmInference(Arms.from_logs([default], random), 0, 0).penalty_interval(0.95)
        widths.append((high - low) / 2)
        collected += random.positives[0] / runs
    liked = dict(zip(world.names, collected.tolist(), strict=True))
    return float(np.mean(widths)), found.details["random_positives"], liked
