"""The site that `make docs` made, in a real browser: it draws, fits, is found, and asks nobody outside."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS.parent / "build" / "docs"

# One of each kind; `make test-whole` looks at all of them.
KINDS = (
    "index",
    "start/read-the-report",
    "tutorials/users",
    "howto/ci-gate",
    "explain/creators",
    "reference/commands/audit",
    "reference/http-api",
    "reference/python/envy",
    "evidence/benchmarks",
    "gallery/index",
)
FOUND = {
    "GEAA": "reference/measures/embeddings",
    "tolerance": "howto/choose-tolerances",
    "fail-on": "reference/commands/compare",
    "random traffic": "howto/log-random-traffic",
    "certificate": "reference/certificates",
    "webhook": "howto/alerts",
    "Spark": "howto/spark",
    "Plackett-Luce": "explain/exposure",
    "exit codes": "reference/exit-codes",
    "Holm": "evidence/decisions/0027-several-questions",
}


def _all_pages() -> list[Any]:
    """Every page of the sources; those that stand for a kind are looked at first."""
    names = sorted(str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md"))
    names = [name for name in names if not name.startswith("_")]
    assert set(KINDS) <= set(names)
    return [name if name in KINDS else pytest.param(name, marks=pytest.mark.whole) for name in names]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Any]:
    """Open a page; whatever it complains about or asks of others fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_page(path: str, width: int) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda one: one.type in ("log", "debug", "info") or complaints.append(f"console: {one.text}"),
        )
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "request",
            lambda one: (
                one.url.startswith((f"{address}/", "data:", "blob:"))
                or complaints.append(f"request: {one.url}")
            ),
        )
        page.on("response", lambda one: one.ok or complaints.append(f"{one.status}: {one.url}"))
        page.goto(f"{address}/{path}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", _all_pages())
def test_a_page_draws_fits_and_can_be_used_by_all(visit, name, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(f"{name}.html", width)
    page.evaluate("document.querySelectorAll('img').forEach(one => { one.loading = 'eager'; })")
    page.wait_for_function("[...document.images].every(one => one.complete && one.naturalWidth > 0)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Without its own reading of style sheets, which looks for what they import beside the page.
    found = axe.run(page, options={"preload": False, "resultTypes": ["violations"]}).response["violations"]
    serious = [
        (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("asked", FOUND)
def test_search_finds_the_page(visit, asked):
    page = visit(f"search.html?q={quote(asked)}", 1280)
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent.includes('finished')")
    links = page.eval_on_selector_all("#search-results li > a", "all => all.map(one => one.href)")
    assert any(f"/{FOUND[asked]}.html" in link for link in links)


def test_search_does_not_find_what_is_not_there(visit):
    page = visit("search.html?q=zyzzyva", 1280)
    page.wait_for_function("document.querySelector('.search-summary')?.textContent.includes('did not match')")
