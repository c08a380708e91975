"""Erasing an attribute from vectors: closed forms, scores, ids, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss

import evenhand as eh
from association.worlds import world
from evenhand.errors import InputError
from evenhand.mitigate.vectors.linear_maps import extended, leace, no_basis, projection
from evenhand.recommenders import Embeddings, Factors


@pytest.fixture(scope="module")
def leaning():
    return world(users=1_000)


def cross_covariance(vectors, values):
    marks = (np.asarray(values)[:, None] == np.unique(values)).astype(float)
    return (vectors - vectors.mean(axis=0)).T @ (marks - marks.mean(axis=0)) / len(vectors)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(5, 9))
def test_after_leace_nothing_linear_is_left_in_the_users_that_made_it(seed, values, dimensions):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(300) % values)
    rows = rng.normal(size=(300, dimensions)) @ rng.normal(size=(dimensions, dimensions))
    rows += rng.normal(size=(values, dimensions))[codes] * 3
    made = leace(rows, codes)
    erased = made.users(rows)
    assert made.rank == values - 1
    assert np.abs(cross_covariance(erased, codes)).max() < 1e-10 * np.abs(rows).max()
    np.testing.assert_allclose(made.linear @ made.linear, made.linear, atol=1e-8)
    np.testing.assert_allclose(erased.mean(axis=0), rows.mean(axis=0), atol=1e-8)
    # The best linear fit of the values is the constant one.
    marks = codes == 0
    assert LinearRegression().fit(erased, marks).score(erased, marks) == pytest.approx(0, abs=1e-9)


def test_no_logistic_classifier_does_better_than_the_constant_after_leace(leaning):
    women = np.array(leaning.gender) == "F"
    erased = leace(leaning.users, women.astype(int)).users(leaning.users)
    constant = log_loss(women, np.full(len(women), women.mean()))
    for vectors, gain in ((erased, 0), (leaning.users, 0.1)):
        model = LogisticRegression(C=1e6, tol=1e-10, max_iter=10_000).fit(vectors, women)
        gained = constant - log_loss(women, model.predict_proba(vectors))
        assert gained == pytest.approx(gain, abs=1e-10) if gain == 0 else gained > gain


def test_leace_changes_vectors_less_than_any_other_erasing_map():
    """Belrose and others 2023, Theorem 4.3; the other one is the projection between the means."""
    rng = np.random.default_rng(3)
    codes = np.arange(2_000) % 2
    rows = rng.normal(size=(2_000, 5)) @ rng.normal(size=(5, 5))
    rows += codes[:, None] * np.array([1.0, 0.5, 0, 0, -1])
    shift = rows[codes == 1].mean(axis=0) - rows[codes == 0].mean(axis=0)
    basis = extended(no_basis(5), shift[None], most=5)
    orthogonal = rows - (rows - rows.mean(axis=0)) @ basis @ basis.T
    assert np.abs(cross_covariance(orthogonal, codes)).max() < 1e-12
    closed = leace(rows, codes).users(rows)
    for weights in (np.ones(5), rng.random(5), rng.random(5) * 10):
        moved, least = (((other - rows) ** 2 @ weights).mean() for other in (orthogonal, closed))
        assert least <= moved + 1e-12
    assert ((closed - rows) ** 2).mean() < 0.9 * ((orthogonal - rows) ** 2).mean()


@pytest.mark.parametrize("method", ["leace", "projection", "nullspace"])
def test_scores_of_erased_pairs_are_those_of_erased_users_with_items_as_they_were(leaning, method):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, method)
    expected = done.users @ leaning.items.T
    np.testing.assert_allclose(done.users @ done.items.T + leaning.items @ done.map.offset, expected)
    found = done.recommender.score_block(np.arange(20))
    np.testing.assert_allclose(found, expected[:20], atol=1e-4)
    assert not np.allclose(found, leaning.users[:20] @ leaning.items.T, atol=1e-2)


def test_items_have_nothing_along_the_line_between_the_means_that_made_the_map(leaning):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender)
    made = ~np.isin(done.user_ids, done.held_out)
    women = np.array(leaning.gender) == "F"
    shift = leaning.users[made & women].mean(axis=0) - leaning.users[made & ~women].mean(axis=0)
    assert np.abs(done.items @ shift).max() < 1e-10
    assert np.abs(leaning.items @ shift).max() > 1


@pytest.mark.parametrize("direction", ["svc", "centroid"])
def test_a_projection_removes_the_direction_of_those_who_made_it_from_both_sides(leaning, direction):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, "projection", direction=direction)
    made = ~np.isin(done.user_ids, done.held_out)
    women = np.array(leaning.gender) == "F"
    line = eh.association.direction(leaning.users[made & women], leaning.users[made & ~women], direction)
    for vectors in (done.users, done.items):
        np.testing.assert_allclose(vectors @ line, 0, atol=1e-8)
    assert done.rank == 1
    assert np.linalg.matrix_rank(done.users) == leaning.users.shape[1] - 1


def test_bases_stay_orthonormal_over_many_rounds_and_take_no_direction_twice():
    rng = np.random.default_rng(0)
    basis = no_basis(30)
    for _ in range(20):
        basis = extended(basis, rng.normal(size=(1, 30)) + 1e3 * basis.sum(axis=1), most=30)
    np.testing.assert_allclose(basis.T @ basis, np.eye(20), atol=1e-12)
    assert extended(basis, basis.T[:3] * 7, most=30).shape == (30, 20)
    assert projection(basis).rank == 20


def test_rounds_beyond_the_dimensions_remove_nothing_and_the_history_says_so(leaning):
    done = eh.mitigate.erase(
        leaning.items, leaning.users, leaning.gender, "nullspace", rounds=200, stop_at_chance=False
    )
    assert done.rank == leaning.users.shape[1] - 1 == len(done.history)
    assert done.history["removed"].eq(1).all()
    stopped = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, "nullspace", rounds=200)
    assert 1 <= stopped.rank < 6
    assert stopped.history["removed"].tolist()[-1] == 0
    assert stopped.history["others"].iloc[0] > 0.65 > 0.5 >= stopped.history["others"].iloc[-1]
    short = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, "nullspace", rounds=1)
    assert short.rank == 1


def test_several_values_are_all_taken_out():
    rng = np.random.default_rng(1)
    ages = rng.choice(["18", "35", "56"], 900)
    shifts = dict(zip(["18", "35", "56"], rng.normal(size=(3, 10)), strict=True))
    users = rng.normal(size=(900, 10)) + np.array([shifts[age] for age in ages])
    items = rng.normal(size=(50, 10))
    for method, direction, rank in (("leace", "svc", 2), ("projection", "centroid", 2)):
        done = eh.mitigate.erase(items, users, ages, method, direction=direction)
        made = ~np.isin(done.user_ids, done.held_out)
        assert done.rank == rank
        assert np.abs(cross_covariance(done.users[made], ages[made])).max() < 1e-10
    assert eh.mitigate.erase(items, users, ages, "nullspace").rank >= 2


def test_held_out_users_are_the_same_for_every_method_and_have_equal_shares(leaning):
    held = [
        set(eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, method).held_out.tolist())
        for method in ("leace", "projection", "nullspace")
    ]
    assert held[0] == held[1] == held[2]
    women = {place for place, value in enumerate(leaning.gender) if value == "F"}
    assert len(held[0] & women) == round(0.25 * len(women))
    other = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, rng=1)
    assert set(other.held_out.tolist()) != held[0]
    again = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, rng=1)
    np.testing.assert_array_equal(again.users, other.users)


def test_a_model_keeps_its_ids_biases_and_history_and_can_be_read_again(leaning, tmp_path):
    model = Factors(
        np.array([f"u{place:04}" for place in range(1_000)]), np.arange(400) * 3, leaning.users,
        leaning.items, np.linspace(0, 5, 400),
    )  # fmt: skip
    gender = pd.Series(leaning.gender, index=model.user_ids, name="gender")
    done = eh.mitigate.erase(model, None, gender)
    assert done.attribute == "gender"
    assert set(done.held_out) < set(model.user_ids)
    expected = done.users[:5] @ leaning.items.T + np.linspace(0, 5, 400)
    np.testing.assert_allclose(done.recommender.score_block(np.arange(5)), expected, atol=1e-4)
    done.save(tmp_path / "erased")
    loaded = eh.recommenders.load(tmp_path / "erased")
    np.testing.assert_allclose(loaded.embeddings.users, done.users, atol=1e-5)
    for vectors in (tmp_path / "erased", tmp_path / "erased" / "arrays.npz"):
        users = None if vectors.is_dir() else vectors
        found = eh.association.audit(vectors, users, gender, permutations=99)
        assert not found.find("direction").details["passes"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "lease"}, "Did you mean 'leace'"),
        ({"direction": "pca"}, "must be one of svc, centroid"),
        ({"held_out": 1.5}, "held_out is 1.5"),
        ({"rounds": 0}, "rounds is 0"),
        ({"held_out": 0.9, "attribute": ["F"] * 4 + ["M"] * 996}, "too few are left to learn from"),
        ({"attribute": ["F"] * 1_000}, "only the value 'F'"),
        ({"attribute": ["F", None] * 500}, "leave these out with missing='exclude'"),
        ({"items": np.ones((4, 5))}, "must share one space"),
        ({"users": None}, "no vectors of users"),
    ],
)
def test_what_is_refused(leaning, changed, message):
    given = {"items": leaning.items, "users": leaning.users, "attribute": leaning.gender} | changed
    with pytest.raises(InputError, match=message):
        eh.mitigate.erase(**given)


def test_vectors_of_one_dimension_have_nothing_left(leaning):
    for method in ("leace", "projection"):
        with pytest.raises(InputError, match="a single dimension"):
            eh.mitigate.erase(leaning.items[:, :1], leaning.users[:, :1], leaning.gender, method)


def test_an_item_that_is_nothing_but_the_direction_is_refused(leaning):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, "projection")
    line = np.linalg.svd(np.eye(12) - done.map.linear)[0][:, 0]
    items = np.vstack([leaning.items, line])
    with pytest.raises(InputError, match="1 of 401 vectors lie wholly in what would be removed"):
        eh.mitigate.erase(items, leaning.users, leaning.gender, "projection")


def test_a_model_whose_sides_share_no_space_is_refused(leaning):
    apart = Embeddings(leaning.users, leaning.items, shared_space=False)
    with pytest.raises(InputError, match="do not share a space"):
        eh.mitigate.erase(apart, None, leaning.gender)


def test_users_without_a_value_are_mapped_but_neither_make_nor_judge(leaning):
    gender = [None if place < 100 else value for place, value in enumerate(leaning.gender)]
    done = eh.mitigate.erase(leaning.items, leaning.users, gender, missing="exclude")
    assert done.held_out.min() >= 100
    np.testing.assert_allclose(done.users[:100], done.map.users(leaning.users[:100]))
    known = eh.mitigate.erase(leaning.items, leaning.users[100:], leaning.gender[100:])
    np.testing.assert_allclose(known.map.linear, done.map.linear)
