"""What an envy audit cannot use: each refused in one sentence."""

import sys

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.recommenders import Factors

NAN = float("nan")
P = np.array([[0.5, 0.5], [0.2, 0.8]])
T = pd.DataFrame({"user_id": list("aabb"), "item_id": [1, 2, 1, 2], "preference": [0.1, 0.2, 0.3, 0.4]})
S = pd.DataFrame({"user_id": list("aabb"), "item_id": [1, 2, 1, 2], "probability": [0.5, 0.5, 0.2, 0.8]})
MODEL = Factors(np.arange(3), np.arange(4), np.ones((3, 2)), np.ones((4, 2)))


def refused(*arguments, **changes):
    with pytest.raises(eh.InputError) as error:
        eh.envy.audit(*arguments, **changes)
    message = str(error.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert "np." not in message
    return message


@pytest.mark.parametrize(
    ("preferences", "policies", "says"),
    [
        ([[1.0, NAN], [0.0, 0.0]], P, "preferences: 1 of 2 rows have a number that is NaN or"),
        (P, [[np.inf, 0.0], [0.5, 0.5]], "policies: 1 of 2 rows have a number that is NaN"),
        (P, [[1.5, -0.5], [0.5, 0.5]], "policies: 1 of 2 rows have a negative probability"),
        (P, [[0.5, 0.5], [0.5, 0.4]], "to 1, the first in row 1 (counting from 0) to 0.9; every row"),
        (P, np.full((2, 3), 1 / 3), "preferences are about 2 items, but policies about 3"),
        (P, P[:1], "preferences of 2 users, but policies of 1"),
        (P[0], P, "preferences have 1 dimensions, but must have 2 or 3"),
        (np.ones((0, 2)), P, "preferences are empty"),
        (np.array([["a", "b"]]), P, "preferences are of type <U1, but must be numbers."),
        ([[1.0], [1.0, 2.0]], P, "preferences must be a table of numbers"),
        (np.ones((2, 3, 2)), np.full((2, 2, 2), 0.5), "preferences have 3 contexts, but policies 2"),
        (np.ones((2, 2, 2)), np.full((2, 2, 2), 0.4), "4 of 4 rows do not add up to 1, the first of user 0"),
        (P, None, "give policies, or the inverse_temperature"),
        (P, S, "preferences are an array, so policies must be one too."),
        (T, P, "preferences are a table, so policies must be one too"),
        (T.iloc[:0], S, "preferences: the table is empty."),
        (T, S.iloc[:0], "policies: the table is empty."),
        (T.drop(columns="preference"), S, "preferences: there is no column 'preference'."),
        (T.assign(preference=[0.1, NAN, 0.2, 0.3]), S, "column 'preference' is"),
        (pd.concat([T, T]), S, "4 keys of user_id, item_id appear more than once"),
        (T, S.assign(user_id=list("aacc")), "1 users are not known to preferences, for example 'c'"),
        (T, S.assign(item_id=[1, 3, 1, 2]), "1 items are not known to preferences, for example 3"),
        (T, S.assign(probability=[1.5, -0.5, 0.2, 0.8]), "policies: 1 probabilities are negative."),
        (T, S.assign(probability=[0.5, 0.4, 0.2, 0.8]), "of 'a' to 0.9; divide those of each user by"),
        (T, S[S["user_id"] == "a"], "1 of 2 users of the preferences have no row, for example 'b'"),
        (MODEL, MODEL, "give the inverse_temperature of its softmax"),
        (T, 3, "policies: a int is not a table"),
    ],
)  # fmt: skip
def test_tables(preferences, policies, says):
    assert says in refused(preferences, policies)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"epsilon": -0.1}, "epsilon is -0.1, but must be"),
        ({"epsilon": NAN}, "epsilon is nan, but must be"),
        ({"gamma": 1.5}, "gamma is 1.5, but must be"),
        ({"tolerance": -1}, "tolerance is -1, but must be"),
        ({"level": 1}, "level is 1, but must be"),
        ({"top": -1}, "top is -1, but must be"),
        ({"rng": "seed"}, "rng (a seed or a NumPy Generator) is 'seed'"),
        ({"inverse_temperature": -1}, "inverse_temperature is -1, but must be"),
        ({"contexts": [0.5, 0.5]}, "contexts are given, but neither preferences nor policies have any."),
        ({"sample": 100}, "sample is 100, but must be two whole numbers"),
        ({"sample": (100, 0)}, "sample is (100, 0), but must be two whole numbers"),
        ({"sample": (100, 10), "gamma": 0}, "gamma is 0, but whether a single policy is better"),
        ({"groups": ["a"]}, "groups has 1 entries, but there are 2 users"),
        ({"groups": ["a", "a"]}, "all users are in one group"),
        ({"groups": ["a", None]}, "1 of 2 users have no group"),
        ({"groups": pd.DataFrame({"user_id": [0], "sex": ["F"]})}, "1 users are not known to groups"),
        ({"groups": pd.DataFrame({"user_id": [0, 1], "x": [1, 2], "y": [1, 2]})}, "say which column makes"),
    ],
)  # fmt: skip
def test_choices(changes, says):
    assert says in refused(P, P, **changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("device", "says"),
    [
        (3, "device is 3, but must be a name"),
        ("abacus", "device is 'abacus', which torch cannot use here"),
    ],
)
def test_devices(device, says):
    pytest.importorskip("torch")
    assert says in refused(P, P, device=device)


