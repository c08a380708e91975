"""A folder with small logs and a plan that is fine, to be changed by the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.datasets import marketplace

PLAN = """
seed = 1

[scope]
title = "A small marketplace"

[inputs.control]
path = "data/control.parquet"

[inputs.treatment]
path = "data/treatment.parquet"

[inputs.random]
path = "data/random.parquet"

[[audits]]
audit = "opportunity"
default = "control"
random = "random"
label = ["liked", "shared"]
group = "creator_age"
cluster = "user_id"

[[audits]]
audit = "compare"
arms = { control = "control", treatment = "treatment" }
random = "random"
label = "liked"
group = "creator_age"
"""


@pytest.fixture(scope="session")
def world():
    return marketplace(users=200, items=60, default_rows=5000, random_rows=3000)


@pytest.fixture(scope="session")
def data(world, tmp_path_factory) -> Path:
    return world.save(tmp_path_factory.mktemp("world") / "data")


@pytest.fixture
def folder(data, tmp_path) -> Path:
    """A folder with data/, in which plans can be put."""
    place = tmp_path / "project"
    place.mkdir()
    (place / "data").symlink_to(data)
    return place


@pytest.fixture
def plan(folder) -> Callable[..., Path]:
    """`plan("seed = 1", "seed = 2")`: the plan with its first `seed = 1` changed, as a file."""

    def write(old: str = "", new: str = "") -> Path:
        assert old in PLAN
        path = folder / "audit.toml"
        path.write_text(PLAN.replace(old, new, 1), encoding="utf-8")
        return path

    return write
