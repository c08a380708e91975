"""What the finished steps of a run found, kept beside the report until all steps are: so that a run which was
interrupted goes on where it stopped.

A step is known by all that its result depends on: what it asks, the files that it reads as they are now, the
seed and the version. What differs in any of these is not resumed from. What is kept is not suppressed as a
report is, so that only its owner may read it; it goes when the report is written, or the plan refused.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.inputs import Table
from evenhand.plan.model import Plan
from evenhand.results import FINDINGS_FILE, AuditResult

FOLDER = ".unfinished"
_MADE = "made"


@dataclass(frozen=True)
class Kept:
    """What a step made in an earlier run: as its call gives it, where it writes more than findings."""

    result: AuditResult
    made: Path

    def write(self, path: Path) -> None:
        with filled(path if self.made.is_dir() else path.parent) as waiting:
            if self.made.is_dir():
                shutil.copytree(self.made, waiting, dirs_exist_ok=True)
            else:
                shutil.copyfile(self.made, waiting / path.name)


class Unfinished:
    """The steps of one run that are finished, in a folder beside its report; without one nothing is kept."""

    def __init__(self, out: Path | None, plan: Plan, tables: Mapping[str, Table], seed: int) -> None:
        self._out, self._plan, self._tables, self._seed = out, plan, tables, seed
        self._was_there = out is not None and out.exists()
        self.resumed = 0

    @contextmanager
    def until_done(self) -> Iterator[None]:
        """Keep what is finished while this runs and when it is interrupted, but not when it is refused."""
        try:
            yield
        except InputError:
            self._remove()
            raise
        self._remove()

    def found(self, step: Step) -> Any | None:
        """What the step made in an earlier run, if it is the same step on the same data."""
        place = self._place(step)
        if place is None or not place.is_dir():
            return None
        try:
            result = AuditResult.load(place)
        except InputError:  # of another schema, say: it is made again
            return None
        self.resumed += 1
        return Kept(result, place / _MADE) if step.writes else result

    def keep(self, step: Step, ran: Any) -> None:
        """Put what the step made aside. Where that cannot be, the run goes on without."""
        place = self._place(step)
        if place is None:
            return
        with suppress(InputError, OSError), filled(place.parent) as waiting:
            os.chmod(place.parent, 0o700)
            whole = waiting / place.name
            whole.mkdir()
            result = ran.result if step.writes else ran
            (whole / FINDINGS_FILE).write_text(result.to_json(), encoding="utf-8")
            if step.writes:
                ran.write(whole / _MADE)

    def _place(self, step: Step) -> Path | None:
        if self._out is None:
            return None
        named = {*step.paths(), *dict(step.input_names()).values()}
        read = {
            name: _files_of(self._tables[name]) if name in self._tables else _stamps(Path(name))
            for name in sorted(named)
        }
        if None in read.values():
            return None
        told = {
            "inputs": {name: self._plan.inputs[name].model_dump() for name in named & self._tables.keys()},
            "columns": self._plan.columns,
            "engine": self._plan.engine,
            "step": step.bare().model_dump(mode="json"),
            "read": read,
            "seed": self._seed,
            "version": version("evenhand"),
        }
        return self._out / FOLDER / sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()

    def _remove(self) -> None:
        if self._out is None:
            return
        shutil.rmtree(self._out / FOLDER, ignore_errors=True)
        if not self._was_there:
            with suppress(OSError):  # it is not empty, as it should be after a run
                self._out.rmdir()


def _files_of(table: Table) -> Any:
    """The files of a table, and of what is joined to it, as they are now; nothing where one has none, and
    nobody can tell if it changed."""
    every = [one.origin.files for one in table.sources]
    found = [([str(path) for path in files.paths], files.stamps) for files in every if files is not None]
    return found if len(found) == len(every) else None


def _stamps(path: Path) -> Any:
    """What is in a file, or in the files of a folder, by what changes when they are written."""
    try:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [(str(file), os.stat(file)) for file in files]
    except OSError:
        return None
    return [(name, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for name, one in found]
