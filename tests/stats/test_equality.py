import numpy as np
import pytest
from scipy import stats

from evenhand.stats import equality


def test_wald_is_the_weighted_sum_of_squares():
    x, v = np.array([0.3, -0.1, 0.5]), np.array([0.02, 0.05, 0.01])
    w = 1 / v
    by_hand = (w * (x - (w @ x) / w.sum()) ** 2).sum()
    result = equality.wald(x, np.diag(v))
    assert result.statistic == pytest.approx(by_hand)
    assert result.df == 2
    assert result.p_value == pytest.approx(stats.chi2.sf(by_hand, 2))


def test_a_common_error_changes_nothing():
    x, v = np.array([0.3, -0.1, 0.5]), np.diag([0.02, 0.05, 0.01])
    assert equality.wald(x, v + 7).statistic == pytest.approx(equality.wald(x, v).statistic)


def test_score_without_clusters_is_pearson():
    a, b = np.array([[12.0, 0.0, 31.0]]), np.array([[20.0, 15.0, 44.0]])
    pearson = stats.chi2_contingency(np.vstack([a, b]), correction=False)
    result = equality.score(a, b)
    assert result.statistic == pytest.approx(pearson.statistic)
    assert result.p_value == pytest.approx(pearson.pvalue)


def test_score_with_clusters_holds_its_level():
    """Users with very different activity, equal opportunity for all: 5% alarms, not more."""
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(600):
        activity = rng.gamma(0.5, 2.0, size=(300, 1))
        a = rng.poisson(activity * [0.6, 0.3, 0.1]).astype(float)
        b = rng.poisson(activity * [0.2, 0.1, 0.1 / 3]).astype(float)
        alarms += equality.score(a, b).p_value < 0.05
    assert 0.03 <= alarms / 600 <= 0.075
