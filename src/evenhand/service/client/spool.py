"""What waits to be sent, in files that are only appended to: it survives the end of the process.

A line is something to send, a batch and its key (before it is sent), or what is done. What waits is what the
lines make, in order. A file is deleted when all before its end is done. Nothing is synced: what was written
survives a process that is killed, but not a machine that loses its power within seconds.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import threading
import uuid
from collections import deque
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakSet

from evenhand.errors import InputError

MOST = 100_000  # things that wait
_FILE_BYTES = 1 << 20
KINDS = ("opt_out", "shown", "reward")


class Item(NamedTuple):
    """`of` is an assignment; for `opt_out` a user of `audit`. `at` is when it was observed."""

    n: int
    kind: str
    of: str
    at: float
    reward: float | None = None
    audit: str | None = None


class Batch(NamedTuple):
    key: str
    items: tuple[Item, ...]  # of one kind


class Spool:
    """Of one process, by a lock on its folder that goes when the process does."""

    def __init__(self, folder: Path, most: int = MOST, file_bytes: int = _FILE_BYTES) -> None:
        self.folder, self._most, self._file_bytes = folder, most, file_bytes
        self._changed = threading.Condition()
        self._waiting: dict[int, Item] = {}
        self._batch: Batch | None = None
        self._last, self._closed, self.unreadable = 0, False, 0
        self._files: deque[tuple[Path, int]] = deque()  # that are full, and the last number up to their end
        self._hold = _lock(folder)
        _HELD.add(self)
        try:
            ours = (path for path in folder.glob("*.jsonl") if re.fullmatch("[0-9]{12}", path.stem))
            for path in sorted(ours):
                self._fold(path)
                self._files.append((path, self._last))
            self._path = self._open(int(path.stem) + 1 if self._files else 1)
        except OSError as error:
            _HELD.discard(self)
            os.close(self._hold)
            raise _unusable(folder, error) from None

    def __len__(self) -> int:
        return len(self._waiting)

    def add(
        self, kind: str, of: str, at: float, reward: float | None = None, audit: str | None = None
    ) -> Item | None:
        """Where too much waits, the oldest is dropped for it, and returned."""
        with self._changed:
            if self._closed:
                raise InputError("This client is closed; what is reported to it now would be lost.")
            self._last += 1
            made = Item(self._last, kind, of, at, reward, audit)
            self._waiting[made.n] = made
            self._write({name: value for name, value in made._asdict().items() if value is not None})
            return self._drop_oldest() if len(self._waiting) > self._most else None

    def waiting(self, kind: str) -> list[Item]:
        with self._changed:
            return [one for one in self._waiting.values() if one.kind == kind]

    def next_batch(self, most: int) -> Batch | None:
        """What to send next: the same batch until it is done or given up."""
        with self._changed:
            if self._batch is None:
                chosen = _chosen([*islice(self._waiting.values(), most)])
                if chosen:
                    self._batch = Batch(uuid.uuid4().hex, chosen)
                    self._write({"batch": self._batch.key, "of": [one.n for one in chosen]})
            return self._batch

    def done(self, items: Iterable[Item]) -> None:
        """These are sent or refused for good; what else was in their batch waits for another."""
        with self._changed:
            self._batch = None
            self._forget([one.n for one in items])
            self._changed.notify_all()

    def wait_empty(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, seconds)

    def close(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._closed = True
            os.close(self._file)
            if not self._waiting:
                for path, _ in self._files:
                    path.unlink(missing_ok=True)
                self._path.unlink(missing_ok=True)
            _HELD.discard(self)
            fcntl.flock(self._hold, fcntl.LOCK_UN)  # a child of a fork may not have let go yet
            os.close(self._hold)

    def let_go(self) -> None:
        """In the child of a fork, which may not use it, and would hold its lock for as long as it lives."""
        os.close(self._hold)

    def _fold(self, path: Path) -> None:
        for line in path.read_bytes().split(b"\n"):
            try:
                if line:
                    self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, RecursionError):
                self.unreadable += 1  # half a line, from a disk that was full

    def _take(self, line: dict[str, Any]) -> None:
        if "done" in line:
            for n in line["done"]:
                self._waiting.pop(n, None)
            if self._batch is not None and any(one.n not in self._waiting for one in self._batch.items):
                self._batch = None
        elif "batch" in line:
            items = tuple(self._waiting[n] for n in line["of"] if n in self._waiting)
            self._batch = Batch(line["batch"], items) if items and len(items) == len(line["of"]) else None
        else:
            item = Item(**line)
            if item.kind not in KINDS:
                raise ValueError(item.kind)
            self._last = max(self._last, item.n)
            self._waiting[item.n] = item

    def _open(self, number: int) -> Path:
        path = self.folder / f"{number:012d}.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file, self._size, self.is_torn = os.open(path, flags, 0o600), 0, False
        return path

    def _write(self, line: dict[str, Any]) -> None:
        """In one piece, so that it is there or not. Where the disk is full, it is in memory alone."""
        text = (b"\n" if self.is_torn else b"") + json.dumps(line).encode() + b"\n"
        try:
            self.is_torn = os.write(self._file, text) < len(text)
            self._size += len(text)
            if self._size > self._file_bytes:
                self._roll()
        except OSError:
            self.is_torn = True

    def _roll(self) -> None:
        full, file = self._path, self._file
        self._path = self._open(int(full.stem) + 1)
        os.close(file)
        self._files.append((full, self._last))

    def _forget(self, numbers: list[int]) -> None:
        for n in numbers:
            self._waiting.pop(n, None)
        if numbers:
            self._write({"done": numbers})
        oldest = next(iter(self._waiting), self._last + 1)
        while self._files and self._files[0][1] < oldest:
            self._files.popleft()[0].unlink(missing_ok=True)

    def _drop_oldest(self) -> Item | None:
        """What is on its way stays, and so does the wish to be left alone."""
        kept = set() if self._batch is None else {one.n for one in self._batch.items}
        found = (one for one in self._waiting.values() if one.n not in kept and one.kind != "opt_out")
        oldest = next(found, None)
        if oldest is not None:
            self._forget([oldest.n])
        return oldest


def _chosen(oldest: list[Item]) -> tuple[Item, ...]:
    """Who opts out comes first, alone. Else all of the kind of the oldest; but no reward of what is not yet
    said to be shown."""
    leaves = next((one for one in oldest if one.kind == "opt_out"), None)
    if leaves is not None or not oldest:
        return () if leaves is None else (leaves,)
    shown = tuple(one for one in oldest if one.kind == "shown")
    unshown = {one.of for one in shown}
    if oldest[0].of in unshown:
        return shown
    return tuple(one for one in oldest if one.kind == "reward" and one.of not in unshown)


_HELD: WeakSet[Spool] = WeakSet()


def _let_go() -> None:
    for one in list(_HELD):
        one.let_go()
    _HELD.clear()


os.register_at_fork(after_in_child=_let_go)


def _lock(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        hold = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(folder, error) from None
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(hold)
        raise InputError(
            f"Another client uses the spool {folder}; give each client, in each process, one of its own."
        ) from None
    return hold


def _unusable(folder: Path, error: OSError) -> InputError:
    return InputError(
        f"The spool {folder} cannot be used ({error.strerror}); name a folder that can be written to."
    )
