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
from evenhand.findings import Finding
from evenhand.groups.agreement_findings import agreement
from evenhand.groups.attributes import Bins, Missing
from evenhand.groups.findings import findings_of
from evenhand.groups.lists.metrics import Better, NoPositive
from evenhand.groups.measuring import Question, values_of
from evenhand.groups.population import Search
from evenhand.groups.tables import Tables
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


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
    (0/1). Where users have several lists (requests, sessions), `list_id` says of which a row is: the metric m
    is that of each list, and user u's value is the mean over the lists L_u of u that have one,

        v_u = sum of m(l) over l in L_u / |L_u|,    and of group g    mean_g = sum of v_u over u in g / n_g,

    so that every user counts once, however many lists there are. `users` has user_id and the attributes. A
    `metric` is one of `evenhand.groups.METRICS`, cut at `k`, or a column of `users` with a number for each
    user, for which `better` says which direction is good and `bounds` between which values it can lie.
    Several metrics may be given.

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
    question = Question.of(asked, seed_of(rng))
    tables = Tables.of(
        candidates, users, history=history, items=items, recommender=recommender, engine=engine
    )
    values = values_of(question, tables, progress)
    found: list[Finding] = []
    seen: dict[str, Floats] = {}
    for one in values.of_metrics:
        found += findings_of(one.measured(values.population, question.rule), question.settings, progress)
        seen[one.label] = one.values if one.better == "higher" else -one.values
    if search != "swarm" and len(seen) > 1:
        together = agreement(values.population, question.rule, seen)
        found += [] if together is None else [together]
    return AuditResult(tuple(found), values.fingerprints, question.settings.seed)
