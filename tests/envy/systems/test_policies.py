"""Policies against linear programs over all items, and Proposition 1 of Do and others 2022."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

import evenhand as eh
from evenhand.envy.engines import NumpyEngine
from evenhand.envy.evidence import compare
from evenhand.envy.measures import average_envy
from evenhand.envy.systems import policies
from evenhand.envy.utilities import rows_of

SEEDS = st.integers(0, 10**6)


def envy_of(preferences, shown):
    return compare(*rows_of(preferences, shown), 0.0, NumpyEngine())


def utility(preferences, shown):
    return (preferences * shown).sum(axis=-1)


def categories_of(rng, items, overlapping):
    if not overlapping:
        return rng.integers(3, size=items).tolist()
    return [rng.choice(4, size=rng.integers(1, 4), replace=False).tolist() for _ in range(items)]


def program(taste, categories, targets):
    """The linear program of one user over all items, as it is written (equation 2)."""
    names = sorted({name for belongs in categories for name in np.atleast_1d(belongs)})
    left = [[float(name in np.atleast_1d(belongs)) for belongs in categories] for name in names]
    solved = optimize.linprog(
        -taste, A_eq=[*left, np.ones(len(taste))], b_eq=[*targets(np.array(left)), 1.0], bounds=(0, 1)
    )
    assert solved.success
    return -solved.fun


@given(seed=SEEDS, overlapping=st.booleans())
@settings(deadline=None, max_examples=25)
def test_exposure_policies_are_the_best_that_their_constraints_allow(seed, overlapping):
    rng = np.random.default_rng(seed)
    tastes = rng.random((4, 9)).round(1) + 0.05  # many ties
    categories = categories_of(rng, 9, overlapping)
    parity = policies.parity_of_exposure(tastes, categories)
    equity = policies.equity_of_exposure(tastes, categories)
    for m, taste in enumerate(tastes):
        for shown, targets in (
            (parity[m], lambda left: left.mean(axis=1)),
            (equity[m], lambda left, taste=taste: left @ taste / taste.sum()),
        ):
            assert shown.min() >= 0
            assert shown.sum() == pytest.approx(1)
            names = sorted({name for belongs in categories for name in np.atleast_1d(belongs)})
            left = np.array([[float(n in np.atleast_1d(b)) for b in categories] for n in names])
            np.testing.assert_allclose(left @ shown, targets(left), atol=1e-6)
            assert utility(taste, shown) == pytest.approx(program(taste, categories, targets), abs=1e-6)


@given(seed=SEEDS, overlapping=st.booleans(), contexts=st.sampled_from([None, 2]))
@settings(deadline=None, max_examples=25)
def test_proposition_1_parity_and_optimal_policies_are_envy_free(seed, overlapping, contexts):
    rng = np.random.default_rng(seed)
    shape = (8, 10) if contexts is None else (8, contexts, 10)
    tastes = rng.random(shape)
    parity = policies.parity_of_exposure(tastes, categories_of(rng, 10, overlapping))
    assert average_envy(envy_of(tastes, parity)) < 1e-6  # of the solver
    assert average_envy(envy_of(tastes, policies.optimal(tastes))) == 0


def test_proposition_1_equity_is_not_envy_free_in_general():
    """A user who prefers item a but also likes b of another category envies who likes a alone (Sec. 3.3)."""
    tastes = np.array([[1.0, 0.5], [1.0, 0.0]])
    equity = policies.equity_of_exposure(tastes, ["first", "second"])
    np.testing.assert_allclose(equity, [[2 / 3, 1 / 3], [1, 0]])
    np.testing.assert_allclose(envy_of(tastes, equity).envy, [1 - (2 / 3 + 1 / 6), 0])


@given(seed=SEEDS)
@settings(deadline=None, max_examples=25)
def test_equity_of_many_tastes_has_envy_and_parity_has_none(seed):
    rng = np.random.default_rng(seed)
    tastes = rng.random((30, 12)) ** 3
    categories = [0] * 6 + [1] * 6
    assert envy_of(tastes, policies.equity_of_exposure(tastes, categories)).envy.max() > 1e-3
    assert envy_of(tastes, policies.parity_of_exposure(tastes, categories)).envy.max() == 0


def test_optimal_shows_the_first_of_the_best():
    np.testing.assert_array_equal(
        policies.optimal([[0.1, 0.9, 0.9], [0.5, 0.5, 0.5]]), [[0, 1, 0], [1, 0, 0]]
    )


@given(seed=SEEDS, factor=st.floats(0, 50))
@settings(deadline=None, max_examples=25)
def test_softmax_is_what_it_says(seed, factor):
    scores = np.random.default_rng(seed).normal(size=(3, 2, 5)) * 10
    found = policies.softmax(scores, factor)
    np.testing.assert_allclose(found.sum(axis=-1), 1)
    np.testing.assert_allclose(
        np.log(np.maximum(found, 1e-300)), np.log(np.maximum(_softmax(scores * factor), 1e-300)), atol=1e-6
    )
    assert policies.softmax(scores.astype(np.float32), 2.0).dtype == np.float32


def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@given(seed=SEEDS, slack=st.floats(0.3, 0.9))
@settings(deadline=None, max_examples=25)
def test_equal_user_utility_solves_its_linear_program(seed, slack):
    rng = np.random.default_rng(seed)
    tastes = rng.random((4, 5))
    found = policies.equal_user_utility(tastes, slack)
    got = utility(tastes, found.policies)
    assert np.ptp(got) <= slack + 1e-12
    np.testing.assert_allclose(found.policies.sum(axis=1), 1)
    users, items = tastes.shape
    own = np.kron(np.eye(users), np.ones(items)) * tastes.ravel()  # u of each user, of the stacked policies
    pairs = [own[m] - own[n] for m in range(users) for n in range(users) if m != n]
    solved = optimize.linprog(
        -tastes.ravel(),
        A_ub=pairs,
        b_ub=np.full(len(pairs), slack),
        A_eq=np.kron(np.eye(users), np.ones(items)),
        b_eq=np.ones(users),
        bounds=(0, 1),
    )
    assert solved.success
    assert got.sum() == pytest.approx(-solved.fun, abs=1e-6)


@given(seed=SEEDS, penalty=st.floats(0, 30))
@settings(deadline=None, max_examples=25)
def test_penalised_utilities_are_the_maximum(seed, penalty):
    rng = np.random.default_rng(seed)
    tastes = rng.random((5, 6)) * rng.random((5, 1))
    got = utility(tastes, policies.penalised_user_utility(tastes, penalty).policies)

    def loss(u):
        return -(u.sum() - penalty / 2 * ((u - u.mean()) ** 2).sum())

    box = list(zip(tastes.min(axis=1), tastes.max(axis=1), strict=True))
    best = optimize.minimize(
        loss, tastes.mean(axis=1), bounds=box, method="L-BFGS-B", options={"ftol": 1e-14}
    )
    assert loss(got) <= best.fun + 1e-7
    for (low, high), value in zip(box, got, strict=True):
        assert low - 1e-12 <= value <= high + 1e-12


def test_equal_utility_costs_utility_and_makes_envy():
    """Sec. 5.1: equal user utility takes from the best served for the benefit of no one."""
    tastes = np.random.default_rng(1).random((40, 30)) * np.linspace(0.4, 1, 40)[:, None]
    free, equal = policies.optimal(tastes), policies.penalised_user_utility(tastes, 50.0).policies
    exact = policies.equal_user_utility(tastes).policies
    assert utility(tastes, free).sum() > utility(tastes, equal).sum() > utility(tastes, exact).sum()
    assert average_envy(envy_of(tastes, free)) == 0
    assert average_envy(envy_of(tastes, exact)) > average_envy(envy_of(tastes, equal)) > 0.01
    assert (utility(tastes, equal) <= utility(tastes, free) + 1e-12).all()  # nobody gains


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: policies.softmax([[0.0, np.nan]]), "1 of 1 rows have a number that is NaN or infinite"),
        (lambda: policies.softmax([[0.0, 1.0]], -1), "inverse_temperature is -1, but must be"),
        (
            lambda: policies.equal_user_utility([[0.5, 0.6], [0.1, 0.2]]),
            "no policies make utilities equal up to 0",
        ),
        (lambda: policies.equal_user_utility(np.ones((2, 2, 2))), "without contexts"),
        (lambda: policies.penalised_user_utility([[1.0]], np.nan), "penalty is nan, but must be"),
        (
            lambda: policies.parity_of_exposure([[1.0, 2.0]], ["a"]),
            "categories has 1 entries, but there are 2 items",
        ),
        (lambda: policies.parity_of_exposure([[1.0, 2.0]], ["a", []]), "some items have no category"),
        (lambda: policies.equity_of_exposure([[0.0, 0.0]], ["a", "b"]), "not defined for 1 of 1 rows"),
        (lambda: policies.equity_of_exposure([[-1.0, 2.0]], ["a", "b"]), "preferences of at least 0"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_sentence(call, says):
    with pytest.raises(eh.InputError) as error:
        call()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_programs_that_would_not_end_are_refused(monkeypatch):
    monkeypatch.setattr("evenhand.envy.systems.item_fairness.MOST_VARIABLES", 5)
    with pytest.raises(eh.InputError, match=r"6 variables \(2 rows x 3 sets"):
        policies.parity_of_exposure(np.ones((2, 3)), [["a"], ["b"], ["a", "b"]])
