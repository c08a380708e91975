"""A SQLite file that ends before it should: a copy that was interrupted, a disk that was full meanwhile."""

from __future__ import annotations

import struct
from pathlib import Path

from evenhand.errors import InputError
from evenhand.store.damage import damaged
from evenhand.store.one_file import log_of

# The first bytes of a file, in which it says how large a page is and how many it has; of its write-ahead log;
# and of each page in that log (https://www.sqlite.org/fileformat.html).
_MAGIC, _HEADER, _LOG_HEADER, _FRAME_HEADER = b"SQLite format 3\0", 100, 32, 24


def refuse_cut_short(path: Path, name: str) -> None:
    """Refuse a file that has fewer pages than it says, if those that it lacks are not in its log: after a
    crash they are, and whoever opens it next puts them into the file. SQLite itself goes by the log alone,
    and notices what is missing only where a question meets it; days would be added to what is left."""
    for _ in range(2):  # another program may be doing just that
        try:
            lacks = _missing(path)
        except OSError:  # SQLite cannot read it either, and says so
            return
        if not lacks:
            return
    raise InputError(damaged(name, f"its end is missing: {lacks:,} of its pages"))


def _missing(path: Path) -> int:
    with path.open("rb") as file:
        head = file.read(_HEADER)
    size = path.stat().st_size
    if len(head) < _HEADER or not head.startswith(_MAGIC):  # it is new, or none, which SQLite says
        return 0
    page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    page = 65536 if page == 1 else page
    if page == 0 or size >= page * pages:
        return 0
    return len(set(range(size // page + 1, pages + 1)) - _in_log(log_of(path), page))


def _in_log(path: Path, page: int) -> set[int]:
    """The numbers of the pages in a log; what is behind the last that was written is of an earlier one."""
    found: set[int] = set()
    if not path.exists():
        return found
    with path.open("rb") as log:
        salts = log.read(_LOG_HEADER)[16:24]
        while len(head := log.read(_FRAME_HEADER)) == _FRAME_HEADER and head[8:16] == salts:
            found.add(struct.unpack(">I", head[:4])[0])
            log.seek(page, 1)
    return found
