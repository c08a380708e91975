"""A/B tests whose planned split changes from phase to phase, looked at on each of 60 days."""

import numpy as np

from evenhand.stats.many_looks.sample_ratio import log_e_value, p_value, p_value_of_parts

DAYS = 60
RAMP = np.array([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]])
LONG_RAMP = np.linspace([0.9, 0.1], [0.5, 0.5], 10)
THREE_ARMS = np.array([[0.98, 0.01, 0.01], [0.8, 0.1, 0.1], [0.4, 0.3, 0.3]])


def ramp_up(truth, users_a_day, runs, seed=6):
    """New users by phase and arm up to each day, runs x days x phases x arms; all phases are as long."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros((runs, DAYS, *truth.shape))
    for day in range(DAYS):
        phase = day * len(truth) // DAYS
        drawn[:, day, phase] = rng.multinomial(users_a_day, truth[phase], size=runs)
    return drawn.cumsum(axis=1)


def tilted(shares, odds, phases=slice(None)):
    """Shares of which the first arm has `odds` times the planned odds in some phases."""
    truth = shares.copy()
    truth[phases, 0] *= odds
    return truth / truth.sum(axis=-1, keepdims=True)


def alarms_of(counts, shares):
    """How many runs ever alarm, by what: all phases together, one of them (Holm: the smallest p-value times
    their number), either of both as in findings; and the product of E of the phases, and E of one split."""
    together = p_value_of_parts(counts, shares) <= 0.05
    alone = len(shares) * p_value(counts, shares).min(axis=-1) <= 0.05
    ever = {
        "together": together,
        "a phase": alone,
        "either": together | alone,
        "product": log_e_value(counts, shares).sum(axis=-1) >= np.log(20),
        "one split": p_value(counts.sum(axis=2), shares[-1]) <= 0.05,
    }
    return {by: int(alarm.any(axis=1).sum()) for by, alarm in ever.items()}
