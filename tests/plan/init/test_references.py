"""Ids under names that no vocabulary has: known by being the key of one table and repeated in another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.asking import users_and_items
from evenhand.plan.init.command import run
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.relations.references import references_of
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, ITEMS, USERS, log


def written(home, user, item, people, things):
    """A log, and a table of each of its two ids; `people` and `things` are further columns of these."""
    shown = pd.concat([log(6000, 1).assign(src="std"), log(4000, 2, uniform=True).assign(src="explore")])
    shown.drop(columns="maker").rename(columns={"user": user, "item": item}).to_parquet(
        home / "visits.parquet"
    )
    pd.DataFrame({user: np.arange(USERS), **people(np.arange(USERS))}).to_csv(home / "a.csv", index=False)
    pd.DataFrame({item: np.arange(ITEMS), **things(np.arange(ITEMS))}).to_csv(home / "b.csv", index=False)


def of_people(ids):
    return {"gender": GENDERS[ids % 2], "plz": 10_000 + ids}


def of_things(ids):
    return {"category": np.array(["x", "y"])[ids % 2]}


@pytest.mark.parametrize(("user", "item"), [("badge", "exhibit"), ("adopter", "animal")])
def test_keys_are_ids_whatever_they_are_called(tmp_path, user, item):
    written(tmp_path, user, item, of_people, of_things)
    seen = see(look([tmp_path]))
    found = {one.name: (one.role, one.user, one.item) for one in seen.tables()}
    assert found == {
        "visits": ("log", user, item), "a": ("users", user, None), "b": ("items", None, item),
    }  # fmt: skip
    draft = propose(seen)
    assert [step.keys["audit"] for step in draft.steps][:1] == ["opportunity"]
    marks = [mark for mark in draft.marks if "is taken to be the id of" in mark]
    assert [mark.split()[0] for mark in marks] == [user, item]
    assert all("check it" in mark for mark in marks)


def test_where_nothing_tells_people_from_things_one_sentence_says_what_to_type(tmp_path):
    written(tmp_path, "qq", "zz", lambda ids: {"c1": ids % 3}, lambda ids: {"c2": ids % 2})
    lines = run([str(tmp_path)], tmp_path / "audit.toml").lines
    said = [line for line in lines if "--columns user_id" in line]
    assert len(said) == 1
    assert "visits has qq (the key of a) and zz (the key of b)" in said[0]
    assert "--columns user_id=qq --columns item_id=zz (or the other way round)" in said[0]
    assert not any("was not recognised" in line for line in lines)


def test_on_a_terminal_it_is_asked_who_the_users_are(tmp_path):
    written(tmp_path, "qq", "zz", lambda ids: {"c1": ids % 3}, lambda ids: {"c2": ids % 2})
    said = []
    named = users_and_items(see(look([tmp_path])), lambda prompt, default: "2", said.append)
    assert named == {"user_id": ["zz"], "item_id": ["qq"]}
    seen = see(look([tmp_path]), named=named)
    assert [one.user for one in seen.tables() if one.role == "log"] == ["zz"]


@pytest.mark.parametrize(("also", "user"), [({}, "acct"), ({"store": 30}, None)])
def test_beside_items_that_a_word_gives_away_the_other_key_is_the_user(tmp_path, also, user):
    """Accounts have no attribute that people are protected by; whose items are, the table of items says."""
    shown = log(6000, 1).rename(columns={"user": "acct", "item": "sku"})
    shown["vnd"] = 500 + shown.sku % 25
    shown = shown.assign(**{name: np.arange(len(shown)) * 7 % many for name, many in also.items()})
    shown.drop(columns="maker").to_parquet(tmp_path / "imp.parquet")
    ids = np.arange(ITEMS)
    pd.DataFrame({"sku": ids, "vnd": 500 + ids % 25, "cat": ids % 3}).to_csv(
        tmp_path / "skus.csv", index=False
    )
    for name, keys in (("acct", np.arange(USERS)), ("vnd", np.arange(500, 525)), *(
        (name, np.arange(many)) for name, many in also.items()
    )):  # fmt: skip
        pd.DataFrame({name: keys, "sz_cd": keys % 3}).to_csv(tmp_path / f"{name}_master.csv", index=False)
    seen = see(look([tmp_path]))
    (imp,) = [one for one in seen.tables() if one.name == "imp"]
    assert (imp.user, imp.item, imp.creator) == (user, "sku", "vnd")
    if user:
        assert any(mark.startswith("acct is taken to be the id of users") for mark in seen.marks)
        assert {one.role for one in seen.tables()} == {"log", "users", "items", "creators"}
    else:
        (said,) = [pair.told() for pair in seen.undecided]
        assert said.endswith("--columns user_id=acct or --columns user_id=store.")


def test_codes_of_a_small_table_are_no_ids(tmp_path):
    """A dozen versions of an app, which the log names, are described by a table of their own."""
    shown = log(6000, 1).rename(columns={"user": "user_id", "item": "what"})
    shown["vers"] = [f"7.{row % 12}" for row in range(len(shown))]
    shown.to_parquet(tmp_path / "imp.parquet")
    pd.DataFrame({"vers": [f"7.{row}" for row in range(12)]}).to_csv(tmp_path / "versions.csv", index=False)
    (imp,) = [one for one in see(look([tmp_path])).tables() if one.name == "imp"]
    assert imp.item is None


def test_where_somebody_lives_says_that_rows_are_people(tmp_path):
    written(tmp_path, "qq", "zz", lambda ids: {"plz": 10_000 + ids % 60}, lambda ids: {"c2": ids % 2})
    found = {one.name: (one.role, one.user, one.item) for one in see(look([tmp_path])).tables()}
    assert found["visits"] == ("log", "qq", "zz")


def test_further_keys_of_a_log_and_of_its_tables_are_no_items(tmp_path):
    """A branch in each row of the log, and a firm in each of the table of people."""
    written(
        tmp_path, "card", "shelfmark", lambda ids: {"age": 20 + ids % 50, "firm": 300 + ids % 40}, of_things
    )
    visits = pd.read_parquet(tmp_path / "visits.parquet")
    visits.assign(branch=100 + np.arange(len(visits)) % 30).to_parquet(tmp_path / "visits.parquet")
    for name, first, many in (("branch", 100, 30), ("firm", 300, 40)):
        pd.DataFrame({name: first + np.arange(many), "town": np.arange(many) % 3}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    seen = see(look([tmp_path]))
    found = {one.name: (one.role, one.user, one.item) for one in seen.tables()}
    assert found["visits"] == ("log", "card", "shelfmark")
    assert found["a"] == ("users", "card", None)
    assert not [mark for mark in seen.marks if mark.startswith(("branch", "firm"))]


def test_what_a_table_of_things_is_keyed_by_is_an_item_also_where_nobody_is_described(tmp_path):
    written(tmp_path, "badge", "exhibit", of_people, lambda ids: {"maker": ids % 9, "price": ids % 7})
    (tmp_path / "a.csv").unlink()
    seen = see(look([tmp_path]))
    found = {one.name: (one.role, one.user, one.item) for one in seen.tables()}
    assert found == {"visits": ("log", None, "exhibit"), "b": ("items", None, "exhibit")}
    assert any(
        mark.startswith("exhibit is taken to be the id of items, as b describes") for mark in seen.marks
    )
    (said,) = [one for one in propose(seen).first if "--columns user_id=NAME" in one]
    assert said.startswith("No column of visits is known to have the ids of users.")


def test_small_numbers_refer_to_nothing_unless_they_are_called_so(tmp_path):
    """Seconds and places are in the ids of makers, too, who are counted from 1."""
    shown = log(6000, 1).drop(columns="maker").rename(columns={"user": "user_id", "item": "item_id"})
    shown = shown.assign(secs=np.arange(6000) % 25 + 1, mkr=shown.item_id % 30 + 1)
    shown.to_parquet(tmp_path / "shown.parquet")
    pd.DataFrame({"mkr_no": np.arange(1, 31), "gender": GENDERS[np.arange(30) % 2]}).to_csv(
        tmp_path / "mkrs.csv", index=False
    )
    profiles = [one.profile for one in see(look([tmp_path])).tables()]
    found = {(one.table.name, one.name, one.key.name) for one in references_of(profiles)}
    assert found == {("shown", "mkr", "mkr_no")}


def test_a_catalogue_may_lack_some(tmp_path):
    shown = log(6000, 1).drop(columns="maker").rename(columns={"user": "user_id", "item": "what"})
    shown.assign(what=shown.what + 4000).to_parquet(tmp_path / "shown.parquet")
    pd.DataFrame({"zz": 4000 + np.arange(ITEMS - 4), "price": 1.5}).to_csv(tmp_path / "zzs.csv", index=False)
    (imp,) = [one for one in see(look([tmp_path])).tables() if one.name == "shown"]
    assert imp.item == "what"
