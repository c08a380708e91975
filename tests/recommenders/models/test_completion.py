"""Completion against its own objective: exact steps, so that no small move lowers it."""

import numpy as np
import pytest
from scipy import sparse

import evenhand as eh
from evenhand.recommenders.models.completion import complete


def objective(taken, found, weight, regularisation, popularity):
    table = taken.toarray() != 0
    error = (table - found.users @ found.items.T) ** 2 * np.where(table, weight, 1)
    free = found.users[:, 1:] if popularity else found.users
    return error.sum() + regularisation * ((free**2).sum() + (found.items**2).sum())


@pytest.mark.parametrize("weight", [1.0, 6.0])
@pytest.mark.parametrize("popularity", [False, True])
def test_many_iterations_end_where_the_objective_is_flat(weight, popularity):
    rng = np.random.default_rng(2)
    taken = sparse.csr_array((rng.random((12, 9)) < 0.3).astype(float))
    found = complete(taken, 3, weight=weight, regularisation=0.5, popularity=popularity, iterations=400)
    at = objective(taken, found, weight, 0.5, popularity)
    for part in found:
        for place in np.ndindex(part.shape):
            if popularity and part is found.users and place[1] == 0:
                continue
            slope = 0.0
            for step in (1e-4, -1e-4):
                part[place] += step
                slope += np.sign(step) * objective(taken, found, weight, 0.5, popularity)
                part[place] -= step
            assert abs(slope) / 2e-4 < 1e-3 * at


def test_one_factor_with_popularity_is_the_same_for_all():
    rng = np.random.default_rng(3)
    taken = sparse.csr_array((rng.random((20, 8)) < rng.random(8)).astype(float))
    found = complete(taken, 1, popularity=True, regularisation=1e-9)
    scores = found.users @ found.items.T
    np.testing.assert_allclose(scores, np.tile(taken.toarray().mean(axis=0), (20, 1)), atol=1e-6)


def test_the_seed_decides():
    taken = sparse.csr_array((np.random.default_rng(4).random((15, 10)) < 0.4).astype(float))
    first, again, other = (complete(taken, 4, weight=3, seed=seed, iterations=2) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.users, again.users)
    assert not np.allclose(first.users, other.users)


@pytest.mark.parametrize(
    "changes", [{"factors": 0}, {"weight": 0.5}, {"regularisation": 0}, {"iterations": 0}]
)
def test_bad_settings_are_refused(changes):
    with pytest.raises(eh.InputError, match="but must be"):
        complete(sparse.csr_array(np.eye(3)), **({"factors": 2} | changes))
