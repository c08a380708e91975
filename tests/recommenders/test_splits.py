from functools import partial

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import Interactions
from evenhand.recommenders.evaluation import at_k, full_ranking, sampled_candidates
from evenhand.recommenders.scores.simple import ItemScores
from evenhand.recommenders.taken.splits import leave_one_out, random_split, time_split


def keys(part):
    return set(zip(part.user.tolist(), part.item.tolist(), strict=True))


@pytest.mark.parametrize("split", [random_split, time_split, partial(leave_one_out, negatives=9)])
def test_the_parts_make_up_the_whole_and_do_not_overlap(split, interactions):
    parts = split(interactions, np.random.default_rng(0))
    pieces = [keys(part) for part in (parts.train, parts.valid, parts.test)]
    assert sum(len(piece) for piece in pieces) == len(interactions)
    assert set.union(*pieces) == keys(interactions)
    again = split(interactions, np.random.default_rng(0))
    assert keys(again.test) == pieces[2]
    assert parts.train.user_ids is interactions.user_ids


def test_random_shares_hold_for_every_user(interactions):
    parts = random_split(interactions, np.random.default_rng(0))
    for part, count in ((parts.train, 16), (parts.valid, 2), (parts.test, 2)):
        assert (np.bincount(part.user) == count).all()


def test_time_goes_forward(interactions):
    parts = time_split(interactions, np.random.default_rng(0))
    assert parts.notes == ()
    assert parts.train.time.max() < parts.valid.time.min()
    assert parts.valid.time.max() < parts.test.time.min()


def test_users_without_times_are_split_at_random_and_that_is_said(tastes):
    holes = tastes.assign(timestamp=tastes.timestamp.mask(tastes.user_id < "u030"))
    parts = time_split(Interactions.from_frame(holes), np.random.default_rng(0))
    assert parts.notes == ("30 of 120 users have no complete timestamps; theirs were split at random.",)
    late = parts.test.user >= 30
    assert (parts.test.time[late] >= 18).all()


def test_leave_one_out_holds_out_the_last_and_draws_what_was_never_taken(interactions):
    parts = leave_one_out(interactions, np.random.default_rng(0), negatives=30)
    assert (parts.test.time == 19).all()
    assert (parts.valid.time == 18).all()
    assert parts.candidates.shape == (120, 31)
    taken = keys(interactions)
    for row, user in enumerate(parts.test.user):
        assert parts.candidates[row, 0] == parts.test.item[row]
        others = parts.candidates[row, 1:].tolist()
        assert len(set(others)) == 30
        assert not any((user, item) in taken for item in others)


def test_users_without_a_held_out_item_are_counted(interactions):
    first_two = (interactions.user >= 5) | (interactions.time < 2)
    parts = leave_one_out(interactions.rows(first_two), np.random.default_rng(0), negatives=9)
    assert len(parts.test) == 115
    assert parts.notes[0].startswith("5 of 120 users have too few interactions to hold one out")


def test_too_few_items_for_the_negatives(interactions):
    with pytest.raises(InputError) as error:
        leave_one_out(interactions, np.random.default_rng(0))
    assert str(error.value) == (
        "user 'u000' has taken all but 40 of 60 items, so 49 negatives cannot be drawn, nor can they for 119 "
        "other users; ask for at most 40 (--negatives), leave such users out, or use another split."
    )
    few = interactions.rows(interactions.item < 6)
    with pytest.raises(
        InputError, match="the data are too small for this split, which needs at least 5: leave"
    ):
        leave_one_out(Interactions.from_frame(few.frame()), np.random.default_rng(0))
    assert leave_one_out(interactions, np.random.default_rng(0), 40).candidates.shape == (120, 41)
    with pytest.raises(InputError, match="negatives is 0"):
        leave_one_out(interactions, np.random.default_rng(0), negatives=0)


@pytest.mark.parametrize("split", [random_split, time_split])
def test_users_with_few_interactions_are_judged_as_well(split):
    """One to thirty interactions: from three on each part has one; many are shared as the shares say."""
    rows = pd.DataFrame([(user, item) for user in range(1, 31) for item in range(user)])
    given = Interactions.from_frame(rows.set_axis(["user_id", "item_id"], axis=1).assign(timestamp=rows[1]))
    parts = split(given, np.random.default_rng(0))
    train, valid, test = (
        np.bincount(part.user, minlength=30) for part in (parts.train, parts.valid, parts.test)
    )
    sizes = np.arange(1, 31)
    few, many = sizes < 3, sizes >= 8
    assert (train[few] == sizes[few]).all()
    assert (np.stack([train, valid, test])[:, ~few] > 0).all()
    assert (train[many] == np.rint(0.8 * sizes[many])).all()
    assert ((train + valid)[many] == np.rint(0.9 * sizes[many])).all()
    assert parts.notes == (
        "2 of 30 users have too few interactions to hold one out for testing, so that the model is judged on "
        "the other 28.",
    )


