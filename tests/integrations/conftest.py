"""A clean folder with a plan and its logs, and a shell in it that knows this Python as `python`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
RECIPES = REPOSITORY / "integrations"

PLAN = """
[scope]
title = "Home feed"

[inputs.default]
path = "logs/default.parquet"

[inputs.random]
path = "logs/random.parquet"

[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
cluster = "user_id"
"""


def impressions(shown_young: float, rows: int = 6000) -> pd.DataFrame:
    """Rows in which the young are liked as often as others, and shown as often as asked for."""
    random = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "user_id": random.integers(0, 500, rows),
            "item_id": random.integers(0, 100, rows),
            "creator_age": np.where(random.random(rows) < shown_young, "18-24", "25+"),
            "liked": random.random(rows) < 0.3,
        }
    )


@pytest.fixture
def clean_folder(tmp_path) -> Path:
    folder = tmp_path / "a clean folder"
    (folder / "logs").mkdir(parents=True)
    impressions(0.2).to_parquet(folder / "logs/default.parquet", index=False)
    impressions(0.5).to_parquet(folder / "logs/random.parquet", index=False)
    (folder / "our audit.toml").write_text(PLAN)
    return folder


@pytest.fixture
def shell(tmp_path):
    """Runs a script as a build does: `shell(script, folder, NAME="value")`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("python", ""), ("evenhand", "-m evenhand")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)

    def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        source = os.pathsep.join(filter(None, [str(REPOSITORY / "src"), os.environ.get("PYTHONPATH")]))
        known = {key: os.environ[key] for key in ("HOME", "NUMBA_CACHE_DIR") if key in os.environ}
        # Evenhand is installed here: pip has nothing to ask anybody.
        known |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "LANG": "C.UTF-8"}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=folder,
            env={**known, "PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": source, **variables},
            capture_output=True,
            text=True,
            timeout=300,
        )

    run.programs = programs
    return run
