"""Other intervals for h_arm - h_baseline, from counts alone: partition and Welch, and the bootstrap.

They are Algorithms 3 and 4 of Dong and others (2024, Appendix G) and two more of the bootstrap's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import special

from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalties_of
from evenhand.opportunity.inference.differences import Difference
from evenhand.opportunity.measures import Array
from evenhand.stats import bootstrap
from evenhand.stats.means.welch import welch

BootstrapDifference = Literal["normal", "percentile", "bca"]


def bootstrap_differences(
    arm: LogCounts,
    baseline: LogCounts,
    random: LogCounts,
    method: BootstrapDifference,
    levels: Sequence[float],
    seed: int,
    *,
    replicates: int,
    shared_random: bool = True,
) -> list[Difference]:
    """An interval for each level, from replicates of all three logs.

    `normal` is Algorithm 4: a replicate of the random log serves both arms, as the log itself does. With
    `shared_random=False` each arm gets its own, which is what Algorithm 2 takes for granted.
    """
    values = _replicates(arm, baseline, random, replicates, seed, shared_random)
    estimate = float(_totals_difference(arm, baseline, random))
    p_value = None
    if method == "normal":
        error = float(values.std(ddof=1))
        p_value = float(2 * special.ndtr(-abs(estimate) / error)) if error > 0 else float(estimate == 0)
        made = [bootstrap.normal_interval(values, estimate, level) for level in levels]
    elif method == "percentile":
        made = [bootstrap.percentile_interval(values, level) for level in levels]
    else:
        acceleration = _acceleration(arm, baseline, random, shared_random)
        made = [bootstrap.bca_interval(values, estimate, acceleration, level) for level in levels]
    name = f"bootstrap {method}, {replicates:,} replicates"
    return [Difference(estimate, low, high, p_value, name) for low, high in made]


def welch_differences(
    arm: LogCounts, baseline: LogCounts, random: LogCounts, levels: Sequence[float], seed: int, *, folds: int
) -> list[Difference]:
    """An interval for each level by Algorithm 3: the penalty of each of `folds` parts, then Welch.

    The estimate is the difference of the mean penalties of the parts. A part has fewer rows, so its penalty
    is biased upwards by more than that of the whole. The random log is divided anew for each arm; that
    both arms' parts come from the same one is not known to Welch's formula.
    """
    rng = np.random.default_rng(seed)
    compared = welch(*(_fold_penalties(log, random, folds, rng) for log in (arm, baseline)))
    return [
        Difference(compared.estimate, *compared.interval(level), compared.p_value, f"welch, {folds} parts")
        for level in levels
    ]


def _totals_difference(arm: LogCounts, baseline: LogCounts, random: LogCounts) -> Array:
    reference = random.positives.sum(axis=0)
    return penalties_of(arm.positives.sum(axis=0), reference) - penalties_of(
        baseline.positives.sum(axis=0), reference
    )


def _replicates(
    arm: LogCounts, baseline: LogCounts, random: LogCounts, replicates: int, seed: int, shared_random: bool
) -> Array:
    rng = np.random.default_rng(seed)
    if shared_random:
        first, second, reference = _resampled([arm, baseline, random], replicates, rng)
        return penalties_of(first, reference) - penalties_of(second, reference)
    one, other = (penalties_of(*_resampled([log, random], replicates, rng)) for log in (arm, baseline))
    return one - other


def _resampled(logs: list[LogCounts], replicates: int, rng: np.random.Generator) -> list[Array]:
    """Resampled positives of each log; where clusters are known, a user's rows move together in all."""
    if logs[0].clustered:
        together = np.hstack([log.positives for log in logs]).astype(float)
        return np.split(bootstrap.resample_clusters(together, replicates, rng), len(logs), axis=1)
    return [
        bootstrap.resample_counts(log.positives[0], log.total, replicates, rng).astype(float) for log in logs
    ]


def _acceleration(arm: LogCounts, baseline: LogCounts, random: LogCounts, shared_random: bool) -> float:
    a, c, b = (log.positives.sum(axis=0) for log in (arm, baseline, random))
    if arm.clustered:
        first = penalties_of(a - arm.positives, b - random.positives)
        second = penalties_of(c - baseline.positives, b - random.positives)
        ones = np.ones(len(first))
        parts = [first - second] if shared_random else [first, -second]
        return bootstrap.acceleration([(values, ones) for values in parts])
    h_arm, h_baseline = penalties_of(a, b), penalties_of(c, b)
    fewer_random = penalties_of(a, _one_less(b)), penalties_of(c, _one_less(b))
    samples = [
        (arm, penalties_of(_one_less(a), b) - h_baseline),
        (baseline, h_arm - penalties_of(_one_less(c), b)),
    ]
    if shared_random:
        samples.append((random, fewer_random[0] - fewer_random[1]))
    else:
        samples += [(random, fewer_random[0] - h_baseline), (random, h_arm - fewer_random[1])]
    # A row that is not positive changes only the common scale, so leaving it out leaves the penalties alone.
    return bootstrap.acceleration(
        [
            (
                np.append(values, h_arm - h_baseline),
                np.append(log.positives[0], log.total - log.positives.sum()).astype(float),
            )
            for log, values in samples
        ]
    )


def _one_less(counts: Array) -> Array:
    """Rows of counts, each with one less in one group."""
    return np.maximum(counts - np.eye(len(counts), dtype=np.int64), 0)


def _fold_penalties(log: LogCounts, random: LogCounts, folds: int, rng: np.random.Generator) -> Array:
    if log.clustered:
        order = np.array_split(rng.permutation(len(log.positives)), folds)
        parts, references = (
            np.array([counts.positives[buckets].sum(axis=0) for buckets in order]) for counts in (log, random)
        )
    else:
        # Every row into a part at random, on nothing but counts: the size of a part cancels in its penalty.
        parts, references = (
            rng.multinomial(counts.positives[0], np.full(folds, 1 / folds)).T for counts in (log, random)
        )
    lost = (references == 0).any(axis=0)
    if lost.any():
        group, count = random.groups[int(lost.argmax())], int(random.positives[:, lost.argmax()].sum())
        raise InputError(
            f"interval 'welch' divides the logs into {folds} parts, and a part of the random log has no "
            f"positive row of group {group!r} ({count:,} in the whole log): use fewer folds, or the interval "
            "'hull'."
        )
    if not parts.any(axis=1).all():
        raise InputError(
            f"interval 'welch' divides the logs into {folds} parts, and a part of an arm's log has no "
            f"positive row ({int(log.positives.sum()):,} in the whole log): use fewer folds, or the interval "
            "'hull'."
        )
    return penalties_of(parts, references)
