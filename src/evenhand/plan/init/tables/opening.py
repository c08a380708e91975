"""A sample of each table that is large enough to tell what it holds, and small enough to be quick."""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand import inputs
from evenhand.plan.init.tables.looking import FileSet

MOST_ROWS = 2_000_000
MOST_OPENED = 24
# Of files that are together no larger than that, more.
SMALL_BYTES, MOST_SMALL = 50_000_000, 400
# Of a database whose tables must be copied, the first rows.
MOST_COPIED = 300_000
# Types of CSV columns are found from all rows, which takes long in large files: of those, the first part.
MOST_CSV_BYTES = 50_000_000


@dataclass(frozen=True, eq=False)
class Opened:
    """A table to look at: all of it, or a sample. `rows` are about how many the whole has."""

    files: FileSet
    table: inputs.Table
    rows: int
    sampled: bool

    @property
    def name(self) -> str:
        return self.files.name


def opened(files: FileSet, scratch: Path) -> Opened:
    """Open a table, or a part of it where it is large; raise what is wrong with its files."""
    if files.table is not None:
        stored = inputs.stored_table(files.source, files.table, files.name, MOST_COPIED)
        rows = inputs.rows_of(files.source, files.table, files.name)
        part = _sampled(files, inputs.table(stored, name=files.name), 1.0)
        return replace(part, rows=rows, sampled=part.rows < rows or part.sampled)
    paths = list(files.paths)
    most = MOST_OPENED if not _small(paths) else MOST_SMALL
    chosen = paths if len(paths) <= most else paths[:: -(-len(paths) // most)]
    times = len(paths) / len(chosen)
    if chosen[0].name.lower().endswith((".parquet", ".pq")):
        found = inputs.table(chosen, name=files.name, folders=bool(files.folders))
        return _sampled(files, found, times)
    parts, bytes_ = [], 0
    share = MOST_CSV_BYTES // len(chosen)
    for path in chosen:
        bytes_ += path.stat().st_size
        parts.append(path if path.stat().st_size <= share else _first_lines(path, share, scratch))
    read = sum(part.stat().st_size for part in parts)
    found = inputs.table(parts, name=files.name, folders=bool(files.folders) and parts == chosen)
    return _sampled(files, found, times * max(1.0, bytes_ / max(read, 1)))


def _small(paths: list[Path]) -> bool:
    """Whether files are that small, as of single hours, that a few of them would hold too few random rows."""
    some = paths[:: max(1, len(paths) // MOST_OPENED)]
    return sum(path.stat().st_size for path in some) / len(some) * len(paths) <= SMALL_BYTES


def _sampled(files: FileSet, table: inputs.Table, times: float) -> Opened:
    known = table.origin.files.rows if table.origin.files else None
    here = known if known is not None else int(table.run(table.expr.aggregate(n=table.expr.count())).n[0])
    rows = round(here * times)
    if here > MOST_ROWS:
        expr = table.expr.sample(MOST_ROWS / here, method="block", seed=1)
        return Opened(files, replace(table, expr=expr), rows, True)
    return Opened(files, table, rows, times > 1)


def _first_lines(path: Path, size: int, scratch: Path) -> Path:
    """The first whole lines of a CSV file, as a file of the same name."""
    packed = path.name.lower().endswith(".gz")
    with gzip.open(path) if packed else path.open("rb") as file:
        text = file.read(size)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    part = folder / (path.name[: -len(".gz")] if packed else path.name)
    part.write_bytes(text[: text.rfind(b"\n") + 1])
    return part
