"""An audit that is damaged in the store: all others are listed and served, and it is named."""

import sqlite3

import pytest

from service.http.served import Served
from service.log.conftest import Time


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A server, an audit that is damaged, another one, and a visit to each."""
    served = Served(tmp_path_factory.mktemp("damaged") / "s.db", Time())
    audits = served.audit(), served.audit(reward="a purchase")
    visits = [served.post(f"/api/audits/{one}/assignments", {"user": "ann"}).json()["id"] for one in audits]
    served.end()
    with sqlite3.connect(served.path) as connection:
        connection.execute("UPDATE event SET payload = '[1' WHERE audit = ? AND stream = 0", [audits[0]])
    connection.close()
    served.begin()
    yield served, audits, visits
    served.end()


def test_it_is_listed_with_what_is_wrong(damaged):
    served, audits, _ = damaged
    for path in ("/api/audits", "/overview.json"):
        found = served.get(path)
        assert found.status_code == 200
        listed = found.json() if path.startswith("/api") else found.json()["audits"]
        told = {one["id"]: one["damaged"] for one in listed}
        assert set(told) == set(audits)
        assert told[audits[1]] is None
        assert f"The audit {audits[0]} is damaged in the store" in told[audits[0]]
    assert found.json()["overall"][:2] == ["1 audit is running.", "1 audit is damaged in the store."]


def test_the_page_has_both(damaged):
    served, audits, _ = damaged
    page = served.get("/", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "a purchase" in page.text
    assert f"The audit {audits[0]} is damaged in the store" in page.text
    assert f'href="/audits/{audits[0]}"' not in page.text


@pytest.mark.parametrize("path", ["", "/targets", "/events", "/certificate"])
def test_whoever_asks_for_it_hears_what_is_wrong(damaged, path):
    served, audits, _ = damaged
    found = served.get(f"/api/audits/{audits[0]}{path}")
    assert found.status_code == 503
    assert audits[0] in found.json()["error"]
    assert served.get(f"/api/audits/{audits[1]}{path}").status_code == 200


def test_reports_of_others_in_the_same_list_count(damaged):
    served, _, visits = damaged
    said = [{"assignment": one, "reward": 1.0} for one in visits]
    results = served.post("/api/rewards", said).json()["results"]
    assert [one["status"] for one in results] == [503, 200]
    assert "is damaged in the store" in results[0]["error"]
