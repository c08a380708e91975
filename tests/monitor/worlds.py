"""A small world that a monitor follows: a plan, and logs of a few days."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

PLAN = """
[inputs.default]
path = "default-{day}.parquet"
label_definition = "liked"

[inputs.random]
path = "random-{day}.parquet"
label_definition = "liked"

[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "group"
cluster = "user_id"
"""


def days(count: int, first: str = "2026-01-01") -> list[str]:
    return [str(day.date()) for day in pd.date_range(first, periods=count)]


def write_day(folder: Path, day: str, *, seed: int = 0, rows: int = 3_000, groups: str = "abc") -> None:
    rng = np.random.default_rng([seed, *map(int, day.split("-"))])
    for name, n, shares in (("default", rows, [0.4, 0.35, 0.25]), ("random", rows // 2, [1 / 3] * 3)):
        group, user = rng.choice(3, n, p=shares), rng.integers(0, 400, n)
        liked = rng.random(n) < 0.15 + 0.1 * (user % 5 == 0)
        frame = pd.DataFrame(
            {"user_id": user, "group": np.array(list(groups))[group], "liked": liked.astype(int)}
        )
        frame.to_parquet(folder / f"{name}-{day}.parquet")


def write_plan(folder: Path, text: str = PLAN) -> Path:
    path = folder / "feed.toml"
    path.write_text(text)
    return path
