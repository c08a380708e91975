"""Groups from a table have one name in every audit: what is equal is one group, what is an amount is none."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inputs import as_groups, table, told_apart

USERS, ITEMS = 40, 20
_who, _what = np.repeat(np.arange(USERS), ITEMS), np.tile(np.arange(ITEMS), USERS)
_numbers = np.random.default_rng(0).random((USERS, ITEMS))
PAIRS = {"user_id": _who, "item_id": _what}


def _opportunity(groups, ids):
    log = pa.table({"liked": np.arange(4_000) % 3 == 0, "g": pa.concat_arrays([groups] * 100)})
    other = pa.table({"liked": np.arange(4_000) % 3 == 1, "g": pa.concat_arrays([groups] * 100)})
    return eh.opportunity.audit(log, other, label="liked", group="g")


def _exposure(groups, ids):
    scores = pd.DataFrame(PAIRS | {"score": _numbers.ravel()})
    relevance = pd.DataFrame(PAIRS | {"relevance": (_numbers.ravel() > 0.7).astype(int)})
    items = pd.DataFrame({"item_id": np.arange(ITEMS), "h": ["x", "y"] * (ITEMS // 2)})
    users = pa.table({"user_id": ids, "g": groups})
    return eh.exposure.audit(scores, relevance, users, items, user_group="g", beta="static")


def _envy(groups, ids):
    policies = _numbers / _numbers.sum(axis=1, keepdims=True)
    return eh.envy.audit(
        pd.DataFrame(PAIRS | {"preference": _numbers.ravel()}),
        pd.DataFrame(PAIRS | {"probability": policies.ravel()}),
        groups=pa.table({"user_id": ids, "g": groups}),
    )


def _groups(groups, ids):
    candidates = pd.DataFrame(PAIRS | {"label": _what % 5 == 0, "score": _numbers.ravel()})
    users = pa.table({"user_id": ids, "g": groups})
    return eh.groups.audit(candidates, users, attributes=["g"], permutations=20, min_size=5)


def _association(groups, ids):
    items = np.random.default_rng(1).normal(size=(ITEMS, 4))
    vectors = pd.DataFrame(_numbers[:, :4], columns=list("abcd")).assign(user_id=np.arange(USERS))
    users = pa.table({"user_id": ids, "g": groups})
    return eh.association.audit(items, vectors, (users, "g"), ["x", "y"] * (ITEMS // 2))


AUDITS = [_opportunity, _exposure, _envy, _groups, _association]
IDS = np.arange(USERS)


@pytest.mark.parametrize("audit", AUDITS)
def test_equal_numbers_are_one_group_whatever_their_type(audit):
    whole = audit(pa.array([0, 0, 1, 1] * 10), IDS).findings
    assert audit(pa.array([0.0, -0.0, 1.0, 1.0] * 10), IDS).findings == whole
    assert audit(pa.array([0, 0, 1, 1] * 10).cast(pa.decimal128(21, 2)), IDS).findings == whole


@pytest.mark.parametrize("audit", AUDITS)
@pytest.mark.parametrize(
    "groups",
    [
        pa.array(np.linspace(0.01, 0.99, USERS)),  # amounts
        pa.array([float("nan"), 1.0] * 20),
        pa.array(["a", "a\0", "b", "b\0"] * 10),  # pandas and NumPy would call both a
    ],
    ids=["amounts", "nan", "zero characters"],
)
def test_what_names_no_group_is_refused(audit, groups):
    with pytest.raises(InputError):
        audit(groups, IDS)


@pytest.mark.parametrize("audit", AUDITS[1:])
def test_ids_of_another_type_are_refused_as_such(audit):
    for ids in (IDS.astype(str), IDS.astype(float) + 2.0**53):
        with pytest.raises(InputError, match="user"):
            audit(pa.array(["a", "b"] * 20), ids)


@pytest.mark.parametrize(
    "other", ["old ", " old", "o\u200bld", "\ufeffold", "old\u00a0", "old\u00ad", "old\u200e"], ids=ascii
)
def test_names_that_look_alike_are_no_two_groups(other):
    with pytest.raises(InputError, match=r"age has the groups 'old' and .*, which look the same"):
        told_apart("age", ["old", "young", other])


def test_an_accent_in_one_character_and_in_two_is_one_group():
    with pytest.raises(InputError, match=r"'caf\\xe9' and 'cafe\\u0301', which look the same"):
        told_apart("place", ["café", "cafe\u0301"])


def test_names_that_differ_are_left_alone():
    told_apart("age", ["old", "Old", "o ld", "old.", "ôld", "", 1, 1.5, True, None])


def test_bytes_and_records_name_no_group():
    for values in ([b"a", b"b"], [{"x": 1}, {"x": 2}]):
        with pytest.raises(InputError, match="which names no group; store it as text"):
            as_groups(table(pd.DataFrame({"g": values}), name="log"), "g")
    with pytest.raises(InputError, match="bytes for names of groups, such as b'f'"):
        told_apart("gender", [b"f", b"m"])
