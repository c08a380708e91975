"""Logs whose rows go together, by user and by item, drawn as counts by bucket; and how intervals hold."""

from dataclasses import dataclass

import numpy as np

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.differences import penalty_difference, relative_utility_differences
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty, relative_utilities

BUCKETS = 1024


@dataclass(frozen=True)
class Clustered:
    """Users who lean to some groups, with activity by a Pareto law; items shown by a lognormal popularity.

    `utilities` are the mechanism's, one row an arm, equal for a fair one; random traffic shows all items
    alike. Users of the logs are different ones, or `returning`: the same. With `shared_creators` the same
    creators are in every group. Popularity 0 is without items: all are alike, as for an audit of these items.
    A share of `hits` among the items is fifty times as popular. `items_of` are the numbers of items of the
    groups where they differ, the largest being `items`.
    """

    utilities: tuple[tuple[float, ...], ...]
    users: int = 1_000
    random_users: int = 1_000
    pareto: float | None = None
    leaning: bool = True
    items: int = 5_000
    popularity: float = 0.0
    shared_creators: bool = False
    returning: bool = False
    positives: int = 11_000
    random_positives: int = 3_000
    hits: float = 0.0
    items_of: tuple[int, ...] = ()

    @property
    def groups(self) -> int:
        return len(self.utilities[0])

    def draw(self, rng) -> tuple[list[LogCounts], LogCounts]:
        """A default log for each arm, and a random log; all by bucket of users and of items."""
        shape = (self.groups, self.items)
        popular = rng.lognormal(-(self.popularity**2) / 2, self.popularity, shape)  # of mean 1
        if self.hits:
            popular *= np.where(rng.random(shape) < self.hits, 50, 1) / (1 + 49 * self.hits)
        every = np.ones(shape)
        if self.items_of:
            numbers = np.array(self.items_of)[:, None]
            every = (np.arange(self.items) < numbers) * self.items / numbers
        buckets = rng.integers(BUCKETS, size=(1 if self.shared_creators else self.groups, self.items))
        buckets = np.broadcast_to(buckets, shape)
        people = self._people(rng, self.users)
        logs = [
            self._log(rng, people if self.returning else self._people(rng, self.users), n, u, shown, buckets)
            for u, n, shown in [(np.array(u), self.positives, popular * every) for u in self.utilities]
        ]
        people = people if self.returning else self._people(rng, self.random_users)
        return logs, self._log(rng, people, self.random_positives, np.ones(self.groups), every, buckets)

    def _people(self, rng, number: int):
        activity = np.ones(number)
        if self.pareto:
            # At most ten thousand times the least: no log is one user's alone.
            activity = np.minimum(rng.pareto(self.pareto, number) + 1, 1e4) * (1 - 1 / self.pareto)
        lean = rng.beta(0.5, 1, size=(number, self.groups)) * 3 if self.leaning else np.ones((number, 1))
        return activity[:, None] * lean, rng.integers(BUCKETS, size=number)

    def _log(self, rng, people, positives, utilities, shown, buckets) -> LogCounts:
        rates, places = people
        liked = rng.poisson(positives / len(rates) / self.groups * rates * utilities * shown.mean(axis=1))
        by_user, by_item = np.zeros((2, BUCKETS, self.groups))
        np.add.at(by_user, places, liked)
        for k, total in enumerate(liked.sum(axis=0)):
            np.add.at(by_item[:, k], buckets[k], rng.multinomial(total, shown[k] / shown[k].sum()))
        counts = by_user.astype(np.int64)
        return LogCounts(tuple(f"group {k}" for k in range(self.groups)), counts * 5, counts, by_item=by_item)


@dataclass(frozen=True)
class GroupsOfUsers:
    """Users of one group each, all served alike: countries, ages. In one log some do most (a Pareto law), in
    the other all do alike."""

    groups: int = 20
    users: int = 5_000
    random_users: int = 6_000
    pareto: float | None = None
    random_pareto: float | None = 1.2

    @property
    def utilities(self) -> tuple[tuple[float, ...], ...]:
        return ((1.0,) * self.groups,)

    def draw(self, rng) -> tuple[list[LogCounts], LogCounts]:
        """A default log with 8 positive rows a user, and a random log with 4."""
        return [self._log(rng, self.users, 8, self.pareto)], self._log(
            rng, self.random_users, 4, self.random_pareto
        )

    def _log(self, rng, users, positives, pareto) -> LogCounts:
        active = np.ones(users)
        if pareto:
            active = np.minimum(rng.pareto(pareto, users) + 1, 1e4) * (1 - 1 / pareto)
        counts = np.zeros((BUCKETS, self.groups), dtype=np.int64)
        places = rng.integers(BUCKETS, size=users), rng.integers(self.groups, size=users)
        np.add.at(counts, places, rng.poisson(active * positives))
        return LogCounts(tuple(f"group {k}" for k in range(self.groups)), counts * 5, counts)


