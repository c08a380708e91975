"""The page of a monitor: what it tells, drawn in the dress of the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.store.connecting import Store

PAGE_FILE = "monitor.html"


def write_page(store: Store, name: str, folder: Path) -> Path:
    """Write the page of the monitor of this name into a folder, which is made if needed."""
    from evenhand.files import write_together
    from evenhand.monitor.page.render import render
    from evenhand.monitor.page.stored import watch
    from evenhand.results import can_be_drawn

    can_be_drawn()
    return write_together(folder, {PAGE_FILE: render(watch(store, name))})[PAGE_FILE]
