"""Worlds for the other questions of the same logs: precision, parity, boosts, stages, and starved groups."""

from collections import Counter
from importlib import import_module
from unittest import mock

import numpy as np

from calibration.opportunity_worlds import contains
from evenhand.errors import InputError
from evenhand.opportunity import users
from evenhand.opportunity.boosting import boosted
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.inference.same_rows import penalty_change_of_same_rows
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.cautions import Known
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.report.annex.ratios import ratio_bounds

BUCKETS = 1024
# The functions have the same names.
boost, parity = (import_module(f"evenhand.opportunity.{name}") for name in ("boost", "parity"))


def names(groups: int) -> tuple[str, ...]:
    return tuple(str(k) for k in range(groups))


def activity(rng, people: int, pareto: float | None) -> np.ndarray:
    """Of mean 1; with a Pareto law a few people do most of what is done."""
    if pareto is None:
        return np.ones(people)
    return np.minimum(rng.pareto(pareto, people) + 1, 1e4) * (1 - 1 / pareto)


def by_bucket(rng, counts: np.ndarray) -> np.ndarray:
    """Counts of people (rows) added up in hash buckets."""
    added = np.zeros((BUCKETS, counts.shape[1]), dtype=np.int64)
    np.add.at(added, rng.integers(BUCKETS, size=len(counts)), counts)
    return added


def quickly(module):
    """Without the search for how many rows would decide, which takes long and moves no interval."""
    return mock.patch.object(module, "penalty_with_more_rows", lambda finding, *_, **__: finding)


def interval(finding) -> tuple[float, float]:
    return finding.interval.low, finding.interval.high


def precision_held(sizes, rates, runs, pareto=None, rows=10, spread=20.0, seed=1) -> Counter:
    """Groups of users of these `sizes`, whose own rates are beta around that of their group."""
    rng, rates, held = np.random.default_rng(seed), np.asarray(rates, dtype=float), Counter()
    for _ in range(runs):
        shown, liked = [np.zeros((BUCKETS, len(rates)), dtype=np.int64) for _ in range(2)]
        for k, (people, rate) in enumerate(zip(sizes, rates, strict=True)):
            seen = rng.poisson(rows * activity(rng, people, pareto))
            hits = rng.binomial(seen, rng.beta(spread * rate, spread * (1 - rate), people))
            both = by_bucket(rng, np.column_stack([seen, hits]))
            shown[:, k], liked[:, k] = both.T
        try:
            log, untold = users._told(LogCounts(names(len(rates)), shown, liked), "gender", ("user_id",))
        except InputError:
            held["refused"] += 1
            continue
        with quickly(users):
            whole, *each = users._findings(log, "gender", ("user_id",), 0.95, 1 / 9, 0, untold=untold)
        truth = rates[[int(name) for name in log.groups]]
        held["penalty"] += contains(interval(whole), penalty(truth))
        held["false violation"] += whole.verdict == "violation" and penalty(truth) <= 1 / 9 + 1e-9
        held["groups"] += all(contains(interval(f), rate) for f, rate in zip(each, truth, strict=True))
        held["judged"] += len(log.groups)
        held["warned"] += any("fewer than 50 user_id in gender" in text for text in whole.warnings)
    return held


