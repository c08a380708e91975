"""The test suite's own rule: with EVENHAND_FORBID_SKIPS set, a test that was skipped fails the build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent / "conftest.py"

TESTS = {
    "test_data.py": "def test_data(data_folder):\n    data_folder('no-such-data')\n",
    "test_marked.py": "import pytest\n\n@pytest.mark.skip(reason='marked')\ndef test_marked():\n    pass\n",
    "test_expected.py": "import pytest\n\n@pytest.mark.xfail(strict=True)\ndef test_it():\n    assert 0\n",
    "test_module.py": "import pytest\n\npytest.importorskip('no_such_module')\n",
    "test_passes.py": "def test_passes():\n    pass\n",
}
REASONS = ("no data set 'no-such-data'", "marked", "no_such_module")


def run_pytest(folder: Path, workers: str, *, forbid: bool) -> tuple[int, str]:
    """Run the little test files above under the real conftest; its exit status and what it printed."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    for name, text in TESTS.items():
        (folder / name).write_text(text)
    ours = ("PYTEST_", "EVENHAND_")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    environment["EVENHAND_DATA"] = str(folder / "data")
    if forbid:
        environment["EVENHAND_FORBID_SKIPS"] = "1"
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", "-n", workers]
    command += ["--continue-on-collection-errors", *TESTS]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_skip_fails_only_where_skips_are_forbidden(tmp_path: Path, workers: str) -> None:
    code, shown = run_pytest(tmp_path, workers, forbid=False)
    assert code == 0
    assert "1 passed, 3 skipped, 1 xfailed" in shown
    assert all(reason in shown for reason in REASONS)

    code, shown = run_pytest(tmp_path, workers, forbid=True)
    assert code == 1
    # Inside a test a skip is a failure; before it begins (a mark, a module) it is an error.
    assert "1 failed, 1 passed, 1 xfailed, 2 errors" in shown
    assert all(reason in shown for reason in REASONS)
    assert shown.count("EVENHAND_FORBID_SKIPS is set") >= 3
