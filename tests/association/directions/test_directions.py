"""Directions: a planted one is found, each way is what it says, and the looks along one."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import evenhand as eh
from association.worlds import planted, unit
from evenhand.association.directions.contrasts import HOLISTIC, directions
from evenhand.association.directions.fits import METHODS
from evenhand.association.evidence import UnitSums


@pytest.mark.parametrize("method", METHODS)
def test_a_strong_planted_direction_is_recovered(method):
    a, b, direction = planted(6.0, 3_000, 2_000, 32)
    found = eh.association.direction(a, b, method)
    assert np.linalg.norm(found) == pytest.approx(1)
    assert found @ direction >= 0.99


@pytest.mark.parametrize("method", METHODS)
def test_it_points_from_b_to_a_wherever_the_cloud_lies(method):
    a, b, direction = planted(3.0)
    away = 5 * np.ones(a.shape[1])
    assert eh.association.direction(a + away, b + away, method) @ direction > 0.9
    assert eh.association.direction(b + away, a + away, method) @ direction < -0.9


def test_the_centroid_direction_is_the_difference_of_means():
    a, b, _ = planted(0.5)
    np.testing.assert_allclose(eh.association.direction(a, b), unit(a.mean(axis=0) - b.mean(axis=0)))


def test_the_svc_direction_does_not_depend_on_the_unit():
    a, b, _ = planted(0.5)
    one = eh.association.direction(a, b, "svc")
    np.testing.assert_allclose(one, eh.association.direction(a / 1_000, b / 1_000, "svc"), atol=1e-8)
    spread = np.sqrt(np.concatenate([a, b]).var(axis=0).mean())
    labels = np.repeat([1, 0], [len(a), len(b)])
    both = np.concatenate([a, b])
    known = LinearSVC(dual=False, C=1 / len(both)).fit((both - both.mean(axis=0)) / spread, labels).coef_[0]
    assert one @ unit(known) > 0.9999


def test_pairs_that_belong_together_find_what_random_pairs_do_not():
    rng = np.random.default_rng(0)
    direction = unit(rng.normal(size=10))
    people = rng.normal(size=(200, 10)) * np.linspace(1, 6, 10)
    a = people + 0.8 * direction + 0.1 * rng.normal(size=people.shape)
    b = people + 0.1 * rng.normal(size=people.shape)
    together = np.stack([np.arange(200)] * 2, axis=1)
    assert eh.association.direction(a, b, "pca", pairs=together) @ direction > 0.99
    assert abs(eh.association.direction(a, b, "pca") @ direction) < 0.9


def test_several_categories_have_a_direction_each_and_one_for_all():
    rng = np.random.default_rng(1)
    line = unit(rng.normal(size=8))
    ages = np.repeat(["1 young", "2 middle", "3 old"], 300)
    vectors = rng.normal(size=(900, 8)) + np.repeat([-1.5, 0, 1.5], 300)[:, None] * line
    rest = directions(vectors, ages, "svc")
    assert list(rest) == [
        "1 young against the rest",
        "2 middle against the rest",
        "3 old against the rest",
        HOLISTIC,
    ]
    assert rest["1 young against the rest"] @ line < -0.95
    assert rest[HOLISTIC] @ line < -0.95  # it points to the first category
    one = directions(vectors, ages, "centroid", scheme="one-vs-one")
    assert list(one)[:3] == ["1 young against 2 middle", "1 young against 3 old", "2 middle against 3 old"]
    assert abs(one[HOLISTIC] @ line) > 0.98
    assert list(directions(vectors, ages, scheme="holistic")) == [HOLISTIC]


def test_the_cosine_matrix():
    found = eh.association.cosine_matrix({"x": [2.0, 0], "y": [1.0, 1], "z": [0, -3.0]})
    root = np.sqrt(0.5)
    np.testing.assert_allclose(found, [[1, root, 0], [root, 1, -root], [0, -root, 1]], atol=1e-12)


def test_accuracy_is_that_of_entities_it_did_not_see():
    rng = np.random.default_rng(2)
    noise = eh.association.accuracy(rng.normal(size=(300, 60)), rng.permutation([0, 1] * 150))
    assert noise.train > 0.65
    assert abs(noise.test - 0.5) < 0.1
    a, b, _ = planted(2.0)
    told = eh.association.accuracy(np.concatenate([a, b]), ["a"] * len(a) + ["b"] * len(b))
    assert told.test > 0.95
    assert told.majority == pytest.approx(4 / 7)


def test_the_most_biased_entities_are_those_furthest_along():
    vectors = np.array([[1.0, 0.1], [1, 1], [-1, 0.2], [0, 1]])
    ahead, behind = eh.association.most_biased(vectors, [1.0, 0], 2)
    assert ahead.tolist() == [0, 1]
    assert behind.tolist() == [2, 3]


def test_a_projection_has_the_direction_first_and_the_widest_other_line_second():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(500, 5)) * [1, 1, 6, 1, 1]
    points = eh.association.projection(vectors, [1.0, 0, 0, 0, 0])
    unit_rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(points[:, 0], unit_rows[:, 0])
    assert abs(np.corrcoef(points[:, 1], unit_rows[:, 2])[0, 1]) > 0.99


def test_unit_sums_add_up_over_parts():
    rng = np.random.default_rng(4)
    vectors, member = rng.normal(size=(50, 4)), rng.random((50, 3)) < 0.5
    whole = UnitSums.of(vectors, member)
    parts = UnitSums.of(vectors[:20], member[:20]) + UnitSums.of(vectors[20:], member[20:])
    np.testing.assert_allclose(whole.means, parts.means)
    unit_rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(whole.means[1], unit_rows[member[:, 1]].mean(axis=0))
