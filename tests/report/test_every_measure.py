"""Every measure that any audit makes: it has a unit and a sentence of its own, and what it holds are numbers,
names and codes.

Findings themselves do not refuse words: a name from data may look like a sentence or a formatted number, and
must be told as it is. So the audits are looked at here, on data whose names are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.envy.online.findings import about_plan, about_simulation
from evenhand.envy.online.simulated.played import play
from evenhand.findings import Finding
from evenhand.opportunity.traffic import aims
from evenhand.opportunity.traffic.precision import power
from evenhand.report.vocabulary.names import words
from evenhand.report.words import sentences
from small_cells import worlds

Audit = Callable[[], eh.AuditResult]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are looked at, not how well a power is known."""
    monkeypatch.setattr(aims, "power", partial(power, draws=64))


def random_log() -> eh.AuditResult:
    default, random = worlds.logs(13)
    catalogue = pd.DataFrame({"item_id": np.arange(61)})
    return eh.opportunity.audit(
        default, random, **worlds.ASKED, item="item_id", item_by="day", catalogue=catalogue
    )


def traffic(**asked: Any) -> eh.AuditResult:
    known = {"rates": {"young": 0.02, "old": 0.03}, "utilities": {"young": 2.4, "old": 2.0}}
    return eh.opportunity.plan_traffic(**known, rows_a_day=100_000, **asked)


def metrics() -> eh.AuditResult:
    return eh.groups.audit(
        worlds._candidates(), worlds.users(4), ["place", "sex"], ["mrr", "ndcg"], min_size=2, permutations=100
    )


def pairs_of_users() -> eh.AuditResult:
    rng = np.random.default_rng(0)
    return eh.envy.audit(rng.random((30, 20)), rng.dirichlet(np.ones(20), 30), top=3)


def embeddings() -> eh.AuditResult:
    people = worlds.users(0, 150, 0)
    items, users = worlds._vectors(1, people.place.to_numpy())
    sex = people.sex.to_numpy()
    users[:, 2] += 2 * (sex == "f")
    rng = np.random.default_rng(3)
    taken = pd.DataFrame({"user_id": np.repeat(np.arange(150), 4), "item_id": rng.integers(60, size=600)})
    taken = taken.drop_duplicates()
    train, test = taken[::2], taken[1::2]
    after = users - np.outer(2 * (sex == "f"), np.eye(6)[2])
    return eh.mitigate.compare_embeddings(
        (users, items), (after, items), sex, worlds.ITEMS, train=train, test=test, permutations=99
    ).result


def simulated() -> eh.AuditResult:
    means = [0.5, 0.8]
    found = eh.envy.simulate(means, 20, epsilon=0.2, alpha=0.5)
    return about_simulation(found, means, 0.2, 0.05, played=play(means, epsilon=0.2, alpha=0.5))


def planned() -> eh.AuditResult:
    return about_plan(eh.envy.plan(0.5, [0.3], [0.5, 0.2], 10, epsilon=0.2), 10, 0)


