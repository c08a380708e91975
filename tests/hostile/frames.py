"""Frames of pandas, polars and Arrow, relations of DuckDB, and what is no table at all."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds

from hostile.cases import Case, End, of_tables

IDS = ("user_id", "item_id")
TEXTS = ("age", "gender", "genre")
LABELS = ("liked", "label")
NUMBERS = ("score", "preference", "probability")
TABLES = ("opportunity", "groups", "exposure", "envy")


def cases() -> Iterator[Case]:
    for name, change, end, exactly in PANDAS:
        yield from of_tables("pandas", name, _given(change), end, audits=TABLES, frames=True, exactly=exactly)
    for name, change, end, exactly in POLARS:
        yield from of_tables("polars", name, _given(change), end, audits=TABLES, frames=True, exactly=exactly)
    for name, change, end, exactly in ARROW:
        yield from of_tables("arrow", name, _given(change), end, audits=TABLES, frames=True, exactly=exactly)
    for name, change, end, exactly in DUCKDB:
        yield from of_tables("duckdb", name, _given(change), end, audits=TABLES, frames=True, exactly=exactly)
    for name, change, end, exactly in NO_TABLES:
        kind = "no table"
        yield from of_tables(kind, name, _given(change), end, audits=TABLES, frames=True, exactly=exactly)


def _given(change: Callable[[pd.DataFrame], Any]) -> Callable[[pd.DataFrame, Path], Any]:
    return lambda frame, path: change(frame)


def _as(columns: tuple[str, ...], change: Callable[[pd.Series], Any]) -> Callable[[pd.DataFrame], Any]:
    return lambda frame: frame.assign(**{name: change(frame[name]) for name in columns if name in frame})


def _type(columns: tuple[str, ...], type_: Any) -> Callable[[pd.DataFrame], Any]:
    return _as(columns, lambda column: column.astype(type_))


def _sparse(column: pd.Series) -> Any:
    return pd.arrays.SparseArray(column)


class Other(pd.DataFrame):
    """A subclass, as many libraries have one."""


def _one_mixed(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.astype({frame.columns[0]: object})
    frame.iloc[3, 0] = str(frame.iloc[3, 0])
    return frame


def _shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=1)


def _index_of_the_key(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_index(frame.columns[0])


Changes = list[tuple[str, Callable[[pd.DataFrame], Any], End, bool]]
PANDAS: Changes = [
    ("an index of zeros", lambda frame: frame.set_axis([0] * len(frame)), "same", True),
    ("rows in another order", _shuffled, "same", True),
    ("columns in another order", lambda frame: frame[frame.columns[::-1]], "same", True),
    ("an index of two levels", lambda frame: frame.set_index([frame.index, frame.index]), "same", True),
    ("the key as an index", _index_of_the_key, "refused", True),
    (
        "names of two levels",
        lambda frame: frame.set_axis(pd.MultiIndex.from_product([["a"], frame.columns]), axis=1),
        "refused", True,
    ),
    ("names of categories", lambda frame: frame.set_axis(pd.CategoricalIndex(frame.columns), axis=1), "same", True),
    ("names that are numbers", lambda frame: frame.set_axis(range(frame.shape[1]), axis=1), "refused", True),
    ("a name twice", lambda frame: pd.concat([frame, frame.iloc[:, :1]], axis=1), "refused", True),
    ("categories", _type(TEXTS, "category"), "same", True),
    (
        "categories that nobody has",
        _as(TEXTS, lambda c: pd.Categorical(c, categories=["zzz", *sorted(set(c)), "none"])), "same", True,
    ),
    (
        "categories in an order",
        _as(TEXTS, lambda c: pd.Categorical(c, categories=sorted(set(c))[::-1], ordered=True)), "same", True,
    ),
    ("ids as categories", _type(IDS, "category"), "same", False),
    ("nullable integers", _type((*IDS, *LABELS), "Int64"), "same", True),
    ("nullable booleans", _type(LABELS, "boolean"), "same", True),
    ("nullable floats", _type(NUMBERS, "Float64"), "same", True),
    ("nullable text", _type(TEXTS, "string"), "same", True),
    ("text of Arrow", _type(TEXTS, "string[pyarrow]"), "same", True),
    ("columns of Arrow", lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"), "same", True),
    ("decimals of Arrow", _type(NUMBERS, pd.ArrowDtype(pa.decimal128(12, 3))), "same", True),
    ("sparse columns", _as(LABELS, _sparse), "either", True),
    ("objects of integers", _type((*IDS, *LABELS), object), "same", True),
    ("objects of floats", _type(NUMBERS, object), "same", True),
    ("objects of decimals", _as(NUMBERS, lambda c: [Decimal(str(v)) for v in c]), "same", True),
    ("objects of NumPy", _as(IDS, lambda c: pd.Series([np.int64(v) for v in c], dtype=object)), "same", True),
    ("objects of booleans", _as(LABELS, lambda c: pd.Series([bool(v) for v in c], dtype=object)), "same", True),
    ("a mixture of types", _one_mixed, "refused", True),
    ("labels of True and 1", _as(LABELS, lambda c: [bool(v) if i % 2 else int(v) for i, v in enumerate(c)]), "either", True),
    ("ids as UUIDs", _as(IDS, lambda c: [uuid.UUID(int=int(v)) for v in c]), "either", False),
    ("ids as bytes", _as(IDS, lambda c: [b"%04d" % v for v in c]), "either", False),
    ("ids as tuples", _as(IDS, lambda c: [(int(v), 0) for v in c]), "either", False),
    ("ids as dictionaries", _as(IDS, lambda c: [{"id": int(v)} for v in c]), "either", False),
    ("ids as lists", _as(IDS, lambda c: [[int(v)] for v in c]), "either", False),
    ("ids as dates", _as(IDS, lambda c: pd.to_datetime(c, unit="D")), "either", False),
    ("ids as periods", _as(IDS, lambda c: pd.PeriodIndex.from_ordinals(c, freq="D")), "either", False),
    ("ids as lengths of time", _as(IDS, lambda c: pd.to_timedelta(c, unit="D")), "either", False),
    ("ids as complex numbers", _type(IDS, complex), "refused", False),
    ("ids as intervals", _as(IDS, lambda c: pd.IntervalIndex.from_arrays(c, c + 1)), "either", False),
    ("ids of one letter case", _as(IDS, lambda c: [f"ID{v:04d}" for v in c]), "same", False),
    ("ids with blanks", _as(IDS, lambda c: [f" id {v:04d} " for v in c]), "same", False),
    ("ids of wide characters", _as(IDS, lambda c: [f"é\u202e\u200b{v:04d}" for v in c]), "same", False),
    ("long ids", _as(IDS, lambda c: [f"{v:04d}" + "x" * 2000 for v in c]), "same", False),
    ("negative ids", _as(IDS, lambda c: c - 2**62), "same", False),
    ("large ids", _as(IDS, lambda c: c.astype("uint64") + 2**63), "same", False),
    ("small ids", _type(IDS, "int8"), "same", True),
    ("half floats", _type(NUMBERS, "float16"), "same", True),
    ("long floats", _type(NUMBERS, np.longdouble), "either", True),
    ("swapped bytes", _type((*IDS, *LABELS), ">i8"), "same", True),
    ("swapped bytes of floats", _type(NUMBERS, ">f8"), "same", True),
    ("labels as text", _type(LABELS, str), "either", True),
    ("labels as words", _as(LABELS, lambda c: np.where(c == 1, "true", "false")), "either", True),
    ("labels as yes and no", _as(LABELS, lambda c: np.where(c == 1, "yes", "no")), "either", True),
    ("labels as floats", _type(LABELS, float), "same", True),
    ("labels as lengths of time", _as(LABELS, lambda c: pd.to_timedelta(c)), "either", True),
    ("labels as dates", _as(LABELS, lambda c: pd.to_datetime(c)), "either", True),
    ("labels as complex numbers", _type(LABELS, complex), "either", True),
    ("scores as text", _type(NUMBERS, str), "either", True),
    ("scores as complex numbers", _type(NUMBERS, complex), "either", True),
    ("a subclass", Other, "same", True),
    ("a frame that is read only", lambda frame: (frame.to_numpy().setflags(write=False), frame)[1], "same", True),
    ("a column called index", lambda frame: frame.assign(index=1, level_0=2), "same", True),
    ("a column of a reserved word", lambda frame: frame.assign(**{"select": 1, 'a"b': 2, "": 3}), "either", True),
    ("names of ours", lambda frame: frame.assign(evenhand_problems=1, evenhand_n=2, evenhand_rows=3), "either", True),
    ("five hundred columns", lambda frame: frame.assign(**{f"c{i}": 0 for i in range(500)}), "same", True),
    ("no rows", lambda frame: frame.iloc[:0], "refused", True),
    ("no columns", lambda frame: frame[[]], "refused", True),
]  # fmt: skip


def _polars(change: Callable[[pl.DataFrame], Any]) -> Callable[[pd.DataFrame], Any]:
    return lambda frame: change(pl.from_pandas(frame))


def _cast(columns: tuple[str, ...], type_: Any) -> Callable[[pd.DataFrame], Any]:
    return _polars(lambda f: f.with_columns(pl.col(c).cast(type_) for c in columns if c in f.columns))


POLARS: Changes = [
    ("a frame", _polars(lambda f: f), "same", True),
    ("a lazy frame", _polars(lambda f: f.lazy()), "same", True),
    ("a lazy frame that fails", _polars(lambda f: f.lazy().select(pl.col("nobody"))), "refused", True),
    ("categories", _cast(TEXTS, pl.Categorical), "same", True),
    (
        "enums",
        _polars(lambda f: f.with_columns(
            pl.col(c).cast(pl.Enum(["zz", *sorted(f[c].unique())])) for c in TEXTS if c in f.columns
        )),
        "same", True,
    ),
    ("decimals", _cast(NUMBERS, pl.Decimal(12, 3)), "same", True),
    ("labels of decimals", _cast(LABELS, pl.Decimal(3, 0)), "same", True),
    ("wide integers", _cast(IDS, pl.Int128), "either", True),
    ("small integers", _cast((*IDS, *LABELS), pl.UInt8), "same", True),
    ("booleans", _cast(LABELS, pl.Boolean), "same", True),
    ("ids of text", _polars(
        lambda f: f.with_columns(("id" + pl.col(c).cast(pl.String).str.zfill(5)).alias(c) for c in IDS if c in f.columns)
    ), "either", False),
    ("bytes", _polars(
        lambda f: f.with_columns(pl.col(c).cast(pl.Binary) for c in TEXTS if c in f.columns)
    ), "either", True),
    ("a column of lists", _polars(lambda f: f.with_columns(extra=pl.lit([1, 2]))), "same", True),
    ("a column of structs", _polars(lambda f: f.with_columns(extra=pl.struct(a=1))), "same", True),
    ("a column of nothing", _polars(lambda f: f.with_columns(extra=pl.lit(None))), "same", True),
    ("a column of objects", _polars(
        lambda f: f.with_columns(pl.Series("extra", [object()] * len(f), dtype=pl.Object))
    ), "either", True),
    ("a column of times", _polars(lambda f: f.with_columns(extra=pl.lit(1).cast(pl.Time))), "same", True),
    ("many chunks", _polars(lambda f: pl.concat([f[i : i + 40] for i in range(0, len(f), 40)], rechunk=False)), "same", True),
    ("a series", _polars(lambda f: f.to_series(0)), "refused", True),
    ("no rows", _polars(lambda f: f[:0]), "refused", True),
    ("nothing at all", _polars(lambda f: pl.DataFrame()), "refused", True),
]  # fmt: skip


def _arrow(change: Callable[[pa.Table], Any]) -> Callable[[pd.DataFrame], Any]:
    return lambda frame: change(pa.Table.from_pandas(frame, preserve_index=False))


def _columns(columns: tuple[str, ...], change: Callable[[Any], Any]) -> Callable[[pd.DataFrame], Any]:
    def changed(table: pa.Table) -> pa.Table:
        for name in columns:
            if name in table.column_names:
                place = table.column_names.index(name)
                table = table.set_column(place, name, change(table.column(name)))
        return table

    return _arrow(changed)


def _reader(table: pa.Table) -> Any:
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


ARROW: Changes = [
    ("a table", _arrow(lambda t: t), "same", True),
    ("a batch", _arrow(lambda t: t.combine_chunks().to_batches()[0]), "either", True),
    ("a reader", _arrow(_reader), "either", True),
    ("a data set", _arrow(lambda t: ds.dataset(t)), "either", True),
    ("a scanner", _arrow(lambda t: ds.dataset(t).scanner()), "either", True),
    ("many chunks", _arrow(lambda t: pa.concat_tables([t.slice(i, 50) for i in range(0, len(t), 50)])), "same", True),
    ("chunks without rows", _arrow(lambda t: pa.concat_tables([t.slice(0, 0), t, t.slice(0, 0)])), "same", True),
    ("runs", _columns(TEXTS, lambda c: pa.compute.run_end_encode(c)), "either", True),
    ("dictionaries", _columns(TEXTS, lambda c: c.dictionary_encode()), "same", True),
    ("dictionaries that differ", _columns(TEXTS, lambda c: pa.chunked_array(
        [c.slice(0, 5).combine_chunks().dictionary_encode(), c.slice(5).combine_chunks().dictionary_encode()]
    )), "same", True),
    ("views of text", _columns(TEXTS, lambda c: c.cast(pa.string_view())), "same", True),
    ("wide decimals", _columns(LABELS, lambda c: c.cast(pa.decimal256(40, 0))), "either", True),
    ("half floats", _columns(NUMBERS, lambda c: c.cast(pa.float16())), "either", True),
    ("ids of bytes", _columns(IDS, lambda c: pa.array([b"%04d" % v.as_py() for v in c])), "either", False),
    ("uuids", _columns(IDS, lambda c: pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([uuid.UUID(int=v.as_py()).bytes for v in c], pa.binary(16))
    )), "either", False),
    ("a struct", _columns(IDS[:1], lambda c: pa.StructArray.from_arrays([c.combine_chunks()], ["id"])), "either", False),
    ("a name twice", _arrow(lambda t: t.append_column(t.column_names[0], t.column(0))), "refused", True),
    ("no name", _arrow(lambda t: t.append_column("", t.column(0))), "either", True),
    ("a name with a zero", _arrow(lambda t: t.append_column("a\0b", t.column(0))), "refused", True),
    ("names that differ in case", _arrow(lambda t: t.append_column(t.column_names[0].upper(), t.column(0))), "refused", True),
    ("an array", _arrow(lambda t: t.column(0).combine_chunks()), "refused", True),
    ("a schema", _arrow(lambda t: t.schema), "refused", True),
]  # fmt: skip


def _relation(query: str) -> Callable[[pd.DataFrame], Any]:
    """A relation on the default connection."""

    def made(frame: pd.DataFrame) -> Any:
        name = f"t{uuid.uuid4().hex}"
        duckdb.register(name, frame)
        columns = dict.fromkeys(frame.columns)
        text = query.format(table=name, first=next(iter(columns)))
        return duckdb.sql(text)

    return made


DUCKDB: Changes = [
    ("a relation", _relation("from {table}"), "same", True),
    ("a relation in no order", _relation("from {table} order by random()"), "same", True),
    ("wide integers", _relation("select * replace ({first}::hugeint as {first}) from {table}"), "either", False),
    ("wide unsigned integers", _relation("select * replace ({first}::uhugeint as {first}) from {table}"), "either", False),
    ("uuids", _relation("select * replace (uuid() as {first}) from {table}"), "any", False),
    ("bits", _relation("select *, '101'::bit as extra from {table}"), "same", True),
    ("unions", _relation("select *, union_value(num := 2) as extra from {table}"), "either", True),
    ("intervals", _relation("select *, interval 1 month as extra from {table}"), "same", True),
    ("numbers of any size", _relation("select *, 1::bignum as extra from {table}"), "either", True),
    ("an error inside", _relation("select *, error('no') as extra from {table}"), "either", True),
    ("json", _relation("select *, '{{}}'::json as extra from {table}"), "same", True),
    ("a name twice", _relation("select *, {first} from {table}"), "either", True),
    ("an ibis table in memory", ibis.memtable, "same", True),
    ("an ibis table that is not bound", lambda frame: ibis.table({"user_id": "int64"}, name="t"), "refused", True),
    ("an ibis column", lambda frame: ibis.memtable(frame)[frame.columns[0]], "refused", True),
]  # fmt: skip
NO_TABLES: Changes = [
    ("nothing", lambda frame: None, "refused", True),
    ("a dictionary", lambda frame: frame.to_dict("list"), "refused", True),
    ("records", lambda frame: frame.to_dict("records"), "refused", True),
    ("a structured array", lambda frame: frame.to_records(index=False), "refused", True),
    ("an array of objects", lambda frame: frame.to_numpy(dtype=object), "refused", True),
    ("a series", lambda frame: frame.iloc[:, 0], "refused", True),
    ("a generator", lambda frame: iter(frame.itertuples()), "refused", True),
    ("bytes", lambda frame: frame.to_parquet(), "refused", True),
    ("an open file", lambda frame: __import__("io").StringIO(frame.to_csv()), "refused", True),
    ("a number", lambda frame: 7, "refused", True),
    ("not a number", lambda frame: float("nan"), "refused", True),
    ("a class", lambda frame: pd.DataFrame, "refused", True),
    ("a function", lambda frame: lambda: frame, "refused", True),
    ("a list of frames", lambda frame: [frame, frame], "refused", True),
    ("a list of nothing", lambda frame: [None], "refused", True),
    ("an empty list", lambda frame: [], "refused", True),
    ("a set of paths", lambda frame: {"a.parquet"}, "refused", True),
    ("a grouped frame", lambda frame: frame.groupby(frame.columns[0]), "refused", True),
]
