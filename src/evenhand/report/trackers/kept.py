"""What every tracker needs: itself, and the files of a result in a folder for as long as they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evenhand.documents import Document
from evenhand.errors import InputError
from evenhand.report.trackers.keys import table_of_keys

# Writes findings.json and report.html into a folder.
Save = Callable[[Path], object]
KEYS_FILE = "keys.json"


def opened(name: str, called: str) -> Any:
    """The package of a tracker, which only who logs to it has."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"{called} is not installed, so nothing was logged; get it with pip install "
            f"'evenhand[{name}]', or '.[{name}]' from its folder."
        ) from None


@contextmanager
def files_of(document: Document, save: Save) -> Iterator[Path]:
    """A folder with the report, the findings, and which finding each key stands for."""
    with TemporaryDirectory(prefix="evenhand-") as folder:
        save(Path(folder))
        (Path(folder) / KEYS_FILE).write_text(table_of_keys(document), encoding="utf-8")
        yield Path(folder)
