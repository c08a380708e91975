"""The AUC of held-out pairs against sampled negatives: what it must be where that is known."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.evaluation import area_by_user, sampled_auc
from evenhand.recommenders.scores.simple import ItemScores
from evenhand.recommenders.taken.splits import leave_one_out


@pytest.fixture
def parts():
    """User u takes items u, u + 1 and u + 2 of 30, in this order."""
    rows = [(u, (u + step) % 30, step) for u in range(30) for step in range(3)]
    interactions = Interactions.from_frame(pd.DataFrame(rows, columns=["user_id", "item_id", "timestamp"]))
    return leave_one_out(interactions, np.random.default_rng(0), negatives=20)


def scored(scores):
    return Factors(np.arange(30), np.arange(30), np.eye(30), np.asarray(scores, dtype=float).T)


def test_a_model_that_knows_has_1_and_one_that_turns_it_round_0(parts):
    held, seen = parts.valid.matrix().toarray(), parts.train.matrix()
    # What was seen in training is no negative, however high it scores.
    assert sampled_auc(scored(held + 5 * seen.toarray()), parts.valid, seen) == 1
    assert sampled_auc(scored(-held), parts.valid, seen) == 0
    assert sampled_auc(ItemScores(np.arange(30), np.arange(30), np.zeros(30)), parts.valid, seen) == 0.5


def test_it_is_the_share_of_all_negatives_that_score_below(parts):
    seen = parts.train.matrix()
    scores = np.random.default_rng(2).normal(size=(30, 30))
    taken = (seen + parts.valid.matrix()).toarray() > 0
    exact = [
        (scores[u, i] > scores[u, ~taken[u]]).mean()
        for u, i in zip(parts.valid.user, parts.valid.item, strict=True)
    ]
    found = sampled_auc(scored(scores), parts.valid, seen, negatives=3_000)
    assert found == pytest.approx(np.mean(exact), abs=0.01)
    assert found == sampled_auc(scored(scores), parts.valid, seen, negatives=3_000)


def test_where_nothing_is_left_to_compare_with(parts):
    with pytest.raises(InputError, match="took every item"):
        sampled_auc(scored(np.zeros((30, 30))), parts.valid, everything())


def everything():
    from scipy import sparse

    return sparse.csr_array(np.ones((30, 30), dtype=np.float32))


def test_the_area_of_each_user_counts_ties_half(parts):
    scores = np.zeros((30, 30))
    first = parts.test.item[0]
    scores[parts.test.user[0], first] = 1
    areas = area_by_user(scored(scores), parts)
    assert areas[0] == 1
    assert (areas[1:] == 0.5).all()
