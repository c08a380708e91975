"""Where vectors come from: arrays, .npy and .npz files, tables, folders and objects of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.arrays import Vectors
from evenhand.association.vectors.checks import checked, same_space
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.files import MODEL_FILE, is_model_folder
from evenhand.findings import Exclusion
from evenhand.inputs.arrays import load_arrays
from evenhand.inputs.stored import fingerprints
from evenhand.parameters import choice, plain_path
from evenhand.recommenders import Recommender, as_recommender
from evenhand.recommenders.protocol import Embeddings
from evenhand.recommenders.stored.storage import describe, named

NOT_SHARED = (
    "users and items of this model do not share a space: its score is not a product of their vectors (a "
    "network joins them instead), so a direction among users means nothing among items"
)
ZEROS = ("refuse", "exclude")
LEAVE_OUT = "drop them, or leave them out with zeros='exclude' (--zeros exclude)"
LIBRARIES = ("implicit", "lenskit", "torch")
# What pandas calls its index in Parquet files, and in CSV files that it read and wrote again.
_INDEX = ("__index_level_", "Unnamed: ")


@dataclass(frozen=True, eq=False)
class Entities:
    """Vectors with the ids of their rows; without ids (`numbered`), the number of a row is its id.

    Those of a table are in the order of their ids, and have the names of its columns where each is a
    dimension (`columns`); only those of arrays are in an order that the caller knows. Where some were left
    out, what is known of them is still of the `whole`, and the rows `kept` are those that are here.
    """

    name: str
    vectors: Vectors
    ids: NDArray[Any]
    fingerprint: Fingerprint
    numbered: bool = False
    from_table: bool = False
    columns: tuple[str, ...] = ()
    whole: Entities | None = None
    kept: NDArray[np.int64] | None = None

    def without_zeros(self) -> tuple[Entities, tuple[Exclusion, ...]]:
        """Those with a direction, and how many have none."""
        zero = np.asarray(~self.vectors.any(axis=1))
        if not zero.any():
            return self, ()
        if zero.all():
            raise InputError(f"{self.name}: all {len(zero):,} vectors are zero, and have no direction.")
        kept = np.flatnonzero(~zero)
        left_out = Exclusion(
            what=f"{self.name} with a vector of zeros",
            count=int(zero.sum()),
            why="a vector of zeros has no direction",
        )
        whole = replace(self, vectors=self.vectors[:0])
        return replace(self, vectors=self.vectors[kept], ids=self.ids[kept], whole=whole, kept=kept), (
            left_out,
        )

    def in_columns_of(self, other: Entities) -> Entities:
        """With dimensions in the order that `other` has, if both are named and the names are the same."""
        if self.columns == other.columns or sorted(self.columns) != sorted(other.columns):
            return self
        order = [self.columns.index(name) for name in other.columns]
        return replace(self, vectors=self.vectors[:, order], columns=other.columns)


@dataclass(frozen=True, eq=False)
class Space:
    """Tested entities and those with the attribute; `shared` is None where nothing is known about it.

    Where only those with the attribute were given, they stand on both sides. `excluded` are entities of a
    model that it has learnt nothing about. `warnings` are about every number that these vectors give. `model`
    is the one that both sides are of, as it was given; None where each was given by itself.
    """

    items: Entities
    users: Entities
    shared: bool | None
    excluded: tuple[Exclusion, ...] = ()
    warnings: tuple[str, ...] = ()
    model: Any = None

    def refuse_apart(self, told: str = "{}.") -> None:
        """Raise unless a direction among users means something among items; `told` is how that is said."""
        if self.shared is False:
            raise InputError(told.format(NOT_SHARED))
        same_space((self.items.name, self.items.vectors), (self.users.name, self.users.vectors))


def space(
    items: Any, users: Any, *, alone: bool = False, whole: bool = False, user_ids: Any = None,
    item_ids: Any = None, engine: Any = None, zeros: str = "refuse",
) -> Space:  # fmt: skip
    """Both sides. A model (a folder, a recommender, a model of a library) has both: `users` is then None.

    With `alone`, nothing is tested, and items are not needed. Entities of a model that have a vector of zeros
    are left out, unless the `whole` model is wanted; those of arrays, files and tables where `zeros` is
    "exclude".
    """
    without = choice("zeros", zeros, ZEROS) == "exclude"
    model = next((side for side in (items, users) if _is_model(side)), None)
    if model is None:
        if alone and items is None and users is not None:
            people = entities("users", users, "user", user_ids, engine, zeros=without)
            people, none = people.without_zeros() if without else (people, ())
            return Space(people, people, None, none)
        if items is None or users is None:
            missing = "items" if items is None else "users"
            raise InputError(f"there are no vectors of {missing}; only a model has those of both sides.")
        people = entities("users", users, "user", user_ids, engine, zeros=without)
        tested = entities("items", items, "item", item_ids, engine, zeros=without).in_columns_of(people)
        if not without:
            return Space(tested, people, None)
        people, none_of_users = people.without_zeros()
        tested, none_of_items = tested.without_zeros()
        return Space(tested, people, None, none_of_users + none_of_items)
    if not all(side is None or side is model or _same_folder(side, model) for side in (items, users)):
        raise InputError(
            "a model has the vectors of users and of items; pass it as items, and None as users, or two "
            "arrays that share one space."
        )
    found, ids = _of_model(model, user_ids, item_ids)
    kind = type(model).__name__ if not isinstance(model, str | Path) else "model folder"
    tested, none_of_items = _learnt("items", found.items, ids[1], kind, whole)
    people, none_of_users = _learnt("users", found.users, ids[0], kind, whole)
    return Space(tested, people, found.shared_space, none_of_users + none_of_items, _made_by(model), model)


def _made_by(model: Any) -> tuple[str, ...]:
    """That most users of a mitigated model cannot say what the mitigation did."""
    told = describe(model).get("mitigation") if isinstance(model, str | Path) else None
    if not isinstance(told, dict):
        return ()
    held_out = told.get("held_out")
    count = f"the {len(held_out):,} users" if isinstance(held_out, list) and held_out else "users"
    return (
        f"a mitigation of {told.get('attribute', 'an attribute')} made these vectors from most of the users, "
        "on whom it took out noise as well: differences between them may lie beyond 0 on the other side "
        f"without meaning anything; only {count} that it held out can judge it, and what they say is in its "
        "own comparison of before and after.",
    )


def _learnt(
    name: str, vectors: Any, ids: NDArray[Any] | None, kind: str, whole: bool
) -> tuple[Entities, tuple[Exclusion, ...]]:
    """One side of a model. What it never saw has zeros for a vector, which nobody can drop from a folder."""
    zero = ~np.asarray(vectors).any(axis=1)
    if whole or not zero.any() or zero.all():
        return _entities(name, vectors, ids, kind, zeros=whole), ()
    kept = np.flatnonzero(~zero)
    left_out = Exclusion(
        what=f"{name} with a vector of zeros",
        count=int(zero.sum()),
        why="the model learnt nothing about them",
    )
    made = _entities(name, np.asarray(vectors)[kept], kept if ids is None else ids[kept], kind)
    return made, (left_out,)


def _is_model(source: Any) -> bool:
    if isinstance(source, Recommender | Embeddings):
        return True
    if isinstance(source, str | Path):
        return is_model_folder(plain_path("vectors", source))
    if hasattr(source, "ndim"):  # a tensor is of torch, too, and an array
        return False
    return bool({base.__module__.split(".")[0] for base in type(source).__mro__} & set(LIBRARIES))


def _same_folder(side: Any, model: Any) -> bool:
    paths = isinstance(side, str | Path) and isinstance(model, str | Path)
    return paths and Path(side).resolve() == Path(model).resolve()


def _of_model(
    model: Any, user_ids: Any, item_ids: Any
) -> tuple[Embeddings, tuple[NDArray[Any] | None, NDArray[Any] | None]]:
    if isinstance(model, Embeddings):
        return model, (_given(user_ids), _given(item_ids))
    recommender = as_recommender(model, user_ids=user_ids, item_ids=item_ids)
    if recommender.embeddings is None:
        raise InputError(
            f"{named(model, recommender)} has no vectors of users and items, so there is nothing in which an "
            "attribute could be looked for; audit a model with factors, or pass its arrays."
        )
    return recommender.embeddings, (recommender.user_ids, recommender.item_ids)


def entities(
    name: str, source: Any, what: str, ids: Any = None, engine: Any = None, *, zeros: bool = False
) -> Entities:
    """One side from an array, a file or a table; a table needs the column user_id or item_id."""
    path = plain_path(name, source) if isinstance(source, str | Path) else None
    if path is not None and path.suffix.lower() in (".npy", ".npz"):
        vectors, found = _numpy_file(name, path, what)
        return _entities(name, vectors, _given(ids) if ids is not None else found, path.name, zeros=zeros)
    if path is not None and path.is_dir() and not any(path.glob("*.parquet")):
        raise InputError(
            f"{name}: the folder {path.name} has neither a {MODEL_FILE} that `evenhand train` "
            "wrote nor Parquet files."
        )
    opened = isinstance(source, inputs.Table)
    if (
        opened
        or path is not None
        or type(source).__module__.split(".")[0]
        in (
            "pandas",
            "polars",
            "pyarrow",
            "duckdb",
            "ibis",
        )
    ):
        return _table(name, source, what, engine, zeros)
    return _entities(name, source, _given(ids), "array", zeros=zeros)


def _entities(
    name: str, vectors: Any, ids: NDArray[Any] | None, source: str, *, zeros: bool = False
) -> Entities:
    rows = checked(name, vectors, zeros=zeros, advice=LEAVE_OUT)
    numbered = ids is None
    if ids is None:
        ids = np.arange(len(rows))
    if ids.ndim != 1 or len(ids) != len(rows):
        shape = " x ".join(f"{size:,}" for size in ids.shape)
        raise InputError(f"{name}: there are {shape} ids for {len(rows):,} vectors; give one for each.")
    repeated = pd.Series(ids)[pd.Series(ids).duplicated()]
    if len(repeated):
        raise InputError(
            f"{name}: {len(repeated):,} ids appear more than once, for example {repeated.tolist()[0]!r}."
        )
    schema = [("vectors", f"{rows.dtype}[{rows.shape[1]}]")]
    return Entities(name, rows, ids, fingerprints.of_schema(source, schema, len(rows)), numbered)


def _given(ids: Any) -> NDArray[Any] | None:
    return None if ids is None else np.asarray(ids)


def _numpy_file(name: str, path: Path, what: str) -> tuple[Any, NDArray[Any] | None]:
    vectors, ids = "", ""

    def choose(axes: Mapping[str, int]) -> list[str]:
        nonlocal vectors, ids
        known = [key for key in (f"{what}_vectors", f"{what}s", "vectors") if key in axes]
        tables = known or [key for key, count in axes.items() if count == 2]
        if len(tables) != 1 and not known:
            raise InputError(
                f"holds {', '.join(axes) or 'nothing'}; one array must be called {what}_vectors, {what}s or "
                "vectors, or be the only one with two axes"
            )
        vectors = tables[0]
        ids = next((key for key in (f"{what}_ids", "ids") if key in axes), "")
        return [vectors, *([ids] if ids else [])]

    try:
        arrays = load_arrays(path, choose)
    except InputError as error:
        raise InputError(f"{name}: {path.name} {error}.") from None
    except FileNotFoundError as error:
        raise InputError(f"{name}: there is no file {path.name}.") from error
    except Exception as error:  # there is no end to what NumPy trips over in a file that is not whole
        hint = "; write ids of text with .astype(str)" if "Object arrays" in str(error) else ""
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: {path.name} cannot be read as NumPy arrays ({why}){hint}.") from error
    return arrays[vectors], arrays.get(ids) if ids else None


def _table(name: str, source: Any, what: str, engine: Any, zeros: bool) -> Entities:
    """An id, and either one column with lists or a column for each dimension."""
    table = inputs.table(source, name=name, engine=engine)
    key = f"{what}_id"
    inputs.explain_problems(table, required=[key])
    # pandas writes its index into a file under a name of this kind; it is no dimension.
    rest = [name for name in table.columns if name != key and not name.startswith(_INDEX)]
    rows = pa.Table.from_batches(list(table.batches(table.expr)))
    lists = [column for column in rest if _is_list(rows.schema.field(column).type)]
    if lists:
        if len(lists) > 1:
            raise InputError(f"{name}: there must be one column of vectors, not {', '.join(lists)}.")
        vectors = _stacked(name, lists[0], rows.column(lists[0]).combine_chunks())
    else:
        if not rest:
            raise InputError(f"{name}: there is no column of vectors beside {key}.")
        frame = rows.select(rest).to_pandas()
        vectors = np.column_stack([inputs.numbers_of(frame[column], name) for column in rest])
    ids = rows.column(key).to_pandas()
    if ids.isna().any():
        raise InputError(f"{name}: column {key!r} is empty in {int(ids.isna().sum()):,} rows.")
    made = _entities(name, vectors, ids.to_numpy(), "table", zeros=zeros)
    order = np.argsort(made.ids, kind="stable")  # an engine gives rows in no particular order
    return Entities(
        name, made.vectors[order], made.ids[order], table.fingerprint(len(made.ids)), from_table=True,
        columns=() if lists else tuple(rest),
    )  # fmt: skip


def _stacked(name: str, column: str, lists: Any) -> NDArray[Any]:
    """A column of lists as a table; the numbers are not touched one by one."""
    lengths = pc.unique(pc.fill_null(pc.list_value_length(lists), 0)).to_pylist()
    if len(lengths) > 1:
        raise InputError(
            f"{name}: column {column!r} has vectors of {len(lengths)} different lengths, such as "
            f"{min(lengths)} and {max(lengths)}."
        )
    flat = lists.flatten()
    if flat.null_count or not len(flat):
        raise InputError(f"{name}: column {column!r} has vectors with empty places; fill or drop them.")
    return flat.to_numpy(zero_copy_only=False).reshape(len(lists), -1)


def _is_list(type_: pa.DataType) -> bool:
    return pa.types.is_list(type_) or pa.types.is_fixed_size_list(type_) or pa.types.is_large_list(type_)
