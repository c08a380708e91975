"""The front door of the group audit: what it finds, and that nothing but the data decides it."""

from __future__ import annotations

from itertools import combinations

import duckdb
import ibis
import numba
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.groups.lists.metrics import OBSERVED
from evenhand.recommenders.adapters import from_callable
from groups.tables import ITEMS, QUICK, USERS, audit, make_tables, mrr

BY = {"by": "gender, band", "metric": "mrr@5"}


@pytest.fixture(scope="module")
def tables():
    return make_tables()


@pytest.fixture(scope="module")
def expected(tables) -> eh.AuditResult:
    return audit(tables)


def group_means(tables, by, values=None) -> pd.Series:
    users = tables["users"].set_index("user_id")
    users["value"] = mrr(tables["candidates"]) if values is None else values
    return users.groupby(by)["value"].mean()


def shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed)


# What is found


def test_the_findings_have_the_promised_names_and_details(expected):
    assert [f.measure for f in expected.findings[:3]] == ["confirmed_gap", "uf", "spread"]
    assert {f.measure for f in expected.findings[3:]} == {"group_mean"}
    assert all(f.audit == "groups" for f in expected.findings)
    uf = expected.find("uf")
    assert uf.subject == BY
    assert {
        "null", "raw_p_value", "confirmed", "tau", "advantaged", "disadvantaged", "highest", "lowest",
    } <= set(uf.details)  # fmt: skip
    assert {"mean", "p95", "shuffles"} <= set(uf.details["null"])
    assert set(uf.details["confirmed"]["interval"]) == {"low", "high", "level"}
    assert set(uf.details["tau"]) == {"estimate", "low", "high"}
    assert uf.n.count == USERS


def test_metrics_that_read_labels_say_that_these_are_what_was_observed(tables, expected):
    assert all(OBSERVED in f.assumptions for f in expected.findings)
    column = tables | {"users": tables["users"].assign(value=lambda users: users["user_id"] % 2)}
    assert not any(OBSERVED in f.assumptions for f in audit(column, metric="value", bounds=(0, 1)).findings)


def test_the_gap_is_that_of_a_plain_group_by(tables, expected):
    means = group_means(tables, ["gender", "band"])
    uf = expected.find("uf")
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert uf.details["highest"] == ", ".join(means.idxmax())
    assert uf.details["lowest"] == ", ".join(means.idxmin())
    listed = {row["group"]: row for row in uf.details["advantaged"] + uf.details["disadvantaged"]}
    assert {tuple(name.split(", ")): row["mean"] for name, row in listed.items()} == pytest.approx(
        means.to_dict()
    )
    assert {row["users"] for row in listed.values()} == {20}
    ordered = [row["mean"] for row in uf.details["disadvantaged"]]
    assert ordered == sorted(ordered)
    ordered = [row["mean"] for row in uf.details["advantaged"]]
    assert ordered == sorted(ordered, reverse=True)


def test_a_finding_for_each_group_with_an_interval_that_holds_its_mean(tables, expected):
    means = group_means(tables, ["gender", "band"])
    for (gender, band), mean in means.items():
        found = expected.find("group_mean", group=f"{gender}, {band}")
        assert found.estimate == pytest.approx(mean, abs=1e-12)
        assert 0 <= found.interval.low < mean <= found.interval.high <= 1
        assert found.harm == "below"
        assert found.n.count == 20


def test_women_whose_scores_are_noise_are_found_and_confirmed(expected):
    uf, confirmed = expected.find("uf"), expected.find("confirmed_gap")
    assert uf.details["lowest"].startswith("F, ")
    assert uf.p_value == uf.details["raw_p_value"] == 1 / 41  # no shuffle of 40 has such a gap
    assert uf.estimate > uf.details["null"]["p95"]
    assert uf.interval.low <= confirmed.estimate <= uf.interval.high
    assert confirmed.details["split_half"] == uf.details["confirmed"]
    assert uf.details["confirmed"]["interval"]["low"] > 0
    assert expected.find("spread").estimate == uf.details["tau"]["estimate"] > 0.05


