"""What so many days of traffic would bring: counts in expectation, and as chance would move them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import Array, corrected_penalty, penalty
from evenhand.stats import normal
from evenhand.stats.log_ratios import counts

# Half of it is the share of planned audits that may leave out a group which they were to tell.
UNTOLD = 0.05


@dataclass(frozen=True)
class Traffic:
    """One day of default traffic in each arm and of random traffic, as shares of rows that are liked.

    `random_rates` are those of uniform rows. Where a pilot's rows are drawn unevenly, and weighted for it,
    `drawn_rates` are the liked rows of each group as they are drawn, and `effective_rates` how many of equal
    weight would be as good; None where rows weigh alike. `told_rates` are the liked rows of each group that
    an audit expects of its rows, by the rate of all groups; None where all are liked alike. `told_noise` is
    the variance of their logarithm, times rows; None where rows are independent. `scores` and `random_scores`
    are what each bucket of a pilot's users adds to log A and log B, and `pilot_rows` the rows of the two logs
    that they come from.
    """

    groups: tuple[str, ...]
    rates: Array  # arms x groups
    random_rates: Array
    rows: float
    random_rows: float
    design_effect: float = 1.0
    drawn_rates: Array | None = None
    effective_rates: Array | None = None
    told_rates: Array | None = None
    told_noise: Array | None = None
    scores: Array | None = None
    random_scores: Array | None = None
    pilot_rows: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def from_pilot(cls, default: LogCounts, random: LogCounts, rows: float, random_rows: float) -> Traffic:
        """Rates, weights and dependence of rows as in two logs over the same groups."""
        weighted = random.weights is not None
        return cls(
            groups=random.groups,
            rates=(default.positives.sum(axis=0) / default.total)[None],
            random_rates=random.weighted_positives.sum(axis=0) / random.weighted_total,
            rows=rows,
            random_rows=random_rows,
            drawn_rates=random.positives.sum(axis=0) / random.total if weighted else None,
            effective_rates=random.effective_positives / random.total if weighted else None,
            told_rates=random.expected_positives / random.total,
            told_noise=_noise_of_expected(random) if random.clustered else None,
            scores=default.scores if default.clustered else None,
            random_scores=random.scores if random.clustered else None,
            pilot_rows=(float(default.total), float(random.total)),
        )

    @property
    def pilot(self) -> Traffic:
        """The two logs of the pilot as one day of traffic."""
        default_rows, random_rows = self.pilot_rows
        return replace(self, rates=self.rates[:1], rows=default_rows, random_rows=random_rows)

    def without_noise(self) -> Traffic:
        """The traffic of a pilot without what its chance adds to the penalty.

        Utilities that are counted differ more than the true ones, the more the shorter the pilot is, and an
        audit of a less equal system takes longer. So they are moved together to where h^2 is the corrected
        one. A second arm moves with the first.
        """
        counted = self.utilities[0]
        h = float(penalty(counted))
        if h == 0:
            return self
        true = corrected_penalty(counted, self.pilot.arms(1.0).errors(0).covariance)
        mean = counted.mean()
        moved = self.rates * (mean + (counted - mean) * true / h) / counted
        return replace(self, rates=moved * self.rates.sum(axis=1, keepdims=True) / moved.sum(axis=1)[:, None])

    def with_treatment(self, factors: Mapping[str, float]) -> Traffic:
        """A second arm in which groups have `factors` times the opportunity, and as many rows are liked."""
        unknown = [name for name in factors if name not in self.groups]
        if unknown:
            raise InputError(
                f"treatment names the group {unknown[0]!r}, but the groups are {', '.join(self.groups)}."
            )
        changed = self.rates[0] * np.array([factors.get(name, 1.0) for name in self.groups])
        changed *= self.rates[0].sum() / changed.sum()
        return replace(self, rates=np.stack([self.rates[0], changed]))

    def with_random_rows(self, random_rows: float) -> Traffic:
        return replace(self, random_rows=random_rows)

    def with_share(self, share: float) -> Traffic:
        """So much of all traffic, that of every arm together, is random."""
        return self.with_random_rows(rows_of_share(share, len(self.rates) * self.rows))

    @property
    def share(self) -> float:
        return self.random_rows / (len(self.rates) * self.rows + self.random_rows)

    def relevance_cost(self, share: float) -> float:
        """How many of its liked rows traffic loses while so much is random (Dong and others, Eq. 28)."""
        return float(share * (1 - self.liked_at_random.sum() / self.rates[0].sum()))

    @property
    def utilities(self) -> Array:
        """U_k of each arm."""
        return np.asarray(self.rates / self.random_rates)

    @property
    def liked_at_random(self) -> Array:
        """The share of random rows, as they are drawn, that are liked and belong to each group."""
        return self.random_rates if self.drawn_rates is None else self.drawn_rates

    def random_positives(self, days: float) -> Array:
        """Liked rows that a random log of so many days would hold."""
        return np.asarray(self.liked_at_random * self.random_rows * days)

    def days_until(self, positives: float, random_positives: float) -> float:
        """Days until every group is expected to have so many liked rows in every default log, and an audit is
        sure to expect so many of it in random traffic."""
        own = positives * self.design_effect / (self.rates.min() * self.rows)
        return float(max(own, self.random_rows_until(random_positives, 1.0) / self.random_rows))

    def random_rows_until(self, positives: float, days: float) -> float:
        """Random rows a day with which every group has so many liked ones in so many days, and an audit is
        sure to expect them.

        It expects m e of m rows: those of the group times the rate of all. Both vary, together by the share
        s/sqrt(m) of m e. That m e is z such errors above the positives needs m = (zs/2 + sqrt(z^2 s^2/4 +
        positives/e))^2, with the z of all groups at once.
        """
        told = self.liked_at_random
        if self.told_rates is not None:
            told = np.minimum(told, self.told_rates)
        liked = float(self.random_rates.sum())
        noise = liked / told + 1 / liked if self.told_noise is None else self.told_noise
        margin = normal.critical_value(1 - UNTOLD / len(told)) * np.sqrt(noise) / 2
        rows = (margin + np.sqrt(margin**2 + positives / told)) ** 2
        return float(rows.max() * self.design_effect / days)

    def arms(self, days: float) -> Arms:
        """The logs of `days` days with every count at its expectation."""
        worth = days / self.design_effect
        random_rows = self.random_rows * worth
        clustered = self.scores is not None and self.random_scores is not None
        return Arms(
            groups=self.groups,
            positives=self.rates * self.rows * worth,
            totals=np.full(len(self.rates), self.rows * worth),
            random_positives=self.random_rates * random_rows,
            random_total=random_rows,
            scores=self._scores_of_arms(worth) if clustered else None,
            random_scores=self._grown(self.random_scores, random_rows, 1) if clustered else None,
            random_variance=None
            if self.effective_rates is None
            else 1 / (self.effective_rates * random_rows),
        )

    def _scores_of_arms(self, days: float) -> Array:
        """Every arm has users of its own, so its buckets are moved against those of the other logs."""
        one = self._grown(self.scores, self.rows * days, 0)
        arms = len(self.rates)
        if arms == 1:
            return one[:, None, :]
        shifts = [(arm + 1) * len(one) // (arms + 1) for arm in range(arms)]
        return np.stack([np.roll(one, shift, axis=0) for shift in shifts], axis=1)

    def _grown(self, scores: Array | None, rows: float, log: int) -> Array:
        """Scores of buckets with as many times the users as there are rows: deviations average out."""
        assert scores is not None
        mean = 1 / len(scores)
        return np.asarray(mean + (scores - mean) / np.sqrt(rows / self.pilot_rows[log]))

    def effect_of_clusters(self) -> float:
        """How many times the variance of independent rows log U has, relative to its mean over groups."""
        if self.scores is None:
            return self.design_effect
        alone = replace(self, scores=None, random_scores=None)
        centring = np.eye(len(self.groups)) - 1 / len(self.groups)
        spread, independent = (np.trace(centring @ t.arms(1.0).errors(0).covariance) for t in (self, alone))
        return float(spread / independent)

    def drawn(self, days: float, draws: int, seed: int) -> Iterator[Arms]:
        """The logs of `days` days as chance would have them: an evenly spread set of `draws`."""
        expected = self.arms(days)
        covariance = covariance_of_logs(expected)
        arms, groups = expected.positives.shape
        # Draws go to a group by its numbers, so that the order in which groups are named does not matter.
        variances = np.diag(covariance).reshape(arms + 1, groups)
        order = np.lexsort((*variances, *self.rates, self.random_rates))
        place = (groups * np.arange(arms + 1)[:, None] + order).ravel()
        noise = np.empty((draws, len(place)))
        noise[:, place] = normal.draws_with_covariance(covariance[np.ix_(place, place)], draws, seed)
        # A count with mean A and log-variance v has the mean log of about log A - v/2.
        noise -= np.diag(covariance) / 2
        for moved in np.exp(noise):
            own, common = moved[: arms * groups].reshape(arms, groups), moved[arms * groups :]
            variance = expected.random_variance
            yield replace(
                expected,
                positives=expected.positives * own,
                random_positives=expected.random_positives * common,
                random_variance=None if variance is None else variance / common,
            )


def rows_of_share(share: float, default_rows: float) -> float:
    """Random rows that are `share` of all rows."""
    return default_rows * share / (1 - share)


def _noise_of_expected(random: LogCounts) -> Array:
    """How much the logarithm of the liked rows that are expected of each group varies, times all rows: they
    are the rows of the group times liked rows over all rows, and each bucket of users adds to all three."""
    of_groups = random.rows / np.maximum(random.rows.sum(axis=0), 1)
    liked = random.weighted_positives.sum(axis=1) / random.weighted_positives.sum()
    scores = of_groups + (liked - random.rows.sum(axis=1) / random.total)[:, None]
    return np.asarray(random.total * ((scores - scores.mean(axis=0)) ** 2).sum(axis=0))


def covariance_of_logs(arms: Arms) -> Array:
    """Covariance of log A of every arm, then of log B."""
    if arms.scores is not None and arms.random_scores is not None:
        scores = np.hstack([arms.scores.reshape(len(arms.scores), -1), arms.random_scores])
        return counts.cluster_covariance(scores - scores.mean(axis=0))
    random = 1 / arms.random_positives if arms.random_variance is None else arms.random_variance
    return np.diag(np.append(1 / arms.positives, random))
