"""The page of a monitor in a real browser: it draws, fits, and talks to nobody."""

from __future__ import annotations

import pytest

from evenhand.monitor.page.model import Correction, Flag, Regime
from evenhand.monitor.page.render import render
from monitor.page.watched import label, watch

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Half a year in which everything happened, of a group with a hostile name."""
    estimates = {day: 0.3 if 60 < day < 120 else 0.02 for day in range(1, 181) if day not in (30, 31, 90)}
    group = '</script><img src=x onerror=alert(1)>"'
    (identifier,) = watch(estimates, group).findings
    made = watch(
        estimates,
        group,
        flags=(
            Flag("gap", "gap-1", identifier, "closed", label(61), label(120), "It was large. " * 20),
            Flag("gap", "gap-2", identifier, "open", label(170), None, "It is large."),
        ),
        regimes=(Regime(1, label(1)), Regime(2, label(150), "Another label.")),
        corrections=(Correction(label(40), 1, "Written twice."),),
    )
    path = tmp_path_factory.mktemp("page") / "monitor.html"
    path.write_text(render(made), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_draws_fits_and_asks_nobody(browser, page_file, width, scheme):
    complaints = []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(120_000)  # a machine that is busy draws slowly, and no worse
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on(
        "request", lambda one: one.url.startswith(("file:", "data:", "blob:")) or complaints.append(one.url)
    )
    page.goto(page_file.as_uri())
    page.wait_for_function("document.querySelectorAll('[data-chart] svg').length === 1")
    # A block for each of 177 days, and two for those that are missing.
    assert page.locator("[data-chart] svg .mark-rect path").count() == 177 + 2
    assert page.locator("[data-chart] svg .mark-text text", has_text="×").count() == 1
    assert page.locator("[data-chart] svg .mark-text text", has_text="regime 2").count() == 1
    # Four lines: gaps, one day between none, and another way of counting break them.
    assert page.locator("[data-chart] svg .mark-line path").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Nothing of a flag is beyond the edge of its table, where nobody looks for it.
    frame = page.locator("#flags .frame")
    assert frame.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    page.get_by_text("Everything that is followed").click()
    page.get_by_label("Search").fill("penalty")
    assert page.locator("#found").inner_text() == "1 of 1"
    assert complaints == []
    context.close()
