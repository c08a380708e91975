"""What a plan's monitor is called in a store."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import InputError


def monitor_name(plan: str | Path, given: str | None = None) -> str:
    """The name that was given, or that of the plan's file without its ending."""
    name = Path(plan).stem if given is None else given.strip()
    if not name or not name.isprintable():
        raise InputError("The name of a monitor is empty, or cannot be printed; give one with --name.")
    return name
