"""What `evenhand demo` says to try next can be typed."""

from __future__ import annotations

import sys

import pytest

from evenhand.cli.plans.demo import as_called


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A command in a folder of its own, which is the current one."""
    for name in ("evenhand", "python"):
        script = tmp_path / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    return tmp_path / "bin"


@pytest.mark.parametrize(
    ("program", "on_path", "typed"),
    [
        ("bin/evenhand", False, "bin/evenhand"),
        ("{here}/evenhand", True, "evenhand"),
        ("{here}/evenhand", False, "{here}/evenhand"),
        ("somewhere/evenhand/__main__.py", True, "python -m evenhand"),
        ("somewhere/evenhand/__main__.py", False, "{here}/python -m evenhand"),
    ],
)
def test_the_command_is_named_as_it_can_be_typed(installed, monkeypatch, program, on_path, typed):
    monkeypatch.setenv("PATH", f"{installed}:/usr/bin" if on_path else "/nowhere")
    monkeypatch.setattr(sys, "argv", [program.format(here=installed)])
    assert as_called() == typed.format(here=installed)
