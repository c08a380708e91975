"""Rows of one file that are default and random traffic at once: what the system chose is not random, and what
is held against itself seems fair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from evenhand import inputs
from evenhand.asked.step import Step
from evenhand.plan.checking.mistakes import Mistake
from evenhand.plan.model import InputSpec
from evenhand.plan.running.untaken import by_their_names, file_of, whole_file


def shared_rows(
    specs: Mapping[str, InputSpec], steps: Mapping[int, Step], base: Path, engine: str | None
) -> Iterator[Mistake]:
    """Steps, by their places, whose default and random log have rows in common; each pair is told once."""
    known: dict[tuple[str, str], int] = {}
    for place, step in steps.items():
        default, random = (str(getattr(step, key, "")) for key in ("default", "random"))
        if default not in specs or random not in specs:
            continue
        one, other = specs[default], specs[random]
        if file_of(one) != file_of(other) or (default, random) in known:
            continue
        opened = whole_file(default, one, base, engine)
        known[default, random] = both = inputs.in_both(opened, by_their_names(one), by_their_names(other))
        if both:
            yield Mistake(
                ("audits", place, "random"),
                f"audit {place + 1} ({step.audit}): {both:,} rows of the file are in both {default!r} and "
                f"{random!r}, and what the system chose is not random; part them by `where`",
            )
