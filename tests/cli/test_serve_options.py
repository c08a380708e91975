"""What `evenhand serve` hands to the server."""

import pytest

from evenhand.service.http import serving
from evenhand.store import connecting


@pytest.fixture
def ran(monkeypatch):
    """What the server would be run with; nothing listens."""
    found = {}
    monkeypatch.setattr(serving, "serve", lambda store, *asked, **named: found.update(named))
    monkeypatch.setattr(connecting, "open_store", lambda address, **named: found.update(named))
    return found


def test_proxies_that_are_believed(evenhand, ran):
    done = evenhand(
        "serve", "--store", "s.db", "--trusted-proxy", "10.0.0.7", "--trusted-proxy", "10.1.0.0/16"
    )
    assert done.code == 0
    assert ran["proxies"] == ["10.0.0.7", "10.1.0.0/16"]
    assert ran["silent_s"] == serving.SILENT_S  # a database that hangs is not waited for


@pytest.mark.parametrize("proxy", ["proxy.example", "10.0.0.7/8", "*"])
def test_what_is_no_address_is_refused(evenhand, ran, proxy):
    done = evenhand("serve", "--store", "s.db", "--trusted-proxy", proxy)
    assert done.code == 2
    assert f"--trusted-proxy {proxy} is not an address such as 10.0.0.7" in done.err


def test_an_address_that_is_empty_is_refused(evenhand, ran):
    """As of a variable that nobody set: it would be every address of the machine."""
    done = evenhand("serve", "--store", "s.db", "--host", "")
    assert done.code == 2
    assert "--host is empty" in done.err
    assert ran == {}
