"""The annotated pictures of read-the-report.md, made from the demo's report by Chromium without a window:

    evenhand demo --out demo
    python docs/start/pictures.py demo/report.html docs/start

The numbers stand beside what the page explains under the same numbers.
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")  # else the one that playwright brings

# Which part of the report has which number, in the order of the page; a number stands before its part, or
# after it where something else is before it.
FIRST_SCREEN = {
    "#answers .scope": "before",
    "#answers .overall": "before",
    "#answers li .verdict": "before",
    "#answers li .question": "after",
    "#answers li .next": "before",
    "#answers [data-about=levels]": "before",
}
CARD = {
    "#creators .head h2": "after",
    "#creators .mended": "before",
    "#creators .answer": "before",
    "#creators figure": "before",
    "#creators dl.large": "before",
    "#creators .do": "before",
    "#creators .warnings": "before",
    "#creators [data-about=assumptions]": "before",
    "#creators details.fold": "before",
}

MARK = """
([element, number, side]) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const box = (side === "after" ? range : element).getBoundingClientRect();
  const left = side === "after" ? box.right + 10 : box.left - 34;
  const mark = document.createElement("div");
  mark.textContent = number;
  mark.style.cssText = `position: absolute; z-index: 9; left: ${left + scrollX}px;
    top: ${box.top + scrollY - 1}px; width: 24px; height: 24px; border-radius: 50%; color: white;
    background: #1d4e79; font: bold 15px/24px sans-serif; text-align: center`;
  document.body.append(mark);
}
"""


def marked(page: Page, parts: dict[str, str]) -> None:
    for number, (part, side) in enumerate(parts.items(), start=1):
        found = page.locator(part).first
        assert found.count(), f"the report has no {part} any more"
        page.evaluate(MARK, [found.element_handle(), number, side])


def picture(page: Page, first: str, last: str, path: Path) -> None:
    """From the top of one element to the end of another."""
    top, end = page.locator(first).first.bounding_box(), page.locator(last).first.bounding_box()
    assert top is not None
    assert end is not None
    clip = {
        "x": max(top["x"] - 44, 0),
        "y": max(top["y"] - 12, 0),
        "width": top["width"] + 56,
        "height": end["y"] + end["height"] - top["y"] + 28,
    }
    page.screenshot(path=path, clip=clip)


def main(report: Path, folder: Path) -> None:
    with sync_playwright() as playwright:
        own = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
        browser = playwright.chromium.launch(args=["--no-sandbox"], **own)
        page = browser.new_page(viewport={"width": 860, "height": 4000}, device_scale_factor=1.5)
        page.goto(report.resolve().as_uri())
        page.locator("#creators figure svg").first.wait_for()
        page.add_style_tag(content="body { padding-left: 3rem } nav.side, details.menu { display: none }")
        page.wait_for_timeout(1000)  # pictures take their room
        marked(page, FIRST_SCREEN)
        picture(page, "#answers", "#answers", folder / "report-first-screen.png")
        page.reload()
        page.locator("#creators figure svg").first.wait_for()
        page.add_style_tag(content="body { padding-left: 3rem } nav.side, details.menu { display: none }")
        page.wait_for_timeout(1000)
        marked(page, CARD)
        picture(page, "#creators .head", "#creators details.fold", folder / "report-card.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
