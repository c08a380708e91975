"""Per-user metrics: by hand, against an oracle that enumerates the orders of tied items, and known faults."""

from functools import partial
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import METRICS, ItemFacts, metric_named, per_user
from groups import oracle
from groups.oracle import Candidate
from groups.worlds import facts_of, lists_of, ranked, worlds


def values(
    lists: CandidateLists, k: int, facts: ItemFacts | None = None, no_positive: str = "exclude"
) -> dict[str, list[float]]:
    """Every metric that these facts allow."""
    wanted = [m for m in METRICS.values() if facts is not None or not m.needs]
    found = per_user(wanted, lists, facts or ItemFacts(), k, no_positive)
    return {name: value.tolist() for name, value in found.items()}


# By hand.


def test_a_list_without_ties_by_hand():
    """Positives at places 2 and 4 of 5, k = 3."""
    found = values(lists_of([ranked(0, 1, 0, 1, 0)]), 3)
    # Pairs (positive, negative): place 2 beats places 3 and 5; place 4 beats place 5: 3 of 2 x 3.
    assert found["auc"] == pytest.approx([3 / 6])
    assert found["mrr"] == pytest.approx([1 / 2])
    # One gain, 1/log2(3), at place 2; the best has places 1 and 2, three positives would add 1/log2(4).
    assert found["ndcg"] == pytest.approx([(1 / log2(3)) / (1 + 1 / log2(3))])
    assert found["ndcg_published"] == pytest.approx([(1 / log2(3)) / (1 + 1 / log2(3) + 1 / 2)])
    assert (found["hit"], found["recall"]) == ([1.0], [0.5])
    assert found["precision"] == pytest.approx([1 / 3])


def test_ties_by_hand():
    """One positive among four items of equal score, k = 2: each place with probability 1/4."""
    found = values(lists_of([[Candidate(7.0, int(i == 2), i) for i in range(4)]]), 2)
    assert found["auc"] == pytest.approx([1 / 2])
    assert found["mrr"] == pytest.approx([(1 + 1 / 2) / 4])  # places 3 and 4 are beyond the cut
    assert found["ndcg"] == pytest.approx([(1 + 1 / log2(3)) / 4])
    assert found["hit"] == found["recall"] == pytest.approx([2 / 4])
    assert found["precision"] == pytest.approx([2 / 4 / 2])


def test_two_positives_tied_across_the_cut_by_hand():
    """One negative above, then two positives and a negative tied; k = 2 shows one place of the three."""
    tied = [Candidate(1.0, 1, 1), Candidate(1.0, 0, 2), Candidate(1.0, 1, 3)]
    found = values(lists_of([[Candidate(2.0, 0, 0), *tied]]), 2)
    # Place 2 holds a positive with probability 2/3; were both negatives there, nothing is hit.
    assert found["mrr"] == pytest.approx([2 / 3 / 2])
    assert found["hit"] == pytest.approx([2 / 3])
    assert found["recall"] == pytest.approx([2 / 3 / 2])
    # Each positive loses to the item above (0) and is even with the tied negative (1/2): 1 of 4 pairs.
    assert found["auc"] == pytest.approx([1 / 4])


def test_diversity_and_popularity_by_hand():
    """Items {0, 1}, {1, 2} and {3}: similarities 1/3, 0 and 0."""
    facts = facts_of([{0, 1}, {1, 2}, {3}], [10.0, 20.0, 60.0], [{0, 1}])
    found = values(lists_of([ranked(1, 0, 0)]), 3, facts)
    assert found["urd"] == pytest.approx([1 - (1 / 3) / 3])
    # The shown have a mean of 30, the history one of 15.
    assert found["urp"] == found["urp_signed"] == pytest.approx([15.0])
    # Only the first shown: 10 - 15 is -5, and one item alone has no diversity.
    alone = values(lists_of([ranked(1, 0, 0)]), 1, facts)
    assert (alone["urp"], alone["urp_signed"]) == ([5.0], [-5.0])
    assert np.isnan(alone["urd"]).all()


def test_of_tied_items_the_mismatch_is_that_of_a_list_and_not_of_the_mean_list():
    """Popularity 0 or 10 against a history of 5: every list that is shown is off by 5, if 0 on average."""
    tied = [Candidate(1.0, 1, 0), Candidate(1.0, 0, 1)]
    found = values(lists_of([tied]), 1, facts_of([(), (), ()], [0.0, 10.0, 5.0], [{2}]))
    assert (found["urp"], found["urp_signed"]) == ([5.0], [0.0])


@pytest.mark.parametrize("popularity", ["gamma", "zipf", "one that everybody knows"])
def test_the_mismatch_of_many_tied_items_is_near_that_of_drawn_orders(popularity):
    """There are 2e10 choices of 10 out of 40 tied items. A normal law in their place is 11 to 480% off with
    Zipf's popularity, or with one item that everybody knows."""
    rng = np.random.default_rng(3)
    popular = {
        "gamma": rng.gamma(0.5, 2.0, size=42),
        "zipf": 100 / np.arange(1, 43) ** 1.5,
        "one that everybody knows": np.r_[100.0, np.ones(41)],
    }[popularity]
    candidates = [Candidate(9.0, 1, 40)] + [Candidate(1.0, 0, i) for i in range(40)]
    drawn = np.array([rng.permutation(40)[:10] for _ in range(20_000)])
    means = (popular[40] + popular[drawn].sum(axis=1)) / 11
    for history in (41, int(np.argmin(np.abs(popular[:40] - means.mean()))), int(np.argmax(popular))):
        facts = facts_of([()] * 42, list(popular), [{history}])
        found = values(lists_of([candidates]), 11, facts)["urp"]
        away = np.abs(means - popular[history])
        assert found == pytest.approx([away.mean()], rel=0.04, abs=4 * away.std() / np.sqrt(len(away)))


