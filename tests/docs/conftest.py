"""What `make demo` writes, made once for all pages."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def demo(tmp_path_factory) -> Path:
    """The folder that `evenhand demo --out demo` makes. EVENHAND_DEMO names one that was made before."""
    if made := os.environ.get("EVENHAND_DEMO"):
        return Path(made).resolve()
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, whole = shared / "of-pages" / "demo", shared / "of-pages" / "whole"
    try:
        folder.parent.mkdir()
    except FileExistsError:  # another worker makes it
        ends = time.monotonic() + 500
        while not whole.exists():
            assert time.monotonic() < ends, "another worker did not make the demo in time"
            time.sleep(0.5)
        return folder
    command = [sys.executable, "-m", "evenhand", "demo", "--out", "demo", "--quiet"]
    subprocess.run(command, cwd=folder.parent, check=True, capture_output=True)
    whole.touch()
    return folder
