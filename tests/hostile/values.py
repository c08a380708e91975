"""What stands in the tables: names that are odd, ids that are alike, and worlds with hardly anything in them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hostile.cases import Case, Write, of_tables, plain
from hostile.doors import AUDITS, Outcome, ask, command, words_of, world

GROUPS = ("age", "gender", "genre")
IDS = ("user_id", "item_id")


def _renamed(change: Callable[[str], Any]) -> Write:
    """Every group with another name; the order of names stays."""

    def write(frame: pd.DataFrame, path: Path) -> Path:
        for column in GROUPS:
            if column in frame:
                frame[column] = [change(name) for name in frame[column]]
        return plain(frame, path)

    return write


def _some(change: Callable[[str], str], only: str = "old") -> Write:
    """Every other row of one group, with its name written in another way."""

    def write(frame: pd.DataFrame, path: Path) -> Path:
        for column in GROUPS:
            if column in frame:
                names = frame[column].tolist()
                chosen = only if only in names else names[0]
                frame[column] = [
                    change(name) if name == chosen and place % 4 < 2 else name
                    for place, name in enumerate(names)
                ]
        return plain(frame, path)

    return write


NAMES: dict[str, Callable[[str], Any]] = {
    "right to left": lambda name: f"\u202e{name}\u202c",
    "Arabic": lambda name: {"mid": "أ", "old": "ب", "young": "ت", "f": "أ", "m": "ب"}.get(name, "ج" + name),
    "accents in two characters": lambda name: unicodedata.normalize("NFD", "é" + name),
    "emoji": lambda name: name + "👩‍👩‍👧",
    "tags of HTML": lambda name: f"{name}</script><script>alert(1)</script>",
    "a quote": lambda name: name + "'\"`",
    "a line end": lambda name: name + "\nx",
    "tabs": lambda name: name + "\tx",
    "commas": lambda name: name + ", x",
    "equals": lambda name: f"={name}+1",
    "a template": lambda name: name + "{{7*7}}${x}%s{0}",
    "a path": lambda name: name + "/../../etc",
    "markup": lambda name: f"[bold red]{name}[/]",
    "a very long name": lambda name: name + "x" * 20_000,
    "combining marks": lambda name: name + "\u0301" * 50,
    "wide letters": lambda name: name + "ＡＢ",
    "the word None": lambda name: {"mid": "None", "f": "None"}.get(name, "x" + name),
    "the word nan": lambda name: {"mid": "nan", "f": "nan"}.get(name, "x" + name),
    "numbers as words": lambda name: {"mid": "1", "old": "2", "young": "3", "f": "1", "m": "2"}.get(
        name, "4" + name
    ),
}
ALIKE: dict[str, Callable[[str], str]] = {
    "a blank at the end": lambda name: name + " ",
    "a blank at the start": lambda name: " " + name,
    "a blank that does not break": lambda name: name + "\u00a0",
    "a zero-width blank": lambda name: name[:1] + "\u200b" + name[1:],
    "a soft hyphen": lambda name: name[:1] + "\u00ad" + name[1:],
    "a byte order mark": lambda name: "\ufeff" + name,
    "a mark of direction": lambda name: name + "\u200e",
    "a tab": lambda name: name + "\t",
}


def cases() -> Iterator[Case]:
    audits = ("opportunity", "groups", "exposure", "envy", "association")
    for name, change in NAMES.items():
        yield from of_tables("names of groups", name, _renamed(change), "same", audits=audits, named=False)
    for name, change in ALIKE.items():
        end = "refused"
        only = ("default", "users")
        yield from of_tables("groups that look alike", name, _some(change), end, audits=audits, only=only)
    yield from _accents()
    yield from _ids()
    yield from _worlds()


def _accents() -> Iterator[Case]:
    """One accent, stored in two ways: in one table, and in two."""
    for audit in ("opportunity", "groups", "exposure", "envy"):

        def run(folder: Path, audit: str = audit) -> Outcome:
            tables = {}
            for name in AUDITS[audit].tables:
                frame = world()[name].copy()
                for column in GROUPS:
                    if column in frame:
                        accents = [f"é{value}" for value in frame[column]]
                        frame[column] = [
                            unicodedata.normalize("NFC" if place % 4 < 2 else "NFD", value)
                            for place, value in enumerate(accents)
                        ]
                tables[name] = plain(frame, folder / name)
            return ask(audit, "plan", tables, folder)

        yield Case("groups that look alike", "accents in one and in two characters", audit, "refused", run)


ID_CHANGES: dict[str, Callable[[Any], Any]] = {
    "text in one table": lambda ids: ids.astype(str),
    "text with a zero in one table": lambda ids: ids.astype(str).str.zfill(4),
    "floats in one table": lambda ids: ids.astype(float),
    "decimals in one table": lambda ids: ids.astype("int64").map(__import__("decimal").Decimal),
    "small integers in one table": lambda ids: ids.astype("int16"),
    "unsigned integers in one table": lambda ids: ids.astype("uint64"),
    "text with blanks in one table": lambda ids: " " + ids.astype(str),
    "booleans in one table": lambda ids: ids % 2 == 0,
    "dates in one table": lambda ids: pd.to_datetime(ids, unit="D"),
    "one more in one table": lambda ids: ids + 1,
    "one that is empty in one table": lambda ids: ids.astype("Int64").where(ids != 3),
    "one that is empty text in one table": lambda ids: ids.astype(str).where(ids != 3, ""),
    "infinity in one table": lambda ids: ids.astype(float).where(ids != 3, np.inf),
    "halves in one table": lambda ids: ids / 2,
}


def _ids() -> Iterator[Case]:
    """Ids that two tables write in two ways."""
    for name, change in ID_CHANGES.items():
        for audit, table in (
            ("groups", "users"), ("exposure", "users"), ("exposure", "items"), ("envy", "users"),
            ("envy", "policies"), ("association", "users"),
        ):  # fmt: skip

            def write(frame: pd.DataFrame, path: Path, change: Any = change) -> Path:
                key = frame.columns[0]
                frame[key] = change(frame[key])
                return plain(frame, path)

            end = "either" if any(word in name for word in ("floats", "decimals", "integers")) else "refused"
            yield from of_tables(
                "ids in two tables", name, write, end, audits=(audit,), only=(table,), exactly=False
            )
    for column, audit, table in (
        ("user_id", "opportunity", "default"),
        ("user_id", "series", "default"),
        ("user_id", "compare", "default"),
    ):

        def write(frame: pd.DataFrame, path: Path, column: str = column) -> Path:
            return plain(frame.astype({column: str}), path)

        name = "text in one log, numbers in the other"
        yield from of_tables(
            "ids in two tables", name, write, "either", audits=(audit,), only=(table,), exactly=False
        )


WORLDS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "one row": lambda frame: frame.iloc[:1],
    "two rows": lambda frame: frame.iloc[:2],
    "one user": lambda frame: frame[frame["user_id"] == 7] if "user_id" in frame else frame,
    "two users": lambda frame: frame[frame["user_id"].isin([7, 8])] if "user_id" in frame else frame,
    "one item": lambda frame: frame[frame["item_id"] == 7] if "item_id" in frame else frame,
    "one group": lambda frame: frame.assign(**{c: "x" for c in GROUPS if c in frame}),
    "a group for each row": lambda frame: frame.assign(
        **{c: [f"g{i}" for i in range(len(frame))] for c in GROUPS if c in frame}
    ),
    "all labels 0": lambda frame: frame.assign(**{c: 0 for c in ("liked", "label") if c in frame}),
    "all labels 1": lambda frame: frame.assign(**{c: 1 for c in ("liked", "label") if c in frame}),
    "all numbers equal": lambda frame: frame.assign(**{c: 1.0 for c in ("score", "preference") if c in frame}),
    "huge numbers": lambda frame: frame.assign(**{c: frame[c] * 1e300 for c in ("score", "preference") if c in frame}),
    "tiny numbers": lambda frame: frame.assign(**{c: frame[c] * 5e-324 for c in ("score", "preference") if c in frame}),
    "negative numbers": lambda frame: frame.assign(**{c: -frame[c] for c in ("score", "preference") if c in frame}),
    "whole numbers of 64 bits": lambda frame: frame.assign(
        **{c: (frame[c] * 8).astype("int64") + 2**62 for c in ("score",) if c in frame}
    ),
    "every row twice": lambda frame: pd.concat([frame, frame]),
    "one row twice": lambda frame: pd.concat([frame, frame.iloc[:1]]),
    "the last row first": lambda frame: pd.concat([frame.iloc[-1:], frame.iloc[:-1]]),
    "rows in another order": lambda frame: frame.sample(frac=1, random_state=3),
    "rows by their values": lambda frame: frame.sort_values(list(frame.columns)),
    "columns in another order": lambda frame: frame[frame.columns[::-1]],
}  # fmt: skip
UNCHANGED = (
    "the last row first",
    "rows in another order",
    "rows by their values",
    "columns in another order",
)


def _worlds() -> Iterator[Case]:
    """With a report, which must be made of whatever was found."""
    for name, change in WORLDS.items():
        for audit in AUDITS:

            def run(folder: Path, audit: str = audit, change: Any = change) -> Outcome:
                tables = {
                    table: plain(change(world()[table].copy()), folder / table)
                    for table in AUDITS[audit].tables
                }
                report = ["--out", folder / "out"] if audit in ("opportunity", "groups", "envy") else []
                return command(*words_of(audit, tables), "--json", "--min-cell", "0", *report)

            kind = "order" if name in UNCHANGED else "worlds with hardly anything"
            yield Case(kind, name, audit, "same" if name in UNCHANGED else "any", run)
