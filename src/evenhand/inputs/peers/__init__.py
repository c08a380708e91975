"""Files of other tools, recognised by what is in them and read as tables with our names of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.inputs.peers import elliot, lenskit, recbole, trec
from evenhand.inputs.peers.lines import Layout, opened, understood

RUN, QRELS, LISTS = "TREC run", "TREC qrels", "lists of Elliot"
_LOOKED_AT = 1 << 16


@dataclass(frozen=True)
class PeerFile:
    """What a file is, its columns by our names, and how it is read."""

    what: str
    columns: tuple[str, ...]
    read: Callable[[Path, str], pa.Table]
    in_parquet: bool = False


def recognised(path: Path, name: str) -> PeerFile | None:
    """What another tool wrote, by its first lines or its schema; None for all else, and where it is unclear.

    A .csv has a header, so that it is never one of these.
    """
    lower = path.name.lower().removesuffix(".gz")
    if lower.endswith(".csv"):
        return None
    if lower.endswith((".parquet", ".pq")):
        return _in_parquet(path)
    with understood(path, name), opened(path) as file:
        start = file.read(_LOOKED_AT)
    lines = start.decode("utf-8-sig", "replace").splitlines()
    if len(start) == _LOOKED_AT:
        lines = lines[:-1]  # cut off
    lines = [line for line in lines if line.strip()]
    if not lines:
        return None
    types = recbole.types_of(lines[0])
    if types is not None:
        reader = partial(recbole.read_atomic, types=types, header=lines[0])
        return PeerFile("atomic file of RecBole", tuple(types), reader)
    if _most(lines, trec.RUN, {1: ("Q0", "q0", "0")}):
        return PeerFile(RUN, ("user_id", "item_id", "rank", "score"), trec.read_run)
    if _most(lines, trec.QRELS, {1: ("0", "Q0", "q0")}):
        return PeerFile(QRELS, ("user_id", "item_id", "relevance"), trec.read_qrels)
    # A header has no number for a name; other files of three columns may hold anything.
    if lower.endswith(".tsv") and _fits(lines[0], elliot.LISTS):
        return PeerFile(LISTS, ("user_id", "item_id", "score"), elliot.read_lists)
    return None


def _in_parquet(path: Path) -> PeerFile | None:
    try:
        columns = lenskit.columns_of(pq.read_schema(path))
    except (pa.ArrowException, OSError):
        return None  # what is wrong with it is said where all Parquet files are opened
    if columns is None:
        return None
    return PeerFile("item lists of LensKit", columns, lenskit.read_lists, in_parquet=True)


def _most(lines: list[str], layout: Layout, words: dict[int, tuple[str, ...]]) -> bool:
    """Whether more than half of the lines fit: the others are mistakes, which reading names."""
    fitting = sum(
        _fits(line, layout) and all(layout.split(line)[place] in known for place, known in words.items())
        for line in lines
    )
    return 2 * fitting > len(lines)


def _fits(line: str, layout: Layout) -> bool:
    return layout.wrong(layout.split(line)) is None
