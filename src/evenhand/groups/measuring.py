"""From what an audit of groups is asked and the tables it is given to every metric's values by group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from evenhand.arrays import Floats, Progress
from evenhand.asked.declared.groups import AskedGroups
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import INDEPENDENT_USERS, Exclusion
from evenhand.groups import arguments
from evenhand.groups.findings import GapSettings, Measured
from evenhand.groups.lists.metrics import METRICS, Better, Metric
from evenhand.groups.lists.serving import Serving
from evenhand.groups.lists.several import EACH_USER_ONCE
from evenhand.groups.population import GroupRule, Population
from evenhand.groups.swarms.search import swarm
from evenhand.groups.tables import Tables
from evenhand.parameters import names

NO_COLUMN = "the column is empty"
NOT_SCORED = "not scored, as the search did not visit their group, or without a value"


@dataclass(frozen=True)
class Question:
    """What is asked, beside the tables: which groups by which metrics, and how it is to be computed."""

    asked: AskedGroups
    attributes: list[str]
    metrics: list[str]
    rule: GroupRule
    settings: GapSettings
    limits: tuple[float, float] | None

    @classmethod
    def of(cls, asked: AskedGroups, seed: int) -> Question:
        wanted = names("attributes", asked.attributes, "the columns of users that make the groups")
        metrics = names("metric", asked.metric, f"one of {', '.join(METRICS)}, or a column of users")
        settings = GapSettings(asked.level, asked.tolerance, asked.permutations, asked.top, seed)
        rule = GroupRule(asked.search, asked.min_size, asked.threshold, asked.depth)
        arguments.no_positive_rule(asked.no_positive, metrics)
        limits = arguments.bounds(asked.bounds)
        arguments.tolerance(asked.tolerance, metrics, limits)
        return cls(asked, wanted, metrics, rule, settings, limits)


@dataclass(frozen=True)
class OfMetric:
    """A metric's value for each user, NaN where there is none, and how to read it (`Measured`).

    `excluded` are lists without a value, of users who have several.
    """

    label: str
    values: Floats
    better: Better
    bounds: tuple[float, float] | None
    why_without: str
    cost: dict[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = (INDEPENDENT_USERS,)
    excluded: tuple[Exclusion, ...] = ()

    def measured(self, population: Population, rule: GroupRule) -> Measured:
        """Those who are compared, in groups that are all large enough."""
        return population.measured(
            self.label, self.values, self.better, self.bounds, rule, self.why_without, self.cost,
            assumptions=self.assumptions, excluded=self.excluded,
        )  # fmt: skip


@dataclass(frozen=True)
class Values:
    """Everybody's values of every metric; `ids` are those of the users, where they are known."""

    population: Population
    of_metrics: list[OfMetric]
    fingerprints: dict[str, Fingerprint]
    ids: pd.Index


def values_of(question: Question, tables: Tables, progress: Progress, *, with_ids: bool = False) -> Values:
    """Read the tables once, and measure every user."""
    asked = question.asked
    searched = asked.search == "swarm"
    ranked = [METRICS[name] for name in question.metrics if name in METRICS]
    columns = arguments.columns_among(question.metrics, tables.people)
    if columns and searched:
        raise InputError(
            f"a swarm saves scoring, and {columns[0]!r} of {tables.people.name} is there already."
        )
    progress("reading users")
    read = tables.read_users(question.attributes, columns, asked.bins, with_ids=with_ids or bool(ranked))
    fingerprints = {"users": tables.people.fingerprint(read.count)}
    if ranked:
        read = tables.with_unlisted(read, asked.missing)
    population = Population.of(read.coded, asked.missing, read.unlisted)
    found: list[OfMetric] = []
    if ranked:
        fingerprints["candidates"] = tables.candidates.fingerprint()
        progress("reading candidates")
        serving = tables.serving(read, ranked, asked.k, asked.no_positive)
        values = {} if searched else serving.everybody()
        for chosen in ranked:
            cost: dict[str, Any] = {}
            if searched:
                mine, cost = _searched(population, question, serving, chosen, progress)
            else:
                mine = values[chosen.name]
            possible = chosen.bounds(serving.facts)
            arguments.gap_can_exceed(asked.tolerance, chosen.name, possible)
            why = NOT_SCORED if searched else chosen.undefined_for
            label, assumed = chosen.label(asked.k), chosen.assumptions
            left_out: tuple[Exclusion, ...] = ()
            if (lists := serving.of_users.get(chosen.name)) is not None:
                left_out = lists.left_out(population.who, label, chosen.undefined_for)
                cost = cost | lists.told(population.who)
                assumed = tuple(EACH_USER_ONCE if one == INDEPENDENT_USERS else one for one in assumed)
            found.append(OfMetric(label, mine, chosen.better, possible, why, cost, assumed, left_out))
    for name in columns:
        known = read.columns[name]
        _usable(name, known[np.isfinite(known)], question.limits)
        found.append(OfMetric(name, read.columns[name], asked.better, question.limits, NO_COLUMN))
    return Values(population, found, fingerprints, read.ids)


def _searched(
    population: Population, question: Question, serving: Serving, metric: Metric, progress: Progress
) -> tuple[Floats, dict[str, Any]]:
    """Values of the users that a swarm scored, NaN for all others, and what the search cost."""
    budget = question.asked.budget
    users = int(budget * len(population.who)) if budget <= 1 else int(budget)
    visited = swarm(
        population.cells,
        question.rule.least(len(population.who)),
        lambda some: serving.some(population.who[some], metric),
        budget=users,
        seconds=question.asked.seconds,
        seed=question.settings.seed,
        progress=progress,
    )
    if len(visited.cells) < 2:
        raise InputError(
            f"the swarm could visit only one group with a budget of {users:,} users, "
            "and a comparison needs two; raise it."
        )
    values = np.full(int(population.who.max()) + 1, np.nan)
    values[population.who[visited.users]] = visited.values
    return values, {
        "users_scored": visited.users_scored,
        "iterations": visited.iterations,
        "stopped": visited.stopped,
        "trace": visited.trace,
    }


def _usable(name: str, values: Floats, bounds: tuple[float, float] | None) -> None:
    """Raise if a column is outside its bounds, or so large or so flat that its squares are not numbers."""
    if bounds is not None:
        beyond = (values < bounds[0]) | (values > bounds[1])
        if beyond.any():
            raise InputError(
                f"users: column {name!r} is outside its bounds {bounds[0]:g} to {bounds[1]:g} for "
                f"{int(beyond.sum()):,} of {len(values):,} users, for example {values[beyond][0]:g}; correct "
                "the values, or the bounds."
            )
    width, size = float(np.ptp(values)), float(np.abs(values).max())
    finest = max(size / arguments.FINEST, 1 / arguments.LARGEST)
    if size > arguments.LARGEST or 0 < width < finest:
        raise InputError(
            f"users: column {name!r} goes from {values.min():g} to {values.max():g}, which cannot be "
            "compared in double precision; subtract a constant, or use another unit."
        )
