"""Resampled interactions: as many for each value, and nothing that was not there."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.recommenders import Interactions


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"user_id": rng.integers(60, size=900), "item_id": rng.integers(80, size=900)})
    interactions = Interactions.from_frame(frame.drop_duplicates())
    gender = {user: "F" if user % 4 == 0 else "M" for user in interactions.user_ids.tolist()}
    return interactions, gender


def counts(interactions, gender):
    return pd.Series([gender[user] for user in interactions.frame()["user_id"]]).value_counts().to_dict()


def test_over_sampling_repeats_every_row_of_the_rarer_value_as_evenly_as_can_be(data):
    interactions, gender = data
    before = counts(interactions, gender)
    done = eh.mitigate.resample(interactions, gender, "over")
    assert counts(done, gender) == {"F": before["M"], "M": before["M"]}
    times = done.frame().groupby(["user_id", "item_id"]).size()
    women = times.index.get_level_values(0) % 4 == 0
    assert (times[~women] == 1).all()
    assert set(times[women]) == {before["M"] // before["F"], before["M"] // before["F"] + 1}
    assert len(times) == len(interactions)
    np.testing.assert_array_equal(done.user_ids, interactions.user_ids)


def test_under_sampling_leaves_out_rows_of_the_more_common_value_but_no_user(data):
    interactions, gender = data
    before = counts(interactions, gender)
    done = eh.mitigate.resample(interactions, gender, "under")
    assert counts(done, gender) == {"F": before["F"], "M": before["F"]}
    assert not done.frame().duplicated().any()
    assert set(np.unique(done.user)) == set(np.unique(interactions.user))


def test_the_seed_decides(data):
    first, same, other = (eh.mitigate.resample(*data, "under", rng=seed).digest() for seed in (1, 1, 2))
    assert first == same != other


def test_users_without_a_value_keep_their_rows(data):
    interactions, gender = data
    partly = {user: value for user, value in gender.items() if user >= 5}
    done = eh.mitigate.resample(interactions, partly, "over", missing="exclude")
    assert (done.user < 5).sum() == (interactions.user < 5).sum()


def test_a_model_can_be_fitted_to_what_comes_out(data):
    interactions, gender = data
    done = eh.mitigate.resample(interactions, gender, "over")
    model, _ = eh.recommenders.fit("puresvd", done, interactions, 0, factors=4)
    assert model.embeddings.users.shape == (60, 4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"how": "around"}, "must be one of over, under"),
        ({"attribute": dict.fromkeys(range(60), "F")}, "only the value 'F'"),
        ({"attribute": {"a": "F", "b": "M"}}, "none of the ids of users"),
        ({"interactions": [1, 2]}, "must be Interactions or a pandas DataFrame"),
    ],
)
def test_what_is_refused(data, changed, message):
    given = {"interactions": data[0], "attribute": data[1]} | changed
    with pytest.raises(InputError, match=message):
        eh.mitigate.resample(**given)


def test_under_sampling_that_would_lose_users_is_refused():
    users = [*range(4), *range(10, 60)]
    frame = pd.DataFrame({"user_id": users, "item_id": np.arange(len(users)) % 7})
    gender = {user: "F" if user < 10 else "M" for user in users}
    with pytest.raises(InputError, match="4 interactions to 50 users"):
        eh.mitigate.resample(frame, gender, "under")
