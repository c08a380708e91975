"""Candidate lists: expectations in closed form and against simulated lists."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from evenhand.datasets.synthetic.candidates import (
    METRICS,
    SEPARATION,
    expected,
    is_served_worse,
    make_candidates,
    noise_for,
    rank_distribution,
)
from evenhand.datasets.synthetic.population import make_creators, make_items, make_users
from evenhand.errors import InputError


def test_without_separation_every_rank_is_equally_likely() -> None:
    np.testing.assert_allclose(rank_distribution(0.0), 1 / 20, atol=1e-12)


@pytest.mark.parametrize("separation", [0.3, 1.5, 4.0])
@pytest.mark.parametrize("rank", [1, 3, 20])
def test_rank_distribution_equals_adaptive_quadrature(separation: float, rank: int) -> None:
    def integrand(x: float) -> float:
        return float(norm.pdf(x - separation) * binom.pmf(rank - 1, 19, norm.sf(x)))

    value, _ = quad(integrand, separation - 12, separation + 12, epsabs=1e-14, limit=200)
    assert rank_distribution(separation)[rank - 1] == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("separation", [0.3, 1.5, 4.0])
def test_rank_distribution_sums_to_one_and_has_the_known_auc(separation: float) -> None:
    ranks = rank_distribution(separation)
    assert ranks.sum() == pytest.approx(1, abs=1e-12)
    # P(a N(mu, 1) positive beats a N(0, 1) negative)
    assert METRICS["auc"] @ ranks == pytest.approx(norm.cdf(separation / np.sqrt(2)), abs=1e-12)


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.15, 0.4])
def test_noise_gives_the_requested_gap(gap: float) -> None:
    assert expected("mrr@5") - expected("mrr@5", noise_for(gap)) == pytest.approx(gap, abs=1e-10)


def test_a_gap_beyond_pure_noise_is_refused() -> None:
    with pytest.raises(InputError, match=r"groups=0.5 cannot be planted: pure noise lowers .* by 0.41"):
        noise_for(0.5)


@pytest.fixture(scope="module")
def lists() -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Forty thousand users' lists with a planted gap of 0.15."""
    rng = np.random.default_rng(11)
    users = make_users(40_000, rng)
    items = make_items(40, make_creators(40, rng), rng)
    # One item is liked nine times as often as the others.
    preferences = np.full((len(users), len(items)), 0.1)
    preferences[:, 0] = 0.9
    noise = noise_for(0.15)
    return users, make_candidates(users, items, preferences, noise, rng), noise


def test_metrics_of_simulated_lists_match_their_expectations(lists) -> None:
    users, candidates, noise = lists
    rank = candidates.groupby("user_id")["score"].rank(ascending=False)
    of_positive = rank[candidates["label"] == 1].astype(int).to_numpy()  # users are in table order
    worse = is_served_worse(users)
    assert worse.mean() == pytest.approx(0.09, abs=1e-3)
    for metric, by_rank in METRICS.items():
        values = by_rank[of_positive - 1]
        for members, extra in ((worse, noise), (~worse, 0.0)):
            sample = values[members]
            error = sample.std() / np.sqrt(len(sample))
            assert abs(sample.mean() - expected(metric, extra)) < 4 * error
        # ... and the test would see a tenth of the planted gap in the larger group
        assert abs(values[~worse].mean() - expected(metric, noise_for(0.015))) > 4 * error


def test_lists_hold_one_positive_and_nineteen_distinct_negatives(lists) -> None:
    _, candidates, _ = lists
    by_user = candidates.groupby("user_id")
    assert (by_user.size() == 20).all()
    assert (by_user["label"].sum() == 1).all()
    assert not candidates.duplicated(["user_id", "item_id"]).any()
    # The positive is not always at the same place of the list.
    place = np.flatnonzero(candidates["label"]) % 20
    assert np.bincount(place, minlength=20).min() > 40_000 / 20 * 0.8


def test_positives_follow_preferences(lists) -> None:
    _, candidates, _ = lists
    positives = candidates.loc[candidates["label"] == 1, "item_id"]
    share = (positives == candidates["item_id"].min()).mean()
    assert share == pytest.approx(0.9 / (0.9 + 39 * 0.1), abs=4 * np.sqrt(0.19 * 0.81 / 40_000))


def test_scores_have_the_stated_separation_and_noise(lists) -> None:
    users, candidates, noise = lists
    worse = candidates["user_id"].isin(users["user_id"][is_served_worse(users)])
    for members, spread in ((worse, np.sqrt(1 + noise**2)), (~worse, 1.0)):
        positive = candidates.loc[members & (candidates["label"] == 1), "score"]
        negative = candidates.loc[members & (candidates["label"] == 0), "score"]
        assert abs(positive.mean() - SEPARATION) < 4 * spread / np.sqrt(len(positive))
        assert abs(negative.mean()) < 4 * spread / np.sqrt(len(negative))
        assert negative.std() == pytest.approx(spread, rel=4 / np.sqrt(2 * len(negative)))
