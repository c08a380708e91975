"""The command that compares a folder with the published sizes says what differs, and by its exit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from published import write_kuairand, write_mind

PATH = Path(__file__).parents[2] / "benchmarks" / "data_sizes.py"


def ran(*folders: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, PATH, *folders], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_what_differs_is_said(tmp_path):
    code, said = ran(
        write_kuairand(tmp_path / "kuairand"), write_mind(tmp_path / "mind"), tmp_path / "nowhere"
    )
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert code == 1
    assert "standard interactions 377 published: 1,436,609" in lines
    assert "random interactions 400 published: 1,186,059" in lines
    assert "no published figures of MIND are known here" in lines
    assert f"There is no file or folder {tmp_path / 'nowhere'}; check the path." in lines


@pytest.mark.parametrize("name", ["coat", "lastfm-2k", "ml-100k"])
def test_data_that_are_as_published(data_folder, name):
    code, said = ran(data_folder(name))
    assert code == 0
    assert "published:" not in said
