"""Files that are there in full or not at all: the one way in which anything is written, and how small ones
are read."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

# A plan, findings, the description of a model: far more than any of them has.
_MOST_BYTES = 1 << 28


# The file that says what the model in a folder is.
MODEL_FILE = "model.json"


def is_model_folder(given: Any) -> bool:
    """Whether this is the path of a folder in which a model was saved."""
    return isinstance(given, str | Path) and (Path(given) / MODEL_FILE).is_file()


def content_of(path: Path, most: int = _MOST_BYTES) -> bytes:
    """What is in a file that should be small; OSError where it is a pipe or a device, which has no end."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise OSError(0, "it is not a file")
    if found.st_size > most:
        raise OSError(0, f"it has {found.st_size:,} bytes, and more than {most:,} are not read")
    return path.read_bytes()


def is_utf8(text: str) -> bool:
    """Whether a text can be written: names of files and arguments may have bytes that are no letters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Wait until nobody else is in this block for the same folder; where a file system has no locks, or the
    folder cannot be opened, nobody waits."""
    place = None
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
    try:
        if place is not None:
            with suppress(OSError):
                fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        if place is not None:
            os.close(place)


@contextmanager
def filled(folder: Path) -> Iterator[Path]:
    """An empty folder to write into, whose files go to their places in `folder` when all are written.

    Whoever reads `folder` meanwhile sees a whole old file or a whole new one, and a full disk leaves the old
    ones alone. A file that is in fact a link is replaced, not followed. Between two renames a computer may
    stop: what belongs together should say so (a digest), as no file system moves several files at once.
    """
    waiting = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = Path(tempfile.mkdtemp(dir=folder, prefix=".writing-"))
        yield waiting
        written = sorted(waiting.iterdir())
        for path in written:  # before the first goes to its place: half of them would be the worst
            _refuse_other_than_file(folder / path.name)
        for path in written:
            os.replace(path, folder / path.name)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to ({error.strerror or error}); name another folder."
        ) from error
    finally:
        if waiting is not None:
            shutil.rmtree(waiting, ignore_errors=True)


def _refuse_other_than_file(there: Path) -> None:
    """What a rename would replace: a folder, or a device such as /dev/null, which is then gone for all."""
    if there.is_dir() and not there.is_symlink():
        raise IsADirectoryError(0, f"{there.name} is a folder there")
    if there.exists() and not there.is_dir() and not there.is_file():
        raise OSError(0, f"{there.name} is a device or a pipe there")


def write_together(folder: Path, contents: Mapping[str, str]) -> dict[str, Path]:
    """Write texts into a folder, by name."""
    with filled(folder) as waiting:
        for name, content in contents.items():
            (waiting / name).write_bytes(content.encode())
    return {name: folder / name for name in contents}
