"""Worlds are built once a worker; no test may change one."""

import pytest

from evenhand.datasets import World, marketplace

NO_PLANTS = {
    "opportunity": 0.0,
    "treatment": 0.0,
    "exposure": 0.0,
    "groups": 0.0,
    "envy": 0.0,
    "association": 0.0,
}


@pytest.fixture(scope="session")
def world() -> World:
    """The default world."""
    return marketplace()


@pytest.fixture(scope="session")
def small() -> World:
    """Small enough for plain loops."""
    return marketplace(users=60, items=40, days=3, seed=5, default_rows=1000, random_rows=500)


@pytest.fixture(scope="session")
def fair() -> World:
    """The default sizes with nothing planted."""
    return marketplace(default_rows=1000, random_rows=1000, **NO_PLANTS)
