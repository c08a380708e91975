"""What the tutorial on real data prints, on the real files: it is not run when the site is built."""

import subprocess
import sys
from pathlib import Path

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"


def test_the_script_prints_what_the_page_shows(data_folder, tmp_path):
    picture = tmp_path / "coat.svg"
    command = [sys.executable, str(TUTORIALS / "coat.py"), str(data_folder("coat")), str(picture)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed == (TUTORIALS / "coat.txt").read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_the_page_shows_every_part():
    page = (TUTORIALS / "real-data.md").read_text(encoding="utf-8")
    for part in ("read", "ask", "more", "like"):
        assert page.count(f'"# [{part}]"') == page.count(f'"# [{part} end]"') == 1
        assert f'"[{part} end]"' in page
