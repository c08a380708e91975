"""The six measures: against plain loops, however the users come, in closed form, and what is refused."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, corrected_measures, group_matrix, measures
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.rows import dense_rows, listed_rows
from evenhand.exposure.problem.sides import ItemGroups, user_codes
from evenhand.exposure.problem.targets import equal_exposure, published_targets, relevant_pairs
from exposure.plain import plain_corrected, plain_measures
from exposure.worlds import BLOCKS, WEIGHTS, make_world


def matrices(world):
    items = world.exposure.shape[1]
    target = world.targets()
    return world.exposure, target.dense(items), np.repeat(target.random[:, None], items, axis=1)


def same(one: Evidence, two: Evidence):
    np.testing.assert_array_equal(one.user_weights, two.user_weights)
    for name, a, b in zip(one.sums._fields, one.sums, two.sums, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("kind", ["dense", "listed"])
@pytest.mark.parametrize("seed", range(3))
def test_the_measures_are_those_of_plain_loops(kind, seed):
    world = make_world(seed=seed)
    found = measures(world.evidence(kind, step=7))
    plain = plain_measures(*matrices(world), world.user_groups.tolist(), world.item_lists)
    assert tuple(found) == NAMES
    for name in NAMES:
        assert astuple(found[name]) == pytest.approx(plain[name], rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("kind", ["dense", "listed"])
def test_the_corrected_measures_subtract_the_variance_of_each_mean(kind):
    world = make_world(seed=4)
    found = corrected_measures(world.evidence(kind))
    exposure, target, random = matrices(world)
    for part, difference in (
        ("fairness", exposure - target),
        ("disparity", exposure - random),
        ("constant", target - random),
    ):
        plain = plain_corrected(difference, world.user_groups.tolist(), world.item_lists)
        for name, value in plain.items():
            assert getattr(found[name], part) == pytest.approx(value, rel=1e-10, abs=1e-15)
    published = measures(world.evidence(kind))
    assert found["II"] == published["II"]
    assert found["IG"] == published["IG"]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 40), st.integers(1, 4), st.sampled_from(["dense", "listed"]))
def test_fairness_is_disparity_minus_relevance_plus_constant(seed, users, groups, kind):
    evidence = make_world(users, seed=seed, groups=groups).evidence(kind)
    for found in (measures(evidence), corrected_measures(evidence)):
        for measure in found.values():
            if np.isfinite(measure.fairness):  # a group of one user has nothing to correct with
                split = measure.disparity - measure.relevance + measure.constant
                assert measure.fairness == pytest.approx(split, abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40))
def test_dense_streamed_and_listed_users_give_the_same_evidence(seed, step):
    world = make_world(seed=seed)
    whole = world.evidence("dense")
    same(world.evidence("dense", step), whole)
    listed = world.evidence("listed", step)
    # The rest is kept once for all items, so it is the sums with the rest that agree.
    for sums, rest in (("by_group", "by_group_rest"), ("by_all", "by_all_rest"), ("target", "target_rest")):
        one, two = (getattr(e, sums) + getattr(e, rest)[..., None] for e in (whole.sums, listed.sums))
        np.testing.assert_allclose(one, two, atol=1e-12)
    for name in (
        "random",
        "group_squares",
        "all_squares",
        "products",
        "fourth",
        "cell_squares",
        "cell_products",
        "cell_cubes",
        "cell_fourths",
        "wanted",
        "unseen",
    ):
        one, two = getattr(listed.sums, name), getattr(whole.sums, name)
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-14)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 38), st.sampled_from(["dense", "listed"]))
def test_parts_merged_are_the_whole(seed, cut, kind):
    world = make_world(seed=seed)
    parts = world.evidence(kind, within=slice(0, cut)) + world.evidence(kind, within=slice(cut, None))
    same(parts, world.evidence(kind))


def test_merging_leaves_the_parts_alone():
    one, two = make_world(seed=1).evidence(), make_world(seed=1).evidence()
    assert (one + two).users == 80
    assert one.users == two.users == 40


def test_a_system_that_gives_exactly_the_target_is_fair():
    world = make_world()
    target = world.targets()
    evidence = Evidence.empty(world.items, 3, **BLOCKS)
    evidence.add(dense_rows(target.dense(30), target), world.user_groups, world.blocks)
    for measure in measures(evidence).values():
        assert measure.fairness == pytest.approx(0, abs=1e-30)
        assert measure.disparity == pytest.approx(measure.constant)
        assert measure.relevance == pytest.approx(2 * measure.constant)


def test_a_random_system_has_neither_disparity_nor_relevance():
    world = make_world()
    target = world.targets()
    evidence = Evidence.empty(world.items, 3, **BLOCKS)
    random = np.repeat(target.random[:, None], 30, axis=1)
    evidence.add(dense_rows(random, target), world.user_groups, world.blocks)
    for measure in measures(evidence).values():
        assert (measure.disparity, measure.relevance) == pytest.approx((0, 0), abs=1e-17)
        assert measure.fairness == pytest.approx(measure.constant)


def test_two_users_with_opposite_errors_are_fair_together_and_unfair_alone():
    # Item 0 is relevant to user 0 and shown to user 1, and the other way round: D = -+d, d = 1 - .8.
    relevance = np.eye(2, dtype=int)
    target = equal_exposure(*relevant_pairs(relevance), 2, WEIGHTS)
    evidence = Evidence.empty(ItemGroups.of([0, 1]), 2, **BLOCKS)
    exposure = np.array([[0.8, 1.0], [1.0, 0.8]])
    evidence.add(dense_rows(exposure, target), [0, 1], assign_blocks(np.array([0, 1]), **BLOCKS))
    found = {name: measure.fairness for name, measure in measures(evidence).items()}
    square = 0.2**2
    expected = {"II": square, "IG": square, "GI": square, "GG": square, "AI": 0, "AG": 0}
    assert found == pytest.approx(expected, abs=1e-16)


def test_weights_of_groups():
    world = make_world()
    users, items = [5.0, 1.0, 2.0], [1.0, 0.0, 3.0, 4.0]
    evidence = Evidence.empty(ItemGroups.of(world.membership, items), 3, users, **BLOCKS)
    evidence.add(world.listed(), world.user_groups, world.blocks)
    plain = plain_measures(
        *matrices(world),
        world.user_groups.tolist(),
        world.item_lists,
        [w / 8 for w in users],
        [w / 8 for w in items],
    )
    for name, measure in measures(evidence).items():
        assert astuple(measure) == pytest.approx(plain[name], rel=1e-11, abs=1e-15)


def test_codes_of_items_are_a_table_of_one_group_each():
    codes = np.array([2, 0, 1, 1, 2, 0])
    by_code, by_table = ItemGroups.of(codes), ItemGroups.of(np.eye(3, dtype=int)[codes])
    for one, other in zip(by_code, by_table, strict=True):
        np.testing.assert_array_equal(one, other)


def test_intersections_are_the_combinations_that_occur():
    codes, names = user_codes(["f", "m", "f", "m"], [30, 18, 18, 18])
    assert names == [("f", 18), ("f", 30), ("m", 18)]
    assert codes.tolist() == [1, 2, 0, 2]


def test_the_matrix_of_groups_is_the_mean_over_its_pairs():
    world = make_world(seed=5)
    for kind in ("dense", "listed"):
        found = group_matrix(world.evidence(kind))
        for g in range(3):
            for k, members in enumerate(world.item_lists):
                block = np.ix_(world.user_groups == g, members)
                cells = found.system, found.target, found.random
                for cell, matrix in zip(cells, matrices(world), strict=True):
                    assert cell[g, k] == pytest.approx(matrix[block].mean(), rel=1e-11)
        gg = measures(world.evidence(kind))["GG"].fairness
        assert gg == pytest.approx((found.difference**2).mean())


def test_items_that_cannot_be_shown_deserve_nothing():
    world = make_world()
    candidates = (world.exposure > 0) | (world.relevance > 0)
    pairs = relevant_pairs(world.relevance)
    target = equal_exposure(*pairs, candidates.sum(axis=1), WEIGHTS)
    dense, listed = (Evidence.empty(world.items, 3, **BLOCKS) for _ in range(2))
    dense.add(dense_rows(world.exposure, target, candidates), world.user_groups, world.blocks)
    offsets, items, _ = relevant_pairs(candidates)
    exposure = world.exposure[candidates]
    rows = listed_rows(30, offsets, items, exposure, target, only_listed=True)
    listed.add(rows, world.user_groups, world.blocks)
    same(listed, dense)
    shown = np.where(candidates, target.dense(30), 0), candidates * target.random[:, None]
    plain = plain_measures(world.exposure, *shown, world.user_groups.tolist(), world.item_lists)
    for name, measure in measures(dense).items():
        assert astuple(measure) == pytest.approx(plain[name], rel=1e-11)


def test_the_published_targets_go_the_same_way():
    world = make_world(seed=6)
    offsets, items, _ = relevant_pairs(world.relevance)
    target = published_targets(offsets, items, 30)
    evidence = Evidence.empty(world.items, 3, **BLOCKS)
    lists = relevant_pairs(0.8 * world.exposure)
    evidence.add(listed_rows(30, *lists, target), world.user_groups, world.blocks)
    random = np.full((40, 30), target.dense(30).mean())
    plain = plain_measures(
        0.8 * world.exposure, target.dense(30), random, world.user_groups.tolist(), world.item_lists
    )
    for name, measure in measures(evidence).items():
        assert astuple(measure) == pytest.approx(plain[name], rel=1e-11)


def test_users_without_relevant_items_are_left_out_and_counted():
    world = make_world()
    world.relevance[[3, 8]] = 0
    evidence = world.evidence("listed")
    assert evidence.sums.excluded[0] == 2
    assert evidence.users == 38
    kept = np.delete(np.arange(40), [3, 8])
    plain = plain_measures(
        *(m[kept] for m in matrices(world)), world.user_groups[kept].tolist(), world.item_lists
    )
    for name, measure in measures(evidence).items():
        assert astuple(measure) == pytest.approx(plain[name], rel=1e-11)


def test_a_group_of_one_user_has_no_corrected_measure():
    world = make_world(users=10)
    world.user_groups[:] = [0] * 9 + [1]
    found = corrected_measures(world.evidence())
    assert np.isnan(found["GI"].fairness)
    assert np.isnan(found["GG"].relevance)
    assert np.isfinite(found["AI"].fairness)


WORLD = make_world()


def add(**changes):
    given = {"rows": WORLD.dense(), "user_groups": WORLD.user_groups, "blocks": WORLD.blocks, **changes}
    WORLD.evidence().add(**given)


def listed(items, exposure, catalogue=30, **options):
    target = equal_exposure(np.array([0, 1]), np.array([2]), [1], catalogue, WEIGHTS)
    offsets = np.array([0, len(items)])
    return listed_rows(catalogue, offsets, np.array(items), np.array(exposure), target, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ItemGroups.of([[1, 0], [0, 0], [0, 1]]), "1 items have no group, such as item 1"),
        (lambda: ItemGroups.of([0, -1, 1]), "1 items have no group, such as item 1"),
        (lambda: ItemGroups.of([[1, 0], [1, 0]]), "Item group 1 is empty"),
        (lambda: ItemGroups.of([0, 2]), "Item group 1 is empty"),
        (lambda: ItemGroups.of([[0.5], [1]]), "0/1 table"),
        (lambda: ItemGroups.of(np.array([], dtype=int)), "no items"),
        (lambda: ItemGroups.of(["a", "b"]), "whole numbers"),
        (lambda: ItemGroups.of([0, 1], [1]), "1 weights for 2 item groups"),
        (lambda: ItemGroups.of([0, 1], [1, -1]), "0 or more"),
        (lambda: user_codes(["f", "m"], [1]), "a value for each user"),
        (lambda: add(user_groups=WORLD.user_groups[:-1]), "groups for 39 users, but exposures for 40"),
        (lambda: add(user_groups=WORLD.user_groups + 1), "in group 3, but there are only 3"),
        (lambda: add(user_groups=WORLD.user_groups - 1), "users have no group"),
        (lambda: add(blocks=WORLD.blocks[:5]), "blocks for 5 users"),
        (lambda: add(blocks=assign_blocks(WORLD.user_groups)), "50 and 20 blocks"),
        (lambda: add(rows=make_world(items=20).dense()), "groups for 30 items, but exposures of 20"),
        (lambda: WORLD.evidence() + make_world(seed=1).evidence(), "can be merged"),
        (lambda: measures(Evidence.empty(WORLD.items, 3)), "User group 0 has no users"),
        (lambda: dense_rows(WORLD.exposure[:3], WORLD.targets()), "targets for 40 users"),
        (lambda: dense_rows(WORLD.exposure[:, :5], WORLD.targets()), "not among the 5 known"),
        (lambda: dense_rows(WORLD.exposure * np.nan, WORLD.targets()), "not finite"),
        (lambda: dense_rows(-WORLD.exposure, WORLD.targets()), "negative"),
        (
            lambda: dense_rows(WORLD.exposure, WORLD.targets(), WORLD.exposure > 0),
            "relevant pairs are not among the candidates",
        ),
        (
            lambda: dense_rows(WORLD.exposure, WORLD.targets(), WORLD.relevance > 0),
            "have exposure but are not among the candidates",
        ),
        (lambda: listed([1, 1], [1.0, 0.5]), "1 pairs are listed more than once"),
        (lambda: listed([1, 30], [1.0, 0.5]), "not among the 30 known"),
        (lambda: listed([1, 3], [1.0]), "2 listed items, but 1 exposures"),
        (lambda: listed([1, 3], [1.0, np.inf]), "not finite"),
        (lambda: listed([1, 3], [1.0, 0.5], only_listed=True), "1 relevant pairs are not among"),
        (lambda: assign_blocks(WORLD.user_groups, within=3), "within is 3"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()
