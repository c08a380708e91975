"""The collection procedure: uniform draws, one list, two logs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity import Sampler
from evenhand.opportunity.measures import penalty

requests = st.fixed_dictionaries(
    {
        "ranked": st.lists(st.integers(0, 19), max_size=8, unique=True),
        "seen": st.sets(st.integers(0, 19), max_size=8),
        "draws": st.integers(1, 5),
        "p_act": st.sampled_from([0.3, 1.0]),
        "seed": st.integers(0, 1_000),
    }
)


@settings(max_examples=200, deadline=None)
@given(requests)
def test_every_pair_is_once_in_the_list_and_in_the_logs_that_chose_it(case):
    sampler = Sampler(range(20), case["p_act"], case["draws"], rng=case["seed"])
    served = sampler.serve(case["ranked"], seen=case["seen"])
    items = [row.item for row in served]
    assert len(items) == len(set(items))
    shown = [row for row in served if row.position is not None]
    assert [row.position for row in shown] == list(range(len(shown)))
    assert all((row.position is None) == (row.item in case["seen"]) for row in served)
    assert all(row.from_default or row.from_random for row in served)
    assert all(row.item in case["ranked"] for row in served if row.from_default)
    # What the recommender chose is in its log unless a drawn item took its place.
    random_only = sum(row.from_random and not row.from_default for row in shown)
    missing = set(case["ranked"]) - {row.item for row in served if row.from_default}
    assert len(missing) <= random_only
    fresh = [item for item in case["ranked"] if item not in case["seen"]]
    assert len(shown) == max(len(fresh), len(fresh) - len(missing) + random_only)
    drawn = sum(row.from_random for row in served)
    assert drawn in (0, case["draws"])
    if case["p_act"] == 1:
        assert drawn == case["draws"]


def test_random_rows_are_uniform_over_all_candidates_whatever_is_recommended():
    sampler = Sampler(range(30), 0.5, draws=2, rng=1)
    counts = np.zeros(30)
    for request in range(6_000):
        seen = {request % 30}
        for row in sampler.serve([0, 1, 2, 3, 4], seen=seen):
            counts[row.item] += row.from_random
    assert counts.sum() == pytest.approx(6_000, rel=0.05)
    assert stats.chisquare(counts).pvalue > 0.01


def test_default_rows_stay_uniform_over_what_was_recommended():
    sampler = Sampler(range(1_000), 1.0, draws=2, rng=2)
    kept = np.zeros(6)
    random_at = np.zeros(6)
    for _ in range(5_000):
        for row in sampler.serve(list(range(6))):
            if row.from_default:
                kept[row.item] += 1
            elif row.position is not None:
                random_at[row.position] += 1
    assert stats.chisquare(kept).pvalue > 0.01
    assert stats.chisquare(random_at).pvalue > 0.01


def test_a_pair_chosen_by_both_is_shown_once_and_logged_twice():
    sampler = Sampler(["a", "b", "x"], 1.0, draws=2, rng=0)
    served = (sampler.serve(["a", "x"]) for _ in range(100))
    rows = next(rows for each in served if not (rows := {row.item: row for row in each}).get("x"))
    assert (rows["a"].from_default, rows["a"].from_random, rows["a"].position) == (True, True, 0)
    assert (rows["b"].from_default, rows["b"].from_random) == (False, True)
    assert "x" not in rows
    served = (sampler.serve(["a", "x"], seen={"a"}) for _ in range(100))
    row = next(row for each in served for row in each if row.item == "a" and row.from_random)
    assert (row.from_default, row.position) == (True, None)


def test_probabilities_say_how_often_a_pair_is_drawn():
    sampler = Sampler(range(10), 0.2, draws=3, rng=3)
    small = [4, 5, 6, 7]
    drawn = dict.fromkeys(["all", "small"], 0)
    for _ in range(8_000):
        drawn["all"] += any(row.item == 4 and row.from_random for row in sampler.serve([0, 1]))
        rows = sampler.serve([5, 6], candidates=small)
        drawn["small"] += any(row.item == 4 and row.from_random for row in rows)
    assert drawn["all"] / 8_000 == pytest.approx(0.2 * 3 / 10, rel=0.1)
    assert drawn["small"] / 8_000 == pytest.approx(0.2 * 3 / 4, rel=0.1)
    assert sampler.serve([0, 1])[0].probability == pytest.approx(0.06)


def test_the_same_seed_serves_the_same():
    lists = [Sampler(range(50), 0.5, 2, rng=9) for _ in range(2)]
    assert [lists[0].serve([1, 2, 3]) for _ in range(50)] == [lists[1].serve([1, 2, 3]) for _ in range(50)]


def collect(rng, requests=4_000, items=60):
    """Requests with candidates of their own, served through a Sampler; liking is known to the world only."""
    group = np.arange(items) % 3
    taste = np.array([0.30, 0.20, 0.10])[group]
    # The recommender prefers group 0 beyond what users like.
    score = taste * np.array([2.0, 1.0, 1.0])[group]
    sampler = Sampler(range(items), 0.4, draws=2, rng=rng.integers(2**32))
    rows = []
    for _ in range(requests):
        size = int(rng.choice([20, 60]))
        pool = rng.choice(items, size=size, replace=False)
        keys = rng.exponential(size=size) / score[pool]
        ranked = pool[np.argsort(keys)[:4]].tolist()
        for row in sampler.serve(ranked, candidates=pool.tolist()):
            liked = int(rng.random() < taste[row.item])
            rows.append((int(group[row.item]), liked, row.from_default, row.from_random, row.probability))
    columns = ["group", "liked", "from_default", "from_random", "probability"]
    return pd.DataFrame(rows, columns=columns)


def test_from_sampler_to_audit():
    """Liked pairs of all requests, weighted by their candidates: the audit finds what the world holds."""
    rng = np.random.default_rng(12)
    log = collect(rng)
    default, random = log[log["from_default"]], log[log["from_random"]]
    found = eh.opportunity.audit(default, random, "liked", "group", probability="probability")
    # Every group has a third of all candidates and one taste, so its chance to be shown, liked or not, is U.
    utilities = default.groupby("group").size().to_numpy()
    penalty_found = found.find("reo_penalty")
    assert penalty_found.interval.low <= penalty(utilities) <= penalty_found.interval.high
    unweighted = eh.opportunity.audit(default, random, "liked", "group").find("reo_penalty")
    assert unweighted.estimate != penalty_found.estimate


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"p_act": 0}, "p_act is 0, but must be a finite number above 0 and at most 1"),
        ({"p_act": 1.2}, "p_act is 1.2"),
        ({"draws": 0}, "draws is 0"),
        ({"draws": 11}, "draws is 11, but there are only 10 candidates"),
        ({"candidates": [1, 1, 2]}, "candidates has 1 items more than once"),
        ({"candidates": "items"}, "candidates is a str, but must be a list"),
        ({"rng": "a"}, "rng \\(a seed or a NumPy Generator\\) is 'a'"),
        ({"rng": -1}, "is -1, but must be a whole number"),
        ({"candidates": []}, "only 0 candidates"),
        ({"candidates": [[1], [2]]}, "candidates must hold ids"),
    ],
)
def test_impossible_samplers_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        Sampler(**{"candidates": list(range(10)), "p_act": 0.1} | options)


def test_impossible_requests_are_refused():
    sampler = Sampler(range(10), 0.1, draws=3)
    with pytest.raises(InputError, match="ranked has 1 items more than once"):
        sampler.serve([1, 1])
    with pytest.raises(InputError, match="seen is a str, but must be a set or list"):
        Sampler(["ab", "c"], 0.1).serve(["ab"], seen="abc")
    with pytest.raises(InputError, match="ranked has 2 of 3 items that are no candidates, for example 10"):
        sampler.serve([1, 10, 11])
    with pytest.raises(InputError, match="ranked has 1 of 1 items that are no candidates, for example 9"):
        sampler.serve([9], candidates=[1, 2, 3])
    with pytest.raises(InputError, match="seen is a NoneType"):
        sampler.serve([1], seen=None)
    with pytest.raises(InputError, match="only 2 candidates"):
        sampler.serve([1, 2], candidates=[1, 2])
