"""The page of a monitor: what it tells, drawn in the dress of the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.store.connecting import Store

PAGE_FILE = "monitor.html"
# Fifty years; a year that was mistyped makes far more, of which each would be in every picture.
_MOST_DAYS = 20_000


def write_page(store: Store, name: str, folder: Path) -> Path:
    """Write the page of the monitor of this name into a folder, which is made if needed."""
    from evenhand.files import write_together
    from evenhand.monitor.page.render import render
    from evenhand.monitor.page.stored import watch
    from evenhand.results import can_be_drawn

    can_be_drawn()
    found = watch(store, name)
    if (span := len(found.calendar)) > _MOST_DAYS:
        raise InputError(
            f"The {found.unit}s of {name!r} are from {found.days[0]} to {found.last_day}: {span:,}, of which "
            f"{len(found.days):,} are there, cannot be drawn. Is the year of one a slip? Then take it out: "
            "evenhand monitor correct --day DAY --remove."
        )
    return write_together(folder, {PAGE_FILE: render(found)})[PAGE_FILE]
