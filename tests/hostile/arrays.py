"""Arrays from Python: how they lie in memory, what they are made of, and what stands in them."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import evenhand as eh
from hostile.cases import Case
from hostile.doors import Numbers, numbers_of, quietly, sentence_or, world

Arrays = dict[str, Any]


def arrays() -> Arrays:
    """The world as arrays: users in rows, items in columns."""
    tables = world()

    def wide(name: str, column: str) -> Any:
        frame = tables[name].pivot(index="user_id", columns="item_id", values=column)
        return frame.fillna(0.0).to_numpy(dtype=float)

    return {
        "scores": wide("scores", "score"),
        "relevance": wide("relevance", "relevance"),
        "preferences": wide("preferences", "preference"),
        "policies": wide("policies", "probability"),
        "users": tables["user_vectors"].drop(columns="user_id").to_numpy(),
        "items": tables["item_vectors"].drop(columns="item_id").to_numpy(),
        "gender": tables["users"]["gender"].to_numpy(dtype=str),
        "genre": tables["items"]["genre"].to_numpy(dtype=str),
    }


def _values(given: Any) -> Numbers:
    return {"values": tuple(np.asarray(given, dtype=float).ravel().tolist())}


ASKED: dict[str, tuple[tuple[str, ...], Callable[[Arrays], Numbers]]] = {
    "exposure": (
        ("scores", "relevance"),
        lambda a: numbers_of(
            eh.exposure.audit(a["scores"], a["relevance"], a["gender"], a["genre"], beta=[1.0, "static"])
        ),
    ),
    "envy": (
        ("preferences", "policies"),
        lambda a: numbers_of(eh.envy.audit(a["preferences"], a["policies"], groups=a["gender"])),
    ),
    "association": (
        ("items", "users"),
        lambda a: numbers_of(
            eh.association.audit(
                a["items"], a["users"], a["gender"], a["genre"], method="centroid", permutations=50
            )
        ),
    ),
    "plackett_luce": (("scores",), lambda a: _values(eh.exposure.plackett_luce(a["scores"]))),
    "utilities": (
        ("preferences", "policies"),
        lambda a: _values(eh.envy.utilities(a["preferences"], a["policies"])),
    ),
    "eaa": (
        ("items", "users"),
        lambda a: _values(eh.association.eaa(a["items"], a["users"][::2], a["users"][1::2])),
    ),
}


def _mapped(array: Any) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file.name, array)
        return np.load(file.name, mmap_mode="r")


def _read_only(array: Any) -> Any:
    array = array.copy()
    array.setflags(write=False)
    return array


def _strided(array: Any) -> Any:
    larger = np.full((array.shape[0] * 2, array.shape[1] * 3), np.nan)
    larger[::2, ::3] = array
    return larger[::2, ::3]


def _put(value: Any) -> Callable[[Any], Any]:
    def changed(array: Any) -> Any:
        array = array.copy()
        array[3, 1] = value
        return array

    return changed


def _text(array: Any) -> Any:
    return np.array([[repr(float(value)) for value in row] for row in array])


SAME: dict[str, Callable[[Any], Any]] = {
    "the order of Fortran": np.asfortranarray,
    "a transposed copy": lambda array: np.ascontiguousarray(array.T).T,
    "steps between numbers": _strided,
    "backwards twice": lambda array: array[::-1, ::-1].copy()[::-1, ::-1],
    "read only": _read_only,
    "a file in memory": _mapped,
    "swapped bytes": lambda array: array.astype(">f8"),
    "long floats": lambda array: array.astype(np.longdouble),
    "lists": lambda array: array.tolist(),
    "tuples": lambda array: tuple(map(tuple, array.tolist())),
    "a matrix": np.asmatrix,
    "objects": lambda array: array.astype(object),
    "objects of Python": lambda array: np.array(array.tolist(), dtype=object),
    "a frame": pd.DataFrame,
    "a broadcast array": lambda array: np.broadcast_to(array, array.shape),
    "a nullable frame": lambda array: pd.DataFrame(array).convert_dtypes(),
    "a subclass": lambda array: array.view(type("Mine", (np.ndarray,), {})),
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "not a number": _put(np.nan),
    "infinity": _put(np.inf),
    "minus infinity": _put(-np.inf),
    "a mask": lambda array: np.ma.masked_array(array, mask=np.eye(*array.shape, dtype=bool)),
    "a mask of nothing": lambda array: np.ma.masked_array(array, mask=False),
    "complex numbers": lambda array: array + 1j,
    "complex numbers without their half": lambda array: array.astype(complex),
    "times": lambda array: array.astype("timedelta64[s]"),
    "dates": lambda array: array.astype("int64").astype("datetime64[s]"),
    "a structure": lambda array: array.astype([("x", "f8")]),
    "one axis": lambda array: array.ravel(),
    "four axes": lambda array: array[None, None],
    "no rows": lambda array: array[:0],
    "no columns": lambda array: array[:, :0],
    "one number": lambda array: np.float64(3),
    "rows of different lengths": lambda array: [[1.0], [1.0, 2.0]],
    "nothing in it": _put(None) and (lambda array: _put(None)(array.astype(object))),
    "a word in it": lambda array: _put("many")(array.astype(object)),
    "a list in it": lambda array: [[[1.0], *row[1:]] for row in array.tolist()],
    "bytes": lambda array: array.tobytes(),
    "words": lambda array: np.full(array.shape, "x"),
    "a class": lambda array: np.ndarray,
    "too few users": lambda array: array[:7],
    "an empty frame": lambda array: pd.DataFrame(),
    "a whole number of 400 digits": lambda array: _put(10**400)(array.astype(object)),
    "a generator": lambda array: (row for row in array),
    "a file": lambda array: io.StringIO("1,2"),
}
EITHER: dict[str, Callable[[Any], Any]] = {
    "half floats": lambda array: array.astype(np.float16),
    "text of numbers": _text,
    "a sparse table": sparse.csr_array,
    "a sparse table by columns": sparse.csc_array,
    "a sparse table of coordinates": sparse.coo_array,
    "a sparse table of lists": sparse.lil_array,
    "a sparse table of keys": sparse.dok_array,
    "a sparse table of blocks": sparse.bsr_array,
    "a sparse matrix": sparse.csr_matrix,
    "tiny numbers": lambda array: array + 5e-324,
    "a frame with an index of text": lambda array: pd.DataFrame(array).set_axis([f"u{i:03d}" for i in range(len(array))]),
}  # fmt: skip
LABELS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "objects": ("same", lambda labels: labels.astype(object)),
    "bytes": ("either", lambda labels: labels.astype("S")),
    "a list": ("same", lambda labels: labels.tolist()),
    "a tuple": ("same", lambda labels: tuple(labels.tolist())),
    "a series": ("same", lambda labels: pd.Series(labels)),
    "categories": ("same", lambda labels: pd.Series(pd.Categorical(labels, categories=["z", *sorted(set(labels))]))),
    "categories alone": ("either", lambda labels: pd.Categorical(labels)),
    "text of Arrow": ("same", lambda labels: pd.Series(labels, dtype="string[pyarrow]")),
    "an index": ("either", lambda labels: pd.Index(labels)),
    "a mask": ("refused", lambda labels: np.ma.masked_array(labels, mask=np.arange(len(labels)) == 2)),
    "nothing": ("refused", lambda labels: [None, *labels[1:]]),
    "not a number": ("refused", lambda labels: [np.nan, *labels[1:]]),
    "empty text": ("refused", lambda labels: ["", *labels[1:]]),
    "a blank more": ("refused", lambda labels: [labels[0] + " ", *labels[1:]]),
    "a blank that cannot be seen": ("refused", lambda labels: [labels[0] + "\u200b", *labels[1:]]),
    "one too few": ("refused", lambda labels: labels[1:]),
    "one too many": ("refused", lambda labels: [*labels, labels[0]]),
    "one for all": ("refused", lambda labels: labels[0]),
    "a set": ("refused", lambda labels: set(labels)),
    "a generator": ("refused", lambda labels: (label for label in labels)),
    "two axes": ("refused", lambda labels: np.column_stack([labels, labels])),
    "dictionaries": ("refused", lambda labels: [{"a": label} for label in labels]),
}  # fmt: skip


def cases() -> Iterator[Case]:
    for end, changes in (("same", SAME), ("refused", REFUSED), ("either", EITHER)):
        for name, change in changes.items():
            for asked, (given, _) in ASKED.items():
                ends = end
                if name == "too few users" and asked not in ("exposure", "envy", "association"):
                    continue
                if asked == "plackett_luce" and name == "no rows":  # of nobody there are no numbers
                    continue
                if asked in ("eaa", "association") and name == "half floats":  # these are other vectors
                    continue
                if asked in ("eaa", "association") and name in (
                    "objects",
                    "objects of Python",
                    "a frame",
                    "a nullable frame",
                ):
                    ends = "either"
                if name == "a nullable frame" or (asked == "utilities" and name == "four axes"):
                    ends = "either"
                yield _case("arrays", f"{given[0]} as {name}", asked, ends, given[0], change)
    for name, (end, change) in LABELS.items():
        for asked, label in (
            ("exposure", "gender"), ("exposure", "genre"), ("envy", "gender"), ("association", "gender"),
            ("association", "genre"),
        ):  # fmt: skip
            ends = end
            if asked == "association" and name in ("a generator", "a set"):
                ends = "either"
            if label == "genre" and name == "a blank more":  # a cell may hold several words
                ends = "either"
            if (
                asked == "association"
                and label == "genre"
                and name in ("nothing", "not a number", "empty text")
            ):
                ends = "any"  # an item need not be in a group
            yield _case("labels in arrays", f"{label} as {name}", asked, ends, label, change)


def _case(kind: str, name: str, asked: str, end: Any, which: str, change: Callable[[Any], Any]) -> Case:
    def run(folder: Path) -> Any:
        given = arrays()
        given[which] = change(given[which])
        with quietly():
            return sentence_or(lambda: ASKED[asked][1](given))

    return Case(kind, name, asked, end, run, exactly="half" not in name, wanted=lambda: _reference(asked))


_known: dict[str, Numbers] = {}


def _reference(asked: str) -> Numbers:
    if asked not in _known:
        _known[asked] = ASKED[asked][1](arrays())
    return _known[asked]