@pytest.mark.parametrize("shares", [(0.02, 0.18, 0.8), (0.98, 0.01, 0.01), (0.3, 0.01, 0.69)])
def test_every_part_has_something_of_everyone(shares, interactions):
    parts = random_split(interactions, np.random.default_rng(0), shares)
    for part in (parts.train, parts.valid, parts.test):
        assert len(np.unique(part.user)) == 120


def test_an_empty_part_is_refused():
    one_each = Interactions.from_frame(pd.DataFrame({"user_id": range(5), "item_id": range(5)}))
    with pytest.raises(InputError) as error:
        random_split(one_each, np.random.default_rng(0))
    assert str(error.value) == (
        "the validation part of the split is empty: no user has 3 interactions, one for each part; bring "
        "data with more interactions a user."
    )
    with pytest.raises(InputError, match="validation part of the split is empty"):
        leave_one_out(one_each, np.random.default_rng(0), negatives=1)
    for shares in ((0.8, 0.1, 0.2), (0.5, 0.5)):
        with pytest.raises(InputError, match="add up to 1"):
            random_split(one_each, np.random.default_rng(0), shares=shares)
    with pytest.raises(InputError, match="a share is nan"):
        random_split(one_each, np.random.default_rng(0), shares=(0.8, 0.2, float("nan")))


def test_measures_by_hand():
    hits = np.array([[0, 1, 0, 1, 0], [0, 0, 0, 0, 0]], dtype=bool)
    found = at_k(hits, np.array([3, 2]), 5)
    dcg = 1 / np.log2(3) + 1 / np.log2(5)
    ideal = 1 + 1 / np.log2(3) + 1 / np.log2(4)  # three relevant, not five
    assert found["recall"] == pytest.approx((2 / 3) / 2)
    assert found["mrr"] == pytest.approx((1 / 2) / 2)
    assert found["ndcg"] == pytest.approx((dcg / ideal) / 2)
    assert found["hit"] == pytest.approx(1 / 2)
    assert found["precision"] == pytest.approx((2 / 5) / 2)


def test_a_list_with_all_relevant_items_first_is_perfect():
    found = at_k(np.array([[1, 1, 0, 0]], dtype=bool), np.array([2]), 4)
    assert found["ndcg"] == found["recall"] == found["mrr"] == 1


def test_full_ranking_against_plain_python(interactions):
    parts = random_split(interactions, np.random.default_rng(0))
    model = ItemScores(
        interactions.user_ids, interactions.item_ids, np.bincount(parts.train.item, minlength=60)
    )
    seen = parts.train.matrix() + parts.valid.matrix()
    found = full_ranking(model, parts.test, seen, k=5)
    recalls, reciprocal = [], []
    for user in range(120):
        relevant = {i for u, i in keys(parts.test) if u == user}
        known = {i for u, i in keys(parts.train) | keys(parts.valid) if u == user}
        order = sorted(set(range(60)) - known, key=lambda i: (-model.item_scores[i], i))[:5]
        recalls.append(len(relevant & set(order)) / len(relevant))
        reciprocal.append(next((1 / (r + 1) for r, i in enumerate(order) if i in relevant), 0))
    assert found["recall"] == pytest.approx(np.mean(recalls))
    assert found["mrr"] == pytest.approx(np.mean(reciprocal))


def test_sampled_candidates_by_hand(interactions):
    parts = leave_one_out(interactions, np.random.default_rng(0), negatives=10)
    model = ItemScores(interactions.user_ids, interactions.item_ids, np.arange(60))
    found = sampled_candidates(model, parts, k=5)
    place = [(row > row[0]).sum() for row in parts.candidates]
    assert found["hit"] == pytest.approx(np.mean([p < 5 for p in place]))
    assert found["mrr"] == pytest.approx(np.mean([1 / (p + 1) if p < 5 else 0 for p in place]))
