"""Users and items drawn anew in every run, for days, stages, boosts and experiments: how intervals hold.

1,000 users a log who lean to some of three groups, 200 items a group, shown by a lognormal popularity (sd 1)
that is the same in all default logs of a run; random traffic shows all items alike. Truths are those of the
mechanism, for users and items like these.
"""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from calibration.cluster_worlds import BUCKETS, UNFAIR, Clustered
from calibration.opportunity_worlds import contains
from calibration.series_worlds import timeline_of
from evenhand.opportunity.ab_tests.findings import ABTest, findings_of
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.boosting import boosted
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.near_fair import penalty_change
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.inference.same_rows import penalty_change_of_same_rows
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches

ITEMS = 200
WORLD = Clustered((UNFAIR,), items=ITEMS, popularity=1)


class Catalogue:
    """The items of one run, and logs of them by users of their own."""

    def __init__(self, rng, groups: int = 3):
        self.rng, self.groups = rng, groups
        self.popular = self.lognormal(1.0)
        self.buckets = rng.integers(BUCKETS, size=(groups, ITEMS))

    def lognormal(self, spread: float):
        """One a item, of mean 1."""
        return self.rng.lognormal(-(spread**2) / 2, spread, (self.groups, ITEMS))

    def log(self, utilities, positives: int, shown=None):
        """Items are shown by their popularity, or as given."""
        people = WORLD._people(self.rng, 1_000)
        shown = self.popular if shown is None else shown
        return WORLD._log(self.rng, people, positives, np.asarray(utilities), shown, self.buckets)

    def random(self, positives: int = 3_000):
        return self.log(np.ones(self.groups), positives, np.ones((self.groups, ITEMS)))


def _groups_hold(bounds, utilities) -> bool:
    return all(contains(*each) for each in zip(bounds, relative_utilities(utilities), strict=True))


def days_held(by_day, window: int | None, runs: int, seed: int = 1) -> Counter:
    """Days with these utilities: the day's own and the running numbers on all days at once, and changes.

    With a window every day has 3,000 random positives of its own, otherwise all days share them.
    """
    rng, held = np.random.default_rng(seed), Counter()
    by_day = np.asarray(by_day, dtype=float)
    so_far = np.cumsum(by_day, axis=0) / np.arange(1, len(by_day) + 1)[:, None]
    for _ in range(runs):
        items = Catalogue(rng)
        days = [items.log(utilities, 5_000) for utilities in by_day]
        parts = [items.random() for _ in (by_day if window else by_day[:1])]
        within = np.eye(len(days), dtype=bool) if window else np.ones((len(days), 1), dtype=bool)
        timeline = replace(
            timeline_of(days, parts, within, window),
            positives_by_item=np.stack([day.by_item for day in days]),
        )
        for name, truths, found in (
            ("day", by_day, every_day.on_each_day(timeline, 0.95)),
            ("running", so_far, every_day.until_each_day(timeline, 0.95)),
        ):
            both = list(zip(found, truths, strict=True))
            held[name] += all(contains(each.penalty, penalty(truth)) for each, truth in both)
            held[f"{name} groups"] += all(
                _groups_hold(each.relative_utilities, truth) for each, truth in both
            )
        each = [timeline.day(t) for t in range(len(days))]
        hulls = [timeline.inference(day, 0).penalty_interval(0.95) for day in each]
        held["one day"] += contains(hulls[-1], penalty(by_day[-1]))
        arms = Stretches(timeline, (each[-1], each[0]))
        for name, make in (("change alone", penalty_difference), ("change", penalty_change)):
            change = make(arms, 0, 1, 0.95, 0, hulls=(hulls[-1], hulls[0]))
            held[name] += contains((change.low, change.high), penalty(by_day[-1]) - penalty(by_day[0]))
    return held


def stages_held(recall, ranking, runs: int, seed: int = 2) -> Counter:
    """Recall shows items by their popularity, ranking by that and by one of its own."""
    rng, held = np.random.default_rng(seed), Counter()
    recall, ranking = np.asarray(recall), np.asarray(ranking)
    truths = {"recall": recall, "ranking": ranking, "whole": recall * ranking}
    for _ in range(runs):
        items = Catalogue(rng)
        random, recalled = items.random(), items.log(recall, 6_000)
        shown = items.log(recall * ranking, 11_000, items.popular * items.lognormal(0.7))
        pairs = {"recall": (recalled, random), "ranking": (shown, recalled), "whole": (shown, random)}
        for name, (log, reference) in pairs.items():
            inference = ArmInference(Arms.from_logs([log], reference), 0, 0)
            held[name] += contains(inference.penalty_interval(0.95), penalty(truths[name]))
            held[f"{name} groups"] += _groups_hold(inference.relative_utility_intervals(0.95), truths[name])
    return held


