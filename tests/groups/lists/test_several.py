"""Users with several lists: a user's value is the mean over them, by the definitions and in plain pandas."""

from __future__ import annotations

import json
from typing import Any

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand import inputs
from evenhand.asked.declared.groups import AskedGroups, GroupsStep
from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.groups.followed_days.counting import GroupsDay, count, question_of
from evenhand.groups.followed_days.telling import OF_LISTS, of_all_days, of_this_day
from evenhand.groups.lists import serving
from evenhand.groups.lists.several import EACH_USER_ONCE, over_lists
from evenhand.groups.measuring import Question, values_of
from evenhand.groups.tables import Tables
from groups import oracle
from groups.tables import USERS, audit, make_tables, mrr
from groups.worlds import Candidate

LABELS = ("auc", "mrr", "ndcg", "ndcg_published", "hit", "recall", "precision")


def with_lists(tables: dict[str, pd.DataFrame], seed: int = 1) -> pd.DataFrame:
    """One to three lists a user, each of four of the twelve items, some without a positive."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"{chr(97 + nth)}{user}", user, int(item))
        for user in range(USERS)
        for nth in range(int(rng.integers(1, 4)))
        for item in rng.choice(12, 4, replace=False)
    ]
    found = pd.DataFrame(rows, columns=["list_id", "user_id", "item_id"])
    found["label"] = (rng.random(len(found)) < 0.3).astype(int)
    found["score"] = rng.permutation(len(found)) / 7
    return found.merge(tables["items"][["item_id", "category"]], on="item_id")


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    made = make_tables()
    return made | {"candidates": with_lists(made)}


def measured(tables: dict[str, Any], metrics: Any = "mrr", **changes: Any) -> dict[str, np.ndarray]:
    """Every user's value of every metric."""
    asked = AskedGroups.checked(attributes=["gender"], metric=metrics, **changes.pop("asked", {}))
    given = {"history": None, "items": None, "recommender": None, "engine": None} | changes
    opened = Tables.of(tables["candidates"], tables["users"], **given)
    found = values_of(Question.of(asked, 0), opened, lambda message: None)
    return {one.label.split("@")[0]: one.values for one in found.of_metrics}


def refused(tables: dict[str, Any], candidates: pd.DataFrame, **changes: Any) -> str:
    with pytest.raises(InputError) as error:
        audit(tables, candidates=candidates, **changes)
    return str(error.value)


# What it is


def test_a_mean_over_lists_that_have_a_value():
    nan = np.nan
    values, lengths = np.array([1, 0.5, nan, 0.25, nan, nan]), np.array([3, 3, 3, 3, 3, 0])
    owner = np.array([0, 0, 0, 2, 3, 3], dtype=np.int32)
    means, lists = over_lists(values, lengths, owner, 5)
    assert means.tolist() == pytest.approx([0.75, nan, 0.25, nan, nan], nan_ok=True)
    assert lists.found.tolist() == [2, 0, 1, 0, 0]
    assert lists.without.tolist() == [1, 0, 0, 1, 0]


def test_group_means_are_those_of_plain_pandas(tables):
    c = tables["candidates"]
    with_positive = c[c.groupby("list_id")["label"].transform("max") == 1]
    of_list = mrr(with_positive.drop(columns="user_id").rename(columns={"list_id": "user_id"}))
    of_user = of_list.groupby(c.drop_duplicates("list_id").set_index("list_id")["user_id"]).mean()
    people = tables["users"].set_index("user_id").loc[of_user.index]
    expected = of_user.groupby([people["gender"], people["band"]]).mean()
    found = audit(tables)
    means = [one for one in found.findings if one.measure == "group_mean"]
    assert len(means) == len(expected) == 6
    for one in means:
        words = one.about["users"]
        assert one.estimate == pytest.approx(expected[words["gender"], words["band"]], abs=1e-12)
        assert one.assumptions[0] == EACH_USER_ONCE
    uf = found.find("uf")
    assert uf.n.count == len(of_user)
    assert uf.details["search"]["lists_scored"] == len(of_list)
    empty = c["list_id"].nunique() - len(of_list)
    assert [(one.what, one.count) for one in uf.excluded] == [
        ("users without mrr@5", USERS - len(of_user)),
        ("lists without mrr@5", empty),
    ]
    assert uf.excluded[1].people < empty


LISTS = st.lists(  # a user's lists, each of (score, label) of different items
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=4), min_size=1, max_size=3
)


