"""Which files there are, and which of them together are one table; nothing but headers is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.addresses import has_password, without_password
from evenhand.datasets import KNOWN
from evenhand.errors import InputError
from evenhand.files import is_model_folder, is_utf8
from evenhand.inputs import file_header, is_warehouse, tables_of
from evenhand.parameters import plain_path
from evenhand.plan.init.tables import shapes
from evenhand.plan.init.tables.shapes import TABLES

MOST_FILES = 20_000
MOST_SECONDS = 20.0
MOST_TABLES = 200
MOST_HEADERS = 200
NAMED_BROKEN = 3
ARRAYS = (".npy", ".npz")
# What others keep tables in, and is not read.
_OTHERS = (
    ".json",
    ".jsonl",
    ".ndjson",
    ".xlsx",
    ".xls",
    ".feather",
    ".arrow",
    ".orc",
    ".avro",
    ".pkl",
    ".h5",
)


@dataclass(frozen=True)
class FileSet:
    """Files that together are one table, or one table of a database (`table`)."""

    name: str
    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    pattern: str | None = None  # a glob that finds just these files
    folders: tuple[str, ...] = ()  # columns that names of folders are
    table: str | None = None
    source: str = ""  # of a database

    def told(self) -> str:
        """The files as somebody finds them: their pattern, or the first of them, with folders where names are
        but numbers."""
        if self.table is not None:
            return f"the table {self.table}"
        name = shapes.recognisable(Path(self.pattern) if self.pattern else self.paths[0])
        more = len(self.paths) - 1 if not self.pattern else 0
        return f"{name} and {more:,} more" if more else name


@dataclass
class Looked:
    """What was found, and what was not looked at, in sentences."""

    tables: list[FileSet] = field(default_factory=list)
    arrays: list[Path] = field(default_factory=list)
    models: list[Path] = field(default_factory=list)
    datasets: list[tuple[Path, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def nothing(self) -> bool:
        return not (self.tables or self.arrays or self.models or self.datasets)


def look(paths: Iterable[str | Path], progress: Callable[[str], None] = lambda message: None) -> Looked:
    """Everything under `paths` that an audit could read."""
    looked, files = Looked(), []
    ends = time.monotonic() + MOST_SECONDS
    for given in paths:
        text = str(given)
        if has_password(text):
            raise InputError(
                f"{without_password(text)} was given with a password, which would end up in the plan; leave "
                "it out, and set PGPASSWORD."
            )
        if is_warehouse(text):
            _look_into(text, looked)
            continue
        must_be_there([text])
        path = plain_path("PATHS", text)
        progress(f"looking at {path.name or path}")
        files += [path] if path.is_file() else _walked(path, looked, ends)
    unread: dict[str, int] = {}
    readable = []
    named = [path for path in dict.fromkeys(files) if is_utf8(str(path))]
    if strange := len(set(files)) - len(named):
        looked.notes.append(
            f"{strange:,} file{'s have names that are' if strange > 1 else ' has a name that is'} not in "
            "UTF-8 and cannot stand in a plan; rename what matters."
        )
    for path in named:
        lower = path.name.lower()
        if lower.endswith(TABLES):
            readable.append(path)
        elif lower.endswith(ARRAYS):
            looked.arrays.append(path)
        elif is_warehouse(lower):
            _look_into(str(path), looked)
        elif lower.endswith(_OTHERS):
            unread[path.suffix] = unread.get(path.suffix, 0) + 1
    for suffix, count in unread.items():
        looked.notes.append(
            f"{count:,} {suffix} file{'s are' if count > 1 else ' is'} not read; save it as Parquet."
        )
    looked.tables += _grouped(_each_once(readable, looked), looked, progress)
    return looked


def must_be_there(paths: Iterable[str]) -> None:
    """Raise if there is no such file or folder."""
    for text in paths:
        if not is_warehouse(text) and not os.path.lexists(path := plain_path("PATHS", text)):
            raise InputError(f"There is no file or folder {path}; check the path.")


def _walked(folder: Path, looked: Looked, ends: float) -> list[Path]:
    """The files below a folder, in order of their names; models and known data sets are not entered."""
    found: list[Path] = []
    waiting = [folder]
    seen = 0
    while waiting:
        here = waiting.pop()
        entries, cut = [], False
        try:
            with os.scandir(here) as scan:
                for entry in scan:
                    seen += 1
                    if seen > MOST_FILES or time.monotonic() > ends:
                        cut = True
                        break
                    if not entry.name.startswith((".", "_")):
                        entries.append(entry)
        except OSError as error:
            looked.notes.append(f"The folder {here} cannot be read ({error.strerror}).")
            continue
        entries.sort(key=lambda entry: entry.name)
        names = {entry.name for entry in entries}
        known = next((one.title for one in KNOWN if not one.plain and one.is_in(here, names)), None)
        if is_model_folder(here):
            looked.models.append(here)
        elif known:
            looked.datasets.append((here, known))
        else:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                    continue
                try:
                    if entry.is_file():
                        found.append(Path(entry.path))
                except OSError as error:  # a link in a circle
                    looked.notes.append(f"{entry.path} cannot be read ({error.strerror}).")
        if cut:
            looked.notes.append(
                f"{folder} has more than {MOST_FILES:,} files, or takes too long to list: the first "
                f"{len(found):,} were looked at. Name the folders that matter."
            )
            break
    return sorted(found)


def _look_into(source: str, looked: Looked) -> None:
    """The tables of a database."""
    tables = tables_of(source, source)
    if len(tables) > MOST_TABLES:
        looked.notes.append(f"{source} has {len(tables):,} tables: the first {MOST_TABLES} were looked at.")
    for table in tables[:MOST_TABLES]:
        looked.tables.append(FileSet(table, (), (), table=table, source=source))


def _each_once(paths: list[Path], looked: Looked) -> list[Path]:
    """Without text files beside Parquet of the same name and columns: that is one table, written twice, and
    Parquet has its types. As two, they would be two systems or two logs."""
    columnar = {_stem(path): path for path in paths if path.name.lower().endswith((".parquet", ".pq"))}
    twice = [path for path in paths if columnar.get(_stem(path), path) != path and _alike(path, columnar)]
    if twice:
        first, more = twice[0], f", and {len(twice) - 1:,} more like it" if len(twice) > 1 else ""
        looked.notes.append(
            f"{first.name} is not read{more}: {columnar[_stem(first)].name} beside it has the same name, "
            "and is taken for the same table. If it is another, rename it."
        )
    return [path for path in paths if path not in set(twice)]


def _alike(path: Path, columnar: dict[Path, Path]) -> bool:
    try:
        return set(file_header(path)) == set(file_header(columnar[_stem(path)]))
    except InputError:  # whoever could not have it read has written it as Parquet
        return True


def _stem(path: Path) -> Path:
    """A file without what says how it is written."""
    end = next(end for end in sorted(TABLES, key=len, reverse=True) if path.name.lower().endswith(end))
    return path.with_name(path.name[: -len(end)])


def _grouped(paths: list[Path], looked: Looked, progress: Callable[[str], None]) -> Iterator[FileSet]:
    """Files that have the same columns, and whose names and folders differ in numbers or as day=... does."""
    alike: dict[tuple[str, ...], list[Path]] = {}
    for path in paths:
        alike.setdefault(shapes.shape(path), []).append(path)
    taken: set[str] = set()
    for number, members in enumerate(alike.values()):
        if number == MOST_TABLES:
            left = len(alike) - MOST_TABLES
            looked.notes.append(f"{left:,} more kinds of files were not looked at; name those that matter.")
            break
        progress(f"reading the header of {members[0].name}")
        by_columns: dict[tuple[str, ...], list[Path]] = {}
        # Of very many, some that are spread over all: if these are alike, the rest is taken to be.
        headed = members if len(members) <= MOST_HEADERS else members[:: len(members) // MOST_HEADERS]
        broken = 0
        for path in headed:
            try:
                by_columns.setdefault(file_header(path), []).append(path)
            except InputError as error:
                broken += 1
                if broken <= NAMED_BROKEN:
                    looked.notes.append(f"Not read: {error}")
        if broken > NAMED_BROKEN:
            looked.notes.append(f"Not read: {broken - NAMED_BROKEN:,} more files like {members[0].name}.")
        if len(by_columns) == 1 and not broken:
            by_columns = dict.fromkeys(by_columns, members)
        for columns, same in by_columns.items():
            yield _file_set(same, columns, taken)


def _file_set(paths: list[Path], columns: tuple[str, ...], taken: set[str]) -> FileSet:
    folders = tuple(
        match[1]
        for part in paths[0].parent.parts
        if (match := shapes.PARTITION.fullmatch(part)) and match[1] not in columns
    )
    pattern = shapes.pattern(paths) if len(paths) > 1 or folders else None
    return FileSet(shapes.called(paths, taken), tuple(paths), columns, pattern, folders)
