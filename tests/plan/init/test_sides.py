"""Which of two ids is the user's, where no word says so: by what the two tables describe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.asking import users_and_items
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, ITEMS, USERS, log


def written(home, user, item, people, things):
    """A log with random traffic, and a table of each of its two ids; `people` and `things` are further
    columns of these."""
    for frame, name in ((log(6000, 1), "esitykset"), (log(4000, 2, uniform=True), "random")):
        frame["user"] = "k" + frame.user.astype(str)
        frame.drop(columns="maker").rename(columns={"user": user, "item": item}).to_parquet(
            home / f"{name}.parquet"
        )
    users, items = np.arange(USERS), np.arange(ITEMS)
    pd.DataFrame({user: [f"k{one}" for one in users], **people(users)}).to_csv(
        home / "first.csv", index=False
    )
    pd.DataFrame({item: items, **things(items)}).to_csv(home / "second.csv", index=False)


def roles(home, named=None):
    seen = see(look([home]), named=named)
    return seen, {one.name: (one.role, one.user, one.item) for one in seen.tables()}


def of_things(items):
    return {"title": [f"t{one}" for one in items], "seller_sex": GENDERS[items % 2]}


@pytest.mark.parametrize(("user", "item"), [("zurk_id", "blem_id"), ("buyer_ref", "gig_no")])
def test_the_user_is_who_is_described_as_a_person(tmp_path, user, item):
    """Both tables have a sex: one its own, the other that of the seller."""
    written(tmp_path, user, item, lambda users: {"sex": GENDERS[users % 2]}, of_things)
    seen, found = roles(tmp_path)
    assert found["first"] == ("users", user, None)
    assert found["second"] == ("items", None, item)
    assert found["esitykset"] == ("log", user, item)
    draft = propose(seen)
    assert [step.keys["group"] for step in draft.steps] == ["seller_sex", "sex"]
    assert not [note for note in draft.notes if "Write ids alike" in note]


def test_where_both_describe_people_nothing_is_guessed_until_somebody_says_so(tmp_path):
    def sex(ids):
        return {"sex": GENDERS[ids % 2]}

    written(tmp_path, "a_id", "b_id", sex, sex)
    seen, found = roles(tmp_path)
    assert {found[name][1:] for name in found} == {(None, None)}
    assert any("nothing says which are users and which are items" in note for note in seen.first)
    assert not [mark for mark in seen.marks if "is taken to be" in mark]
    _, found = roles(tmp_path, {"user_id": ["a_id"], "item_id": ["b_id"]})
    assert found["esitykset"] == ("log", "a_id", "b_id")
    assert (found["first"][0], found["second"][0]) == ("users", "items")


def test_ids_are_to_be_written_alike_only_if_they_are_the_same(tmp_path):
    """Users that are text in the log, and another table of users that are numbers and others."""
    shown = log(3000, 1).drop(columns="maker").rename(columns={"user": "user_id", "item": "item_id"})
    shown["user_id"] = "k" + shown.user_id.astype(str)
    shown.to_parquet(tmp_path / "shown.parquet")
    people = np.arange(7000, 7150)
    pd.DataFrame({"member_no": people, "gender": GENDERS[people % 2]}).to_csv(
        tmp_path / "members.csv", index=False
    )
    notes = propose(see(look([tmp_path]))).notes
    assert any("members was left out: it lacks most of the users of shown" in note for note in notes)
    assert not any("Write ids alike" in note for note in notes)


@pytest.mark.parametrize(("typed", "user"), [("", "zurk_id"), ("2", "blem_id")])
def test_on_a_terminal_a_guess_of_the_user_is_asked(tmp_path, typed, user):
    written(tmp_path, "zurk_id", "blem_id", lambda users: {"sex": GENDERS[users % 2]}, of_things)
    said = []
    seen, _ = roles(tmp_path)
    named = users_and_items(seen, lambda prompt, default: typed or default, said.append)
    assert named["user_id"] == [user]
    assert "Which column has the ids of users?" in said[0]
    again, found = roles(tmp_path, named)
    assert found["esitykset"][1] == user
    assert not [mark for mark in again.marks if "is taken to be the id" in mark]
    assert users_and_items(again, None, None) == {}


def test_what_is_plain_is_not_asked(tmp_path):
    written(tmp_path, "user_id", "item_id", lambda users: {"sex": GENDERS[users % 2]}, of_things)
    assert users_and_items(roles(tmp_path)[0], None, None) == {}


def test_a_session_is_of_one_user(tmp_path):
    """Both columns refer to members, as where people are shown to one another."""
    rows = np.arange(6000)
    frame = pd.DataFrame({"sess_id": rows // 12 + 90_000, "aa": 700 + rows // 12 * 7 % 240})
    frame["bb"] = 700 + np.random.default_rng(3).integers(0, 240, len(rows))
    frame["liked"] = rows % 3 == 0
    frame.to_parquet(tmp_path / "pairs.parquet")
    ids = 700 + np.arange(240)
    pd.DataFrame({"nn": ids, "gender": GENDERS[ids % 2]}).to_csv(tmp_path / "nn.csv", index=False)
    seen, found = roles(tmp_path)
    assert found["pairs"] == ("log", "aa", "bb")
    assert any("aa is taken to be the id of users, as each sess_id has one" in mark for mark in seen.marks)
    assert [one.role for one in seen.tables() if one.name == "nn"] == ["users", "items"]


def test_where_no_table_has_users_they_are_who_comes_again_and_again(tmp_path):
    """A session is of a visitor, too, but not the other way round."""
    rows = np.arange(9000)
    frame = pd.DataFrame({"vst_no": 50_000 + rows // 30, "run_id": rows // 10, "obj_no": 800 + rows * 7 % 90})
    frame.assign(liked=(rows % 4 == 0).astype(int)).to_csv(tmp_path / "seen.csv", index=False)
    things = 800 + np.arange(90)
    pd.DataFrame({"obj_no": things, "by_no": things % 30 + 60, "price": things}).to_csv(
        tmp_path / "objs.csv", index=False
    )
    pd.DataFrame({"by_no": 60 + np.arange(30), "gender": GENDERS[np.arange(30) % 2]}).to_csv(
        tmp_path / "bys.csv", index=False
    )
    seen, found = roles(tmp_path)
    assert found["seen"][1:] == ("vst_no", "obj_no")
    assert [one.role for one in seen.tables() if one.name == "bys"] == ["creators"]


def test_users_and_items_of_a_second_table_have_other_names(tmp_path):
    """What they refer to is the same."""
    written(tmp_path, "user_id", "item_id", lambda users: {"sex": GENDERS[users % 2]}, of_things)
    rows = np.arange(2000)
    pd.DataFrame(
        {"u": [f"k{one}" for one in rows // 10 % USERS], "it_no": rows % ITEMS, "score": rows / 9}
    ).to_csv(tmp_path / "evaluated.csv", index=False)
    _, found = roles(tmp_path)
    assert found["evaluated"][1:] == ("u", "it_no")