def test_the_planted_gap_of_the_marketplace():
    world = eh.datasets.marketplace(seed=0, default_rows=0, random_rows=0)
    by = ["gender", "age_band"]
    result = eh.groups.audit(world.candidates, world.users, by, metric=["mrr", "auc"], permutations=200)
    truth = world.truth.groups
    values = mrr(world.candidates)
    for metric in ("mrr@5", "auc"):
        uf = result.find("uf", metric=metric)
        assert uf.details["lowest"] == ", ".join(truth.served_worse.values())
        assert uf.p_value < 0.01
        expected = truth.expected[metric]
        gap = max(expected.values()) - min(expected.values())
        assert uf.interval.low <= gap <= uf.interval.high
        for group in (
            f for f in result.findings if f.measure == "group_mean" and f.subject["metric"] == metric
        ):
            gender, age = group.subject["group"].split(", ")
            assert group.interval.low <= expected[f"gender={gender} & age_band={age}"] <= group.interval.high
    worst = world.users.set_index("user_id")[by].eq(pd.Series(truth.served_worse)).all(axis=1)
    lowest = result.find("group_mean", group="F, 55+", metric="mrr@5").estimate
    assert lowest == pytest.approx(values[worst[worst].index].mean(), abs=1e-12)


def test_a_tolerance_gives_a_verdict_and_none_gives_none(tables, expected):
    assert all(f.verdict is None for f in expected.findings)
    assert audit(tables, tolerance=0.02).find("confirmed_gap").verdict is eh.Verdict.VIOLATION
    assert audit(tables, tolerance=0.99).find("confirmed_gap").verdict is eh.Verdict.WITHIN_TOLERANCE


def test_the_result_can_be_saved_and_read(expected, tmp_path):
    expected.save(tmp_path)
    assert eh.AuditResult.load(tmp_path).findings == expected.findings


# The same answer


def test_the_same_seed_gives_the_same_file_and_another_seed_another(tables, expected):
    assert audit(tables).to_json() == expected.to_json()
    other = audit(tables, rng=1)
    assert other.find("uf").estimate == expected.find("uf").estimate
    assert other.find("uf").details["null"] != expected.find("uf").details["null"]
    assert (expected.seed, other.seed) == (0, 1)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="Numba was started with one thread")
def test_any_number_of_threads(tables, expected):
    numba.set_num_threads(2)
    assert audit(tables).to_json() == expected.to_json()


@pytest.mark.parametrize("metric", [["mrr", "wait"], ["urp", "urd"]])
def test_any_order_of_the_rows_of_all_tables(tables, metric):
    """Chance deals with users in the order of their ids, so it is not the table's order that decides. With
    ties, so that the order within a list is not given either."""
    tied = {**tables, "candidates": tables["candidates"].assign(score=tables["candidates"]["score"].round())}
    asked = {"metric": metric, "k": 3, "attributes": ["gender", "spend"], "bins": {"spend": 3}}
    more = {"history": tables["history"], "items": tables["items"]}
    plain = audit(tied, **asked, **more).to_json()
    moved = {name: shuffled(table, seed) for seed, (name, table) in enumerate(tied.items())}
    more = {"history": moved["history"], "items": moved["items"]}
    assert audit(moved, **asked, **more).to_json() == plain


def test_any_number_of_threads_of_the_engine(tables, tmp_path):
    """Sums of fractions depend on the order in which threads add them; what is made of them must not."""
    rng = np.random.default_rng(4)
    rows = 400_000
    history = pd.DataFrame(
        {
            "user_id": rng.integers(0, USERS, rows),
            "item_id": rng.integers(0, ITEMS, rows),
            "price": rng.integers(1, 1000, rows) / 100,
        }
    )
    history.to_parquet(tmp_path / "history.parquet", row_group_size=20_000)
    items = tables["items"].assign(popularity=rng.random(ITEMS))
    results = [
        audit(
            tables,
            metric="urp",
            attributes=["spend"],
            bins={"spend": 4},
            history=tmp_path / "history.parquet",
            items=items,
            engine=ibis.duckdb.connect(threads=threads),
        ).to_json()
        for threads in (1, 4, 4)
    ]
    assert results[0] == results[1] == results[2]


# Metrics


def test_a_column_of_the_users_for_which_lower_is_better(tables):
    result = audit(tables, candidates=None, metric="wait", better="lower", bounds=(0, 1))
    means = group_means(tables, ["gender", "band"], tables["users"].set_index("user_id")["wait"])
    uf = result.find("uf")
    assert uf.subject["metric"] == "wait"
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert uf.details["disadvantaged"][0]["group"] == ", ".join(means.idxmax())
    assert uf.details["advantaged"][0]["group"] == ", ".join(means.idxmin())
    assert {f.harm for f in result.findings if f.measure == "group_mean"} == {"above"}
    assert uf.warnings == ()
    assert set(result.inputs) == {"users"}


