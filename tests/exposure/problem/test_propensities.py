"""Targets weighted by the chance that relevance was observed, held against sums over all subsets."""

from itertools import product

import numpy as np
import pytest

import evenhand as eh
from evenhand.exposure.problem.propensities import weighted_exposure
from evenhand.exposure.problem.targets import equal_exposure, relevant_pairs
from exposure.plain import plain_target

ITEMS, PATIENCE = 7, 0.8
WEIGHTS = PATIENCE ** np.arange(ITEMS)


def plain_weighted(grades, chances):
    """The target of one user: every subset of what was observed, with its signed weight."""
    observed = np.flatnonzero(grades)
    total = np.zeros(len(grades))
    for kept in product([True, False], repeat=len(observed)):
        weight = np.prod(
            [1 / p if keep else 1 - 1 / p for keep, p in zip(kept, chances[observed], strict=True)]
        )
        some = np.zeros(len(grades))
        some[observed[list(kept)]] = grades[observed[list(kept)]]
        total += weight * np.array(plain_target(list(some), list(WEIGHTS[: len(grades)])))
    return total


def weighted(grades, chances, shown=None):
    offsets, items, values = relevant_pairs(grades)
    owner = np.repeat(np.arange(len(grades)), np.diff(offsets))
    return weighted_exposure(
        offsets, items, values, chances[owner, items], grades.shape[1] if shown is None else shown, PATIENCE
    )


@pytest.mark.parametrize("best", [1, 3], ids=["relevant or not", "grades"])
def test_weighted_targets_are_sums_over_subsets(best):
    rng = np.random.default_rng(best)
    grades = rng.integers(0, best + 1, (20, ITEMS)) * (rng.random((20, ITEMS)) < 0.5)
    chances = rng.uniform(0.15, 1, grades.shape)
    found = weighted(grades, chances).dense(ITEMS)
    for row, own, target in zip(grades, chances, found, strict=True):
        assert target == pytest.approx(plain_weighted(row, own), abs=1e-9)


def test_they_are_unbiased():
    """Over everything that might have been observed, in its proportion, they are the target of the truth."""
    rng = np.random.default_rng(2)
    truth = np.array([2, 0, 1, 1, 0, 2, 0])
    chances = rng.uniform(0.15, 1, ITEMS)
    relevant = np.flatnonzero(truth)
    mean = np.zeros(ITEMS)
    for seen in product([True, False], repeat=len(relevant)):
        kept = relevant[list(seen)]
        grades = np.zeros(ITEMS)
        grades[kept] = truth[kept]
        likely = np.prod(np.where(seen, chances[relevant], 1 - chances[relevant]))
        mean += likely * weighted(grades[None], chances[None]).dense(ITEMS)[0]
    assert mean == pytest.approx(plain_target(list(truth), list(WEIGHTS)), abs=1e-9)


def test_certain_observation_changes_nothing():
    rng = np.random.default_rng(3)
    catalogue = 5000
    grades = (rng.random((30, catalogue)) < 0.01) * rng.integers(1, 4, (30, catalogue))
    plain = equal_exposure(*relevant_pairs(grades), catalogue, PATIENCE ** np.arange(catalogue))
    found = weighted(grades, np.ones(grades.shape))
    assert found.values == pytest.approx(plain.values, rel=1e-9)
    assert found.rest == pytest.approx(plain.rest, rel=1e-9)
    assert found.random == pytest.approx(plain.random)


def test_numbers_of_candidates_may_differ():
    grades = np.eye(2, ITEMS, dtype=int)
    found = weighted(grades, np.full(grades.shape, 0.5), np.array([4, 7]))
    for row, n in enumerate((4, 7)):
        assert found.dense(n)[row, :n] == pytest.approx(plain_weighted(grades[row, :n], np.full(n, 0.5)))


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(4)
    relevance = rng.random((60, 12)) < 0.3
    return {
        "scores": rng.normal(size=(60, 12)),
        "relevance": relevance.astype(float),
        "user_groups": ["F", "M"] * 30,
        "item_groups": ["a", "b", "c"] * 4,
        "beta": "static",
    }


def test_a_chance_of_one_leaves_the_pairs_as_they_are(arrays):
    arrays = arrays | {"relevance": np.maximum(arrays["relevance"], np.eye(60, 12) + np.eye(60, 12, k=-12))}
    arrays["relevance"][:, 0] = 1  # everybody counts with propensities, so everybody must count without
    plain, found = eh.exposure.audit(**arrays), eh.exposure.audit(**arrays, propensity=np.ones(12))
    for finding in found.findings:
        if finding.measure == "pair_exposure":
            same = plain.find("pair_exposure", group=finding.subject["group"])
            assert finding.estimate == pytest.approx(same.estimate)
            assert finding.interval.low == pytest.approx(same.interval.low, abs=1e-6)


def test_what_is_said_with_propensities(arrays):
    found = eh.exposure.audit(**arrays, propensity=np.linspace(0.3, 1, 12), tolerance=0.2)
    assert {finding.measure for finding in found.findings}.isdisjoint({"relevant_exposure"})
    ii, gg = found.find("II"), found.find("GG")
    assert ii.interval is None
    assert "weighted by propensities" in ii.warnings[0]
    assert gg.interval is not None
    assert any("chance that is given" in text for text in gg.assumptions)
    assert not any("unseen_factor" in finding.details for finding in found.findings)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"propensity": np.zeros(12)}, "propensities of relevant pairs are not above 0 and at most 1"),
        ({"propensity": np.full(12, 0.09)}, "propensities are below 0.1"),
        ({"propensity": np.ones(5)}, "propensity must be a number for each of 12 items"),
        (
            {"propensity": np.ones(12), "k": 5},
            'propensity is for target="equal" and discount="rbp" without k',
        ),
        ({"propensity": np.ones(12), "discount": "dcg"}, 'propensity is for target="equal"'),
        ({"propensity": np.ones(12), "target": "published"}, 'propensity is for target="equal"'),
    ],
)
def test_propensities_that_cannot_be_used(arrays, changes, says):
    with pytest.raises(eh.InputError) as error:
        eh.exposure.audit(**(arrays | changes))
    assert says in str(error.value)
