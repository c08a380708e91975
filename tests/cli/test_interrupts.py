"""An interrupt counts as one whatever the library underneath made of it."""

from __future__ import annotations

import os
import signal

import pytest

from evenhand.errors import InputError

AUDIT = ("opportunity", "--default", "default.parquet", "--label", "liked", "--group", "creator_age")


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), InputError("It gave up."), None])
def test_an_engine_may_turn_an_interrupt_into_its_own_error(evenhand, logs, monkeypatch, error):
    def query(*_, **__):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            if error is None:
                raise
        raise error

    monkeypatch.setattr("evenhand.plan.running.runner.run", query)
    ran = evenhand(*AUDIT)
    assert (ran.code, ran.out, ran.err) == (130, "", "Error: Interrupted.\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
