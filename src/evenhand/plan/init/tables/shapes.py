"""What names of files of one table share: numbers and values of partitions are what differs."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.plan.init.meaning.words import plain_letters

TABLES = (".parquet", ".pq", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
MOST_NAMED = 1_000
PARTITION = re.compile(r"([^=/]+)=[^/]*")
# Parts of a name that number it: digits, and the long hexadecimal words of Spark.
_NUMBERED = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4,}){1,4}(?:-c\d+)?|\d+")
# A number behind such a word tells two tables apart, not two parts of one.
_TELLS_APART = re.compile(
    r"(?:arm|variant|group|model|version|v|stage|round|exp|test|cell|fold|seed)[-_ ]?$", re.I
)
# So does a short number as the name of a folder in one called so: models/1, models/2.
_SHORT = re.compile(r"\d{1,3}")
_OF_SEVERAL = re.compile(r"(?:.*[-_ ])?(?:arm|variant|group|model|version|experiment|fold|seed)s?", re.I)

# Names that leave it to the folder above to say what they are.
_SAYS_NOTHING = {
    "",
    "part",
    "parts",
    "data",
    "chunk",
    "file",
    "shard",
    "batch",
    "x",
    "t",
    "c",
    "snappy",
    "all",
}
_TIMES = {"", "year", "month", "week", "day", "date", "dt", "hour", "y", "m", "d", "h"}


def shape(path: Path) -> tuple[str, ...]:
    """What files of one table share: their folders and their name without numbers and without values of
    partitions, packed or not."""
    parts = path.parts[:-1]
    folders = [_folder(part, above) for part, above in zip(parts, ("", *parts), strict=False)]
    return (*folders, _starred(path.name).removesuffix(".gz"))


def _folder(name: str, above: str) -> str:
    if PARTITION.fullmatch(name):
        return PARTITION.sub(r"\1=*", name)
    if _SHORT.fullmatch(name) and _OF_SEVERAL.fullmatch(above):
        return name
    return _starred(name)


def _starred(name: str) -> str:
    made = ""
    for piece in _pieces(name):
        number = _NUMBERED.fullmatch(piece) and not _TELLS_APART.search(made)
        made += "*" if number else piece
    return made


def _pieces(name: str) -> Iterator[str]:
    place = 0
    for match in _NUMBERED.finditer(name):
        yield name[place : match.start()]
        yield match[0]
        place = match.end()
    yield name[place:]


def pattern(paths: Sequence[Path]) -> str | None:
    """A glob that finds just these files, which have one shape; None if there is none."""
    parts = paths[0].parts
    *folders, name = shape(paths[0])
    packed = {path.name.endswith(".gz") for path in paths}
    name += "*" if len(packed) > 1 else ".gz" if True in packed else ""
    alike = set(_alike(paths))
    exact = [
        parts[place] if place in alike and not PARTITION.fullmatch(parts[place]) else starred
        for place, starred in enumerate(folders)
    ]
    # 2024-06-03 is any folder, where there are no others.
    short = ["*" if "*" in part and set(part) <= set("*-_. ") else part for part in exact]
    for tried in (short, exact):
        found = str(Path(*tried, name))
        if {Path(one) for one in glob.iglob(found)} == set(paths):
            return found
    # A thousand names would make no plan.
    return str(Path(*exact, name)) if len(paths) > MOST_NAMED else None


def _alike(paths: Sequence[Path]) -> Iterator[int]:
    """The places of folders that all paths have."""
    for place, found in enumerate(zip(*(path.parts[:-1] for path in paths), strict=True)):
        if len(set(found)) == 1:
            yield place


def called(paths: Sequence[Path], taken: set[str]) -> str:
    """A short name for the table, unlike those that are there: that of the file, or of its folder where the
    file has only a number. Numbers that tell parts of one table apart are none of its name."""
    stem = _stem(paths[0].name.lower())
    name = plain(_NUMBERED.sub("", stem))
    if set(name.split("_")) <= _SAYS_NOTHING:
        name = _of_folder(paths) or name
    elif len(paths) == 1:
        name = plain(stem)
    name, wanted, number = name or "table", name or "table", 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _of_folder(paths: Sequence[Path]) -> str:
    """The name of the nearest folder that is no part of the table, such as a day."""
    alike, parts = set(_alike(paths)), paths[0].parts[:-1]
    for place in reversed(range(len(parts))):
        numbered = _NUMBERED.sub("", parts[place])
        if PARTITION.fullmatch(parts[place]) or plain(numbered) in _TIMES:
            continue
        return plain(Path(parts[place]).name.split(".")[0] if place in alike else numbered)
    return plain(parts[-1]) if parts else ""


def recognisable(path: Path) -> str:
    """As much of the end of a path as says which it is: events/*/*.parquet, and not *.parquet."""
    place = len(path.parts) - 1
    while place > 0 and _nothing(path.parts[place]):
        place -= 1
    return str(Path(*path.parts[place:]))


def _nothing(part: str) -> bool:
    if PARTITION.fullmatch(part):
        return True
    return set(plain(_NUMBERED.sub("", _stem(part.lower()))).split("_")) <= _SAYS_NOTHING | _TIMES


def _stem(name: str) -> str:
    for end in sorted(TABLES, key=len, reverse=True):
        name = name.removesuffix(end)
    return name


def plain(name: str) -> str:
    """Without accents, as names in a plan are plain: "hörbücher" is hoerbuecher."""
    return re.sub(r"[^a-z0-9]+", "_", plain_letters(name).lower()).strip("_")