def test_without_bounds_a_column_has_students_intervals_and_a_warning(tables):
    result = audit(tables, candidates=None, metric="wait")
    uf, group = result.find("uf"), result.find("group_mean", group="F, mid")
    assert "No bounds are known" in uf.warnings[0]
    middle = (group.interval.low + group.interval.high) / 2
    assert middle == pytest.approx(group.estimate, abs=1e-12)  # symmetric, as Student's is


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_bounds_and_level_are_those_of_the_intervals(tables, level):
    users = tables["users"].assign(wait=100 * tables["users"]["wait"] - 50)
    plain = audit(tables, metric="wait", bounds=(0, 1), level=level)
    scaled = audit(tables, users=users, metric="wait", bounds=(-50, 50), level=level)
    for one, other in zip(plain.findings, scaled.findings, strict=True):
        assert one.interval.level == level
        if one.measure == "group_mean":
            assert other.interval.low == pytest.approx(100 * one.interval.low - 50, abs=1e-6)
            assert other.interval.high == pytest.approx(100 * one.interval.high - 50, abs=1e-6)


def test_several_metrics_are_several_audits_and_their_agreement(tables, expected):
    result = audit(tables, metric=["mrr", "auc", "wait"], k=5)
    assert [f.subject["metric"] for f in result.findings if f.measure == "uf"] == ["mrr@5", "auc", "wait"]
    assert result.find("uf", metric="mrr@5") == expected.find("uf")
    (agreement,) = result.find("metric_agreement").pictures
    correlation = {(cell.row, cell.column): cell.value for cell in agreement.cells}
    assert list(dict.fromkeys(row for row, _ in correlation)) == ["mrr@5", "auc", "wait"]
    means = pd.DataFrame(
        {
            "mrr@5": group_means(tables, ["gender", "band"]),
            "wait": group_means(tables, ["gender", "band"], tables["users"].set_index("user_id")["wait"]),
        }
    )
    assert correlation["mrr@5", "wait"] == pytest.approx(means.corr("spearman").loc["mrr@5", "wait"])


def test_the_cut_is_in_the_name_and_in_the_numbers(tables):
    result = audit(tables, k=1)
    means = group_means(tables, ["gender", "band"], mrr(tables["candidates"], k=1))
    assert result.find("uf").subject["metric"] == "mrr@1"
    assert result.find("uf").estimate == pytest.approx(means.max() - means.min(), abs=1e-12)


def test_categories_as_text_and_as_lists_from_items_or_candidates(tables):
    items = tables["items"]
    lists = items.assign(category=items["category"].str.split("|"))
    beside = tables["candidates"].merge(items[["item_id", "category"]])
    text = audit(tables, metric="urd", k=3, items=items)
    assert text.find("uf").subject["metric"] == "urd@3"
    assert text.find("uf").estimate > 0
    assert audit(tables, metric="urd", k=3, items=lists).findings == text.findings
    assert audit(tables, metric="urd", k=3, items=pa.Table.from_pandas(lists)).findings == text.findings
    assert audit(tables, metric="urd", k=3, candidates=beside).findings == text.findings


def mismatch(tables, popularity: pd.Series) -> pd.Series:
    """URP of all five candidates, which are all shown."""
    shown = tables["candidates"]["item_id"].map(popularity).groupby(tables["candidates"]["user_id"]).mean()
    history = tables["history"]
    taken = history["item_id"].map(popularity).groupby(history["user_id"]).mean()
    return (shown - taken).abs()


@pytest.mark.parametrize("given", [True, False])
def test_popularity_is_given_or_counted_from_the_history(tables, given):
    items = tables["items"] if given else tables["items"].drop(columns="popularity")
    counted = 100 * tables["history"]["item_id"].value_counts() / len(tables["history"])
    popularity = items.set_index("item_id")["popularity"] if given else counted
    values = mismatch(tables, popularity)
    result = audit(tables, metric="urp", history=tables["history"], items=items)
    means = group_means(tables, ["gender", "band"], values)
    uf = result.find("uf")
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-9)
    assert uf.details["disadvantaged"][0]["group"] == ", ".join(means.idxmax())  # lower is better
    (left_out,) = uf.excluded
    assert (left_out.what, left_out.count, left_out.why) == (
        "users without urp@5", 1, "no candidates, or no history",
    )  # fmt: skip