FAIR, UNFAIR = (1.0, 1.0, 1.0), (1.25, 1.0, 0.75)
HEAVY = {
    "500 users": Clustered((FAIR,), 500, 500, 1.2),
    "500 users, unfair": Clustered((UNFAIR,), 500, 500, 1.2),
    "5,000 users": Clustered((FAIR,), 5_000, 5_000, 1.2, positives=110_000, random_positives=30_000),
    "5,000 users, 100 in the random log": Clustered((UNFAIR,), 5_000, 100, 1.2, random_positives=1_000),
    "2,000 users, eight groups": Clustered((tuple(np.linspace(0.7, 1.3, 8)),), 2_000, 2_000, 1.2),
    "1,000 users, Pareto 1.05": Clustered((UNFAIR,), 1_000, 1_000, 1.05),
}
RETURNING = {
    "500 users": Clustered((FAIR,), 500, 500, 1.2, returning=True),
    "500 users, unfair": Clustered((UNFAIR,), 500, 500, 1.2, returning=True),
}
OF_USERS = {
    "20 groups, a few draw most": GroupsOfUsers(),
    "10 groups, a few draw most": GroupsOfUsers(10, 2_000, 3_000),
    "10 groups, a few draw much": GroupsOfUsers(10, 2_000, 3_000, random_pareto=1.5),
    "10 groups, a few see most": GroupsOfUsers(10, 3_000, 3_000, 1.2, None),
    "10 groups, a few do most of both": GroupsOfUsers(10, 20_000, 2_000, 1.2),
    "10 groups, all alike": GroupsOfUsers(10, 3_000, 3_000, random_pareto=None),
}
LIGHT = {
    "2,000 users": Clustered((UNFAIR,), 2_000, 2_000),
    "2,000 users, eight groups": Clustered((tuple(np.linspace(0.7, 1.3, 8)),), 2_000, 2_000),
    "60 users": Clustered((UNFAIR,), 60, 60),
}
ITEMS = {
    "50 items a group": Clustered((FAIR,), items=50, popularity=1),
    "200 items a group": Clustered((FAIR,), items=200, popularity=1),
    "1,000 items a group": Clustered((FAIR,), items=1_000, popularity=1),
    "200 items a group, unfair": Clustered((UNFAIR,), items=200, popularity=1),
    "200 items a group, heavy users": Clustered((FAIR,), 2_000, 2_000, 1.2, items=200, popularity=1),
    "100 creators in every group": Clustered((FAIR,), items=100, popularity=1, shared_creators=True),
    "2 groups, 100 items": Clustered(((1.0, 1.0),), items=100, popularity=1),
    "20 groups, 200 items": Clustered(
        ((1.0,) * 20,), items=200, popularity=1, positives=40_000, random_positives=20_000
    ),
    "20 groups, 50 items": Clustered(
        ((1.0,) * 20,), items=50, popularity=1, positives=40_000, random_positives=20_000
    ),
    "8 groups, 100 items, unfair": Clustered(
        (tuple(np.linspace(0.7, 1.3, 8)),), items=100, popularity=1, positives=20_000, random_positives=8_000
    ),
    "8 groups, 4 hits in each": Clustered(
        ((1.0,) * 8,), items=200, hits=0.02, positives=22_000, random_positives=8_000
    ),
    "30, 300 and 3,000 items": Clustered((FAIR,), items=3_000, items_of=(30, 300, 3_000), popularity=1),
}
FEW = {
    "25 users, 500 items": Clustered((FAIR,), 25, 25, items=500, popularity=0.5),
    "25 creators in every group": Clustered((FAIR,), items=25, popularity=0.5, shared_creators=True),
    "25 users, 25 creators, rows independent": Clustered(
        (FAIR,), 25, 25, leaning=False, items=25, shared_creators=True
    ),
    "20 groups, 30 users, 30 creators, rows independent": Clustered(
        ((1.0,) * 20,), 30, 30, leaning=False, items=30, shared_creators=True, positives=20_000,
        random_positives=10_000,
    ),
    "20 groups, 30 creators": Clustered(
        ((1.0,) * 20,), items=30, popularity=0.5, shared_creators=True, positives=40_000,
        random_positives=20_000,
    ),
}  # fmt: skip
NOTHING_TO_FIND = Clustered((FAIR,), 5_000, 5_000, leaning=False)
ARMS = {
    "heavy users": Clustered((FAIR, UNFAIR), 2_000, 2_000, 1.2),
    "heavy users, both unfair": Clustered(((1.4, 1.0, 0.6), UNFAIR), 2_000, 2_000, 1.2),
    "200 items, both unfair": Clustered(((1.4, 1.0, 0.6), UNFAIR), items=200, popularity=1),
    "200 items, both fair": Clustered((FAIR, FAIR), items=200, popularity=1),
}