POWER = {"treatment": {"young": 1.0, "old": 1.3}, "power": 0.8}
AUDITS: dict[str, Audit] = {
    **{name: lambda world=world: world.audit(world.few[1]) for name, world in worlds.WORLDS.items()},
    "random_log": random_log,
    "share": lambda: traffic(days=14, half_width=0.05, importance=0.2, random_share=[0.01]),
    "share, one group": lambda: traffic(days=1, half_width=0.1, of="old", random_share=[0.05]),
    "power": lambda: traffic(**POWER, random_share=[0.03]),
    "power, balanced": lambda: traffic(**POWER, days=20, importance=0.5, random_share=[0.05]),
    "metrics": metrics,
    "pairs_of_users": pairs_of_users,
    "embeddings of two values": embeddings,
    "simulated": simulated,
    "planned": planned,
}
ALL_OF_EXPOSURE = {"II", "IG", "GI", "GG", "AI", "AG", "tradeoff"}
LOG = {"equality", "relative_utility", "reo_penalty", "worst_ratio"}
CHANGE = {"relative_utility_difference", "reo_difference", "reo_penalty", "sample_ratio"}
PLAN = {"planned_half_width", "relevance_cost"}
GAPS = {"confirmed_gap", "group_mean", "uf"}
MEASURES: dict[str, set[str]] = {
    "opportunity": {*LOG, "random_items", "random_repeats"},
    "opportunity_left_out": {*LOG, "random_items", "random_repeats"},
    "missing_left_out": LOG,
    "rows_left_out": LOG,
    "random_log": {*LOG, "random_items", "random_repeats", "random_items_by", "random_missing"},
    "compare": CHANGE,
    "experiments": {*CHANGE, "arm_overlap"},
    "series": {
        "daily_penalty", "daily_relative_utility", "daily_worst_ratio", "penalty_change", "running_penalty",
    },
    "stages": LOG,
    "boost": {"boost_weight", "reo_difference", "reo_penalty"},
    "parity": {"parity_deviation", "rsp_penalty"},
    "user_precision": {"precision", "precision_penalty"},
    "plan_traffic": {*PLAN, "bound_ratio", "days_needed"},
    "share": {*PLAN, "share_needed", "balanced_share", "bound_ratio"},
    "share, one group": {*PLAN, "share_needed", "bound_ratio"},
    "power": {"days_needed", "planned_power", "relevance_cost"},
    "power, balanced": {"share_needed", "balanced_share", "planned_power", "relevance_cost"},
    "exposure": {*ALL_OF_EXPOSURE, "pair_exposure", "relevant_exposure"},
    "exposure_compare": {*ALL_OF_EXPOSURE, "measure_agreement"},
    "groups": {*GAPS, "spread"},
    "groups_left_out": {*GAPS, "spread"},
    "groups_that_overlap": GAPS,
    "metrics": {*GAPS, "spread", "metric_agreement"},
    "rerank": {"rerank_change", "rerank_side_effect", "uf_change"},
    "envy": {"average_envy", "envious_users", "group_envy"},
    "envy_sample": {"envious_users", "group_envy", "sampled_envy"},
    "pairs_of_users": {"average_envy", "envious_users", "envy_pair"},
    "simulated": {
        "audit_cost", "audit_duration", "broken_constraint", "decided_audits", "wrong_outcomes",
    },
    "planned": {"planned_cost", "planned_duration", "shortest_audit"},
    "association": {"deaa", "direction", "geaa", "r_ripa"},
    "amplification": {"gap_growth", "geaa_growth", "r_ripa_growth", "user_growth"},
    "leakage": {
        "leak_accuracy", "leak_auc", "leak_f1", "leak_group", "leak_group_odds", "leak_group_parity",
        "leak_items", "leak_parity", "leak_precision", "leak_recall", "leak_recall_gap",
    },
    "embeddings": {"attribute_accuracy", "attribute_accuracy_change", "direction"},
    "embeddings of two values": {
        "attribute_accuracy", "attribute_accuracy_change", "direction", "geaa", "geaa_change", "r_ripa",
        "ranking_change",
    },
}  # fmt: skip


# Where names stand, which may be of several words.
NAMES = {
    "users", "items", "creators", "by", "group", "groups", "first", "second", "other", "highest", "lowest",
    "toward", "away", "lean", "side", "value", "audience", "direction", "test", "who", "arm", "baseline",
    "stage", "where",
}  # fmt: skip
CODE = re.compile(r"[\w@.+-]*")


def texts(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text at any depth, with the keys that lead there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, (*keys, key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner, keys)
    elif isinstance(value, str):
        yield keys, value


def words_in(finding: Finding) -> list[tuple[tuple[str, ...], str]]:
    """What is neither a name, nor a code of one word."""
    held = [*texts(finding.details), *texts(finding.about)]
    return [
        (keys, text)
        for keys, text in held
        if (not NAMES & set(keys) and not CODE.fullmatch(text)) or re.search(r"[.] |[.]$|\d%", text)
    ]


@pytest.mark.parametrize("name", AUDITS)
def test_every_finding_has_its_own_sentence_and_holds_no_words(name):
    result = AUDITS[name]()
    assert {finding.measure for finding in result.findings} == MEASURES[name]
    for finding in result.findings:
        said = sentences.sentence(finding)
        assert "{" not in said
        assert not said.startswith(f"{sentences.title(finding)} is "), "something is missing"
        assert finding.unit
        assert words_in(finding) == []


def test_every_measure_is_made_by_one_of_these_audits():
    assert set().union(*MEASURES.values()) == set(words().measures)
    assert MEASURES.keys() == AUDITS.keys()
