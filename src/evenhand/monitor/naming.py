"""What a plan's monitor is called, and where its days are kept."""

from __future__ import annotations

import os
from pathlib import Path

from evenhand.errors import InputError
from evenhand.parameters import plain_path
from evenhand.plan import load

# Where an address with a password belongs: a plan is shown to others, and one that has it is not loaded.
STORE_VARIABLE = "EVENHAND_STORE"


def monitor_name(plan: str | Path, given: str | None = None) -> str:
    """The name that was given, or that of the plan's file without its ending."""
    name = Path(plan).stem if given is None else given.strip()
    if not name or not name.isprintable():
        raise InputError("The name of a monitor is empty, or cannot be printed; give one with --name.")
    return name


def store_address(plan: str | Path, given: str | None = None) -> str:
    """The address that was given, that of the environment, that of the plan, or a file beside the plan."""
    if given is not None:
        return given
    if told := os.environ.get(STORE_VARIABLE):
        return told
    path = Path(plan)
    monitoring = load(path).monitoring
    written = None if monitoring is None else monitoring.store
    if written is None:
        return str(path.parent / f"{path.stem}.monitor.db")
    return written if "://" in written else str(path.parent / plain_path("[monitoring] store", written))
