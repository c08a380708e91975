"""How a command ends, for scripts."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes, each with what it means."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Exit:
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    FINE = 0, "Fine: it was done. Without `--fail-on` that is so whatever was found."
    FAILED = (
        1,
        "What was asked to fail did: a verdict (`--fail-on`), a check that found something wrong "
        "(`envy verify`, `serve check`), messages that still wait (`monitor deliver`).",
    )
    BAD_INPUT = (
        2,
        "Bad input: data, a plan or an option cannot be used. One sentence says what, and what to do.",
    )
    FAULT = 3, "A fault of Evenhand. `EVENHAND_DEBUG=1` shows where."
    INTERRUPTED = 130, "Interrupted, as by Ctrl-C. What an audit of a plan had finished is kept."
