"""Small logs on disk, and the command line run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evenhand.cli.common import progress_on_terminal
from evenhand.cli.main import main

AGES = ("mid", "old", "young")


def make_log(rows: int, rates: dict[str, float], seed: int) -> pd.DataFrame:
    """Impressions of 80 users and 42 items, a third of them by creators of each age."""
    rng = np.random.default_rng(seed)
    item = rng.integers(0, 42, rows)
    age = np.array(AGES)[item % 3]
    liked = rng.random(rows) < np.array([rates[a] for a in age])
    return pd.DataFrame(
        {
            "user_id": rng.integers(0, 80, rows),
            "item_id": item,
            "creator_age": age,
            "liked": liked.astype(int),
            "shared": (rng.random(rows) < 0.1).astype(int),
        }
    )


@pytest.fixture(autouse=True)
def without_a_clock(monkeypatch):
    """On a slow machine nothing more is said than on a quick one."""
    monkeypatch.setattr(progress_on_terminal, "EVERY", float("inf"))


@pytest.fixture(scope="session")
def frames() -> dict[str, pd.DataFrame]:
    """Old creators are under-exposed in the default log, hardly so in the treatment."""
    return {
        "default": make_log(4000, {"young": 0.4, "mid": 0.3, "old": 0.1}, 1),
        "treatment": make_log(4000, {"young": 0.3, "mid": 0.3, "old": 0.25}, 2),
        "random": make_log(3000, dict.fromkeys(AGES, 0.3), 3),
        "items": pd.DataFrame({"item_id": range(42), "age": [AGES[i % 3] for i in range(42)]}),
        "users": pd.DataFrame({"user_id": range(80), "gender": ["f", "m"] * 40}),
    }


@pytest.fixture
def logs(frames, tmp_path, monkeypatch) -> Path:
    """A folder with the frames as Parquet, which is also the working folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, frame in frames.items():
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    monkeypatch.chdir(folder)
    return folder


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


Evenhand = Callable[..., Ran]


@pytest.fixture
def evenhand(monkeypatch, capsys) -> Evenhand:
    """`evenhand("audit", "plan.toml")` in this process: through `main`, as the console script does."""

    def run(*words: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["evenhand", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return Ran(left.value.code, out, err)

    return run


@pytest.fixture
def refused(evenhand, tmp_path) -> Callable[..., str]:
    """Run a command that must be refused: exit 2, one sentence, no traceback, nothing written."""

    def run(*words: object) -> str:
        out = tmp_path / "refused"
        ran = evenhand(*words, *(() if "--out" in words else ("--out", out)))
        assert ran.code == 2, ran
        assert ran.out == ""
        assert ran.err.startswith("Error: ")
        assert ran.err.count("\n") == 1
        assert ran.err.endswith(".\n")
        assert "Traceback" not in ran.err
        assert not out.exists()
        return ran.err.removeprefix("Error: ").strip()

    return run