# Against the oracle.


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_every_metric_is_the_mean_over_all_orders_of_tied_items(world):
    users, categories, popularity, histories, k = world
    found = values(lists_of(users), k, facts_of(categories, popularity, histories))
    for u, (candidates, history) in enumerate(zip(users, histories, strict=True)):
        measures = {
            "auc": oracle.auc,
            "mrr": partial(oracle.mrr, k=k),
            "ndcg": partial(oracle.ndcg, k=k),
            "ndcg_published": partial(oracle.ndcg_published, k=k),
            "hit": partial(oracle.hit, k=k),
            "recall": partial(oracle.recall, k=k),
            "precision": partial(oracle.precision, k=k),
            "urd": partial(oracle.urd, k=k, categories=categories),
            "urp": partial(oracle.urp, k=k, popularity=popularity, history=history),
            "urp_signed": partial(oracle.urp_signed, k=k, popularity=popularity, history=history),
        }
        assert set(measures) == set(METRICS)
        for name, measure in measures.items():
            expected = oracle.expected(measure, candidates)
            expected = np.nan if expected is None else expected
            assert found[name][u] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@settings(max_examples=60, deadline=None)
@given(worlds(), st.data())
def test_the_order_of_rows_and_of_users_does_not_matter(world, data):
    users, categories, popularity, histories, k = world
    plain = values(lists_of(users), k, facts_of(categories, popularity, histories))
    rows = data.draw(st.permutations(range(sum(map(len, users)))))
    moved = data.draw(st.permutations(range(len(users))))
    shuffled = values(lists_of(users, rows), k, facts_of(categories, popularity, histories))
    renumbered = values(
        lists_of([users[u] for u in moved]),
        k,
        facts_of(categories, popularity, [histories[u] for u in moved]),
    )
    for name, expected in plain.items():
        assert shuffled[name] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert renumbered[name] == pytest.approx([expected[u] for u in moved], abs=1e-12, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_every_value_is_within_the_bounds_that_the_metric_states(world):
    users, categories, popularity, histories, k = world
    facts = facts_of(categories, popularity, histories)
    for name, found in values(lists_of(users), k, facts).items():
        low, high = METRICS[name].bounds(facts)
        assert all(np.isnan(v) or low - 1e-12 <= v <= high + 1e-12 for v in found)


# Users without a positive or a list.


def test_a_user_without_a_positive_is_left_out_or_counts_as_zero_where_that_means_something():
    lists = lists_of([ranked(0, 0), [], ranked(0, 1)])
    for name, found in values(lists, 5).items():
        assert np.isnan(found[:2]).all(), name
        assert not np.isnan(found[2]), name
    for name, found in values(lists, 5, no_positive="zero").items():
        assert np.isnan(found[1]), f"{name}: an empty list is not a failure of the order"
        if METRICS[name].zero_without_positive:
            assert found[0] == 0.0, name
        else:  # no share of no pairs and of no positives
            assert np.isnan(found[0]), name
    assert [m.name for m in METRICS.values() if not m.zero_without_positive] == ["auc", "recall"]


def test_without_a_negative_there_is_no_auc_whatever_users_without_a_positive_count_as():
    for no_positive in ("exclude", "zero"):
        found = values(lists_of([ranked(1, 1)]), 5, no_positive=no_positive)
        assert np.isnan(found["auc"]).all()
        assert found["mrr"] == found["ndcg"] == found["recall"] == found["precision"] == [1.0]


def test_no_users_and_no_candidates_are_no_values():
    assert all(found == [] for found in values(lists_of([]), 5).values())
    assert all(np.isnan(found).all() for found in values(lists_of([[], []]), 5).values())


def test_an_unknown_metric_is_refused_with_the_names_there_are():
    with pytest.raises(InputError, match="no metric 'mmr'; there are: auc, mrr, ndcg"):
        metric_named("mmr")


# Known faults of published implementations.


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_a_perfect_list_has_an_ndcg_of_one_but_not_with_the_ideal_of_k_positives(k):
    found = values(lists_of([ranked(1, 0, 0, 0, 0, 0)]), k)
    assert found["ndcg"] == [1.0]
    assert found["ndcg_published"] == pytest.approx([1 / sum(1 / log2(p + 1) for p in range(1, k + 1))])
    assert (found["ndcg_published"] == found["ndcg"]) == (k == 1)


def test_diversity_is_not_similarity():
    identical = facts_of([{1, 2}] * 4, [1.0] * 4, [{0}])
    disjoint = facts_of([{0}, {1, 2}, {3}, {4}], [1.0] * 4, [{0}])
    lists = lists_of([ranked(1, 0, 0, 0)])
    assert values(lists, 4, identical)["urd"] == [0.0]
    assert values(lists, 4, disjoint)["urd"] == [1.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_differ_in_the_last_digit_are_not_ties(dtype):
    one = dtype(0.1)
    scores = np.array([one, np.nextafter(one, dtype(1)), one], dtype=dtype)
    lists = CandidateLists.of(np.zeros(3, int), scores, np.array([0, 1, 0]), np.arange(3), user_count=1)
    assert values(lists, 1)["mrr"] == [1.0]
    lists = CandidateLists.of(np.zeros(3, int), scores, np.array([1, 0, 0]), np.arange(3), user_count=1)
    assert values(lists, 3)["mrr"] == pytest.approx([(1 / 2 + 1 / 3) / 2])