def users_only(log: LogCounts) -> LogCounts:
    return LogCounts(log.groups, log.rows, log.positives)


def coverage(
    world: Clustered | GroupsOfUsers, runs: int, seed: int = 1, items: bool = True
) -> dict[str, float]:
    """Percent of runs in which intervals of one log hold the truth, and of alarms of the equality test.

    The test is asked whether the utilities are what they are: an alarm is false, whatever the truth. `width`
    is the median width of a group's interval.
    """
    rng = np.random.default_rng(seed)
    truth = np.array(world.utilities[0])
    h, d, ratio = penalty(truth), relative_utilities(truth), truth.min() / truth.max()
    hits = {"penalty": 0, "groups": 0, "worst_ratio": 0, "alarms": 0}
    widths, penalty_widths = [], []
    for _ in range(runs):
        logs, random = world.draw(rng)
        if not items:
            logs, random = [users_only(log) for log in logs], users_only(random)
        inference = ArmInference(Arms.from_logs(logs[:1], random), 0, 0)
        found = inference.penalty_interval(0.95)
        hits["penalty"] += _holds(found, h)
        penalty_widths.append(found[1] - found[0])
        groups = inference.relative_utility_intervals(0.95)
        widths.append(np.median([high - low for low, high in groups]))
        hits["groups"] += all(_holds(*each) for each in zip(groups, d, strict=True))
        hits["worst_ratio"] += _holds(inference.worst_ratio_interval(0.95), ratio)
        test = _equality_at(inference, truth)
        hits["alarms"] += test is not None and test.p_value < 0.05
    percents = {name: 100 * count / runs for name, count in hits.items()}
    medians = {"penalty_width": np.median(penalty_widths), "width": np.median(widths)}
    return percents | {name: float(value) for name, value in medians.items()}


def groups_held(world: Clustered | GroupsOfUsers, runs: int, seed: int = 3) -> int:
    """Runs in which the intervals of all groups hold, and nothing else, which is quicker."""
    rng, truth = np.random.default_rng(seed), np.array(world.utilities[0])
    held = 0
    for _ in range(runs):
        logs, random = world.draw(rng)
        found = ArmInference(Arms.from_logs(logs[:1], random), 0, 0).relative_utility_intervals(0.95)
        held += all(_holds(*each) for each in zip(found, relative_utilities(truth), strict=True))
    return held


def _equality_at(inference, truth):
    """The equality test of utilities divided by their truth."""
    moved = ArmInference(inference.arms, 0, 0)
    moved.__dict__["utilities"] = inference.utilities / truth
    moved.__dict__["errors"] = inference.errors
    return moved.equality()


def coverage_of_change(world: Clustered, runs: int, seed: int = 2, items: bool = True) -> dict[str, float]:
    """Percent of runs in which the interval of (second arm minus first) holds the truth."""
    rng = np.random.default_rng(seed)
    first, second = (np.array(u) for u in world.utilities)
    change = penalty(second) - penalty(first)
    of_groups = relative_utilities(second) - relative_utilities(first)
    hits = {"penalty": 0, "groups": 0}
    widths = []
    for _ in range(runs):
        logs, random = world.draw(rng)
        if not items:
            logs, random = [users_only(log) for log in logs], users_only(random)
        arms = Arms.from_logs(logs, random)
        found = penalty_difference(arms, 1, 0, 0.95, 0)
        widths.append(found.high - found.low)
        hits["penalty"] += _holds((found.low, found.high), change)
        groups = zip(relative_utility_differences(arms, 1, 0, 0.95, 0), of_groups, strict=True)
        hits["groups"] += all(_holds((each.low, each.high), value) for each, value in groups)
    percents = {name: 100 * count / runs for name, count in hits.items()}
    return percents | {"width": float(np.median(widths))}


def _holds(bounds, truth) -> bool:
    return bool(bounds[0] - 1e-12 <= truth <= bounds[1] + 1e-12)