def test_users_without_a_positive_are_left_out_and_counted_or_count_as_zero(tables):
    candidates = tables["candidates"]
    some = candidates.assign(label=candidates["label"].mask(candidates["user_id"] < 7, 0))
    out, zero = (audit(tables, candidates=some, no_positive=choice) for choice in ("exclude", "zero"))
    (left_out,) = out.find("uf").excluded
    assert (left_out.what, left_out.count) == ("users without mrr@5", 7)
    assert (out.find("uf").n.count, zero.find("uf").n.count) == (USERS - 7, USERS)
    values = mrr(some)  # 0 without a positive
    means = group_means(tables, ["gender", "band"], values)
    assert zero.find("uf").estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    means = group_means(tables, ["gender", "band"], values[7:])
    assert out.find("uf").estimate == pytest.approx(means.max() - means.min(), abs=1e-12)


def test_a_group_in_which_all_are_served_alike_has_an_interval(tables):
    """No value differs among the old or the young: nothing varies there but what is known of the bounds."""
    users = tables["users"].assign(wait=tables["users"]["band"].map({"old": 0.0, "mid": 0.5, "young": 1.0}))
    result = audit(tables, users=users, attributes="band", metric="wait", bounds=(0, 1))
    old, young = (result.find("group_mean", group=group).interval for group in ("old", "young"))
    assert old.low == 0 < old.high < 0.5
    assert 0.5 < young.low < young.high == 1
    assert result.find("uf").p_value == 1 / 41


def test_one_user_who_differs_from_all_others_is_no_gap(tables):
    """Q is the same in every shuffle."""
    users = tables["users"].assign(wait=(tables["users"]["user_id"] == 3) * 1.0)
    result = audit(tables, users=users, attributes="gender", metric="wait", bounds=(0, 1))
    assert result.find("uf").p_value == 1
    assert result.find("spread").estimate == pytest.approx(0, abs=1e-3)


# Attributes


def test_numbers_in_quantiles_and_between_edges(tables):
    quarters = audit(tables, attributes="income", bins={"income": 4}).find("uf")
    assert {row["users"] for row in quarters.details["advantaged"]} == {30}
    between = audit(tables, attributes="age", bins={"age": [30, 50]}).find("uf")
    bands = pd.cut(
        tables["users"]["age"], [0, 30, 50, 200], right=False, labels=["under 30", "30 to 49", "50 or more"]
    )
    means = group_means({**tables, "users": tables["users"].assign(bin=bands.astype(str))}, "bin")
    assert between.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert between.details["highest"] == means.idxmax()
    assert between.details["groups"] == 3


@pytest.mark.parametrize("name", ["activity", "spend", "highest_price"])
def test_attributes_made_from_a_history(tables, name):
    history = tables["history"]
    by_user = history.groupby("user_id")["price"]
    values = {"activity": by_user.size(), "spend": by_user.sum(), "highest_price": by_user.max()}[name]
    values = values.reindex(tables["users"]["user_id"])
    if name != "highest_price":  # who took nothing spent nothing, but no price of theirs is the highest
        values = values.fillna(0)
    edge = float(values.median())
    result = audit(tables, attributes=name, bins={name: [edge]}, history=history, missing="exclude")
    uf = result.find("uf")
    users = tables["users"].assign(bin=np.where(values < edge, f"under {edge:g}", f"{edge:g} or more"))
    users = users[values.notna().to_numpy()]
    means = group_means({**tables, "users": users}, "bin")
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert uf.details["lowest"] == means.idxmin()
    assert sum(left_out.count for left_out in uf.excluded) == int(values.isna().sum())


def test_made_attributes_have_ten_bins_unless_others_are_asked_for(tables):
    result = audit(tables, attributes="spend", history=tables["history"])
    assert result.find("uf").details["groups"] == 10


