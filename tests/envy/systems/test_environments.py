"""Do and others' experiments (Do and others 2022, Sec. 5.1), on a part of the data and, slowly, on all."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.envy.engines import NumpyEngine
from evenhand.envy.evidence import compare
from evenhand.envy.measures import average_envy, envious_share
from evenhand.envy.systems.environments import lastfm_history, movielens_history
from evenhand.envy.systems.policies import optimal, penalised_user_utility
from evenhand.envy.utilities import rows_of


def evidence_of(preferences, policies):
    return compare(*rows_of(preferences, policies), 0.05, NumpyEngine())


@pytest.fixture(scope="module")
def history(data_folder):
    return lastfm_history(data_folder("lastfm-2k"), items=300)


def test_preferences_are_probabilities_of_real_users(history):
    assert history.preferences.shape == (len(history.user_ids), 300)
    assert history.preferences.min() >= 0
    assert history.preferences.max() <= 1
    taken = history.taken.toarray() > 0
    assert history.preferences[taken].mean() > 10 * history.preferences[~taken].mean()


def test_one_factor_has_no_envy_and_more_have(history):
    """Figure 2: with one factor all users are recommended the same."""
    one, more = (history.recommend(factors) for factors in (1, 8))
    policies = one.policies(5)
    np.testing.assert_allclose(policies, np.tile(policies[:1], (len(policies), 1)))
    assert average_envy(evidence_of(one.preferences, policies)) == 0
    assert average_envy(evidence_of(more.preferences, more.policies(5))) > 0.01


def test_the_mean_rewards_are_those_of_the_policies(history):
    environment = history.recommend(4)
    u = environment.utilities(10)
    assert u.shape == (len(history.user_ids),) * 2
    m, n = 7, 11
    assert u[m, n] == pytest.approx(environment.preferences[m] @ environment.policies(10)[n])


def test_the_seed_decides(history):
    first, again, other = (history.recommend(2, seed=seed).estimates for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_equal_utility_costs_utility_and_makes_envy(history):
    """Table 1."""
    tastes = history.preferences
    free = evidence_of(tastes, optimal(tastes))
    equal = evidence_of(tastes, penalised_user_utility(tastes, 50.0).policies)
    assert average_envy(free) == 0
    assert equal.own.sum() < free.own.sum()
    assert average_envy(equal) > 0.01


def test_movielens_keeps_the_most_active(data_folder):
    history = movielens_history(data_folder("ml-1m"), users=200, items=100)
    assert history.preferences.shape == (200, 100)
    assert history.taken.nnz > 5000


@pytest.mark.parametrize("changes", [{"items": 0}, {"items": 2.5}])
def test_bad_sizes_are_refused(data_folder, changes):
    with pytest.raises(eh.InputError, match="items is"):
        lastfm_history(data_folder("lastfm-2k"), **changes)


def test_a_share_above_1_is_refused(history):
    with pytest.raises(eh.InputError, match=r"share is 1\.2"):
        history.recommend(2, share=1.2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "total"), [("lastfm-2k", 1726), ("ml-1m", 1761)])
def test_the_source_as_it_is(data_folder, name, total):
    """Total utility of optimal policies (table 1); 48 factors are envy-free in the sense of Definition 3.2 at
    inverse temperature 5, and not at 10 (Sec. 5.2); one factor makes no envy, and few make more than many."""
    history = (lastfm_history if name == "lastfm-2k" else movielens_history)(data_folder(name))
    assert history.preferences.max(axis=1).sum() == pytest.approx(total, rel=0.01)
    by_factors = {factors: history.recommend(factors) for factors in (1, 8, 48)}
    cool = {f: evidence_of(e.preferences, e.policies(5)) for f, e in by_factors.items()}
    assert average_envy(cool[1]) == 0
    assert average_envy(cool[8]) > average_envy(cool[48]) > 0
    hot = evidence_of(by_factors[48].preferences, by_factors[48].policies(10))
    assert envious_share(cool[48], 0.1) <= 0.1 < envious_share(hot, 0.1)
