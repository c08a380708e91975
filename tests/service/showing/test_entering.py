"""A token is exchanged for a cookie, and nothing else is let in."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from evenhand.service.http.routes.entering import is_secure
from service.showing.served import PAGE


@pytest.fixture
def browser(service):
    """A client without a token, which keeps cookies."""
    service.running.strangers._left.clear()
    service.client.cookies.clear()
    yield service.client
    service.client.cookies.clear()


def log_in(browser, token, **headers):
    return browser.post("/login", data={"token": token}, headers=PAGE | headers, follow_redirects=False)


def test_a_stranger_is_sent_to_the_form(browser):
    answer = browser.get("/", headers=PAGE, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert '<label for="token">' in browser.get("/login").text


def test_a_token_that_may_read_is_exchanged_for_a_cookie_that_only_reads(browser, service):
    answer = log_in(browser, service.admin)
    cookie = answer.headers["set-cookie"]
    assert answer.status_code == 303
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert service.admin not in cookie
    assert browser.get("/", headers=PAGE).status_code == 200
    assert browser.get("/login", headers=PAGE, follow_redirects=False).headers["location"] == "/"
    assert browser.get("/api/audits").status_code == 401  # cookies are for pages


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "is not known"),
        ("evh_00000000_" + "x" * 43, "is not known"),
        ("assign", "needs the scope &#39;read&#39;"),
    ],
)
def test_another_token_is_refused_in_one_sentence(browser, service, token, said):
    answer = log_in(browser, service.token("assign", "report") if token == "assign" else token)
    assert answer.status_code == 403
    assert said in answer.text
    assert "set-cookie" not in answer.headers
    assert 'role="alert"' in answer.text


def test_who_is_logged_out_or_revoked_is_a_stranger(browser, service):
    log_in(browser, service.reader)
    kept = dict(browser.cookies)
    answer = browser.post("/logout", headers=PAGE, follow_redirects=False)
    assert answer.headers["location"] == "/login"
    browser.cookies.update(kept)  # whoever copied it
    assert browser.get("/", headers=PAGE, follow_redirects=False).status_code == 303


def test_attempts_are_limited_by_address(browser, service, monkeypatch):
    monkeypatch.setattr(service.running.strangers, "_now", lambda: 0.0)  # however slow the machine is
    answers = [log_in(browser, "evh_00000000_" + "x" * 43).status_code for _ in range(40)]
    assert answers[0] == 403
    assert 429 in answers


def test_a_form_is_short_and_comes_from_here(browser, service):
    assert browser.post("/login", content=b"token=" + b"x" * 5_000, headers=PAGE).status_code == 413
    for elsewhere in ("cross-site", "same-site"):
        assert log_in(browser, service.reader, **{"sec-fetch-site": elsewhere}).status_code == 403


@pytest.mark.parametrize(
    ("scheme", "listening", "secure"),
    [
        ("http", "127.0.0.1", False),
        ("http", "::1", False),
        ("https", "127.0.0.1", True),  # a proxy on this computer says so
        ("http", "10.0.0.7", True),
        ("http", "evenhand.internal", True),
    ],
)
def test_the_cookie_is_for_https_alone_where_others_could_listen(scheme, listening, secure):
    scope = {"type": "http", "scheme": scheme, "server": (listening, 8000), "path": "/login", "headers": []}
    assert is_secure(Request(scope)) is secure


def test_a_browser_that_did_not_keep_the_cookie_is_told_why(browser):
    assert "did not keep the session" in browser.get("/login?taken").text


def test_files_are_kept_for_good_and_nothing_else_is_there(browser):
    page = browser.get("/login").text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in browser.get(address).headers["cache-control"]
    assert browser.get("/static/page.css").headers["cache-control"] == "no-cache"
    assert browser.get("/static/secret").status_code == 404


def test_who_asks_too_often_is_told_so_on_a_page(browser, service):
    answers = [browser.get("/", headers=PAGE, follow_redirects=False) for _ in range(40)]
    refused = next(one for one in answers if one.status_code == 429)
    assert "Back to the overview" in refused.text
    assert int(refused.headers["retry-after"]) >= 1
