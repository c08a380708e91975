"""Pages of the service in a real browser: they draw, fit, move, can be used by all, and ask nobody else."""

from __future__ import annotations

import time

import pytest

from evenhand.documents import text_of
from evenhand.service.log import Key
from monitor.page.in_store import filled
from service.showing.served import served

pytestmark = pytest.mark.slow
USERS = ["ann", "ben", "cem"]
ENVIOUS = 0  # whose own recommendations never please, as those of another always do


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A store with a monitor, and an audit that somebody is served in."""
    folder = tmp_path_factory.mktemp("store")
    filled(folder / "s.db").close()
    with served(folder) as running:
        running.watched = running.audit(users=USERS, epsilon=0.3, reward="a click")
        serve(running, 12)  # too few to decide anything, whatever is drawn
        yield running


def serve(service, visits):
    """So many to each, of whom one is better off with the recommendations of another."""
    for number in range(visits * len(USERS)):
        user = USERS[number % len(USERS)]
        own, best = (0.0, 1.0) if user == USERS[ENVIOUS] else (1.0, 0.0)
        service.visit(
            service.watched,
            user,
            lambda policy, user=user, own=own, best=best: own if policy == user else best,
        )


@pytest.fixture
def visit(browser, service, make):
    """A page of somebody who is logged in; what it complains about or asks of others fails the test."""
    for name in ("typical", "hostile"):
        document = text_of(getattr(make, name)())
        service.running.log.publish(Key(name, "test", ""), name, document).result(60)
    complaints, contexts = [], []
    address = str(service.client.base_url).rstrip("/")

    def open_page(path, width=1280, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # a machine that is busy draws slowly, and no worse
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda one: (
                one.url.startswith((f"{address}/", "data:")) or complaints.append(f"request: {one.url}")
            ),
        )
        service.running.strangers._left.clear()
        page.goto(f"{address}/")
        assert page.url == f"{address}/login"
        if path == "/login":
            return page
        page.get_by_label("Token").fill(service.reader)
        page.get_by_role("button", name="Log in").press("Enter")
        page.wait_for_url(f"{address}/")
        if path != "/":
            page.goto(f"{address}{path}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def until(page, expression):
    """Wait for what the page says itself: a string of script is nothing that it evaluates for others."""
    end = time.monotonic() + 120
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(100)


DRAWN = "[...document.images].every(one => one.complete && one.naturalWidth > 0)"
PATHS = ("/login", "/", "/audits/{audit}", "/monitors/feed", "/reports/typical", "/reports/hostile")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_draws_fits_and_can_be_used_by_all(visit, service, path, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(path.format(audit=service.watched), width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.evaluate("document.querySelectorAll('img').forEach(one => { one.loading = 'eager'; })")
    until(page, DRAWN)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    found = axe.run(page).response["violations"]
    serious = [
        (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


LIMITS = """[...document.querySelectorAll('.arms .interval')]
  .map(one => one.getAttribute('x2').slice(0, -1) - one.getAttribute('x1').slice(0, -1))
  .reduce((sum, one) => sum + one, 0)"""


def test_a_live_audit_moves_without_losing_who_reads_it(visit, service):
    page = visit(f"/audits/{service.watched}")
    until(page, "document.getElementById('liveness').textContent === 'This page moves by itself.'")
    page.locator("#numbers-2-fold").press("Enter")
    before, wide = page.locator("dl.large .estimate").nth(1).inner_text(), page.evaluate(LIMITS)
    said = page.locator("#said").inner_text()
    serve(service, 2)
    until(page, f"document.querySelectorAll('dl.large .estimate')[1].textContent !== '{before}'")
    assert page.locator("#numbers-2").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.id") == "numbers-2-fold"
    assert page.locator("#said").inner_text() == said  # nothing to be spoken: the answer is the same
    serve(service, 300)
    until(page, "document.getElementById('liveness').textContent === 'The audit is over.'")
    assert page.evaluate(LIMITS) < wide
    assert page.locator("#live .overall").inner_text().startswith("At least one person would be better off")
    assert page.locator("#said").inner_text() != said
    assert page.locator(".person").first.get_by_text("better off elsewhere").is_visible()
    assert page.locator(".arms .better").count() >= 1


def test_it_can_be_walked_through_with_the_keyboard_and_left(visit, service):
    page = visit("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to what matters"
    page.get_by_role("link", name="a click").press("Enter")
    page.wait_for_url(f"**/audits/{service.watched}")
    page.get_by_role("button", name="Log out").press("Enter")
    page.wait_for_url("**/login")
