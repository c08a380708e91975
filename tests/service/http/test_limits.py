"""How often, whoever asks: by token, and by address where there is none."""

import pytest

from evenhand.service.access.limits import Rate
from service.http.served import Served
from service.log.conftest import Time


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("limits") / "s.db", Time())
    yield made
    made.end()


@pytest.fixture
def rates(served, monkeypatch):
    """Five requests a second for each, ten at once; their clock stands still."""
    running, now = served.app.state.running, [0.0]
    for name in ("rate", "strangers", "public"):
        monkeypatch.setattr(running, name, Rate(5.0, lambda: now[0]))
    return now


def refused(found):
    assert found.status_code == 429
    assert int(found.headers["retry-after"]) >= 1
    assert list(found.json()) == ["error"]
    return True


def test_a_token_that_asks_too_often(served, rates):
    one, other = served.token("read"), served.token("read")
    found = [served.get("/api/audits", token=one) for _ in range(12)]
    assert [each.status_code for each in found] == [200] * 10 + [429] * 2
    assert refused(found[-1])
    assert served.get("/api/audits", token=other).status_code == 200
    rates[0] += 0.4
    found = [served.get("/api/audits", token=one).status_code for _ in range(4)]
    assert found == [200, 200, 429, 429]


def test_strangers_by_address(served, rates):
    found = [served.client.get("/api/audits") for _ in range(12)]
    assert [each.status_code for each in found] == [401] * 10 + [429] * 2
    assert refused(found[-1])
    assert served.get("/api/audits", token="evh_00000000_" + "x" * 43).status_code == 429
    assert served.get("/api/audits").status_code == 200  # who is known is not kept out by strangers beside


def test_what_anybody_may_ask(served, rates):
    found = [served.client.get("/metrics") for _ in range(12)]
    assert [each.status_code for each in found] == [200] * 10 + [429] * 2
    assert served.client.get("/openapi.json").status_code == 429
    for probe in ("/readyz", "/healthz"):  # whoever watches the server may be behind the same proxy
        found = [served.client.get(probe) for _ in range(12)]
        assert [each.status_code for each in found] == [200] * 10 + [429] * 2
    assert refused(found[-1])
    assert served.get("/api/audits").status_code == 200
