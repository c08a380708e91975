"""Parquet and CSV files as other programs write them, broken ones, and paths of every kind."""

from __future__ import annotations

import gzip
import os
import shutil
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hostile.cases import Case, Write, of_tables, plain

IDS = ("user_id", "item_id")


def cases() -> Iterator[Case]:
    yield from parquet()
    yield from csv()
    yield from paths()


# Parquet


def _arrow(change: Callable[[pa.Table], pa.Table], **options: Any) -> Write:
    def write(frame: pd.DataFrame, path: Path) -> Path:
        made = change(pa.Table.from_pandas(frame, preserve_index=False))
        pq.write_table(made, path.with_suffix(".parquet"), **options)
        return path.with_suffix(".parquet")

    return write


def _cast(types: dict[str, pa.DataType]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        for name, type_ in types.items():
            if name in table.column_names:
                place = table.column_names.index(name)
                column = table.column(name)
                if pa.types.is_decimal(type_):
                    column = _decimals(column, type_)
                elif name in IDS and not (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
                    column = pa.array([f"id {value:04d}" for value in column.to_pylist()]).cast(type_)
                else:
                    column = column.cast(type_)
                table = table.set_column(place, name, column)
        return table

    return change


def _decimals(column: pa.ChunkedArray, type_: pa.DataType) -> pa.Array:
    from decimal import Decimal

    return pa.array([Decimal(str(value)) for value in column.to_pylist()], type_)


def _with(name: str, values: Callable[[int], pa.Array]) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.append_column(name, values(len(table)))


NUMBERS = ("liked", "label", "score", "relevance", "preference", "probability", "v0", "v1", "v2", "v3")
TEXTS = ("age", "gender", "genre", "day")


def parquet() -> Iterator[Case]:
    both = dict.fromkeys
    for name, types, exactly in (
        ("ids as decimals", both(IDS, pa.decimal128(20, 0)), False),
        ("ids as small integers", both(IDS, pa.int8()), True),
        ("ids as unsigned integers", both(IDS, pa.uint64()), True),
        ("ids as floats", both(IDS, pa.float64()), False),
        ("ids as text", both(IDS, pa.string()), False),
        ("ids as large text", both(IDS, pa.large_string()), False),
        ("ids as views of text", both(IDS, pa.string_view()), False),
        ("ids as dictionaries of text", both(IDS, pa.dictionary(pa.int32(), pa.string())), False),
        ("ids as bytes", both(IDS, pa.binary()), False),
        (
            "labels as bytes of 8 bits",
            {"liked": pa.int8(), "label": pa.uint8(), "relevance": pa.int8()},
            True,
        ),
        ("labels as half floats", {"liked": pa.float16(), "label": pa.float16()}, True),
        ("labels as booleans", {"liked": pa.bool_(), "label": pa.bool_()}, True),
        ("labels as decimals", {"liked": pa.decimal128(3, 1), "label": pa.decimal128(1, 0)}, True),
        ("scores as decimals", both(("score", "preference", "probability"), pa.decimal128(12, 3)), True),
        ("scores as half floats", both(("score", "preference", "probability"), pa.float16()), True),
        ("scores as single floats", both(("score", "preference", "probability"), pa.float32()), True),
        ("words as dictionaries", both(TEXTS, pa.dictionary(pa.int16(), pa.string())), True),
        ("words as large text", both(TEXTS, pa.large_string()), True),
        ("words as views of text", both(TEXTS, pa.string_view()), True),
        ("words as bytes", both(TEXTS[:3], pa.binary()), True),
        ("days as dates", {"day": pa.date32()}, True),
        ("days as nanoseconds", {"day": pa.timestamp("ns")}, True),
        ("days as seconds", {"day": pa.timestamp("s")}, True),
    ):
        end = "either" if "bytes" in name and "8" not in name else "same"
        yield from of_tables("parquet types", name, _arrow(_cast(types)), end, exactly=exactly)
    beside: dict[str, Callable[[int], pa.Array]] = {
        "lists": lambda n: pa.array([[1, 2]] * n),
        "lists of lists": lambda n: pa.array([[["a"], []]] * n),
        "structs": lambda n: pa.array([{"a": 1, "b": {"c": "x"}}] * n),
        "maps": lambda n: pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "lengths of time": lambda n: pa.array([5] * n, pa.duration("s")),
        "times of day": lambda n: pa.array([5] * n, pa.time64("us")),
        "nothing": lambda n: pa.nulls(n),
        "bytes": lambda n: pa.array([b"\xff\x00"] * n),
        "a large decimal": lambda n: pa.array([1] * n).cast(pa.decimal256(60, 2)),
        "far dates": lambda n: pa.array([2**31 - 1] * n, pa.date32()),
        "far times": lambda n: pa.array([2**62] * n, pa.timestamp("us")),
        "bytes of one length": lambda n: pa.array([b"abcd"] * n, pa.binary(4)),
        "uuids": lambda n: pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([uuid.UUID(int=i).bytes for i in range(n)], pa.binary(16))
        ),
    }
    for name, values in beside.items():
        if name in ("lists", "lists of lists"):  # which are vectors, to association
            audits = ("opportunity", "groups", "exposure", "envy")
        else:
            audits = ("opportunity", "groups", "exposure", "envy", "association")
        end = "same"
        only = ("default", "random", "users", "items", "candidates", "scores", "preferences", "policies")
        write = _arrow(_with("extra", values))
        yield from of_tables("parquet columns beside", name, write, end, audits=audits, only=only)
    for name, options in (
        ("row groups of 7", {"row_group_size": 7}),
        ("brotli", {"compression": "brotli"}),
        ("gzip", {"compression": "gzip"}),
        ("no statistics", {"write_statistics": False}),
        ("version 1.0", {"version": "1.0"}),
        ("data pages of version 2", {"data_page_version": "2.0"}),
        ("split bytes", {"use_byte_stream_split": False, "use_dictionary": False}),
        ("checksums", {"write_page_checksum": True}),
        ("page index", {"write_page_index": True}),
    ):
        yield from of_tables(
            "parquet writers", name, _arrow(lambda table: table, **options), audits=("opportunity", "envy")
        )


# CSV


def _csv(change: Callable[[str], str | bytes], ending: str = ".csv", **options: Any) -> Write:
    def write(frame: pd.DataFrame, path: Path) -> Path:
        made = change(frame.to_csv(index=False, **options))
        path = path.with_suffix(ending)
        path.write_bytes(made.encode() if isinstance(made, str) else made)
        return path

    return write


def _line(number: int, change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        lines = text.split("\n")
        lines[number] = change(lines[number])
        return "\n".join(lines)

    return changed


def _gz(text: str) -> bytes:
    return gzip.compress(text.encode(), 1)


def _members(text: str) -> bytes:
    return _gz(text[: len(text) // 2]) + _gz(text[len(text) // 2 :])


def _every(change: Callable[[str], str]) -> Callable[[str], str]:
    """Each line but the first."""

    def changed(text: str) -> str:
        first, *rest = text.rstrip("\n").split("\n")
        return "\n".join([first, *map(change, rest)]) + "\n"

    return changed


def csv() -> Iterator[Case]:
    same: dict[str, Write] = {
        "a byte order mark": _csv(lambda text: "\ufeff" + text),
        "line ends of Windows": _csv(lambda text: text.replace("\n", "\r\n")),
        "no end of the last line": _csv(lambda text: text.rstrip("\n")),
        "everything in quotes": _csv(lambda text: text, quoting=1),
        "names in quotes": _csv(_line(0, lambda line: ",".join(f'"{name}"' for name in line.split(",")))),
        "text in quotes": _csv(lambda text: text, quoting=2),
        "members of gzip": _csv(_members, ".csv.gz"),
        "capitals in the ending": _csv(lambda text: text, ".CSV"),
        "tabs": _csv(lambda text: text, ".tsv", sep="\t"),
        "row numbers": lambda frame, path: (frame.to_csv(f"{path}.csv"), Path(f"{path}.csv"))[1],
        "semicolons": _csv(lambda text: text, sep=";"),
        "decimal commas": _csv(lambda text: text, sep=";", decimal=","),
        "semicolons of Windows": _csv(
            lambda text: ("\ufeff" + text.replace("\n", "\r\n")).encode(), sep=";", decimal=","
        ),
        "semicolons, packed": _csv(_gz, ".csv.gz", sep=";", decimal=","),
        "a field over several lines": lambda frame, path: _csv(lambda text: text)(
            frame.assign(note='two\nlines, and a "quote"'), path
        ),
    }
    for name, write in same.items():
        audits = ("opportunity", "series", "groups", "envy", "exposure")
        yield from of_tables("csv dialects", name, write, audits=audits)
    either: dict[str, Write] = {
        "line ends of old Macs": _csv(lambda text: text.replace("\n", "\r")),
        "UTF-16": _csv(lambda text: text.encode("utf-16")),
        "UTF-16 without a mark": _csv(lambda text: text.encode("utf-16-le")),
        "UTF-32": _csv(lambda text: text.encode("utf-32")),
        "Latin-1": _csv(
            lambda text: text.replace("old", "âgé").replace("drama", "comédie").encode("latin-1")
        ),
        "a short row": _csv(_line(5, lambda line: line.rsplit(",", 1)[0])),
        "a long row": _csv(_line(5, lambda line: line + ",7")),
        "a name twice": _csv(_line(0, lambda line: line + "," + line.split(",")[0])),
        "commas at the end": _csv(lambda text: text.replace("\n", ",\n")),
        "a comment first": _csv(lambda text: "# made by hand\n" + text),
        "a comment in the middle": _csv(_line(5, lambda line: "# " + line)),
        "Excel's separator line": _csv(lambda text: "sep=,\n" + text),
        "a semicolon too many": _csv(_line(5, lambda line: line + ";7"), sep=";"),
        "semicolons at the end": _csv(lambda text: text.replace("\n", ";\n"), sep=";"),
        "whole lines in quotes": _csv(
            lambda text: "".join(f'"{line}"\n' for line in text.splitlines()), sep=";"
        ),
        "a quote that is not closed": _csv(_line(5, lambda line: line.replace(";", ';"', 1)), sep=";"),
        "semicolons of Latin-1": _csv(lambda text: text.replace("old", "âgé").encode("latin-1"), sep=";"),
        "semicolons and half a file": _csv(lambda text: text[: len(text) // 2 + 1], sep=";", decimal=","),
        "a header of semicolons": _csv(_line(0, lambda line: line.replace(",", ";"))),
        "rows of semicolons": _csv(_every(lambda line: line.replace(",", ";"))),
        "bars": _csv(lambda text: text, sep="|"),
        "tabs in .csv": _csv(lambda text: text, sep="\t"),
        "an empty line in the middle": _csv(_line(5, lambda line: line + "\n")),
        "empty lines at the end": _csv(lambda text: text + "\n\n\n"),
        "blanks around names": _csv(_line(0, lambda line: line.replace(",", " , "))),
        "blanks after commas": _csv(lambda text: text.replace(",", ", ")),
        "a header alone": _csv(lambda text: text.split("\n")[0] + "\n"),
        "no header": _csv(lambda text: text.split("\n", 1)[1]),
        "half a file": _csv(lambda text: text[: len(text) // 2 + 1]),
        "a header in the middle": _csv(_line(7, lambda line: "\u0000" + line)),
        "a second header": lambda frame, path: _csv(lambda text: text + text.split("\n")[0] + "\n")(
            frame, path
        ),
        "gzip that is cut off": _csv(lambda text: _gz(text)[:-20], ".csv.gz"),
        "gzip of gzip": _csv(lambda text: gzip.compress(_gz(text)), ".csv.gz"),
        "text that is called gzip": _csv(lambda text: text, ".csv.gz"),
        "gzip that is called text": _csv(_gz, ".csv"),
        "gzip and rubbish": _csv(lambda text: _gz(text) + b"rubbish", ".csv.gz"),
        "gzip and zeros": _csv(lambda text: _gz(text) + bytes(64), ".csv.gz"),
        "an archive that is called csv": _zip,
        "Parquet that is called csv": lambda frame, path: _renamed(plain(frame, path), ".csv"),
        "csv that is called Parquet": _csv(lambda text: text, ".parquet"),
        "JSON that is called csv": lambda frame, path: _text(path, frame.to_json(orient="records")),
        "HTML that is called csv": lambda frame, path: _text(path, "<!doctype html><p>Please log in</p>\n"),
        "zeros for a file": lambda frame, path: _text(path, "\0" * 5000),
        "a line of quotes": _csv(_line(5, lambda line: '"' * 999)),
        "numbers of Arabic": _csv(_every(lambda line: line.replace("1", "١"))),
        "wide numbers": _csv(_every(lambda line: line.replace("1", "１"))),
        "blanks that do not break": _csv(_every(lambda line: line.replace(",", ",\u00a0"))),
    }
    for name, write in either.items():
        kinds = ("opportunity", "groups", "envy", "association", "exposure")
        yield from of_tables("csv that is odd", name, write, "either", audits=kinds[:3], only=ONE)
    for name, text in {
        "thousands": "1,000", "a unit": "1€", "hexadecimals": "0x1", "underscores": "1_0", "a fraction": "1/2",
        "a percentage": "50%", "yes": "yes", "T": "T", "a word": "NULL", "not available": "N/A", "NaN": "nan",
        "infinity": "inf", "minus zero": "-0", "many digits": "1" + "0" * 400, "an exponent": "1e400",
        "a tiny number": "1e-400", "a blank": " ", "two": "2", "a half": "0.5", "minus one": "-1",
    }.items():  # fmt: skip
        for audit, table, column in (
            ("opportunity", "default", "liked"), ("groups", "candidates", "label"),
            ("groups", "candidates", "score"), ("exposure", "scores", "score"),
            ("envy", "preferences", "preference"), ("envy", "policies", "probability"),
        ):  # fmt: skip
            end = "refused"
            if text in ("2", "0.5", "-1", "-0", "1e-400", "1e400", "nan", "inf") and column not in (
                "liked",
                "label",
            ):
                continue
            if text in ("-0", "1e-400"):  # which is 0, where 0 may be
                end = "either"
            write = _one_value(column, text)
            name_of = f"{name} in {column}"
            yield from of_tables("csv values", name_of, write, end, audits=(audit,), only=(table,))


ONE = ("default", "candidates", "preferences", "user_vectors", "scores")


def _one_value(column: str, text: str) -> Write:
    """The 4th row has another text there; a 0 where it is a label."""

    def write(frame: pd.DataFrame, path: Path) -> Path:
        frame = frame.astype({column: object})
        frame.loc[3, column] = text
        frame.to_csv(path.with_suffix(".csv"), index=False)
        return path.with_suffix(".csv")

    return write


def _zip(frame: pd.DataFrame, path: Path) -> Path:
    with zipfile.ZipFile(path.with_suffix(".csv"), "w") as archive:
        archive.writestr("a.csv", frame.to_csv(index=False))
    return path.with_suffix(".csv")


def _renamed(path: Path, ending: str) -> Path:
    return path.rename(path.with_suffix(ending))


def _text(path: Path, text: str) -> Path:
    path.with_suffix(".csv").write_text(text, encoding="utf-8")
    return path.with_suffix(".csv")


# Paths


def _parts(frame: pd.DataFrame, folder: Path, order: list[int], ending: str = "parquet") -> Path:
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        part = frame.iloc[rows]
        path = folder / f"part-{order[number]}.{ending}"
        part.to_parquet(path, index=False) if ending == "parquet" else part.to_csv(path, index=False)
    return folder


def _spark(frame: pd.DataFrame, path: Path) -> Path:
    folder = _parts(frame, path, [0, 1, 2])
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.crc").write_bytes(b"crc")
    return folder


def _hive(frame: pd.DataFrame, path: Path) -> str:
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), 2)):
        folder = path / f"liked={number}"
        folder.mkdir(parents=True)
        frame.iloc[rows].to_parquet(folder / "part.parquet", index=False)
    return f"{path}/*/*.parquet"


def _mixed(frame: pd.DataFrame, path: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> str:
    path.mkdir()
    frame.iloc[:30].to_parquet(path / "a.parquet", index=False)
    change(frame.iloc[30:].copy()).to_parquet(path / "b.parquet", index=False)
    return f"{path}/*.parquet"


def _linked(frame: pd.DataFrame, path: Path) -> Path:
    link = path.with_name(f"{path.name}-link.parquet")
    link.symlink_to(plain(frame, path))
    return link


def _fifo(frame: pd.DataFrame, path: Path) -> Path:
    os.mkfifo(path.with_suffix(".csv"))
    return path.with_suffix(".csv")


def _folder(frame: pd.DataFrame, path: Path) -> Path:
    path.with_suffix(".csv").mkdir()
    return path.with_suffix(".csv")


def _unreadable(frame: pd.DataFrame, path: Path) -> Path:
    path = plain(frame, path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 3)
    return path


def _named(name: str) -> Write:
    return lambda frame, path: shutil.move(plain(frame, path), path.with_name(path.name + name))


def paths() -> Iterator[Case]:
    audits = ("opportunity", "envy", "groups")
    for name, order in (("in order", [0, 1, 2]), ("in another order", [2, 0, 1])):
        for ending in ("parquet", "csv"):

            def write(frame: pd.DataFrame, path: Path, order: Any = order, ending: str = ending) -> str:
                return f"{_parts(frame, path, order, ending)}/part-*.{ending}"

            yield from of_tables("paths", f"parts {name} as {ending}", write, audits=audits)
    same: dict[str, Write] = {
        "a folder as Spark writes it": _spark,
        "folders with a column in their names": _hive,
        "a link": _linked,
        "brackets in a name": _named("[1].parquet"),
        "a star in a name": _named("*.parquet"),
        "a question in a name": _named("?.parquet"),
        "a quote in a name": _named("'; drop table x --.parquet"),
        "a double quote in a name": _named('".parquet'),
        "a blank in a name": _named(" a b.parquet"),
        "a line end in a name": _named("\n.parquet"),
        "a percent in a name": _named("%s%d%20.parquet"),
        "braces in a name": _named("{x}.parquet"),
        "a dollar in a name": _named("$HOME.parquet"),
        "a backslash in a name": _named("\\n.parquet"),
        "Arabic in a name": _named("\u202eسجل.parquet"),
        "a long name": _named("x" * 200 + ".parquet"),
        "two dots in a path": lambda frame, path: plain(frame, path).parent / ".." / path.parent.name
        / f"{path.name}.parquet",
        "columns in another order over files": lambda frame, path: _mixed(
            frame, path, lambda part: part[part.columns[::-1]]
        ),
        "smaller integers in one file": lambda frame, path: _mixed(
            frame, path, lambda part: part.astype({c: "int16" for c in IDS if c in part})
        ),
    }  # fmt: skip
    for name, write in same.items():
        yield from of_tables("paths", name, write, "same", audits=audits)
    refused: dict[str, Write] = {
        "a pipe": _fifo,
        "a folder that is called csv": _folder,
        "the null device": lambda frame, path: "/dev/null",
        "standard input": lambda frame, path: "/dev/stdin",
        "random bytes": lambda frame, path: "/dev/zero",
        "a process": lambda frame, path: "/proc/self/maps",
        "a pattern that matches nothing": lambda frame, path: f"{path}/*.parquet",
        "a pattern that is broken": lambda frame, path: f"{path}/[.parquet",
        "a column too many in one file": lambda frame, path: _mixed(frame, path, lambda p: p.assign(more=1)),
        "text ids in one file": lambda frame, path: _mixed(frame, path, lambda p: p.astype({IDS[0]: str})),
        "a Parquet file that is cut off": _unreadable,
        "no path at all": lambda frame, path: "",
        "a path of blanks": lambda frame, path: " ",
        "a path of dots": lambda frame, path: "../../..",
        "a home that is none": lambda frame, path: "~root2/x.parquet",
        "a long path": lambda frame, path: "x" * 5000 + ".parquet",
        "an address": lambda frame, path: "https://example.org/x.parquet",
        "a bucket": lambda frame, path: "s3://bucket/x.parquet",
        "a file address": lambda frame, path: f"file://{plain(frame, path)}",
        "a query": lambda frame, path: "read_csv('/etc/passwd')",
        "a file without an ending": lambda frame, path: shutil.copy(plain(frame, path), path),
        "a spreadsheet": lambda frame, path: _renamed(plain(frame, path), ".xlsx"),
    }
    for name, write in refused.items():
        yield from of_tables("paths", name, write, "refused", audits=audits, only=ONE)