def test_missing_values_as_a_group_or_left_out_and_counted(tables):
    users = tables["users"].assign(gender=tables["users"]["gender"].mask(tables["users"].index < 30))
    kept = audit(tables, users=users, missing="group").find("uf")
    means = group_means({**tables, "users": users.fillna({"gender": "(missing)"})}, ["gender", "band"])
    assert (kept.n.count, kept.excluded) == (USERS, ())
    assert kept.details["groups"] == len(means) == 9
    assert kept.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    out = audit(tables, users=users, missing="exclude").find("uf")
    (left_out,) = out.excluded
    assert (left_out.what, left_out.count) == ("users without a value of an attribute", 30)
    rest = {**tables, "users": users[30:], "candidates": tables["candidates"].query("user_id >= 30")}
    assert out.estimate == audit(rest).find("uf").estimate
    assert out.details["null"] == audit(rest).find("uf").details["null"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda gender: gender.astype("category"), {"F", "M"}),
        (lambda gender: gender == "F", {"True", "False"}),
        (lambda gender: gender.map({"F": 2, "M": 10}), {"2", "10"}),
        (lambda gender: gender.map({"F": "", "M": "M"}), {"(empty)", "M"}),
    ],
)
def test_an_attribute_of_any_type_that_makes_groups(tables, change, words):
    users = tables["users"].assign(gender=change(tables["users"]["gender"]))
    uf = audit(tables, users=users, attributes="gender").find("uf")
    assert {uf.details["highest"], uf.details["lowest"]} == words
    assert uf.estimate == audit(tables, attributes="gender").find("uf").estimate


def test_categories_as_many_as_a_byte_can_count(tables):
    words = [f"v{v:03}" for v in range(256)]
    kind = pd.Categorical(np.where(np.arange(USERS) < 40, "v001", "v255"), categories=words)
    kind[:10] = None
    users = tables["users"].assign(kind=kind)
    uf = audit(tables, users=users, attributes="kind", missing="group").find("uf")
    listed = {
        row["group"]: row["users"] for end in ("advantaged", "disadvantaged") for row in uf.details[end]
    }
    assert {uf.details["highest"], uf.details["lowest"]} <= {"v001", "v255", "(missing)"}
    assert listed.items() <= {"v001": 30, "v255": 80, "(missing)": 10}.items()


def test_whole_numbers_that_a_float_cannot_hold_are_binned(tables):
    moment = 1_700_000_000_000_000_001 + 10**15 * tables["users"]["age"].astype("int64")
    users = tables["users"].assign(moment=moment)
    found = audit(tables, users=users, attributes="moment", bins={"moment": 3}).find("uf")
    assert found.estimate == audit(tables, attributes="age", bins={"age": 3}).find("uf").estimate


# Groups that are too small


@pytest.mark.parametrize(("min_size", "least"), [(16, 16), (15, 15), (0.125, 15), (0.1, 12)])
def test_a_least_size_as_a_number_and_as_a_share(tables, min_size, least):
    users = tables["users"].assign(band=np.where(np.arange(USERS) < 25, "rare", tables["users"]["band"]))
    sizes = users.groupby(["gender", "band"]).size()
    uf = audit(tables, users=users, min_size=min_size).find("uf")
    means = group_means({**tables, "users": users}, ["gender", "band"])[sizes >= least]
    small = sizes[sizes < least]
    assert uf.details["groups"] == len(means)
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert uf.n.count == sizes[sizes >= least].sum()
    listed = {
        tuple(row["group"].split(", ")): row["users"]
        for row in uf.details["search"].get("excluded_groups", [])
    }
    assert listed == small.to_dict()
    assert sum(left_out.count for left_out in uf.excluded) == small.sum()


# Searches


def test_a_threshold_is_a_share_of_all_users(tables):
    users = tables["users"].assign(band=np.where(np.arange(USERS) < 25, "rare", tables["users"]["band"]))
    found = audit(tables, users=users, search="threshold", threshold=0.125, min_size=2)
    same = audit(tables, users=users, min_size=15)
    assert found.find("uf").estimate == same.find("uf").estimate
    assert found.find("uf").details["search"]["method"] == "threshold"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_cube_is_every_choice_of_attributes(tables, depth):
    attributes = ["gender", "band", "age"]
    bins = pd.cut(tables["users"]["age"], [0, 40, 200], right=False).astype(str)
    frame = tables["users"].assign(age=bins, value=mrr(tables["candidates"]).to_numpy())
    means = []
    for count in range(1, depth + 1):
        for chosen in combinations(attributes, count):
            groups = frame.groupby(list(chosen))["value"].agg(["size", "mean"])
            means += groups["mean"][groups["size"] >= 9].tolist()
    result = audit(tables, attributes=attributes, bins={"age": [40]}, search="cube", depth=depth, min_size=9)
    uf = result.find("uf")
    assert uf.details["groups"] == len(means)
    assert uf.estimate == pytest.approx(max(means) - min(means), abs=1e-12)
    assert "spread" not in {f.measure for f in result.findings}  # overlapping groups are not independent


