"""The report in a real browser: it draws, fits, contrasts, prints, and talks to nobody."""

from __future__ import annotations

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


@pytest.fixture
def visit(browser, make, tmp_path: Path) -> Iterator[Any]:
    """Open a document's report; whatever the page complains about or asks for fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_page(
        name: str, width: int = 1280, scheme: str = "light", script: bool = True, asked: str = ""
    ) -> Any:
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
                request.url.startswith(("file:", "data:", "blob:"))
                or complaints.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri() + asked)
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


def unfolded(page: Any) -> Any:
    """The page with everything open, and drawn."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.evaluate("document.querySelectorAll('.opens').forEach(row => row.click())")
    page.wait_for_function(
        "[...document.querySelectorAll('[data-chart]')].every(chart => chart.querySelector('svg'))"
    )
    return page


@pytest.mark.parametrize(
    "width", [320, 390, *(pytest.param(one, marks=pytest.mark.whole) for one in (834, 1000)), 1280]
)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_sticks_out_even_when_all_is_unfolded(visit, name, width):
    page = unfolded(visit(name, width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].map(svg => svg.getBoundingClientRect().width)"
    )
    room = page.evaluate("document.querySelector('main').clientWidth")
    assert all(min(250, room * 0.7) < drawn <= room for drawn in widths)


def test_a_picture_shows_every_group_with_an_estimate(visit):
    page = visit("typical")
    drawn = page.locator("[data-chart='1'] svg")
    for name in ("18-24", "25-34", "35-44", "45-54", "55-64"):
        assert drawn.get_by_text(name, exact=True).count() == 1
    assert drawn.locator("g.mark-symbol.role-mark path").count() == 5


def test_both_values_along_a_direction_have_names_and_curves(visit):
    drawn = unfolded(visit("associated")).locator("[data-chart] svg").filter(has_text="women (60)")
    assert drawn.count() == 1
    assert drawn.get_by_text("men (80)", exact=True).count() == 1
    assert drawn.locator("g.mark-line path").count() == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_a_trade_off_has_one_axis_below_and_one_above(visit, width):
    drawn = unfolded(visit("planned", width)).locator("[data-chart] svg").filter(has_text="best balance")
    for label in ("needed", "2.2%", "1.3%", "0.1%", "1%", "10%", "−0.05%", "−0.5%", "−5%"):
        assert drawn.get_by_text(label, exact=True).count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(visit, scheme):
    page = unfolded(visit("typical", scheme=scheme))
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 27)"
    assert dark == (scheme == "dark")
    for selector in (
        "p",
        "li",
        "td",
        "dd",
        "h1, h2, h3",
        ".verdict",
        ".small",
        "dt",
        "th",
        "summary",
        "a",
        "button",
    ):
        assert page.evaluate(CONTRAST, selector) >= 4.5, selector


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_follow_the_colour_scheme(visit, scheme):
    page = visit("typical", scheme=scheme)
    colours = page.evaluate(
        "[getComputedStyle(document.querySelector('[data-chart] svg text')).fill, "
        "getComputedStyle(document.body).color]"
    )
    assert colours[0] == colours[1]


PAPER = "page => getComputedStyle(page).backgroundColor"


@pytest.mark.parametrize("asked", ["", "?print=all"])
def test_a_dark_reader_prints_in_light_and_what_is_folded_on_request(visit, asked):
    page = visit("crowded", scheme="dark", asked=asked)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert page.locator("body").evaluate(PAPER) == "rgb(255, 255, 255)"
    assert page.locator(".every tr", has_text="region-30").first.is_visible() is bool(asked)
    assert page.locator("ul.answers").is_visible()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paper_is_wide_enough(visit, name):
    page = visit(name)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


def test_it_prints_on_few_pages(visit):
    # A page is an object of the file, and so is the list of them.
    assert visit("typical").pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 3


def test_numbers_are_there_without_scripts(visit):
    page = visit("typical", script=False)
    assert page.locator("svg.strip").count() == 3
    assert page.locator(".every tbody tr").count() == 13


def test_links_lead_into_folded_parts(visit):
    page = visit("crowded")
    link = page.locator(".people td a").first
    link.click()
    assert page.locator(".every tr:target").is_visible()
    assert page.locator(".every tr:target code").inner_text() == link.get_attribute("data-finding")


def test_the_list_of_findings_is_searched_and_sorted_by_keyboard(visit):
    page = visit("typical")
    page.locator("#findings > summary").press("Enter")
    rows = page.locator(".every tbody tr:visible")
    page.locator("#search").fill("relative 18-24")
    assert rows.count() == 2
    page.locator("#search").fill('"creators:creator_age=18-24/"')
    assert rows.count() == 2
    page.locator("#search").fill("")
    head = page.locator(".every thead th", has_text="P-value")
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert "p <" in rows.first.inner_text()
    assert "p <" not in rows.last.inner_text()
    estimates = page.locator(".every thead th", has_text="Estimate")
    for way in ("ascending", "descending"):
        estimates.locator("button").press("Enter")
        assert estimates.get_attribute("aria-sort") == way
        assert "–" in rows.last.locator("td").nth(1).inner_text()  # what has no number


@pytest.mark.parametrize(("width", "said"), [(390, True), (1280, False)])
def test_a_phone_says_where_an_answer_goes_on(visit, width, said):
    after = visit("crowded", width).evaluate(
        "[...document.querySelectorAll('ul.answers div > p:first-of-type')]"
        ".filter(one => one.nextElementSibling?.matches('p:not(.under)'))"
        ".map(one => getComputedStyle(one, '::after').content)"
    )
    assert after
    assert all(("and more below" in one) is said for one in after)


def test_a_row_of_people_opens_all_that_was_found_about_them(visit):
    page = visit("typical", 390)
    row = page.locator("#people-1")
    assert not row.is_visible()
    page.locator(".opens").first.press("Enter")
    assert row.is_visible()
    assert row.locator("li").count() == 2
    assert page.locator(".opens").first.get_attribute("aria-expanded") == "true"


def test_a_picture_and_its_data_are_saved_from_the_page(visit):
    page = visit("typical", scheme="dark")
    saved = {}
    for kind in ("svg", "csv"):
        with page.expect_download() as waiting:
            page.locator(f"[data-save={kind}]").first.click()
        download = waiting.value
        assert download.suggested_filename == f"1-creators-opportunity.{kind}"
        saved[kind] = Path(download.path()).read_text(encoding="utf-8-sig")
    assert saved["svg"].startswith("<svg")
    assert "var(--" not in saved["svg"]
    assert "18-24" in saved["svg"]
    assert saved["csv"].splitlines()[0].startswith("who,estimate")


def test_the_menu_of_a_phone_leads_to_a_card_and_closes(visit):
    page = visit("typical", 390)
    assert not page.locator("nav.side").is_visible()
    page.locator(".menu > summary").press("Enter")
    page.locator(".menu a", has_text="Appendix").press("Enter")
    assert page.evaluate("location.hash") == "#appendix"
    assert not page.locator(".menu a").first.is_visible()


def test_the_skip_link_is_the_first_stop(visit):
    page = visit("typical")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answers"