def stage_of_the_same_rows_held(
    groups: int, runs: int, shared: bool = True, keep: float = 0.4, known: bool = True, seed: int = 7
) -> Counter:
    """A fair stage that shows rows of the stage before, or with `shared` off rows like these; users like it,
    and it shows items, unequally. Logs of which it is `known` which rows they share, or not."""
    users, items, size = 400, 200, 1_500
    rng, held, ones = np.random.default_rng(seed), Counter(), np.ones(groups)
    for _ in range(runs):
        liking = rng.lognormal(-0.18, 0.6, (users, groups))
        shown = rng.lognormal(-0.1, 0.45, (groups, items))
        places = rng.integers(BUCKETS, size=users), rng.integers(BUCKETS, size=(groups, items))

        def rows(groups=groups):
            k = np.repeat(np.arange(groups), rng.poisson(size, groups))
            return k, rng.integers(users, size=len(k)), rng.integers(items, size=len(k))

        def counted(k, user, item, places=places, known=known):
            user, item = places[0][user], places[1][k, item]
            tables = np.zeros((3, BUCKETS, groups))
            for table, bucket in zip(tables, (user, item, (user + item) % BUCKETS), strict=True):
                np.add.at(table, (bucket, k), 1)
            positives = tables[0].astype(np.int64)
            pairs = tables[2] if known else None
            names = tuple(f"group {k}" for k in range(groups))
            return LogCounts(names, positives * 5, positives, by_item=tables[1], by_pair=pairs)

        before = rows()
        k, user, item = before if shared else rows()
        kept = rng.random(len(k)) < np.minimum(1, keep * liking[user, k] * shown[k, item])
        arms = Arms.from_logs([counted(k[kept], user[kept], item[kept])], counted(*before))
        inference = ArmInference(arms, 0, 0)
        found = inference.relative_utility_intervals(0.95)
        test = inference.equality()
        held["groups"] += _groups_hold(found, ones)
        held["alarms"] += test is not None and test.p_value <= 0.05
        held["width"] += float(np.median([high - low for low, high in found]))
    return held


def boosts_held(utilities, weights, runs: int, seed: int = 3) -> Counter:
    rng, held = np.random.default_rng(seed), Counter()
    utilities, weights = np.asarray(utilities), np.asarray(weights)
    before, after = penalty(utilities), penalty(utilities * weights)
    for _ in range(runs):
        items = Catalogue(rng)
        arms = boosted(items.log(utilities, 11_000), items.random(), weights)
        held["before"] += contains(ArmInference(arms, 0, 0).penalty_interval(0.95), before)
        held["after"] += contains(ArmInference(arms, 1, 0).penalty_interval(0.95), after)
        change = penalty_change_of_same_rows(arms, 1, 0, 0.95, 0)
        held["change"] += contains((change.low, change.high), after - before)
    return held


def experiments_held(control, treatment, runs: int, seed: int = 4) -> Counter:
    """A ranker with an effect, which also shows other items of a group, and a recall without one."""
    rng, held = np.random.default_rng(seed), Counter()
    how = How(0.95, None, 0, "hull", "multinomial", True, "bounds", 1_000, 20)
    arms = {"control": np.asarray(control), "treatment": np.asarray(treatment)}
    change = penalty(arms["treatment"]) - penalty(arms["control"])
    by_group = relative_utilities(arms["treatment"]) - relative_utilities(arms["control"])
    for _ in range(runs):
        items = Catalogue(rng)
        shown = {"control": items.popular, "treatment": items.popular * items.lognormal(0.5)}
        cells = {
            (ranker, recall): items.log(arms[ranker], 3_000, shown[ranker])
            for ranker in arms
            for recall in ("x", "y")
        }
        logs = {
            "ranker": {arm: cells[arm, "x"] + cells[arm, "y"] for arm in arms},
            "recall": {arm: cells["control", arm] + cells["treatment", arm] for arm in ("x", "y")},
        }
        random = items.random()
        tests = [
            ABTest(
                line_up(each, random, "group", {}),
                tuple(each),
                {"by": {"creators": "group"}, "experiment": name},
            )
            for name, each in logs.items()
        ]
        findings = findings_of(tests, how, "experiments")
        truths = {"ranker": (change, by_group), "recall": (0.0, np.zeros(len(by_group)))}
        for name, measure, which in (
            ("penalty", "reo_difference", 0),
            ("groups", "relative_utility_difference", 1),
        ):
            found = [f for f in findings if f.measure == measure]
            truth = np.concatenate([np.atleast_1d(truths[each][which]) for each in logs])
            held[name] += all(
                contains((f.interval.low, f.interval.high), value)
                for f, value in zip(found, truth, strict=True)
            )
    return held


STEADY = (1.25, 1.0, 0.75)
QUESTIONS = {
    "days, each with random traffic of its own": partial(
        days_held, (STEADY, STEADY, (1.1, 1.0, 0.9), (1.0, 1.0, 1.0)), 1
    ),
    "days that share their random traffic": partial(
        days_held, (STEADY, STEADY, (1.1, 1.0, 0.9), (1.0, 1.0, 1.0)), None
    ),
    "stages": partial(stages_held, (1.2, 1.0, 0.8), (1.1, 1.0, 0.9)),
    "boost": partial(boosts_held, STEADY, (0.9, 1.0, 1.2)),
    "experiments, all comparisons at once": partial(experiments_held, (1.4, 1.0, 0.6), STEADY),
}
