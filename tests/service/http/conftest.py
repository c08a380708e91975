"""One server a module, and one audit that every test of it may use."""

from __future__ import annotations

import pytest

from evenhand.service.expected import Expectations
from service.http.served import Served
from service.log.conftest import Time


@pytest.fixture(scope="module")
def time():
    return Time()


@pytest.fixture(scope="module", autouse=True)
def _at_once():
    """Steps of a user by no simulation: `test_expected` has the real ones."""

    async def compute(self, key):
        steps = {"nobody_better_off": 1000, "another_is_better": 200, "own_is_better": None}
        self._known[key] = steps
        del self._running[key]

    patched = pytest.MonkeyPatch()
    patched.setattr(Expectations, "_compute", compute)
    yield
    patched.undo()


@pytest.fixture(scope="module")
def served(tmp_path_factory, time):
    made = Served(tmp_path_factory.mktemp("served") / "s.db", time)
    yield made
    made.end()


@pytest.fixture(scope="module")
def audit(served):
    return served.audit()