def test_a_cube_of_tiny_groups_some_of_which_are_in_one_half(tables):
    result = audit(tables, attributes=["gender", "age"], search="cube", min_size=2)
    assert result.find("confirmed_gap").estimate >= 0


class Counted:
    """A recommender as a function that remembers whom it was asked about."""

    def __init__(self, candidates: pd.DataFrame) -> None:
        self.scores = candidates.set_index(["user_id", "item_id"])["score"]
        self.asked: list[int] = []

    def score(self, users, items):
        self.asked += np.unique(users).tolist()
        return self.scores.loc[list(zip(users, items, strict=True))].to_numpy()


@pytest.mark.parametrize("budget", [0.34, 0.5, 1.0, 60])
def test_a_swarm_asks_about_no_more_users_than_its_budget(tables, budget):
    counted = Counted(tables["candidates"])
    without = tables["candidates"].drop(columns="score")
    result = audit(tables, candidates=without, recommender=counted.score, search="swarm", budget=budget)
    uf = result.find("uf")
    assert len(counted.asked) == len(set(counted.asked)) <= (budget * USERS if budget <= 1 else budget)
    assert uf.details["search"]["users_scored"] == len(counted.asked) == uf.n.count
    visited = tables["users"].set_index("user_id").loc[counted.asked, ["gender", "band"]].value_counts()
    means = group_means(tables, ["gender", "band"]).loc[visited.index]
    assert uf.estimate == pytest.approx(means.max() - means.min(), abs=1e-12)
    assert sum(left_out.count for left_out in uf.excluded if not left_out.unidentified) == USERS - uf.n.count
    assert any(left_out.unidentified for left_out in uf.excluded) == (uf.n.count < USERS)
    assert (uf.n.count == USERS) == (budget == 1)


def test_a_function_or_a_recommender_scores_the_candidates(tables, expected):
    counted = Counted(tables["candidates"])
    without = tables["candidates"].drop(columns="score")
    assert audit(tables, candidates=without, recommender=counted.score).findings == expected.findings
    assert sorted(counted.asked) == list(range(USERS))
    pairs = Counted(tables["candidates"].assign(user_id=lambda c: c["user_id"]))
    known = from_callable(lambda u, i: pairs.score(u, i), range(USERS), range(ITEMS), trial=False)
    assert audit(tables, candidates=without, recommender=known).findings == expected.findings


# Storage and types


@pytest.mark.parametrize("kind", ["parquet", "csv", "polars", "arrow", "relation", "ibis"])
def test_any_storage(tables, expected, tmp_path, kind):
    made = {}
    for name in ("candidates", "users"):
        frame = tables[name]
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            frame.to_parquet(path, row_group_size=100)
            made[name] = path
        elif kind == "csv":
            frame.to_csv(path, index=False)
            made[name] = path
        elif kind == "polars":
            made[name] = pl.from_pandas(frame)
        elif kind == "arrow":
            made[name] = pa.Table.from_pandas(frame)
        elif kind == "relation":
            made[name] = duckdb.from_df(frame)
        else:
            made[name] = ibis.memtable(frame)
    assert audit(tables, **made).findings == expected.findings


def test_candidates_in_one_storage_and_users_in_another(tables, expected, tmp_path):
    tables["candidates"].to_parquet(tmp_path / "candidates.parquet")
    assert audit(tables, candidates=tmp_path / "candidates.parquet").findings == expected.findings


@pytest.mark.parametrize("label", [bool, float, "int8", "Int64"])
def test_labels_of_any_type(tables, expected, label):
    candidates = tables["candidates"].assign(label=tables["candidates"]["label"].astype(label))
    assert audit(tables, candidates=candidates).findings == expected.findings


