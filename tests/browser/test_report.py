"""The report in a real browser: it draws, fits, contrasts, prints, and talks to nobody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.report.pages import html

pytestmark = pytest.mark.slow

DOCUMENTS = ("typical", "crowded", "hostile", "associated", "planned")

# Contrast of text with the nearest painted background, by the formula of WCAG 2.
CONTRAST = """
selector => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = channels(colour).map(c => c / 255)
      .map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const parts = channels(getComputedStyle(e).backgroundColor);
      if (parts.length === 3 || parts[3] === 1) return getComputedStyle(e).backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  return Math.min(...[...document.querySelectorAll(selector)].map(element => {
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  }));
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # Not at the top of the file: a skip while collecting would count where slow tests are not asked for.
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("neither chromium nor google-chrome is installed")
    switches = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=switches)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser, make, tmp_path: Path) -> Iterator[Any]:
    """Open a document's report; whatever the page complains about or asks for fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_page(name: str, width: int = 1280, scheme: str = "light", script: bool = True) -> Any:
        path = tmp_path / f"{name}.html"
        path.write_text(html.render(getattr(make, name)()), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:")) or complaints.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri())
        if script:
            page.wait_for_function(
                "[...document.querySelectorAll('[data-chart]')]"
                ".every(c => c.closest('details:not([open])') || c.querySelector('svg'))"
            )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("width", [320, 390, 834, 1000, 1280])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_sticks_out_even_when_all_is_unfolded(visit, name, width):
    page = visit(name, width)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.wait_for_function(
        "[...document.querySelectorAll('[data-chart]')].every(chart => chart.querySelector('svg'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].map(svg => svg.getBoundingClientRect().width)"
    )
    room = page.evaluate("document.querySelector('main').clientWidth")
    assert all(min(250, room * 0.7) < drawn <= room for drawn in widths)


def test_a_picture_shows_every_group_with_an_estimate(visit):
    page = visit("typical")
    drawn = page.locator("[data-chart=chart-1] svg")
    for name in ("18-24", "25-34", "35-44", "45-54", "55-64"):
        assert drawn.get_by_text(name, exact=True).count() == 1
    assert drawn.locator("g.mark-symbol path").count() == 5


def test_both_values_along_a_direction_have_names_and_curves(visit):
    drawn = visit("associated").locator("[data-chart] svg").filter(has_text="women (60)")
    assert drawn.count() == 1
    assert drawn.get_by_text("men (80)", exact=True).count() == 1
    assert drawn.locator("g.mark-line path").count() == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_a_trade_off_has_one_axis_below_and_one_above(visit, width):
    drawn = visit("planned", width).locator("[data-chart] svg").filter(has_text="best balance")
    for label in ("needed", "2.2%", "1.3%", "0.1%", "1%", "10%", "−0.05%", "−0.5%", "−5%"):
        assert drawn.get_by_text(label, exact=True).count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(visit, scheme):
    page = visit("typical", scheme=scheme)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 27)"
    assert dark == (scheme == "dark")
    for selector in ("p", "li", "td", "dd", "h1, h2, h3", ".verdict", ".muted", "dt", "th", "summary", "a"):
        assert page.evaluate(CONTRAST, selector) >= 4.5, selector


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_follow_the_colour_scheme(visit, scheme):
    page = visit("typical", scheme=scheme)
    colours = page.evaluate(
        "[getComputedStyle(document.querySelector('[data-chart] svg text')).fill, "
        "getComputedStyle(document.body).color]"
    )
    assert colours[0] == colours[1]


def test_a_dark_reader_prints_in_light_with_everything_unfolded(visit):
    page = visit("crowded", scheme="dark", script=False)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert (
        page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    folded = page.locator("details td", has_text="region-30").first
    assert folded.bounding_box()["height"] > 0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paper_is_wide_enough(visit, name):
    page = visit(name)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


def test_numbers_are_there_without_scripts(visit):
    page = visit("typical", script=False)
    assert page.locator("svg.strip").count() == 3
    assert page.locator("#everything tbody tr").count() == 13


def test_links_at_the_top_lead_into_folded_parts(visit):
    page = visit("crowded")
    page.locator(".attention a").last.click()
    target = page.evaluate("location.hash.slice(1)")
    assert target.startswith("finding-")
    assert page.locator(f"#{target}").is_visible()
