"""One browser; it looks at the same results as the tests of the report do."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_path = Path(__file__).parents[1] / "report" / "conftest.py"
_specification = importlib.util.spec_from_file_location("report_examples", _path)
assert _specification is not None
assert _specification.loader is not None
_examples = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(_examples)

make = _examples.make


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
