"""How large the page of a large result is, and how long it takes to draw beside that of the demo.

    .venv/bin/python benchmarks/report.py DEMO [--result FOLDER] [--repeats 5]

DEMO is a folder that `evenhand demo` wrote. The large result is of 50 groups of creators over 365 days and in
10 arms, and of 50 groups of users by 30 groups of items, 1,000 pairs reported; made here, or read from FOLDER
where it was made before. Drawing is the time from asking for the page until every picture that is not folded
is there, in headless Chromium, the two pages in turn; the ratio is of the medians.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import evenhand as eh
from evenhand.report.pages import html

GROUPS, KINDS, DAYS, ARMS = 50, 30, 365, 10
ROWS = 400_000
# Pairs that an audit reports at most; its picture has all of them.
MOST = 1000
DRAWN = """() => document.querySelector("#print") && [...document.querySelectorAll("[data-chart]")]
  .every(place => place.closest("details:not([open])") || place.querySelector("svg"))"""


def log(rng: np.random.Generator, rates: np.ndarray) -> pd.DataFrame:
    """Rows of a year, each with a group, whose likes have these rates."""
    group = rng.integers(GROUPS, size=ROWS)
    start = pd.Timestamp("2025-01-01")
    return pd.DataFrame(
        {
            "creator_region": np.array([f"region {number:02d}" for number in range(GROUPS)])[group],
            "liked": rng.random(ROWS) < rates[group],
            "day": (start + pd.to_timedelta(rng.integers(DAYS, size=ROWS), unit="D")).strftime("%Y-%m-%d"),
        }
    )


def large() -> eh.AuditResult:
    """50 groups, a year, 10 arms; 50 groups of users by 30 of items."""
    rng = np.random.default_rng(0)
    base = np.full(GROUPS, 0.3)
    asked: dict[str, Any] = {"label": "liked", "group": "creator_region"}
    default, random = log(rng, base * rng.uniform(0.7, 1.3, GROUPS)), log(rng, base)
    arms = {f"arm {number}": log(rng, base * rng.uniform(0.8, 1.2, GROUPS)) for number in range(ARMS)}
    users, items = 20 * GROUPS, 10 * KINDS
    user_groups = np.array([f"town {number:02d}" for number in range(GROUPS)])[np.arange(users) % GROUPS]
    item_groups = np.array([f"genre {number:02d}" for number in range(KINDS)])[np.arange(items) % KINDS]
    scores = rng.random((users, items))
    exposed = eh.exposure.audit(
        scores, rng.random((users, items)) < 0.2, user_groups, item_groups, [1, "static"],
        tolerance=0.3, top=MOST,
    )  # fmt: skip
    return (
        eh.opportunity.audit(default, random, **asked)
        + eh.opportunity.compare(arms, random, **asked, tolerance=0.02)
        + eh.opportunity.series(default, random, **asked, day="day")
        + exposed
    )


def seconds(browser: Any, page: Path) -> float:
    """From asking for a page to its last picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    opened.set_default_timeout(300_000)
    start = time.perf_counter()
    opened.goto(page.as_uri(), wait_until="commit")
    opened.wait_for_function(DRAWN)
    taken = time.perf_counter() - start
    context.close()
    return taken


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("demo", type=Path)
    parser.add_argument("--result", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    if asked.result is not None and (asked.result / "findings.json").exists():
        result = eh.AuditResult.load(asked.result)
    else:
        result = large()
        if asked.result is not None:
            result.save(asked.result)
    folder = Path(tempfile.mkdtemp())
    for name, of in (("demo", eh.AuditResult.load(asked.demo)), ("large", result)):
        start = time.perf_counter()
        text = html.render(of.document)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
        made = time.perf_counter() - start
        size = len(text.encode()) / 1e6
        print(f"{name}: {len(of.findings):,} findings, {size:.2f} MB, made in {made:.1f} s")
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    times: dict[str, list[float]] = {"demo": [], "large": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        seconds(browser, folder / "demo.html")  # the browser itself starts
        for _ in range(asked.repeats):
            for name, taken in times.items():
                taken.append(seconds(browser, folder / f"{name}.html"))
        browser.close()
    demo, of_large = (statistics.median(taken) for taken in times.values())
    print(f"drawn: demo {demo:.2f} s, large {of_large:.2f} s, {of_large / demo:.1f} times as long")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
