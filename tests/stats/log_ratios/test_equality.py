import numpy as np
import pytest
from scipy import stats

from evenhand.stats.log_ratios import equality


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


def test_score_is_pearson():
    a, b = np.array([12.0, 0.0, 31.0]), np.array([20.0, 15.0, 44.0])
    pearson = stats.chi2_contingency(np.vstack([a, b]), correction=False)
    result = equality.score(a, b)
    assert result.statistic == pytest.approx(pearson.statistic)
    assert result.p_value == pytest.approx(pearson.pvalue)


@pytest.mark.parametrize(("clusters", "groups"), [(12, 3), (40, 20), (1024, 100)])
def test_few_clusters_for_many_groups_keep_the_level(clusters, groups):
    """Normal scores of clusters and no difference: chi-square alarms in up to 90% of runs, F in 5%."""
    rng = np.random.default_rng(3)
    by_f = by_chi_square = 0
    for _ in range(300):
        scores = rng.normal(size=(clusters, groups)) / clusters
        scores_around_mean = scores - scores.mean(axis=0)
        covariance = scores_around_mean.T @ scores_around_mean
        total = scores.sum(axis=0)
        by_f += equality.wald(total, covariance, df=clusters - 1).p_value < 0.05
        by_chi_square += equality.wald(total, covariance).p_value < 0.05
    assert 0.02 <= by_f / 300 <= 0.09
    assert by_chi_square > by_f


def test_no_more_clusters_than_contrasts_give_no_test():
    assert equality.wald(np.zeros(5), np.eye(5), df=4) is None
    assert equality.wald(np.zeros(5), np.eye(5), df=5) is not None
