"""The first moments of the command."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from evenhand.__main__ import main


def test_an_interrupt_before_anything_is_loaded_is_one_sentence(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "evenhand.cli.main", SimpleNamespace(main=interrupted))
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Error: Interrupted.\n"


def test_an_interrupt_after_all_is_said_does_not_change_how_it_ended():
    """Engines close after the last line: whoever interrupts then has the whole answer."""
    ended = """
import atexit, os, signal, sys
from types import SimpleNamespace
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.modules["evenhand.cli.main"] = SimpleNamespace(main=lambda: sys.exit(1))
from evenhand.__main__ import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", ended], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
