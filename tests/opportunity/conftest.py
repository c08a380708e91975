"""Logs and counts that the tests of this room share."""

import numpy as np
import pandas as pd
import pytest

from evenhand.opportunity.logs.arms import Arms


def make_log(rng, rows, rates, users=200):
    """A log in which group k and a like come together with probability rates[k]; the rest is not liked."""
    groups = np.array(list(rates))
    shares = np.array(list(rates.values()))
    k = rng.choice(len(groups) + 1, size=rows, p=[*shares, 1 - shares.sum()])
    liked = k < len(groups)
    other = rng.integers(len(groups), size=rows)
    return pd.DataFrame(
        {
            "user_id": rng.integers(users, size=rows),
            "item_id": rng.integers(50, size=rows),
            "creator_age": groups[np.where(liked, k % len(groups), other)],
            "liked": liked.astype("int8"),
        }
    )


@pytest.fixture
def logs():
    rng = np.random.default_rng(0)
    default = make_log(rng, 6_000, {"18-24": 0.10, "25-34": 0.16, "35+": 0.16})
    random = make_log(rng, 4_000, {"18-24": 0.06, "25-34": 0.07, "35+": 0.07})
    return default, random


@pytest.fixture
def arms_of():
    """Arms from totals: counts of positives (arms x groups), random counts, and the sizes of the logs."""

    def build(positives, random, total=10_000, random_total=10_000, **options):
        positives = np.atleast_2d(np.asarray(positives, dtype=float))
        return Arms(
            groups=tuple(str(k) for k in range(positives.shape[1])),
            positives=positives,
            totals=np.full(len(positives), float(total)),
            random_positives=np.asarray(random, dtype=float),
            random_total=float(random_total),
            scores=None,
            random_scores=None,
            **options,
        )

    return build