def users_held(sizes, runs, pareto=None, rows=400, spread=10.0, seed=5) -> Counter:
    """An audit by groups of users of these `sizes`, all alike: a third of what each is shown is random, and
    how often they like what is recommended is beta around one rate."""
    rng, held = np.random.default_rng(seed), Counter()
    groups = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(runs):
        seen = rng.poisson(rows * activity(rng, len(groups), pareto))
        liked = rng.binomial(seen, rng.beta(spread * 0.1, spread * 0.9, len(groups)))
        counts = {"default": (seen, liked), "random": (seen // 3, rng.binomial(seen // 3, 0.1))}
        place, logs = rng.integers(BUCKETS, size=len(groups)), {}
        for name, (shown, hits) in counts.items():
            added = np.zeros((2, BUCKETS, len(sizes)), dtype=np.int64)
            np.add.at(added, (0, place, groups), shown)
            np.add.at(added, (1, place, groups), hits)
            logs[name] = LogCounts(names(len(sizes)), *added)
        prepared = line_up({"default": logs["default"]}, logs["random"], "gender", {}, clusters=("user_id",))
        if not prepared.comparable:
            held["refused"] += 1
            continue
        arms = Arms.from_logs(prepared.logs, prepared.random)
        found = ArmInference(arms, 0, 0)
        held["penalty"] += contains(found.penalty_interval(0.95), 0.0)
        held["groups"] += all(contains(each, 0.0) for each in found.relative_utility_intervals(0.95))
        held["false violation"] += found.penalty_interval(0.95)[0] > 1 / 9
        held["judged"] += len(prepared.random.groups)
    return held


def parity_held(items, shares, rows, runs, people=None, lean=1.0, pareto=None, seed=2) -> Counter:
    """Rows by group; of `people` who lean to some groups, or independent. What is held is about as many rows
    as there are: with a Pareto law that is another number in every run."""
    rng, shares, held = np.random.default_rng(seed), np.asarray(shares, dtype=float), Counter()
    for _ in range(runs):
        shown = rng.multinomial(rows, shares)[None]
        if people:
            each = (
                rows // people
                if pareto is None
                else rng.poisson(activity(rng, people, pareto) * rows / people)
            )
            shown = by_bucket(rng, rng.multinomial(each, rng.dirichlet(lean * shares, people)))
        rates = shares * shown.sum() / np.asarray(items)
        log = LogCounts(names(len(shares)), shown, shown)
        clusters = ("user_id",) if people else ()
        with quickly(parity):
            found = parity._findings(log, np.array(items, float), 1.0, "g", clusters, 0.95, 1 / 9, 0)
        held["penalty"] += contains(interval(found[0]), penalty(rates))
        held["false violation"] += found[0].verdict == "violation" and penalty(rates) <= 1 / 9 + 1e-9
        held["groups"] += all(
            f.interval is None or contains(interval(f), truth)
            for f, truth in zip(found[1:], rates - rates.mean(), strict=True)
        )
        relative = [f.details["relative"] for f in found[1:]]
        bounds = ratio_bounds([(1 + one["low"], 1 + one["high"]) for one in relative])
        held["impact ratios"] += all(
            one is not None and contains(one, truth)
            for one, truth in zip(bounds, rates / rates.max(), strict=True)
        )
    return held


def pair_of_logs(rng, utilities, people, pareto, lean=True) -> tuple[LogCounts, LogCounts]:
    """A default and a random log of the same users, who lean to some groups."""
    groups = len(utilities)
    leaning = rng.beta(0.5, 1, size=(people, groups)) * 3 if lean else np.ones((people, groups))
    wants = activity(rng, people, pareto)[:, None] * leaning
    counts = np.hstack([rng.poisson(7 * wants * utilities), rng.poisson(2 * wants)])
    counts = by_bucket(rng, counts)
    default, random = counts[:, :groups], counts[:, groups:]
    return LogCounts(names(groups), default * 5, default), LogCounts(names(groups), random * 5, random)


def few_clusters_held(utilities, people, pareto, runs, seed=6) -> Counter:
    """Logs of so few different users, or so few that count, that findings warn of it: these are judged."""
    rng, held = np.random.default_rng(seed), Counter()
    utilities = np.asarray(utilities, dtype=float)
    for _ in range(runs):
        default, _ = pair_of_logs(rng, utilities, people, pareto)
        random, _ = pair_of_logs(rng, np.ones_like(utilities), people, pareto)
        prepared = line_up({"default": default}, random, "age", {}, clusters=("user_id",))
        if len(prepared.random.groups) < len(utilities) or not prepared.comparable:
            continue
        if not any("come from few user_id" in text for text in prepared.warnings):
            continue
        found = ArmInference(Arms.from_logs(prepared.logs, prepared.random), 0, 0)
        low, high = found.penalty_interval(0.95)
        truths = zip(
            found.relative_utility_intervals(0.95), relative_utilities(utilities).tolist(), strict=True
        )
        held["warned"] += 1
        held["penalty"] += contains((low, high), penalty(utilities))
        held["groups"] += all(contains(each, truth) for each, truth in truths)
        held["false violation"] += low > 1 / 9
    return held


def boost_held(utilities, weights, runs, people=500, pareto=1.2, seed=3) -> Counter:
    """The penalty as it is and boosted, and the change, of one log of heavy users."""
    rng, held = np.random.default_rng(seed), Counter()
    utilities, weights = np.asarray(utilities, dtype=float), np.asarray(weights, dtype=float)
    before, after = penalty(utilities), penalty(utilities * weights)
    for _ in range(runs):
        arms = boosted(*pair_of_logs(rng, utilities, people, pareto), weights)
        for arm, (name, truth) in enumerate((("before", before), ("after", after))):
            held[name] += contains(ArmInference(arms, arm, 0).penalty_interval(0.95), truth)
        change = penalty_change_of_same_rows(arms, 1, 0, 0.95, 0)
        held["change"] += contains((change.low, change.high), after - before)
        held["alarm"] += change.p_value is not None and change.p_value < 0.05
    return held


def boosts_by(chosen: str, runs: int, groups=8, random_positives=100.0, digits=2, seed=7) -> Counter:
    """Boosts of independent rows, with weights that make groups equal in these very logs, or in truth."""
    rng, told = np.random.default_rng(seed), Counter()
    utilities = np.exp(0.3 * np.linspace(-1, 1, groups))
    for _ in range(runs):
        counts = rng.poisson([2_000 * utilities, np.full(groups, random_positives)])
        default, random = (LogCounts(names(groups), 20 * row[None], row[None]) for row in counts)
        made = counts[0] / counts[1] if chosen == "these logs" else utilities
        weights = dict(zip(names(groups), (made.max() / made).round(digits), strict=True))
        truth = penalty(utilities * list(weights.values()))
        prepared = line_up({"default": default}, random, "age", {})
        with quickly(boost):
            _, found, *_ = boost._findings(prepared, weights, 2.0, 0.95, 1 / 9, 0, (), Known())
        told["held"] += contains(interval(found), truth)
        told["false pass"] += found.verdict == "within_tolerance" and truth > 1 / 9
        told["doubted"] += bool(found.doubts)
    return told


def stage_held(recall, ranking, runs, people=500, pareto=1.2, seed=4) -> Counter:
    """Three logs of the same heavy users; a stage is held against the log of the one before."""
    rng, held = np.random.default_rng(seed), Counter()
    recall, ranking = np.asarray(recall, dtype=float), np.asarray(ranking, dtype=float)
    truths = {"recall": recall, "ranking": ranking, "whole": recall * ranking}
    groups = len(recall)
    for _ in range(runs):
        wants = activity(rng, people, pareto)[:, None] * rng.beta(0.5, 1, size=(people, groups)) * 3
        drawn = [3 * wants, 3 * wants * recall, 7 * wants * recall * ranking]
        counts = by_bucket(rng, np.hstack([rng.poisson(mean) for mean in drawn]))
        random, recalled, shown = (
            LogCounts(names(groups), part * 5, part) for part in np.split(counts, 3, axis=1)
        )
        pairs = {"recall": (recalled, random), "ranking": (shown, recalled), "whole": (shown, random)}
        for name, (log, reference) in pairs.items():
            inference, truth = ArmInference(Arms.from_logs([log], reference), 0, 0), truths[name]
            held[name] += contains(inference.penalty_interval(0.95), penalty(truth))
            of_groups = zip(
                inference.relative_utility_intervals(0.95), relative_utilities(truth), strict=True
            )
            held[name + " groups"] += all(contains(*each) for each in of_groups)
    return held


def starved_held(clump: int, runs: int, people=1_000, seed=5) -> Counter:
    """Every group comes `clump` rows a user at a time, and of the last one two users are expected."""
    rng, held = np.random.default_rng(seed), Counter()
    expected = np.array([200.0, 200.0, 2.0])  # users with rows of the group
    truth = expected / expected.mean()
    for _ in range(runs):
        wants = rng.random((people, 3)) < expected / people
        default = by_bucket(rng, wants * (1 + rng.poisson(clump - 1, (people, 3))))
        random = by_bucket(rng, rng.poisson(1.0, (people, 3)))
        logs = [LogCounts(names(3), counts * 5, counts) for counts in (default, random)]
        inference = ArmInference(Arms.from_logs(logs[:1], logs[1]), 0, 0)
        held["penalty"] += contains(inference.penalty_interval(0.95), penalty(truth))
        of_groups = zip(inference.relative_utility_intervals(0.95), relative_utilities(truth), strict=True)
        held["groups"] += all(contains(*each) for each in of_groups)
        held["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), truth.min() / truth.max())
        held["zero"] += inference.has_zero
    return held
