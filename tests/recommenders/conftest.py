"""A small world of tastes that every model should be able to learn."""

import numpy as np
import pandas as pd
import pytest

from evenhand.recommenders import Interactions


@pytest.fixture(scope="session")
def tastes() -> pd.DataFrame:
    """120 users and 60 items of two kinds; users take items of their own kind four times in five."""
    rng = np.random.default_rng(0)
    rows = []
    for user in range(120):
        own = np.arange(60) % 2 == user % 2
        weights = np.where(own, 4.0, 1.0)
        taken = rng.choice(60, size=20, replace=False, p=weights / weights.sum())
        rows += [(f"u{user:03d}", int(item), float(order)) for order, item in enumerate(taken)]
    return pd.DataFrame(rows, columns=["user_id", "item_id", "timestamp"])


@pytest.fixture(scope="session")
def interactions(tastes) -> Interactions:
    return Interactions.from_frame(tastes)
