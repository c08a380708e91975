"""Draw the picture of the report that the first page of the site shows: the report of the demo, in Chromium.

    .venv/bin/evenhand demo --out demo
    .venv/bin/python docs/_ext/picture_of_report.py demo/report.html

needs Chromium (or the program that CHROMIUM names), and writes docs/figures/report.png.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

OUT = Path(__file__).parents[1] / "figures" / "report.png"
SIZE = (1280, 914)
LARGEST = 300_000  # bytes


def draw(report: Path, out: Path) -> None:
    """The first screen of the report, as a browser without a window draws it."""
    program = os.environ.get("CHROMIUM", "chromium")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--user-data-dir={profile}", f"--window-size={SIZE[0]},{SIZE[1]}",
                f"--screenshot={out}", report.resolve().as_uri(),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    draw(asked.report, asked.out)
    size = asked.out.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{asked.out} has {size:,} bytes, more than {LARGEST:,}.")
    print(f"{asked.out}: {size:,} bytes")


if __name__ == "__main__":
    main()
