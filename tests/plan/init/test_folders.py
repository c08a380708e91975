"""Ten folders whose answers are known, and ten more that init was not built on: question, tables, columns."""

from __future__ import annotations

import pytest

from evenhand.plan import load
from evenhand.plan.init.command import run
from plan.init.folders import FOLDERS
from plan.init.judged import faults
from plan.init.later import LATER
from plan.init.odd_names import ODD_NAMES
from plan.init.unseen import UNSEEN

OTHERS = UNSEEN | LATER | ODD_NAMES


def judged(make, home, monkeypatch):
    monkeypatch.chdir(home)
    expected = make(home)
    outcome = run(["."], home / "audit.toml")
    if not expected.steps:
        assert not outcome.written
        assert not (home / "audit.toml").exists()
        return []
    load(home / "audit.toml")
    return faults(home / "audit.toml", "\n".join(outcome.lines), expected)


@pytest.mark.parametrize("make", FOLDERS.values(), ids=FOLDERS)
def test_the_plan_is_what_a_person_would_write(make, tmp_path, monkeypatch):
    assert judged(make, tmp_path, monkeypatch) == []


@pytest.mark.slow
@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_so_it_is_on_folders_that_came_later(make, tmp_path, monkeypatch):
    assert judged(make, tmp_path, monkeypatch) == []
