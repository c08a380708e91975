"""Re-ranking: by hand, against plain choices, and what must hold whatever the lists."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import METRICS, ItemFacts, per_user
from evenhand.mitigate import rerank
from groups import oracle
from groups.oracle import Candidate
from groups.worlds import ITEMS, facts_of, lists_of, ranked, worlds

GOALS = ("relevance", "diversity", "popularity")
ALL = np.array([True])


def items_of(lists: CandidateLists, user: int = 0) -> list[int]:
    return lists.item[lists.offsets[user] : lists.offsets[user + 1]].tolist()


def list_of(lists: CandidateLists, user: int) -> list[tuple[float, int, int]]:
    mine = slice(lists.offsets[user], lists.offsets[user + 1])
    return list(
        zip(lists.score[mine].tolist(), lists.label[mine].tolist(), lists.item[mine].tolist(), strict=True)
    )


def boost_by_item(lists: CandidateLists) -> np.ndarray:
    """A second score that differs between users and items."""
    user = np.repeat(np.arange(lists.user_count), lists.lengths)
    return np.sin(7.0 * lists.item + 3.0 * user)


@st.composite
def untied(draw):
    """A world with one list in which no scores are equal, and a strength."""
    users, categories, popularity, histories, k = draw(worlds())
    scores = draw(st.permutations(range(len(users[0]))))
    first = [c._replace(score=float(s**2)) for c, s in zip(users[0], scores, strict=True)]
    return first, categories, popularity, histories[0], k, draw(st.sampled_from([0.1, 0.5, 1.0, 3.0]))


def scaled(candidates: list[Candidate]) -> dict[int, float]:
    low, high = min(c.score for c in candidates), max(c.score for c in candidates)
    return {c.item: (c.score - low) / (high - low) if high > low else 0.0 for c in candidates}


# Diversity.


def test_diversity_by_hand():
    """Items 0 and 1 have the same category, 2 and 3 others; scores 1, .9, .6, 0 and k = 2."""
    candidates = [Candidate(s, 0, i) for i, s in enumerate([1.0, 0.9, 0.6, 0.0])]
    facts = facts_of([{0}, {0}, {1}, {2}], [1.0] * 4, [{0}])
    # After item 0, item 1 is worth .9 - strength * 1 and item 2 .6: the exchange is at a strength of .3.
    assert items_of(rerank(lists_of([candidates]), facts, ALL, "diversity", 2, 0.29)) == [0, 1, 2, 3]
    new = rerank(lists_of([candidates]), facts, ALL, "diversity", 2, 0.31)
    assert items_of(new) == [0, 2, 1, 3]
    assert new.score.tolist() == sorted(new.score.tolist(), reverse=True)
    # With k = 3 items 1 and 3 are left: .9 - .31 * (1 + 0) / 2 against 0.
    assert items_of(rerank(lists_of([candidates]), facts, ALL, "diversity", 3, 0.31)) == [0, 1, 2, 3]


def greedily_diverse(candidates, categories, k, strength):
    """The whole order, chosen by the definition."""
    worth, rest, chosen = scaled(candidates), sorted(candidates, key=lambda c: -c.score), []
    while rest and len(chosen) < k:
        similar = {
            c.item: sum(oracle.jaccard(categories[c.item], categories[d.item]) for d in chosen) for c in rest
        }
        best = max(rest, key=lambda c: worth[c.item] - strength * (similar[c.item] / max(len(chosen), 1)))
        rest.remove(best)
        chosen.append(best)
    return chosen + rest


@settings(max_examples=150, deadline=None)
@given(untied())
def test_diversity_is_the_greedy_choice_unless_that_is_no_better(world):
    candidates, categories, popularity, history, k, strength = world
    before = sorted(candidates, key=lambda c: -c.score)
    after = greedily_diverse(candidates, categories, k, strength) if candidates else []
    gain = (oracle.urd(after, k, categories) or 0.0) - (oracle.urd(before, k, categories) or 0.0)
    new = rerank(
        lists_of([candidates]), facts_of(categories, popularity, [history]), ALL, "diversity", k, strength
    )
    assert items_of(new) == [c.item for c in (after if gain > 1e-12 else before)]


def longer_lists(
    seed: int, users: int = 150
) -> tuple[list[list[Candidate]], list[set[int]], list[float], list[set[int]]]:
    """Lists of 12 out of 30 items without ties: long enough that choices follow from choices."""
    rng = np.random.default_rng(seed)
    lists = [
        [Candidate(float(rng.normal()), 0, int(i)) for i in rng.choice(30, 12, replace=False)]
        for _ in range(users)
    ]
    categories = [set(rng.choice(6, rng.integers(4), replace=False).tolist()) for _ in range(30)]
    return lists, categories, rng.gamma(0.5, size=30).tolist(), [{int(rng.integers(30))} for _ in lists]


@pytest.mark.parametrize("strength", [0.3, 1.0, 4.0])
def test_diversity_of_longer_lists_is_the_greedy_choice(strength):
    lists, categories, popularity, histories = longer_lists(1)
    facts = facts_of(categories, popularity, histories)
    new = rerank(lists_of(lists), facts, np.ones(len(lists), dtype=bool), "diversity", 5, strength)
    changed = 0
    for u, candidates in enumerate(lists):
        before = sorted(candidates, key=lambda c: -c.score)
        after = greedily_diverse(candidates, categories, 5, strength)
        better = oracle.urd(after, 5, categories) > oracle.urd(before, 5, categories) + 1e-12
        assert items_of(new, u) == [c.item for c in (after if better else before)]
        changed += better
    assert changed > 15


# Popularity.


def test_popularity_by_hand():
    """Popularity 10, 8, 2 and 0 in the order of scores 1, .8, .5 and 0; the history has a mean of 5; k = 2.

    The first two have a mean of 9, a distance of 4, and scores 1.8 / 2. Exchanging item 1 for item 2 gives a
    mean of 6 and scores 1.5 / 2: a loss of .15 for a gain of 3 / 10 in scaled distance, worth it above a
    strength of .5. Exchanging item 1 for item 3 instead hits the mean of 5: a loss of .4 for .4, worse.
    """
    candidates = [Candidate(s, 0, i) for i, s in enumerate([1.0, 0.8, 0.5, 0.0])]
    facts = facts_of([()] * 5, [10.0, 8.0, 2.0, 0.0, 5.0], [{4}])
    lists = lists_of([candidates])
    assert items_of(rerank(lists, facts, ALL, "popularity", 2, 0.49)) == [0, 1, 2, 3]
    assert items_of(rerank(lists, facts, ALL, "popularity", 2, 0.51)) == [0, 2, 1, 3]
    # Items 1 and 2 have a mean of 5 and scores 1.3 / 2, so .65 - strength * 0, which is more than the
    # .75 - strength * .1 of items 0 and 2 from a strength of 1 on.
    assert items_of(rerank(lists, facts, ALL, "popularity", 2, 1.1)) == [1, 2, 0, 3]


def worth_of_top(top, candidates, popularity, target, strength):
    score, values = scaled(candidates), [popularity[c.item] for c in candidates]
    mean = sum(popularity[c.item] for c in top) / len(top)
    return sum(score[c.item] for c in top) / len(top) - strength * abs(mean - target) / (
        max(values) - min(values)
    )


@settings(max_examples=150, deadline=None)
@given(untied())
def test_popularity_ends_where_no_exchange_is_worth_it_and_keeps_the_order(world):
    candidates, categories, popularity, history, k, strength = world
    lists = lists_of([candidates])
    new = rerank(lists, facts_of(categories, popularity, [history]), ALL, "popularity", k, strength)
    order = {item: place for place, item in enumerate(items_of(lists))}
    by_item = {c.item: c for c in candidates}
    top, rest = items_of(new)[:k], items_of(new)[k:]
    for part in (top, rest):
        assert part == sorted(part, key=order.__getitem__)
    if not history or not rest or len({popularity[c.item] for c in candidates}) == 1:
        assert np.array_equal(new.score, lists.score)
        return
    target = float(np.mean([popularity[i] for i in history]))
    worth = worth_of_top([by_item[i] for i in top], candidates, popularity, target, strength)
    assert worth >= worth_of_top(
        [by_item[i] for i in items_of(lists)[:k]], candidates, popularity, target, strength
    )
    for out, into in product(top, rest):
        exchanged = [by_item[into if i == out else i] for i in top]
        assert worth_of_top(exchanged, candidates, popularity, target, strength) <= worth + 1e-9


@pytest.mark.parametrize("strength", [0.3, 1.0, 4.0])
def test_popularity_of_longer_lists_is_by_the_best_exchange_each_time(strength):
    lists, categories, popularity, histories = longer_lists(2)
    facts = facts_of(categories, popularity, histories)
    new = rerank(lists_of(lists), facts, np.ones(len(lists), dtype=bool), "popularity", 5, strength)
    exchanges = 0
    for u, candidates in enumerate(lists):
        (target,) = (popularity[i] for i in histories[u])
        falling = sorted(candidates, key=lambda c: -c.score)
        top = falling[:5]
        while True:
            offers = [
                [into if c == out else c for c in top] for out in top for into in falling if into not in top
            ]
            now, best = (
                max(worth_of_top(t, candidates, popularity, target, strength) for t in tops)
                for tops in ([top], offers)
            )
            if best <= now + 1e-12:
                break
            top = next(t for t in offers if worth_of_top(t, candidates, popularity, target, strength) == best)
            exchanges += 1
        expected = [c for c in falling if c in top] + [c for c in falling if c not in top]
        assert items_of(new, u) == [c.item for c in expected]
    assert exchanges > 50


# Relevance.


def test_relevance_by_hand():
    """Scores 10, 5, 0 are 1, .5, 0; boosts 2, 4, 3 are 0, 1, .5. Strength .5: 1, 1, .25; 2: 1, 2.5, 1."""
    lists = lists_of([[Candidate(s, 0, i) for i, s in enumerate([10.0, 5.0, 0.0])]])
    boost = np.array([2.0, 4.0, 3.0])
    even = rerank(lists, ItemFacts(), ALL, "relevance", 2, 0.5, boost)
    assert (items_of(even)[2], even.score.tolist()) == (2, [1.0, 1.0, 0.25])  # tied: neither is preferred
    strong = rerank(lists, ItemFacts(), ALL, "relevance", 2, 2.0, boost)
    assert (items_of(strong)[0], strong.score.tolist()) == (1, [2.5, 1.0, 1.0])


# Whatever the lists.


@settings(max_examples=100, deadline=None)
@given(worlds(), st.data(), st.sampled_from(GOALS), st.sampled_from([0.2, 1.0, 5.0]))
def test_what_holds_for_all_goals(world, data, goal, strength):
    users, categories, popularity, histories, k = world
    lists, facts = lists_of(users), facts_of(categories, popularity, histories)
    chosen = np.array([data.draw(st.booleans()) for _ in users], dtype=bool)
    copies = [array.copy() for array in (lists.offsets, lists.score, lists.label, lists.item)]
    new = rerank(lists, facts, chosen, goal, k, strength, boost_by_item(lists))
    assert np.array_equal(new.offsets, lists.offsets)
    for u, mine in enumerate(chosen):
        if not mine:
            assert list_of(new, u) == list_of(lists, u)
        scores, labels, items = zip(*list_of(new, u), strict=True) if users[u] else ((), (), ())
        assert list(scores) == sorted(scores, reverse=True)
        assert sorted(zip(items, labels, strict=True)) == sorted((c.item, c.label) for c in users[u])
    for array, copy in zip((lists.offsets, lists.score, lists.label, lists.item), copies, strict=True):
        assert np.array_equal(array, copy), "the lists that came in were changed"
    again = rerank(lists, facts, np.flatnonzero(chosen), goal, k, strength, boost_by_item(lists))
    assert np.array_equal(again.item, new.item)


@settings(max_examples=100, deadline=None)
@given(worlds(), st.sampled_from(["diversity", "popularity"]), st.sampled_from([0.2, 1.0, 5.0]))
def test_nobody_is_served_worse_in_what_the_goal_is_for(world, goal, strength):
    users, categories, popularity, histories, k = world
    lists, facts = lists_of(users), facts_of(categories, popularity, histories)
    metric = METRICS[{"diversity": "urd", "popularity": "urp"}[goal]]
    new = rerank(lists, facts, np.ones(len(users), dtype=bool), goal, k, strength)
    before, after = (per_user([metric], each, facts, k)[metric.name] for each in (lists, new))
    assert np.array_equal(np.isnan(before), np.isnan(after))
    gain = (after - before) if metric.better == "higher" else (before - after)
    for u in range(len(users)):
        if list_of(new, u) != list_of(lists, u):
            assert gain[u] > 0
            assert list_of(new, u)[k - 1][0] > list_of(new, u)[k][0], "who is chosen is left to chance"


@settings(max_examples=30, deadline=None)
@given(worlds(), st.sampled_from(GOALS))
def test_strength_0_changes_nothing(world, goal):
    users, categories, popularity, histories, k = world
    lists, facts = lists_of(users), facts_of(categories, popularity, histories)
    new = rerank(lists, facts, np.ones(len(users), dtype=bool), goal, k, 0.0, boost_by_item(lists))
    for u in range(len(users)):
        assert list_of(new, u) == list_of(lists, u)


@settings(max_examples=60, deadline=None)
@given(worlds(), st.data(), st.sampled_from(GOALS))
def test_neither_labels_nor_the_order_of_rows_have_a_say(world, data, goal):
    users, categories, popularity, histories, k = world
    facts, everybody = facts_of(categories, popularity, histories), np.ones(len(users), dtype=bool)
    flipped = [[c._replace(label=1 - c.label) for c in candidates] for candidates in users]
    rows = data.draw(st.permutations(range(sum(map(len, users)))))
    results = []
    for lists in (lists_of(users), lists_of(flipped), lists_of(users, rows)):
        new = rerank(lists, facts, everybody, goal, k, 1.0, boost_by_item(lists))
        results.append([sorted((s, i) for s, _, i in list_of(new, u)) for u in range(len(users))])
    assert results[0] == results[1] == results[2]


def test_tied_items_are_not_taken_by_their_code():
    """2,000 users with eight equal items of four categories: each stands on top about equally often."""
    users = [[Candidate(1.0, 0, i) for i in range(ITEMS)] for _ in range(2_000)]
    facts = facts_of([{i % 4} for i in range(ITEMS)], [1.0] * ITEMS, [{0}] * len(users))
    new = rerank(lists_of(users), facts, np.ones(len(users), dtype=bool), "diversity", 4)
    top = np.bincount(new.item[new.offsets[:-1]], minlength=ITEMS)
    assert abs(top - 250).max() < 75  # five standard errors of a binomial count


# Bad input.


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"goal": "accuracy"}, "no goal 'accuracy'; there are: relevance, diversity, popularity"),
        ({"k": 0}, "k is 0"),
        ({"strength": -1.0}, "strength is -1.0"),
        ({"strength": float("nan")}, "strength is nan"),
        ({"goal": "diversity"}, "needs the categories of items"),
        ({"goal": "popularity"}, "needs the popularity of items and of each user's history"),
        ({"boost": None}, "needs a boost"),
        ({"boost": np.zeros(2)}, "boost has shape .2,., but there are 3 candidates"),
        ({"boost": np.array([0.0, np.nan, np.inf])}, "not a finite number in 2 rows"),
        ({"users": np.array([True, False])}, "mask of users has shape .2,., but there are 1 users"),
        ({"users": np.array([0, 4])}, "from 0 to 4, but there are 1 users"),
    ],
)
def test_bad_input_is_one_clear_sentence(change, says):
    good = {"users": ALL, "goal": "relevance", "k": 2, "strength": 1.0, "boost": np.zeros(3)}
    with pytest.raises(InputError, match=says):
        rerank(lists_of([ranked(0, 1, 0)]), ItemFacts(), **(good | change))


@pytest.mark.parametrize(
    ("goal", "facts", "says"),
    [
        ("diversity", facts_of([{0}] * 2, [1.0] * 3, [{0}]), "3 items, but categories is given for 2"),
        ("popularity", facts_of([{0}] * 3, [1.0] * 2, [{0}]), "3 items, but popularity is given for 2"),
        ("popularity", facts_of([{0}] * 3, [1.0] * 3, []), "1 users, but history_popularity is given for 0"),
    ],
)
def test_facts_about_fewer_than_the_lists_have_are_refused(goal, facts, says):
    with pytest.raises(InputError, match=says):
        rerank(lists_of([ranked(0, 1, 0)]), facts, ALL, goal, 2)
