"""Vectors from which an attribute was erased, and vectors that never knew it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import evenhand as eh
from evenhand.association import BeforeAfter
from evenhand.association.vectors.labels import Attribute, Entries, Groups
from evenhand.mitigate.before_and_after import paired_change
from evenhand.mitigate.vectors.linear_maps import LinearMap, leace
from evenhand.mitigate.vectors.probing import Probe, change, p_value, probe
from evenhand.report.words.phrases.mitigate import association_change

Floats = NDArray[np.float64]
RARE = 0.3


@dataclass(frozen=True)
class Judged:
    """Balanced accuracy after an erasure: of held-out users, of those who made it, and what it removed."""

    held_out: Probe
    took_part: Probe
    rank: int


def knowing_nothing(users: int, dimensions: int, run: int) -> Probe:
    rng = np.random.default_rng([run, users, dimensions])
    codes = (rng.random(users) < RARE).astype(np.int64)
    return probe(rng.normal(size=(users, dimensions)), codes, 2, "linear", 0.95, run)


def covers(found: Probe) -> bool:
    return found.low <= found.chance <= found.high


def alarms(found: Probe) -> bool:
    return p_value(found) <= 0.05


def users_of(
    users: int, dimensions: int, run: int, strength: float = 0.7
) -> tuple[Floats, NDArray[np.int64]]:
    """Users on either side of a line, 30% on one, in a round cloud that is not centred."""
    rng = np.random.default_rng([run, users, dimensions, 7])
    codes = (rng.random(users) < RARE).astype(np.int64)
    line = rng.normal(size=dimensions)
    line *= strength / np.linalg.norm(line)
    return rng.normal(size=(users, dimensions)) + 0.4 + np.where(codes == 1, 1, -1)[:, None] * line, codes


def erased(users: int, dimensions: int, share: float, method: str, run: int) -> Judged:
    rows, codes = users_of(users, dimensions, run)
    items = np.random.default_rng(run).normal(size=(20, dimensions))
    done = eh.mitigate.erase(items, rows, codes, method, held_out=share, rng=run)
    held = np.isin(done.user_ids, done.held_out)
    return Judged(
        *(probe(done.users[who], codes[who], 2, "linear", 0.95, run) for who in (held, ~held)), done.rank
    )


def expected_residue(users: int, dimensions: int, share: float) -> float:
    """Balanced accuracy above chance that an erasure made by a sample leaves to a fresh classifier.

    The difference between the means is known with an error of sqrt(d / n_a + d / n_b) standard deviations,
    most of it in other directions. That much stays in the population, and a classifier of m other users,
    which sees its own error beside it, finds the share sqrt(m / (m + 1.25 n)) of it in five folds.
    """
    made, judging = users * (1 - share), users * share
    error = np.sqrt(dimensions / (made * RARE * (1 - RARE)))
    return 0.2 * error * np.sqrt(judging / (judging + 1.25 * made))


@dataclass(frozen=True, eq=False)
class Pool:
    """A population of users and of items of one group, a map of both, and the true change of GEAA."""

    users: Floats
    codes: NDArray[np.int64]
    items: Floats
    map: LinearMap

    @classmethod
    def make(cls, size: int = 20_000, dimensions: int = 10) -> "Pool":
        users, codes = users_of(size, dimensions, 0, 0.6)
        rng = np.random.default_rng(1)
        items = rng.standard_t(5, size=(size, dimensions)) + users[codes == 1].mean(axis=0)
        return cls(users, codes, items, leace(users[:400], codes[:400]))

    def change(self, users: NDArray[np.int64], items: NDArray[np.int64]):
        rows, things, codes = self.users[users], self.items[items], self.codes[users]
        groups = Groups(("all",), np.ones((len(items), 1), dtype=bool))
        both = BeforeAfter(
            (rows, self.map.users(rows)), (things, self.map.items(things)), codes,
            Attribute(codes, ("F", "M"), Entries("gender", [])), groups,
        )  # fmt: skip
        (found,) = both.changes(0.95)
        return found

    def truth(self) -> float:
        return self.change(np.arange(len(self.users)), np.arange(len(self.items))).estimate

    def drawn(self, users: int, items: int, run: int):
        rng = np.random.default_rng([run, 3])
        return self.change(
            rng.integers(len(self.users), size=users), rng.integers(len(self.items), size=items)
        )


def turned_round(users: int, items: int, runs: int) -> int:
    """A group that leans one way before and as much the other way after: how often it is said to lean more
    or less than before."""
    pool, said = Pool.make(4_000), 0
    line = pool.users[pool.codes == 1].mean(axis=0) - pool.users[pool.codes == 0].mean(axis=0)
    line /= np.linalg.norm(line)
    groups = Groups(("all",), np.ones((items, 1), dtype=bool))
    for run in range(runs):
        rng = np.random.default_rng([run, 17])
        who, what = rng.integers(len(pool.users), size=users), rng.integers(len(pool.items), size=items)
        rows, things, codes = pool.users[who], pool.items[what], pool.codes[who]
        after = things - 2 * np.outer(things @ line, line)
        both = BeforeAfter(
            (rows, rows), (things, after), codes, Attribute(codes, ("F", "M"), Entries("gender", [])), groups
        )
        (found,) = both.changes(0.95)
        said += association_change(found)["meaning"] in ("weaker", "stronger")
    return said


def few_items_lean(groups: int, items: int, runs: int, lean: float = 0.05) -> int:
    """One item in `1 / lean` lies along the attribute, which is erased, and the others hardly do: in how many
    runs the changes of GEAA of all groups, whose truth is the same, are in their intervals."""
    members = Groups(tuple(map(str, range(groups))), np.repeat(np.eye(groups, dtype=bool), items, axis=0))
    dimensions, held = 16, 0

    def change(rng: np.random.Generator, users: int, of: Groups):
        rows = 0.5 * rng.normal(size=(2 * users, dimensions))
        codes = np.repeat([0, 1], users)
        rows[:, 0] += np.where(codes == 0, 1, -1)
        before = rng.normal(size=(len(of.membership), dimensions))
        before[:, 0] = 0.05 * before[:, 0] + 4 * (rng.random(len(before)) < lean)
        after = before * (np.arange(dimensions) > 0)
        both = BeforeAfter(
            (rows, rows), (before, after), codes, Attribute(codes, ("F", "M"), Entries("gender", [])), of
        )
        return both.changes(0.95)

    everything = Groups(("all",), np.ones((100_000, 1), dtype=bool))
    truth = change(np.random.default_rng(8), 2_000, everything)[0].estimate
    for run in range(runs):
        found = change(np.random.default_rng([run, 9]), 200, members)
        held += all(one.interval.low <= truth <= one.interval.high for one in found)
    return held


def few_users_turn(
    users: int, share: float, runs: int, groups: int = 6, items: int = 20, beside: int | None = None
) -> tuple[int, float]:
    """Items stay, and so do users on both sides but for a `share`, who lean the other way now: in how many
    runs the changes of GEAA of all groups are in their intervals, and how wide these are. With so many users
    `beside`, those of the other side stay and all vary a little."""
    dimensions, held, widths = 16, 0, []

    def change(rng: np.random.Generator, users: int, other: int, items: int):
        codes = np.repeat([0, 1], [users, other])
        before = 0.5 * rng.normal(size=(len(codes), dimensions))
        before[:, 0] += np.where(codes == 0, 1, -1)
        turned = (rng.random((len(codes), 1)) < share) & ((codes[:, None] == 0) | (beside is None))
        after = np.where(turned, -before, before)
        if beside is not None:
            after = after + 0.1 * rng.normal(size=after.shape)
        members = np.repeat(np.eye(groups, dtype=bool), items, axis=0)
        things = rng.normal(size=(groups * items, dimensions))
        things[:, 0] += members @ np.where(np.arange(groups) % 2, 1.0, 0.2)
        both = BeforeAfter(
            (before, after), (things, things), codes, Attribute(codes, ("F", "M"), Entries("gender", [])),
            Groups(tuple(map(str, range(groups))), members),
        )  # fmt: skip
        return both.changes(0.95)

    truth = [one.estimate for one in change(np.random.default_rng(8), 4_000, 4_000, 10_000)]
    for run in range(runs):
        found = change(np.random.default_rng([run, 21]), users, users if beside is None else beside, items)
        widths += [one.interval.high - one.interval.low for one in found]
        held += all(
            one.interval.low <= true <= one.interval.high for one, true in zip(found, truth, strict=True)
        )
    return held, float(np.median(widths))


@dataclass(frozen=True)
class Rankings:
    """Users of whom a share has another value after a change, up or down by 1 / rank, rank 1 to 10."""

    users: int
    changed: float
    up: float

    @property
    def truth(self) -> float:
        return self.changed * (2 * self.up - 1) * float(np.mean(1 / np.arange(1, 11)))

    def changes(self, rng: np.random.Generator) -> Floats:
        size = np.where(rng.random(self.users) < self.up, 1, -1) / rng.integers(1, 11, self.users)
        return np.where(rng.random(self.users) < self.changed, size, 0.0)

    def covered(self, runs: int, ends: tuple[float, float] | None = (-1.0, 1.0)) -> int:
        rng, hits = np.random.default_rng(2), 0
        for _ in range(runs):
            found = paired_change(np.zeros(self.users), self.changes(rng), 1.0, 0.95, ends=ends)
            hits += bool(found.low <= self.truth <= found.high)
        return hits


def few_lose_all(users: int, chance: float, each: float, runs: int) -> dict[str, int]:
    """All gain a little, give or take `each`, as much in the mean as the few lose who lose nearly all: how
    often the change, which is 0 in the mean, is in its interval, and is said to be for the better."""
    rng, found = np.random.default_rng(4), {"held": 0, "better": 0}
    for _ in range(runs):
        change = 0.9 * (chance - (rng.random(users) < chance)) + each * rng.normal(size=users)
        limits = paired_change(np.zeros(users), change, 1.0, 0.95, ends=(-1.0, 1.0))
        found["held"] += bool(limits.low <= 0 <= limits.high)
        found["better"] += bool(limits.low > 0)
    return found


def some_move_few_lose(users: int, some: float, size: float, few: float, runs: int) -> int:
    """Most stay, some move a little, most of them up, and a few lose nearly all: how often the mean change is
    in its interval."""
    rng, held = np.random.default_rng(11), 0
    truth = 0.4 * some * size - 0.9 * few
    for _ in range(runs):
        drawn, sign = rng.random(users), np.where(rng.random(users) < 0.7, 1, -1)
        moved = np.where(drawn < few + some, sign * size * rng.uniform(0.5, 1.5, users), 0)
        change = np.where(drawn < few, -0.9, moved)
        limits = paired_change(np.zeros(users), change, 1.0, 0.95, ends=(-1.0, 1.0))
        held += bool(limits.low <= truth <= limits.high)
    return held


def few_change(users: int, share: float, runs: int) -> tuple[int, int]:
    """A share of the users changes, all by 0.4, in what they are shown: how often the mean change is in its
    interval, and how often there is one."""
    rng, held, stated = np.random.default_rng(13), 0, 0
    for _ in range(runs):
        change = 0.4 * (rng.random(users) < share)
        limits = paired_change(np.zeros(users), change, 1.0, 0.95)
        stated += bool(limits.low < limits.high)
        held += bool(limits.low <= 0.4 * share <= limits.high and limits.low < limits.high)
    return held, stated


@dataclass(frozen=True)
class Shown:
    """Changes of what lists show: so many users in each of some sizes, give or take `each`, all others by
    the last one."""

    users: int
    shares: tuple[float, ...]
    sizes: tuple[float, ...]
    each: float = 0.0

    @property
    def truth(self) -> float:
        return float(np.dot(self._chances, self.sizes))

    @property
    def _chances(self) -> tuple[float, ...]:
        return (*self.shares, 1 - sum(self.shares))

    def covered(self, runs: int, others: int = 9) -> tuple[int, float]:
        """How often the mean change is in its interval, and how wide that is in the median; there are so many
        times as many others, whose lists would change alike."""
        rng, held, widths = np.random.default_rng(14), 0, []
        for _ in range(runs):
            everybody = (1 + others) * self.users
            change = np.asarray(self.sizes)[rng.choice(len(self.sizes), everybody, p=self._chances)]
            change = change + self.each * rng.normal(size=everybody) * (change != 0)
            far, change = (change.min(), change.max()) if others else None, change[: self.users]
            limits = paired_change(np.zeros(self.users), change, 1.0, 0.95, far=far)
            held += bool(limits.low <= self.truth <= limits.high)
            widths.append(limits.high - limits.low)
        return held, float(np.median(widths))


def half_gain_few_lose(users: int, few: float, runs: int) -> int:
    """Half of the users gain 0.2, and a few lose all: how often the mean change is in its interval."""
    rng, held = np.random.default_rng(12), 0
    truth = 0.1 * (1 - few) - few
    for _ in range(runs):
        change = np.where(rng.random(users) < few, -1.0, 0.2 * (rng.random(users) < 0.5))
        limits = paired_change(np.zeros(users), change, 1.0, 0.95, ends=(-1.0, 1.0))
        held += bool(limits.low <= truth <= limits.high)
    return held


def accuracy_changes(users: int, dimensions: int, rare: float, runs: int) -> dict[str, int]:
    """Vectors that know nothing, before and after, and nothing alike: how often the change, which is 0, is in
    its interval, and each of the two accuracies in its own."""
    hits = {"change": 0, "before": 0, "alarms": 0}
    codes = (np.arange(users) < rare * users).astype(np.int64)
    for run in range(runs):
        rng = np.random.default_rng([run, users, 11])
        before, after = (
            probe(rng.normal(size=(users, dimensions)), codes, 2, "linear", 0.95, run) for _ in range(2)
        )
        _, low, high = change(before, after, 0.95)
        hits["change"] += low is not None and high is not None and low <= 0 <= high
        hits["before"] += covers(before)
        hits["alarms"] += alarms(before)
    return hits


def forgotten(users: int, rare: int, runs: int, knows: float = 3.0) -> int:
    """Vectors that tell the few users of a value well, and afterwards other ones that know nothing: how many
    intervals of the change hold what it is in the mean over all runs."""
    codes = (np.arange(users) < rare).astype(np.int64)
    found = []
    for run in range(runs):
        rng = np.random.default_rng([run, users, 13])
        before, after = rng.normal(size=(2, users, 8))
        before[:, 0] += knows * codes
        found.append(change(*(probe(side, codes, 2, "linear", 0.95, run) for side in (before, after)), 0.95))
    truth = np.mean([one[0] for one in found])
    return sum(low is not None and high is not None and low <= truth <= high for _, low, high in found)