@settings(max_examples=25, deadline=None)
@given(users=st.lists(LISTS, min_size=2, max_size=4), k=st.integers(1, 4), order=st.randoms())
def test_every_metric_is_the_mean_of_its_definition(users, k, order):
    """With ties, in any order of the rows."""
    popularity, categories = [0.0, 10.0, 20.0, 70.0], [[0], [0, 1], [1], []]
    worlds = [
        [[Candidate(score, label, item) for item, (score, label) in enumerate(one)] for one in mine]
        for mine in users
    ]
    rows = [
        {"user_id": user, "list_id": 100 * nth + user, "item_id": c.item, "score": c.score, "label": c.label}
        for user, mine in enumerate(worlds)
        for nth, one in enumerate(mine)
        for c in one
    ]
    order.shuffle(rows)
    tables = {"candidates": pd.DataFrame(rows), "users": pd.DataFrame({"user_id": range(len(users))})}
    tables["users"]["gender"] = "F"
    about = pd.DataFrame({"item_id": range(4), "popularity": popularity})
    about["category"] = [[f"c{code}" for code in codes] for codes in categories]
    history = pd.DataFrame({"user_id": range(len(users)), "item_id": 1})
    found = measured(
        tables, [*LABELS, "urd", "urp", "urp_signed"], asked={"k": k}, items=about, history=history
    )
    cut = {name: (lambda ranked, name=name: getattr(oracle, name)(ranked, k)) for name in LABELS[1:]}
    cut |= {
        "auc": oracle.auc,
        "urd": lambda ranked: oracle.urd(ranked, k, categories),
        "urp": lambda ranked: oracle.urp(ranked, k, popularity, [1]),
        "urp_signed": lambda ranked: oracle.urp_signed(ranked, k, popularity, [1]),
    }
    for name, measure in cut.items():
        for user, mine in enumerate(worlds):
            values = [value for one in mine if (value := oracle.expected(measure, one)) is not None]
            expected = np.mean(values) if values else np.nan
            assert found[name][user] == pytest.approx(expected, abs=1e-9, nan_ok=True), (name, user)


def test_a_list_without_a_positive_may_count_as_zero(tables):
    plain, zero = measured(tables), measured(tables, asked={"no_positive": "zero"})
    c = tables["candidates"]
    lists = c.groupby(["user_id", "list_id"])["label"].max().groupby("user_id")
    expected = np.nan_to_num(plain["mrr"]) * lists.mean().to_numpy()
    assert zero["mrr"] == pytest.approx(expected, abs=1e-12)


# What it does not depend on


@pytest.mark.parametrize("metric", ["mrr", "urd", "urp"])
def test_rows_threads_parts_and_places_do_not_matter(tables, metric, monkeypatch):
    asked = {"items": tables["items"], "history": tables["history"]}
    before = measured(tables, metric, **asked)[metric]
    shuffled = tables | {"candidates": tables["candidates"].sample(frac=1, random_state=3)}
    monkeypatch.setattr(serving, "ROWS_AT_ONCE", 100)
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    np.testing.assert_array_equal(measured(shuffled, metric, **asked)[metric], before)
    users = {"users": tables["users"].sample(frac=1, random_state=4)}
    np.testing.assert_array_equal(measured(shuffled | users, metric, **asked)[metric], before)


def test_one_list_a_user_is_as_without_list_id():
    tables = make_tables()
    listed = tables["candidates"].assign(list_id=lambda c: "list of " + c["user_id"].astype(str))
    plain, found = audit(tables), audit(tables, candidates=listed)
    for one, other in zip(plain.findings, found.findings, strict=True):
        assert (one.id, one.estimate, one.interval, one.p_value) == (
            other.id, other.estimate, other.interval, other.p_value,
        )  # fmt: skip


def test_a_list_that_is_there_twice_is_no_further_evidence(tables):
    """Users are shuffled, split and compared, and not lists."""
    c = tables["candidates"]
    twice = pd.concat([c, c.assign(list_id=c["list_id"] + " again")])
    for one, other in zip(audit(tables).findings, audit(tables, candidates=twice).findings, strict=True):
        assert one.p_value == other.p_value
        assert one.estimate == pytest.approx(other.estimate, abs=1e-12)
        if one.interval is not None:
            assert one.interval.low == pytest.approx(other.interval.low, abs=1e-6)
            assert one.interval.high == pytest.approx(other.interval.high, abs=1e-6)


# Who scores, and who asks


