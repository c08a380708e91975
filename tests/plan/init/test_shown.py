"""What was shown, and what only looks so: candidates, ratings, arms that no audit reads, far attributes."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.command import run
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, ITEMS, USERS, log

NAMES = {"user": "user_id", "item": "item_id"}
PEOPLE = pd.DataFrame({"user_id": np.arange(USERS), "gender": GENDERS[np.arange(USERS) % 2]})
THINGS = pd.DataFrame({"item_id": np.arange(ITEMS), "category": np.array(["x", "y"])[np.arange(ITEMS) % 2]})


def candidates(rng, **more):
    """Ten items for each of the users, one of which is relevant."""
    users = np.repeat(np.arange(USERS), 10)
    items = np.concatenate([rng.choice(ITEMS, 10, replace=False) for _ in range(USERS)])
    return pd.DataFrame({"user_id": users, "item_id": items, **more, "y": np.tile([1] + 9 * [0], USERS)})


def visits(rows=6000):
    shown = log(rows, 1).drop(columns="maker").rename(columns=NAMES)
    shown["ts"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(rows), unit="min")
    shown["add_ts"] = shown.ts.where(shown.liked == 1)
    return shown.drop(columns="liked")


def test_candidates_are_not_what_was_shown(tmp_path):
    """The log of what was shown has no plain label: it is the log nevertheless, and what it lacks is said."""
    rng = np.random.default_rng(1)
    candidates(rng, sc=rng.normal(size=USERS * 10)).to_parquet(tmp_path / "cand.parquet")
    visits().to_parquet(tmp_path / "imp.parquet")
    PEOPLE.to_csv(tmp_path / "users.csv", index=False)
    THINGS.to_csv(tmp_path / "items.csv", index=False)
    seen = see(look([tmp_path]))
    roles = {one.name: one.role for one in seen.tables()}
    assert (roles["cand"], roles["imp"]) == ("candidates", "log")
    assert seen.found.traffic.default.table.name == "imp"
    draft = propose(seen)
    assert [step.keys["audit"] for step in draft.steps] == ["parity", "groups"]
    (said,) = [mark for mark in draft.marks if mark.startswith("cand is taken to be candidates")]
    assert "every user has 10 rows, and none has a time" in said
    assert any("add_ts (a time that" in one for one in draft.first)


@pytest.mark.parametrize("dated", [True, False])
def test_rows_without_a_time_are_default_traffic_only_marked_and_if_nothing_else_is(tmp_path, dated):
    candidates(np.random.default_rng(1)).to_parquet(tmp_path / "cand.parquet")
    if dated:
        visits(1000).to_parquet(tmp_path / "imp.parquet")
    THINGS.to_csv(tmp_path / "items.csv", index=False)
    draft = propose(see(look([tmp_path])))
    assert draft.inputs["default"].files.name == ("imp" if dated else "cand")
    said = [mark for mark in draft.marks if mark.startswith("What users were shown is taken to be")]
    assert len(said) == (0 if dated else 1)
    assert all("Every user has 10 rows, as lists of candidates have" in mark for mark in said)


def test_ratings_beside_random_traffic_are_what_users_chose(tmp_path):
    for name, seed, uniform in (("selected", 1, False), ("random", 2, True)):
        frame = log(5000, seed, uniform).rename(columns={**NAMES, "maker": "creator_gender"})
        frame["rating"] = 1 + frame.liked * 3 + frame.index % 2
        frame.drop(columns="liked").to_parquet(tmp_path / f"{name}.parquet")
    draft = propose(see(look([tmp_path])))
    assert [mark for mark in draft.marks if mark.startswith("selected holds what users rated")]
    # A report is read without the plan.
    defined = {one.label_definition for one in draft.inputs.values() if one.made}
    assert defined == {
        "rating is at least 4 (ratings: of what users chose themselves, unless a system showed it)"
    }


def test_reading_times_are_no_ratings(tmp_path):
    shown = log(5000, 1).drop(columns="maker").rename(columns=NAMES)
    shown["reading_seconds"] = shown.index % 300
    shown.drop(columns="liked").to_parquet(tmp_path / "impressions.parquet")
    PEOPLE.to_csv(tmp_path / "users.csv", index=False)
    draft = propose(see(look([tmp_path])))
    assert "user_precision" in [step.keys["audit"] for step in draft.steps]
    assert not [mark for mark in draft.marks if "what users rated" in mark]


ENGINES = np.array(["brigata_3", "brigata_4"])


def engines(home, by_user, column="motore"):
    shown = pd.concat([log(9000, 1), log(4000, 2, uniform=True)], ignore_index=True)
    which = shown.user if by_user else shown.index
    shown["engine"] = np.where(shown.index < 9000, "std", "explore")
    shown["motore"] = ENGINES[which.to_numpy() % 2]
    if column == "engine":
        shown["engine"] = np.where(shown.index < 9000, shown.motore, "explore")
    shown.rename(columns={**NAMES, "maker": "creator_gender"}).to_parquet(home / "shown.parquet")


@pytest.mark.parametrize(
    ("by_user", "column", "why"),
    [
        (True, "engine", "The same column says which rows are random"),
        (False, "motore", "Users are in several of the values of motore"),
    ],
)
def test_arms_that_somebody_named_are_not_dropped_without_a_word(tmp_path, by_user, column, why):
    engines(tmp_path, by_user, column)
    draft = propose(see(look([tmp_path]), named={"arm": [column]}))
    assert "experiments" not in [step.keys["audit"] for step in draft.steps]
    (said,) = [one.told() for one in draft.cannot if column in one.question]
    assert why in said


def test_arms_that_are_read_are_not_said_to_be_left_out(tmp_path):
    engines(tmp_path, by_user=True)
    draft = propose(see(look([tmp_path]), named={"arm": ["motore"]}))
    assert "experiments" in [step.keys["audit"] for step in draft.steps]
    assert not [one for one in draft.cannot if "motore" in one.question]


@pytest.mark.parametrize("near", [False, True])
def test_attributes_two_tables_away_are_joined_by_the_plan(tmp_path, near):
    """Items have a cook, and cooks a gender; the log may have the item alone."""
    for name, seed, uniform in (("default", 1, False), ("random", 2, True)):
        frame = log(5000, seed, uniform).drop(columns="maker").rename(columns=NAMES)
        frame = frame.assign(cook_id=frame.item_id % 40 + 900) if near else frame
        frame.to_parquet(tmp_path / f"{name}.parquet")
    THINGS.assign(cook_id=np.arange(ITEMS) % 40 + 900).to_csv(tmp_path / "items.csv", index=False)
    cooks = pd.DataFrame({"cook_id": np.arange(40) + 900, "gender": GENDERS[np.arange(40) % 2]})
    cooks.to_csv(tmp_path / "cooks.csv", index=False)
    assert run([str(tmp_path)], tmp_path / "audit.toml").written
    plan = tomllib.loads((tmp_path / "audit.toml").read_text())
    (step,) = (one for one in plan["audits"] if one["audit"] == "opportunity")
    assert (step["group"], step["on"]) == ("gender", "creator_id" if near else "item_id")
    joined = {} if near else {"gender": {"path": "cooks.csv", "on": "creator_id", "key": "cook_id"}}
    assert plan["inputs"][step["attributes"]].get("joined", {}) == joined


def test_what_was_joined_already_is_not_joined_again(tmp_path):
    for name, seed, uniform in (("default", 1, False), ("random", 2, True)):
        frame = log(5000, seed, uniform).drop(columns="maker").rename(columns=NAMES)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    cooks = pd.DataFrame({"cook_id": np.arange(40) + 900, "gender": GENDERS[np.arange(40) % 2]})
    cooks.to_csv(tmp_path / "cooks.csv", index=False)
    things = THINGS.assign(cook_id=np.arange(ITEMS) % 40 + 900)
    things.merge(cooks.rename(columns={"gender": "cook_gender"})).to_csv(tmp_path / "items.csv", index=False)
    draft = propose(see(look([tmp_path])))
    assert draft.steps[0].keys["group"] == "cook_gender"
    assert not draft.inputs["items"].joined


def test_what_to_do_comes_first_and_what_is_lacking_takes_a_line_each(tmp_path):
    visits().to_parquet(tmp_path / "imp.parquet")
    PEOPLE.to_csv(tmp_path / "users.csv", index=False)
    lines = run([str(tmp_path)], tmp_path / "audit.toml").lines
    assert lines[lines.index("Do this first, and run init again:") + 1].startswith("  No column of imp says")
    assert lines.index("Do this first, and run init again:") < lines.index("Cannot be asked yet:")
    lacking = lines[lines.index("Cannot be asked yet:") + 1 :]
    assert "  Envy: needs preferences and policies (docs/explain/envy.md#what-it-needs)." in lacking
    assert sum(len(line) > 100 for line in lacking) <= 2
    assert sum("add_ts" in line for line in lines) == 1


def test_which_version_users_were_given_may_stand_in_a_table_of_its_own(tmp_path):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet")
    users = np.arange(USERS)
    given = pd.DataFrame({"user_id": users, "variant": np.array(["control", "new"])[users % 2]})
    given.to_csv(tmp_path / "assignments.csv", index=False)
    assert run([str(tmp_path)], tmp_path / "audit.toml").written
    plan = tomllib.loads((tmp_path / "audit.toml").read_text())
    (step,) = (one for one in plan["audits"] if one["audit"] == "experiments")
    assert step["columns"] == {"variant": "control"}
    assert plan["inputs"]["default"]["joined"] == {"variant": {"path": "assignments.csv", "on": "user_id"}}
    (tmp_path / "random.parquet").unlink()
    (said,) = [one.told() for one in propose(see(look([tmp_path]))).cannot if "variant" in one.question]
    assert "there is none" in said


def test_where_candidates_are_refused_users_are_asked_about_what_they_were_shown(tmp_path):
    shown = log(6000, 1).drop(columns="maker").rename(columns=NAMES)
    shown.assign(at=pd.Timestamp("2026-01-01") + pd.to_timedelta(shown.index, unit="s")).to_parquet(
        tmp_path / "shown.parquet"
    )
    twice = shown[["user_id", "item_id"]].iloc[:900]
    twice = pd.concat([twice, twice]).assign(score=np.arange(1800) / 7, liked=np.arange(1800) % 2)
    twice.to_parquet(tmp_path / "candidates.parquet")
    people = pd.DataFrame({"user_id": np.arange(USERS), "gender": GENDERS[np.arange(USERS) % 2]})
    people.to_csv(tmp_path / "users.csv", index=False)
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    plan = tomllib.loads((tmp_path / "audit.toml").read_text())
    assert [one["audit"] for one in plan["audits"]] == ["user_precision"]
    assert "appear more than once" in " ".join(outcome.lines)
    assert "Label of shown: liked is 1" in " ".join(outcome.lines)


def test_only_rows_that_were_shown_are_what_users_were_shown(tmp_path):
    """All candidates, with a flag of those that users saw: only of these it is known what came of them."""
    rows = log(8000, 1).drop(columns="maker").rename(columns=NAMES | {"liked": "found_helpful"})
    rows["score"] = np.random.default_rng(3).random(len(rows))
    rows["was_shown"] = rows.score > 0.7
    rows["found_helpful"] = rows.found_helpful.astype(float).where(rows.was_shown)
    rows.to_parquet(tmp_path / "ranked_candidates.parquet")
    pd.DataFrame({"user_id": np.arange(USERS), "gender": GENDERS[np.arange(USERS) % 2]}).to_csv(
        tmp_path / "users.csv", index=False
    )
    draft = propose(see(look([tmp_path])))
    assert draft.inputs["default"].where == {"was_shown": True}
    (step,) = (one for one in draft.steps if one.keys["audit"] == "user_precision")
    assert step.keys["label"] == "found_helpful"
    assert any("rows of ranked_candidates whose was_shown is true" in mark for mark in draft.marks)
