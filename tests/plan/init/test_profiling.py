"""What depends on what, and in what time."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.tables.opening import opened
from evenhand.plan.init.tables.profiling import profile


@pytest.fixture
def profiled(tmp_path):
    def made(frame):
        frame.to_parquet(tmp_path / "log.parquet", index=False)
        (files,) = look([tmp_path]).tables
        return profile(opened(files, tmp_path))

    return made


def test_a_column_depends_on_a_key_if_no_value_of_the_key_has_two_of_it(profiled):
    key = np.arange(600) % 40
    each = {
        "number": key * 0.5,
        "text": np.array([f"v{one}" for one in key]),
        "truth": key % 2 == 0,
        "time": pd.Timestamp("2026-01-01") + pd.to_timedelta(key, unit="D"),
        "empty": np.full(600, None, dtype=object),
        "list": [[int(one)] for one in key],
    }
    frame = pd.DataFrame({"user_id": key, **each})
    frame["gaps"] = frame.number.where(np.arange(600) % 3 > 0)  # what is missing is no second value
    names = [*each, "gaps"]
    assert profiled(frame).depends_on(names, "user_id") == names
    for name in (name for name in names if name != "empty"):
        other = frame.copy()
        other.at[599, name] = other.at[4, name]  # of another user
        assert profiled(other).depends_on(names, "user_id") == [one for one in names if one != name]


def test_hundreds_of_columns_take_no_longer_than_so_many_times_a_few(profiled):
    """300 took 1,400 times as long as 30, and so a minute."""
    rng = np.random.default_rng(1)
    flags = pd.DataFrame(rng.integers(0, 2, (3000, 300)), columns=[f"feat_{k}" for k in range(300)])
    wide = profiled(flags.assign(user_id=rng.integers(0, 500, 3000)))
    took = []
    for columns in (list(flags)[:30], list(flags)):
        begun = time.process_time()
        assert wide.depends_on(columns, "user_id") == []
        took.append(time.process_time() - begun)
    assert took[1] < 40 * took[0]
