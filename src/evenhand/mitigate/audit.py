"""Re-rank the lists of the groups that are served worst, from tables to findings and new lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.arrays import Floats
from evenhand.asked.declared.groups import AskedReranking
from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.groups import (
    METRICS,
    Bins,
    CandidateLists,
    GroupRule,
    Missing,
    Population,
    Tables,
    metric_named,
)
from evenhand.mitigate.lists.choice import Mask
from evenhand.mitigate.lists.findings import Asked, findings
from evenhand.mitigate.lists.prior import group_prior, read_likes
from evenhand.mitigate.lists.rerank import Goal, rerank
from evenhand.mitigate.lists.trial import run_trial
from evenhand.parameters import names
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

METRIC_OF: dict[Goal, str] = {"diversity": "urd", "popularity": "urp", "relevance": "mrr"}
WATCHED = ("mrr", "ndcg", "urd", "urp")


@dataclass(frozen=True)
class Mitigation:
    """What the re-ranking did (`result`), and the candidates with their new scores (`candidates`)."""

    result: AuditResult
    candidates: pd.DataFrame

    def write(self, path: Path) -> None:
        """The candidates as a file, whole or not at all."""
        with filled(path.parent) as waiting:
            self.candidates.to_parquet(waiting / path.name, index=False)


def rerank_groups(
    candidates: Any,
    users: Any,
    attributes: str | Sequence[str],
    goal: Goal = "diversity",
    metric: str | None = None,
    k: int = 5,
    min_size: float = 20,
    share: float = 0.1,
    strength: float = 0.5,
    history: Any = None,
    rng: int | np.random.Generator = 0,
    *,
    items: Any = None,
    recommender: Any = None,
    bins: Bins | None = None,
    missing: Missing = "refuse",
    also: Sequence[str] | None = None,
    level: float = 0.95,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> Mitigation:
    """Re-rank the lists of the worst `share` of all groups, and say what that did, for whom.

    Tables, `attributes`, `bins`, `missing` and `min_size` are those of `evenhand.groups.audit`. Every
    combination of attribute values with enough users is a group. The worst are those with the worst mean of
    `metric`, by default that of the goal: urd for `diversity`, urp for `popularity`, mrr for `relevance`.
    `strength` weighs the goal against the score (see `rerank`; relevance: what others of the group took, by
    the history). `also` are metrics to watch, by default those of mrr, ndcg, urd and urp that can be made.

    Findings: `rerank_change`, the mean of a user's metric after minus before, for the chosen groups and for
    everybody else; `uf_change` of the largest gap between groups; `rerank_side_effect` a watched metric.
    Where the metric reads labels, users who had no say in the choice of groups are measured; see `trial`.

    `candidates` of what is given back has user_id, item_id, score and label; only the scores of users in
    the chosen groups differ from before, and those of one user can be compared with each other alone.
    """
    asked = AskedReranking.checked(
        attributes=attributes, k=k, min_size=min_size, bins=bins, missing=missing, level=level, goal=goal,
        metric=metric, share=share, strength=strength, also=also,
    )  # fmt: skip
    wanted = names("attributes", asked.attributes, "the columns of users that make the groups")
    # None watches whatever can be computed, an empty list nothing.
    watch = names("also", asked.also, f"some of {', '.join(METRICS)}") if asked.also else asked.also
    seed = seed_of(rng)
    by = metric_named(METRIC_OF[goal] if metric is None else metric)
    tables = Tables.of(
        candidates, users, history=history, items=items, recommender=recommender, engine=engine
    )
    if goal == "relevance" and tables.history is None:
        raise InputError(
            "Re-ranking for relevance asks what others of the group took, and no history table was given: "
            "pass history, with user_id and item_id."
        )
    progress("reading users")
    read = tables.read_users(wanted, [], bins, with_ids=True)
    listed = read.count
    read = tables.with_unlisted(read, missing)
    population = Population.of(read.coded, missing, read.unlisted)
    watched = _computable(tables) if watch is None else [metric_named(name).name for name in watch]
    measures = [METRICS[name] for name in dict.fromkeys((by.name, METRIC_OF[goal], *watched))]
    progress("reading candidates")
    serving = tables.serving(read, measures, k, "exclude", with_items=True)
    lists = serving.lists()
    rule = GroupRule("exhaustive", min_size, least_share=0, depth=1)
    compared = population.compared(by.label(k), serving.values(lists)[by.name], rule, by.undefined_for)
    boost = (
        _boost(lists, tables.history, serving.items, read.ids, population) if goal == "relevance" else None
    )

    def mitigated(chosen: Mask) -> CandidateLists:
        return rerank(lists, serving.facts, compared.users[chosen], goal, k, strength, boost)

    def measured(shown: CandidateLists) -> dict[str, Floats]:
        return {name: found[compared.users] for name, found in serving.values(shown).items()}

    progress("re-ranking")
    trial = run_trial(
        lists,
        compared.groups,
        by,
        share,
        rule.least(len(population.who)),
        mitigated,
        measured,
        np.random.default_rng([seed, 3]),
        level,
    )
    found = findings(trial, compared, Asked(goal, by.name, k, share, strength, level))
    fingerprints = {
        "users": tables.people.fingerprint(listed),
        "candidates": tables.candidates.fingerprint(),
    }
    return Mitigation(
        AuditResult(tuple(found), fingerprints, seed), _table(trial.lists, read.ids, serving.items)
    )


def _computable(tables: Tables) -> list[str]:
    """The metrics to watch for which there is everything they need."""
    described = tables.candidates if tables.items is None else tables.items
    there = {"category": "category" in described.columns} | dict.fromkeys(
        ("popularity", "history"), tables.history is not None
    )
    return [name for name in WATCHED if all(there[need] for need in METRICS[name].needs)]


def _boost(
    lists: CandidateLists,
    history: inputs.Table | None,
    items: pd.Index | None,
    ids: pd.Index,
    population: Population,
) -> Floats:
    assert history is not None
    assert items is not None
    # Whoever is in no group, as an attribute is missing, is in one of their own that nobody re-ranks.
    group = np.full(len(ids), len(population.cells))
    group[population.who] = population.cells.of_user
    return group_prior(lists, *read_likes(history, ids, items), group)


def _table(lists: CandidateLists, ids: pd.Index, items: pd.Index | None) -> pd.DataFrame:
    assert items is not None
    user = np.repeat(np.arange(lists.user_count), lists.lengths)
    return pd.DataFrame(
        {
            "user_id": ids.to_numpy()[user],
            "item_id": items.to_numpy()[lists.item],
            "score": lists.score,
            "label": lists.label,
        }
    )
