"""The group audit: which users are served worst, and is that more than chance?

FairRec (Guo and others 2023): the gap UF between the best and the worst served group, a group being a
combination of attribute values. A maximum over many small groups is large by chance, so every gap comes with
what shuffling users over the groups gives, and with an estimate from users who had no part in finding it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Floats, Progress
from evenhand.asked.declared.groups import AskedGroups
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.groups import arguments
from evenhand.groups.agreement_findings import agreement
from evenhand.groups.attributes import Bins, Missing
from evenhand.groups.findings import GapSettings, findings_of
from evenhand.groups.lists.metrics import METRICS, Better, Metric, NoPositive
from evenhand.groups.lists.serving import Serving
from evenhand.groups.population import GroupRule, Population, Search
from evenhand.groups.swarms.search import swarm
from evenhand.groups.tables import Tables
from evenhand.parameters import names
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

NO_COLUMN = "the column is empty"
NOT_SCORED = "not scored, as the search did not visit their group, or without a value"


def audit(
    candidates: Any,
    users: Any,
    attributes: str | Sequence[str],
    metric: str | Sequence[str] = "mrr",
    k: int = 5,
    min_size: float = 20,
    search: Search = "exhaustive",
    permutations: int = 1000,
    history: Any = None,
    rng: int | np.random.Generator = 0,
    *,
    items: Any = None,
    recommender: Any = None,
    bins: Bins | None = None,
    missing: Missing = "refuse",
    no_positive: NoPositive = "exclude",
    tolerance: float | None = None,
    level: float = 0.95,
    top: int = 10,
    threshold: float = 0.01,
    depth: int = 2,
    budget: float = 0.5,
    seconds: float | None = None,
    better: Better = "higher",
    bounds: tuple[float, float] | None = None,
    engine: Any = None,
    progress: Progress = lambda message: None,
) -> AuditResult:
    """Audit how well the users of every group are served.

    `candidates` has a row for each item that could be recommended to a user: user_id, item_id, score, label
    (0/1). `users` has user_id and the attributes. A `metric` is one of `evenhand.groups.METRICS`, cut at
    `k`, or a column of `users` with a number for each user, for which `better` says which direction
    is good and `bounds` between which values it can lie. Several metrics may be given.

    urd reads a column `category` (a list, or text with | between), urp a column `popularity` and a `history`
    of user_id and item_id; both columns are looked for in `items` (item_id) and in `candidates`, and
    popularity is otherwise counted from the history. With a `recommender` (a folder that `evenhand train`
    wrote, a function of user ids and item ids, or anything that `evenhand.recommenders.adapters` makes a
    recommender of) candidates need no score, and the history is what it learnt from.

    Attributes may also be `activity`, `spend` and `highest_price`, made from the history. `bins` says how
    numbers become groups: a number of quantiles, or edges. `missing` says what to do about users without a
    value. `min_size` is a number of users, or a share of them if it is below 1.

    `search`: `exhaustive` compares every combination of values that occurs; `threshold` only those of at
    least the share `threshold` of users; `cube` also every choice of fewer attributes, up to `depth`, in
    groups that overlap; `swarm` scores only the users of groups that it visits, at most `budget` of
    them (a share, or a number above 1), or for `seconds`, for recommenders that are expensive to ask.

    Findings a metric: `confirmed_gap`, `uf`, `spread`, and `group_mean` for the `top` groups at either end.
    """
    asked = AskedGroups.checked(
        attributes=attributes, k=k, min_size=min_size, bins=bins, missing=missing, level=level, metric=metric,
        no_positive=no_positive, better=better, bounds=bounds, tolerance=tolerance, top=top, search=search,
        permutations=permutations, threshold=threshold, depth=depth, budget=budget, seconds=seconds,
    )  # fmt: skip
    wanted = names("attributes", asked.attributes, "the columns of users that make the groups")
    metrics = names("metric", asked.metric, f"one of {', '.join(METRICS)}, or a column of users")
    settings = GapSettings(asked.level, asked.tolerance, asked.permutations, asked.top, seed_of(rng))
    rule = GroupRule(asked.search, asked.min_size, asked.threshold, asked.depth)
    arguments.no_positive_rule(no_positive, metrics)
    limits = arguments.bounds(asked.bounds)
    arguments.tolerance(asked.tolerance, metrics, limits)
    tables = Tables.of(
        candidates, users, history=history, items=items, recommender=recommender, engine=engine
    )
    ranked = [METRICS[name] for name in metrics if name in METRICS]
    columns = arguments.columns_among(metrics, tables.people)
    if columns and search == "swarm":
        raise InputError(
            f"a swarm saves scoring, and {columns[0]!r} of {tables.people.name} is there already."
        )
    progress("reading users")
    read = tables.read_users(wanted, columns, bins, with_ids=bool(ranked))
    population = Population.of(read.coded, missing)
    fingerprints = {"users": tables.people.fingerprint(read.count)}
    found: list[Finding] = []
    seen: dict[str, Floats] = {}
    if ranked:
        fingerprints["candidates"] = tables.candidates.fingerprint()
        progress("reading candidates")
        serving = tables.serving(read, ranked, asked.k, no_positive)
        values = {} if search == "swarm" else serving.everybody()
        for chosen in ranked:
            cost: dict[str, Any] = {}
            if search == "swarm":
                mine, cost = _searched(
                    population, rule, serving, chosen, asked.budget, asked.seconds, settings.seed, progress
                )
            else:
                mine = values[chosen.name]
            possible = chosen.bounds(serving.facts)
            arguments.gap_can_exceed(tolerance, chosen.name, possible)
            why = NOT_SCORED if search == "swarm" else chosen.undefined_for
            measured = population.measured(
                chosen.label(k), mine, chosen.better, possible, rule, why, cost,
                assumptions=chosen.assumptions,
            )  # fmt: skip
            found += findings_of(measured, settings, progress)
            seen[chosen.label(k)] = mine if chosen.better == "higher" else -mine
    for name in columns:
        _usable(name, read.columns[name], limits)
        measured = population.measured(name, read.columns[name], better, limits, rule, NO_COLUMN)
        found += findings_of(measured, settings, progress)
        seen[name] = read.columns[name] if better == "higher" else -read.columns[name]
    together = None if search == "swarm" or len(seen) < 2 else agreement(population, rule, seen)
    found += [] if together is None else [together]
    return AuditResult(tuple(found), fingerprints, settings.seed)


def _searched(
    population: Population,
    rule: GroupRule,
    serving: Serving,
    metric: Metric,
    budget: float,
    seconds: float | None,
    seed: int,
    progress: Progress,
) -> tuple[Floats, dict[str, Any]]:
    """Values of the users that a swarm scored, NaN for all others, and what the search cost."""
    users = int(budget * len(population.who)) if budget <= 1 else int(budget)
    visited = swarm(
        population.cells,
        rule.least(len(population.who)),
        lambda some: serving.some(population.who[some], metric),
        budget=users,
        seconds=seconds,
        seed=seed,
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
