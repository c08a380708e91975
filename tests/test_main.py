"""The first moments of the command."""

import sys
from types import SimpleNamespace

import pytest

from evenhand.__main__ import main


def test_an_interrupt_before_anything_is_loaded_is_one_sentence(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "evenhand.cli.main", SimpleNamespace(main=interrupted))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Error: Interrupted.\n"
