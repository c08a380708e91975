"""The marketplace: its tables, logs and files; the same seed, the same world; bad input refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evenhand.datasets import World, marketplace
from evenhand.datasets.synthetic.impressions import draw_items
from evenhand.datasets.synthetic.population import by_quota
from evenhand.errors import InputError

TABLES = ("users", "items", "creators", "default_log", "random_log", "candidates")
ARRAYS = ("preferences", "scores", "policy", "treatment_policy", "user_embeddings", "item_embeddings")
SMALL: dict[str, Any] = {
    "users": 60,
    "items": 40,
    "days": 3,
    "seed": 5,
    "default_rows": 1000,
    "random_rows": 500,
}


def test_the_same_seed_gives_the_same_world(small: World, tmp_path: Path) -> None:
    again = marketplace(**SMALL)
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(small, name), getattr(again, name))
    for name in ARRAYS:
        assert np.array_equal(getattr(small, name), getattr(again, name))
    assert small.truth == again.truth
    one, two = small.save(tmp_path / "one"), again.save(tmp_path / "two")
    assert (one / "truth.json").read_bytes() == (two / "truth.json").read_bytes()


def test_another_seed_gives_another_world(small: World) -> None:
    other = marketplace(**SMALL | {"seed": 6})
    assert not np.array_equal(small.preferences, other.preferences)
    assert not small.default_log.equals(other.default_log)
    assert small.truth.envy != other.truth.envy


@pytest.mark.parametrize(
    "plant", [{"opportunity": 0.4}, {"exposure": 0.0}, {"groups": 0.3}, {"envy": 0.5}, {"association": 2.0}]
)
def test_a_plant_leaves_people_and_tastes_alone(small: World, plant: dict[str, float]) -> None:
    other = marketplace(**SMALL | plant)
    assert np.array_equal(small.preferences, other.preferences)
    pd.testing.assert_frame_equal(small.users, other.users)
    pd.testing.assert_frame_equal(
        small.items.drop(columns="popularity"), other.items.drop(columns="popularity")
    )
    pd.testing.assert_frame_equal(small.random_log, other.random_log)
    if "groups" not in plant:
        pd.testing.assert_frame_equal(small.candidates, other.candidates)
    assert small.truth != other.truth


def test_tables_fit_together(world: World) -> None:
    users, items, creators = world.users, world.items, world.creators
    assert users["user_id"].is_unique
    assert items["item_id"].is_unique
    assert not users.isna().any(axis=None)
    assert not items.isna().any(axis=None)
    assert users["arm"].value_counts().to_dict() == {"control": 1000, "treatment": 1000}
    joined = items.merge(creators[["creator_id", "creator_age"]], on="creator_id", suffixes=("", "_joined"))
    assert len(joined) == len(items)
    assert (joined["creator_age"] == joined["creator_age_joined"]).all()
    assert set(items["creator_id"]) == set(creators["creator_id"])
    assert all(genre == kinds[0] for genre, kinds in zip(items["genre"], items["category"], strict=True))
    assert {len(kinds) for kinds in items["category"]} == {1, 2}
    assert items["popularity"].sum() == pytest.approx(1)
    assert ((world.preferences > 0) & (world.preferences < 1)).all()
    assert world.relevance.sum(axis=1).min() > 0


def test_policies_are_softmax_of_embeddings_quality_and_boosts(world: World) -> None:
    weights = np.exp(world.scores - world.scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(world.policy, weights / weights.sum(axis=1, keepdims=True), rtol=1e-12)
    # Without the two boosts, what is left beside the embeddings' product is one number an item: quality.
    truth = world.truth
    pair_boost = truth.exposure.boost * np.outer(
        world.users["gender"] == "M", world.items["genre"] == "music"
    )
    tilt = world.items["creator_age"].map(truth.opportunity["control"].log_weights).to_numpy()
    quality = world.scores - world.user_embeddings @ world.item_embeddings.T - pair_boost - tilt
    assert np.ptp(quality, axis=0).max() < 1e-10
    assert quality[0].std() == pytest.approx(0.3, abs=0.05)


def test_logs_are_spread_over_days_and_arms(world: World) -> None:
    log = world.default_log
    assert len(log) == 200_000
    assert len(world.random_log) == 60_000
    assert log["day"].is_monotonic_increasing
    counts = log.groupby(["day", "arm"]).size()
    assert len(counts) == 28
    assert counts.max() - counts.min() <= 1
    assert set(world.random_log["day"]) == set(range(1, 15))
    arm_of = world.users.set_index("user_id")["arm"]
    assert (log["user_id"].map(arm_of) == log["arm"]).all()
    age_of = world.items.set_index("item_id")["creator_age"]
    assert (log["item_id"].map(age_of) == log["creator_age"]).all()
    assert list(world.random_log) == [name for name in log if name not in ("arm", "layout")]
    assert list(world.recall_log) == list(world.random_log)
    assert (log.groupby("user_id")["layout"].nunique() == 1).all()


def test_days_differ_by_chance_only(world: World) -> None:
    """Every day is a sample of one law: day by day the like rate is that of the whole, within its error."""
    for log in (world.default_log.query("arm == 'control'"), world.random_log):
        days = log.groupby("day")["liked"].agg(["sum", "size"])
        rate = log["liked"].mean()
        z = (days["sum"] - rate * days["size"]) / np.sqrt(days["size"] * rate * (1 - rate))
        assert days["size"].sum() == len(log)
        # chi-square with 13 degrees of freedom: 36.1 is passed once in 1,700; 2.6 is missed as rarely
        assert 2.6 < (z**2).sum() < 36.1


def test_labels_follow_their_laws(world: World) -> None:
    log = world.traffic.random(300_000, np.random.default_rng(4))
    assert log[["liked", "finished", "shared"]].isin([0, 1]).all(axis=None)
    liked = log["liked"] == 1
    assert liked.mean() == pytest.approx(world.preferences.mean(), abs=4 * np.sqrt(0.25 / 300_000))
    assert log.loc[~liked, "shared"].sum() == 0
    assert log.loc[liked, "shared"].mean() == pytest.approx(0.15, abs=0.006)
    assert log.loc[liked, "finished"].mean() == pytest.approx(0.90, abs=0.006)
    assert log.loc[~liked, "finished"].mean() == pytest.approx(0.35, abs=0.006)


def test_items_are_drawn_from_each_users_own_policy() -> None:
    policy = np.array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9], [1.0, 0.0, 0.0]])
    user = np.repeat([0, 1, 2], 40_000)
    item = draw_items(policy, user, np.random.default_rng(0))
    shares = np.array([np.bincount(item[user == m], minlength=3) for m in range(3)]) / 40_000
    assert (shares[policy == 0] == 0).all()
    np.testing.assert_allclose(shares, policy, atol=4 * 0.5 / 200)


def test_quotas_are_exact() -> None:
    values = by_quota({"a": 0.5, "b": 0.3, "c": 0.2}, 11, np.random.default_rng(0))
    assert pd.Series(values).value_counts().to_dict() == {"a": 6, "b": 3, "c": 2}
    assert list(values) != sorted(values)


def test_saved_files_hold_the_world(small: World, tmp_path: Path) -> None:
    folder = small.save(tmp_path / "world")
    small.save(folder)  # an existing folder is fine
    read = {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
    logs = {"default", "control", "treatment", "random", "recall"}
    known = {"users", "items", "creators", "candidates", "scores", "relevance", "preferences", "policies"}
    assert set(read) == logs | known
    pd.testing.assert_frame_equal(read["default"], small.default_log)
    pd.testing.assert_frame_equal(read["random"], small.random_log)
    pd.testing.assert_frame_equal(read["users"], small.users)
    assert len(read["control"]) + len(read["treatment"]) == len(small.default_log)
    assert set(read["treatment"]["arm"]) == {"treatment"}
    assert [list(kinds) for kinds in read["items"]["category"]] == list(small.items["category"])
    # 40 items: every pair is within the best hundred
    table = read["scores"].pivot(index="user_id", columns="item_id", values="score")
    np.testing.assert_array_equal(table.to_numpy(), small.scores)
    first = read["scores"].groupby("user_id").first()["item_id"]
    assert list(first) == list(small.items["item_id"].to_numpy()[small.scores.argmax(axis=1)])
    assert len(read["relevance"]) == small.relevance.sum()
    for name, column, values in (
        ("preferences", "preference", small.preferences),
        ("policies", "probability", small.policy),
    ):
        table = read[name].pivot(index="user_id", columns="item_id", values=column)
        np.testing.assert_array_equal(table.to_numpy(), values.astype(np.float32))
    assert np.array_equal(np.load(folder / "users.npy"), small.user_embeddings)
    assert np.array_equal(np.load(folder / "items.npy"), small.item_embeddings)
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["opportunity"]["control"]["penalty"] == 0.18
    assert truth["envy"]["mixed_up"] == list(small.truth.envy.mixed_up)


def test_only_the_best_hundred_scores_are_saved(tmp_path: Path) -> None:
    world = marketplace(users=50, items=150, envy=0, default_rows=0, random_rows=0)
    saved = pd.read_parquet(world.save(tmp_path) / "scores.parquet")
    assert (saved.groupby("user_id").size() == 100).all()
    cut = np.sort(world.scores, axis=1)[:, -100]
    assert saved.groupby("user_id")["score"].min().to_numpy() == pytest.approx(cut)


def test_a_world_may_come_without_logs() -> None:
    world = marketplace(users=50, items=40, envy=0, default_rows=0, random_rows=0)
    assert world.default_log.empty
    assert world.random_log.empty
    assert list(world.default_log) == [*world.random_log, "arm", "layout"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"users": 49}, "users is 49, but must be a whole number of at least 50"),
        ({"items": 39}, "items is 39, but must be a whole number of at least 40"),
        ({"days": 0}, "days is .*, but must be"),
        ({"seed": -1}, "seed is -1, but must be"),
        ({"seed": 2**63}, "seed is 9223372036854775808, but must be"),
        ({"users": 60.0}, "users is .*, but must be"),
        ({"default_rows": True}, "default_rows is .*, but must be"),
        ({"random_rows": -5}, "random_rows is .*, but must be"),
        ({"opportunity": 0.81}, "opportunity is 0.81, but must be a finite number from 0 to 0.8"),
        ({"opportunity": float("nan")}, "opportunity is .*, but must be"),
        ({"treatment": -0.1}, "treatment is .*, but must be"),
        ({"exposure": float("inf")}, "exposure is .*, but must be"),
        ({"association": "much"}, "association is 'much', but must be a finite number from 0 to 10"),
        ({"envy": 1.5}, "envy is .*, but must be"),
        ({"envy": 0.02}, "envy=0.02 mixes up fewer than two users of gender F"),
        ({"groups": 0.42}, "groups=0.42 cannot be planted"),
    ],
)
def test_bad_input_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        marketplace(**SMALL | arguments)