@pytest.mark.parametrize(
    "contexts", [[0.5, 0.6], [[0.5, 0.5]], [-0.5, 1.5], [NAN, 1.0], [0.2, 0.3, 0.5]], ids=str
)
def test_contexts(contexts):
    tastes = np.ones((2, 2, 2))
    assert "contexts" in refused(tastes, np.full((2, 2, 2), 0.5), contexts=contexts)


def test_more_than_a_machine_can_do_is_refused_before_it_is_tried(monkeypatch):
    monkeypatch.setattr(sys.modules["evenhand.envy.audit"], "MOST_WORK", 7)
    assert "give sample=(2000, 200)" in refused(P, P)


def test_out_of_another_shape():
    with pytest.raises(eh.InputError, match="out has the shape"):
        eh.envy.utilities(P, P, out=np.zeros((3, 3)))


def test_a_model_that_does_not_know_a_user():
    fewer = Factors(np.arange(2), np.arange(4), np.ones((2, 2)), np.ones((4, 2)))
    assert "1 users are not known to the recommender of the policies" in refused(
        MODEL, fewer, inverse_temperature=1
    )


@pytest.mark.parametrize("group", [5, "user_id", ["sex", "sex"], [None], []], ids=str)
def test_columns_that_make_no_groups(group):
    groups = pd.DataFrame({"user_id": [0, 1], "sex": ["F", "M"]})
    assert "group is" in refused(P, P, groups=groups, group=group)


def test_different_combinations_never_have_one_name():
    groups = pd.DataFrame({"user_id": [0, 1], "x": ["a, b", "a"], "y": ["c", "b, c"]})
    found = eh.envy.audit(P, P, groups=groups, group=["x", "y"])
    names = {finding.subject["group"] for finding in found.findings if "group" in finding.subject}
    assert names == {'"a, b", c', 'a, "b, c"'}


def test_what_would_not_be_used():
    assert "missing is about" in refused(P, P, missing=0.5)
    assert "missing is about" in refused(MODEL, inverse_temperature=1, missing=0.5)
    shown = pd.DataFrame({"user_id": [0, 1, 2], "item_id": [0, 1, 2], "probability": [1.0, 1.0, 1.0]})
    assert "leave inverse_temperature out" in refused(MODEL, shown, inverse_temperature=1)
    assert "group is a column" in refused(P, P, group="sex")
    assert "leave group" in refused(P, P, groups=["a", "b"], group="sex")


def test_numbers_of_another_kind_or_size():
    assert "contexts are of type" in refused(np.ones((2, 2, 2)), np.full((2, 2, 2), 0.5), contexts=["a", "b"])
    assert "must be a table of numbers" in refused([[10**400, 1], [1, 2]], P)
    assert "inverse_temperature is" in refused(P.astype(np.float32), inverse_temperature=1e39)
    for out in (np.zeros((2, 2), int), [[0.0, 0.0], [0.0, 0.0]]):
        with pytest.raises(eh.InputError, match="out must be an array of floating-point numbers"):
            eh.envy.utilities(P, P, out=out)


def test_a_share_too_small_to_be_told_from_0():
    tastes = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = eh.envy.audit(tastes, tastes[::-1], sample=(2, 300), gamma=1e-20, epsilon=0)
    assert found.findings[0].interval.high == 1