@pytest.mark.parametrize(
    "write", [lambda ids: ids.map("u{:04}".format), lambda ids: ids.astype("int32") - 60]
)
def test_ids_as_text_and_as_other_numbers(tables, expected, write):
    renamed = {
        name: tables[name].assign(user_id=write(tables[name]["user_id"])) for name in ("users", "candidates")
    }
    assert audit(renamed).findings == expected.findings


def test_whole_numbers_as_scores(tables):
    ranks = tables["candidates"].groupby("user_id")["score"].rank().astype(int)
    small = audit(tables, candidates=tables["candidates"].assign(score=ranks))
    large = audit(tables, candidates=tables["candidates"].assign(score=ranks * 2**60 // 8))
    assert small.find("uf").estimate == audit(tables).find("uf").estimate
    assert large.findings == small.findings


# A trained model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder that training on pairs of 60 users wrote."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("model")
    pairs = [(f"u{u}", int(i)) for u in range(60) for i in rng.choice(30, size=10, replace=False)]
    taken = eh.recommenders.Interactions.from_frame(pd.DataFrame(pairs, columns=["user_id", "item_id"]))
    eh.recommenders.train_and_save(
        "popularity", taken, folder / "model", split="leave-one-out", negatives=9, seed=1
    )
    return folder / "model"


def test_a_trained_model_is_audited_on_the_candidates_beside_it(model):
    users = pd.DataFrame({"user_id": [f"u{u}" for u in range(60)], "gender": ["F", "M"] * 30})
    result = eh.groups.audit(None, users, "gender", recommender=model, **QUICK)
    candidates = pd.read_parquet(model / "candidates.parquet")
    scores = eh.recommenders.load(model).score(candidates["user_id"], candidates["item_id"])
    same = eh.groups.audit(candidates.assign(score=scores), users, "gender", **QUICK)
    assert result.find("uf") == same.find("uf")
    assert result.find("uf").n.count == 60
    # The history is what the model learnt from, so that mismatch and activity need no other table.
    more = eh.groups.audit(None, users, "gender", metric="urp", recommender=model, **QUICK)
    assert more.find("uf").excluded == ()


def test_a_model_that_does_not_know_a_user(model):
    users = pd.DataFrame({"user_id": [f"u{u}" for u in range(61)], "gender": "F"})
    candidates = pd.read_parquet(model / "candidates.parquet")
    more = pd.concat([candidates, candidates[:10].assign(user_id="u60")])
    with pytest.raises(InputError) as error:
        eh.groups.audit(more, users, "gender", recommender=model, **QUICK)
    assert str(error.value).startswith("1 user ids were not seen in training, for example 'u60'. Score only ")


@pytest.mark.parametrize("countries", [3, 4, 5])
def test_no_group_is_missing_where_the_ends_meet(countries):
    rng = np.random.default_rng(0)
    place = np.arange(200) % countries
    users = pd.DataFrame({"user_id": range(200), "country": place.astype(str), "wait": rng.random(200)})
    found = eh.groups.audit(None, users, "country", "wait", permutations=50)
    told = [f.subject["group"] for f in found.findings if f.measure == "group_mean"]
    assert sorted(told) == [str(one) for one in range(countries)]


def test_a_heat_map_whose_small_groups_are_hidden_is_drawn(tmp_path):
    rng = np.random.default_rng(0)
    gender = np.repeat(["F", "M", "X"], [100, 97, 3])
    users = pd.DataFrame(
        {
            "user_id": range(200),
            "gender": gender,
            "age": rng.choice(["old", "young"], 200),
            "wait": rng.random(200),
        }
    )
    found = eh.groups.audit(None, users, ["gender", "age"], "wait", permutations=50, min_size=10)
    found.save(tmp_path)
    assert "Map of 4 groups" in (tmp_path / "report.html").read_text()


def test_whole_ages_beside_an_empty_one_make_whole_bands():
    ages = [18.0, 29.0, 40.0, np.nan] * 50
    users = pd.DataFrame({"user_id": range(200), "age": ages, "wait": np.linspace(0, 1, 200)})
    asked = {"bins": {"age": [18, 35]}, "missing": "exclude", "permutations": 50}
    found = eh.groups.audit(None, users, "age", "wait", **asked)
    told = {f.subject["group"] for f in found.findings if f.measure == "group_mean"}
    assert told == {"18 to 34", "35 or more"}
