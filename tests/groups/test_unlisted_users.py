"""Users of the candidates whom the users table lacks: a choice of missing covers them, and no other does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from groups.tables import audit, make_tables

TABLES = make_tables()
U, C = TABLES["users"], TABLES["candidates"]
LACKING = 6


def numbers(result):
    return [(f.id, f.estimate, f.interval, f.p_value) for f in result.findings]


@pytest.mark.parametrize("missing", ["group", "exclude"])
def test_they_are_users_without_a_value(missing):
    listed = U[:-LACKING].assign(band=U["band"].mask(U["user_id"] < 2))
    empty = U.assign(
        band=U["band"].mask((U["user_id"] < 2) | (U["user_id"] >= len(U) - LACKING)),
        gender=U["gender"].mask(U["user_id"] >= len(U) - LACKING),
    )
    lacking, whole = (audit(TABLES, users=users, missing=missing) for users in (listed, empty))
    assert numbers(lacking) == numbers(whole)


def test_they_are_counted_by_themselves():
    listed = U[:-LACKING].assign(band=U["band"].mask(U["user_id"] < 2))
    found = audit(TABLES, users=listed, missing="exclude").findings
    told = [{one.what: (one.count, one.why) for one in finding.excluded} for finding in found]
    told = [one for one in told if one]
    assert told
    for one in told:
        assert one == {
            "users without a value of an attribute": (2, "excluded as asked"),
            "users without a value of an attribute, whom the users table lacks": (
                LACKING,
                "excluded as asked",
            ),
        }


def test_a_column_of_users_is_empty_for_them():
    asked = {"users": U[:-LACKING], "metric": ["mrr", "wait"], "missing": "exclude"}
    listed = audit(TABLES, **asked)
    alone = audit(TABLES, **asked | {"metric": "wait"})
    of_wait = [one for one in numbers(listed) if "metric=wait" in one[0]]
    assert of_wait
    assert {one[1] for one in of_wait} <= {one[1] for one in numbers(alone)}


def test_attributes_of_histories_are_missing_too():
    asked = {"attributes": ["activity"], "history": TABLES["history"], "missing": "exclude"}
    found = audit(TABLES, users=U[:-LACKING], **asked)
    assert [one.count for one in found.findings[0].excluded if "lacks" in one.what] == [LACKING]


@pytest.mark.parametrize("missing", ["group", "exclude"])
def test_another_table_is_no_matter_of_missing_values(missing):
    audit(TABLES, users=U[:60], missing=missing)
    with pytest.raises(InputError) as error:
        audit(TABLES, users=U[:59], missing=missing)
    assert str(error.value) == (
        "candidates: 61 users are not known to the users table, in 305 of 600 rows, for example 59. More "
        "than half of the rows are no matter of missing values: name the table that has them."
    )


def test_their_lists_stay_as_they_are_where_others_are_re_ranked():
    done = eh.mitigate.rerank_groups(
        C, U[:-LACKING], "gender", goal="popularity", missing="exclude", history=TABLES["history"], k=3,
        min_size=5, rng=0,
    )  # fmt: skip
    new = done.candidates
    assert set(new["user_id"]) == set(C["user_id"])
    theirs = new[new["user_id"] >= len(U) - LACKING].groupby("user_id")["item_id"].agg(list)
    before = C.sort_values("score", ascending=False).groupby("user_id")["item_id"].agg(list)
    assert all(np.array_equal(items, before[user]) for user, items in theirs.items())
    assert isinstance(new, pd.DataFrame)