def test_a_recommender_and_a_swarm_score_lists(tables):
    def score(users: np.ndarray, items: np.ndarray) -> np.ndarray:
        return (users * 31 + items * 17) % 101 / 7.0

    c = tables["candidates"]
    scored = c.assign(score=score(c["user_id"].to_numpy(), c["item_id"].to_numpy()))
    without = tables | {"candidates": c.drop(columns="score")}
    expected = measured(tables | {"candidates": scored})["mrr"]
    np.testing.assert_array_equal(measured(without, recommender=score)["mrr"], expected)
    swarm = {"search": "swarm", "budget": USERS, "min_size": 5}
    visited = measured(without, asked=swarm, recommender=score)["mrr"]
    there = np.isfinite(visited)
    assert there.any()
    np.testing.assert_array_equal(visited[there], expected[there])


def test_a_plan_and_a_command_call_a_column_list_id(tables, tmp_path, monkeypatch, capsys):
    c = tables["candidates"].rename(columns={"list_id": "rq_id"}).drop(columns="category")
    c.to_csv(tmp_path / "c.csv", index=False)
    tables["users"].to_csv(tmp_path / "u.csv", index=False)
    expected = audit(tables, attributes=["gender"]).find("confirmed_gap")
    step = GroupsStep(
        audit="groups", candidates="c", users="u", attributes="gender", min_size=5, permutations=40
    )
    opened = {
        "c": inputs.table(tmp_path / "c.csv", name="candidates", columns={"list_id": "rq_id"}),
        "u": inputs.table(tmp_path / "u.csv", name="users"),
    }
    found = eh.groups.audit(**step.arguments(opened)).find("confirmed_gap")
    assert (found.estimate, found.interval) == (expected.estimate, expected.interval)
    command = [
        "groups", "--candidates", tmp_path / "c.csv", "--users", tmp_path / "u.csv", "--attribute", "gender",
        "--min-size", 5, "--permutations", 40, "--columns", "list_id=rq_id", "--json", "--min-cell", 0,
    ]  # fmt: skip
    monkeypatch.setattr("sys.argv", ["evenhand", *map(str, command)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    told = json.loads(capsys.readouterr().out)
    (gap,) = [one for one in told["findings"] if one["measure"] == "confirmed_gap"]
    assert gap["estimate"] == pytest.approx(expected.estimate, abs=1e-12)


def test_days_are_followed(tables):
    asked = {"attributes": "gender", "metric": "mrr", "tolerance": 0.05, "permutations": 40, "min_size": 5}
    given = asked | {"candidates": tables["candidates"], "users": tables["users"]}
    day, _ = count(given, b"secret", lambda message: None)
    kept, question = GroupsDay.read(day.evidence()), question_of(asked, 0)
    told = of_this_day(question, kept, 1)
    of_audit = audit(tables, attributes=["gender"]).find("confirmed_gap")
    assert told[0].details["raw_gap"] == pytest.approx(of_audit.details["raw_gap"], abs=1e-12)
    assert EACH_USER_ONCE in told[0].assumptions
    assert [one for one in told[0].excluded if one.what.startswith("lists")] == [
        one for one in of_audit.excluded if one.what.startswith("lists")
    ]
    both = GroupsDay.read((kept + kept).evidence())
    assert OF_LISTS in of_all_days(question, both, 2)[0].assumptions
    plain, _ = count(given | {"candidates": make_tables()["candidates"]}, b"secret", lambda message: None)
    assert b"lists" not in plain.evidence()["told"]


# What is refused


def test_an_item_twice_in_a_list(tables):
    c = tables["candidates"]
    said = refused(tables, pd.concat([c, c.head(2)]))
    assert said.startswith("candidates: 2 keys of list_id, item_id appear more than once, for example ")
    assert said.endswith("in 2 rows. Keep one row for each item of a list.")


def test_a_list_of_two_users(tables):
    c = tables["candidates"].assign(list_id=lambda c: c["user_id"] // 2 * 10)
    assert refused(tables, c) == (
        "candidates: 60 list_id have rows of several user_id, for example list_id=0 of 0 and 1. Give every "
        "list of a user a list_id of its own."
    )


def test_a_list_without_an_id(tables):
    c = tables["candidates"].copy()
    c.loc[5, "list_id"] = None
    assert "column 'list_id' is empty in 1 of" in refused(tables, c)


def test_a_pair_twice_says_how_to_tell_lists_apart(tables):
    c = tables["candidates"].drop(columns="list_id")
    said = refused(tables, c)
    assert "of user_id, item_id appear more than once" in said
    assert said.endswith(
        "Keep one row for each key, or, where users have several lists, say which column tells lists apart: "
        "list_id (--columns list_id=NAME)."
    )


def test_several_lists_are_not_re_ranked(tables):
    with pytest.raises(InputError, match=r"candidates: users have up to 3 lists \(list_id\), and one list"):
        eh.mitigate.rerank_groups(tables["candidates"], tables["users"], ["gender"], min_size=5)
