"""Utilities and what is measured of them, against loops over the definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import evenhand as eh
from envy import plain
from evenhand.envy import utilities as utilities_function
from evenhand.envy.engines import NumpyEngine, TorchEngine
from evenhand.envy.evidence import compare
from evenhand.envy.measures import average_envy, envious_share, is_envy_free, most_envied, worst_pairs
from evenhand.envy.utilities import rows_of


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """So that a few users are several blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.envy.rows.BLOCK", 5)
        yield


def evidence_of(preferences, policies, epsilon=0.05, engine=None, contexts=None):
    return compare(*rows_of(preferences, policies, contexts), epsilon, engine or NumpyEngine())


def test_two_users_by_hand():
    u = eh.envy.utilities([[1.0, 0.2], [0.5, 0.4]], [[0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_allclose(u, [[0.6, 1.0], [0.45, 0.5]])
    evidence = evidence_of([[1.0, 0.2], [0.5, 0.4]], [[0.5, 0.5], [1.0, 0.0]])
    assert average_envy(evidence) == pytest.approx(0.2)
    assert envious_share(evidence) == 0.5
    assert envious_share(evidence, 0.5) == 0  # one of two policies is not more than half of them
    assert not is_envy_free(evidence)
    assert is_envy_free(evidence, tolerated=0.5)
    assert worst_pairs(evidence, 5) == [(0, 1, pytest.approx(0.4), pytest.approx(0.6))]
    assert most_envied(evidence) == (1, 1)


@given(seed=st.integers(0, 10**6), kind=st.integers(0, 3), weighted=st.sampled_from(["no", "all", "each"]))
@settings(deadline=None, max_examples=40)
def test_utilities_and_measures_are_those_of_the_definitions(seed, kind, weighted):
    rng = np.random.default_rng(seed)
    preferences, policies = plain.random_system(rng, users=7, items=4, contexts=3)
    preferences = preferences if kind & 1 else preferences[:, 0]
    policies = policies if kind & 2 else policies[:, 0]
    contexts = {"no": None, "all": rng.dirichlet(np.ones(3)), "each": rng.dirichlet(np.ones(3), size=7)}[
        weighted
    ]
    contexts = contexts if kind else None
    expected = plain.utilities(preferences, policies, contexts)
    np.testing.assert_allclose(eh.envy.utilities(preferences, policies, contexts=contexts), expected)
    evidence = evidence_of(preferences, policies, contexts=contexts)
    np.testing.assert_allclose(evidence.envy, plain.envy(expected), atol=1e-12)
    for gamma in (0, 0.1, 0.3):
        assert envious_share(evidence, gamma) == pytest.approx(plain.share_envious(expected, 0.05, gamma))


def test_every_kind_of_table_gives_the_same():
    preferences, policies = plain.random_system(np.random.default_rng(3), users=23)
    expected = preferences @ policies.T
    for ours, theirs in (
        (preferences, sparse.csr_array(policies)),
        (preferences.tolist(), policies.tolist()),
    ):
        np.testing.assert_allclose(eh.envy.utilities(ours, theirs), expected)


@pytest.mark.slow
def test_torch_gives_the_same():
    torch = pytest.importorskip("torch")
    preferences, policies = plain.random_system(np.random.default_rng(3), users=23)
    expected = preferences @ policies.T
    found = eh.envy.utilities(torch.tensor(preferences), torch.tensor(policies))
    np.testing.assert_allclose(found, expected)
    for device in ("cpu", "auto"):
        np.testing.assert_allclose(eh.envy.utilities(preferences, policies, device=device), expected)
        np.testing.assert_allclose(
            eh.envy.utilities(preferences, sparse.csr_array(policies), device=device), expected
        )
    plainly, by_torch = (
        evidence_of(preferences, policies),
        evidence_of(preferences, policies, engine=TorchEngine("cpu")),
    )
    for name in ("own", "best", "best_policy", "better"):
        np.testing.assert_allclose(getattr(by_torch, name), getattr(plainly, name), rtol=1e-12)


def test_single_precision_stays_single_and_out_is_filled():
    preferences, policies = (t.astype(np.float32) for t in plain.random_system(np.random.default_rng(4)))
    found = utilities_function(preferences, policies)
    assert found.dtype == np.float32
    out = np.zeros((12, 12), dtype=np.float32)
    assert utilities_function(preferences, policies, out=out) is out
    np.testing.assert_array_equal(out, found)


def test_users_may_be_held_against_fewer_policies():
    preferences, policies = plain.random_system(np.random.default_rng(5))
    np.testing.assert_allclose(eh.envy.utilities(preferences, policies[:3]), preferences @ policies[:3].T)


def test_evidence_about_different_users_adds_up():
    preferences, policies = plain.random_system(np.random.default_rng(6), users=30)
    rows = rows_of(preferences, policies)
    whole = compare(*rows, 0.05, NumpyEngine())
    from evenhand.envy.evidence import _compare_block

    parts = [_compare_block(*rows, part, 0.05, NumpyEngine()) for part in (slice(0, 11), slice(11, 30))]
    for name in ("own", "best", "best_policy", "better"):
        np.testing.assert_allclose(getattr(parts[0] + parts[1], name), getattr(whole, name))
    other = compare(*rows, 0.1, NumpyEngine())
    with pytest.raises(eh.InputError, match="does not add up"):
        whole + other


def test_equal_policies_are_no_envy_whatever_the_rounding():
    rng = np.random.default_rng(7)
    preferences = rng.random((50, 999))
    policies = np.tile(rng.dirichlet(np.ones(999)), (50, 1))
    for dtype in (np.float64, np.float32):
        evidence = evidence_of(preferences.astype(dtype), policies.astype(dtype), epsilon=0.0)
        assert average_envy(evidence) == 0
        assert envious_share(evidence) == 0
        assert worst_pairs(evidence, 3) == []
        assert most_envied(evidence) is None


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=25)
def test_no_utilities_are_compared_between_users(seed):
    """A user's preferences on another scale change that user's envy by the same scale, and nobody else's."""
    rng = np.random.default_rng(seed)
    preferences, policies = plain.random_system(rng, users=9)
    before = evidence_of(preferences, policies)
    scale, shift = rng.uniform(0.5, 3, size=(9, 1)), rng.normal(size=(9, 1))
    after = evidence_of(preferences * scale + shift, policies)
    np.testing.assert_allclose(after.envy, before.envy * scale[:, 0], atol=1e-12)


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=25)
def test_more_is_tolerated_with_larger_epsilon_and_gamma(seed):
    preferences, policies = plain.random_system(np.random.default_rng(seed), users=11)
    shares = [
        [envious_share(evidence_of(preferences, policies, epsilon), gamma) for gamma in (0, 0.1, 0.4, 1)]
        for epsilon in (0, 0.05, 0.2)
    ]
    assert (np.diff(shares, axis=0) <= 0).all()
    assert (np.diff(shares, axis=1) <= 0).all()
    assert shares[0][3] == 0  # more than all policies are never better


def test_the_order_of_users_does_not_matter():
    preferences, policies = plain.random_system(np.random.default_rng(9), users=17)
    order = np.random.default_rng(1).permutation(17)
    first, second = evidence_of(preferences, policies), evidence_of(preferences[order], policies[order])
    np.testing.assert_allclose(second.envy, first.envy[order])
    np.testing.assert_array_equal(order[second.best_policy], first.best_policy[order])
