"""A click model as arrays and the declaration of its architecture, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.scores.click.scores import ClickScores
from evenhand.recommenders.taken.features import NOTHING, Features, Field, id_field

Arrays = dict[str, NDArray[Any]]


def click_architecture(model: ClickScores) -> dict[str, Any]:
    """Plain JSON: how wide the parts are, and the fields with their values."""
    fields = [
        {"of": field.of, "name": field.name, "values": list(field.values)}
        for field in model.features.fields
        if field.values
    ]
    return model.architecture | {"fields": fields}


def click_arrays(model: ClickScores, history: sparse.csr_array) -> Arrays:
    weights = {f"weight.{name}": value for name, value in model.weights.items()}
    told = [field for field in model.features.fields if field.values]
    return weights | {f"codes.{place}": field.codes for place, field in enumerate(told)}


def click_model(
    kind: type[ClickScores], user_ids: NDArray[Any], item_ids: NDArray[Any], architecture: Any, arrays: Arrays
) -> ClickScores:
    """The model again; what does not fit together is refused, and a KeyError names what is missing."""
    if not isinstance(architecture, dict):
        raise InputError("the architecture of the model is not declared")
    built = {name: value for name, value in architecture.items() if name != "fields"}
    counts = {"user": len(user_ids), "item": len(item_ids)}
    sides: dict[str, list[Field]] = {of: [id_field(of, count)] for of, count in counts.items()}
    for place, told in enumerate(architecture["fields"]):
        of, name, values = told["of"], str(told["name"]), tuple(map(str, told["values"]))
        codes = _codes(f"codes.{place}", arrays[f"codes.{place}"], counts[of], len(values))
        sides[of].append(Field(name, of, values, codes, len(values) + 1))
    weights = {
        name.removeprefix("weight."): value for name, value in arrays.items() if name.startswith("weight.")
    }
    features = Features(tuple(sides["user"]), tuple(sides["item"]))
    return kind(user_ids, item_ids, features, built, weights)


def _codes(name: str, codes: NDArray[Any], count: int, values: int) -> NDArray[np.int32]:
    if codes.dtype.kind not in "iu" or codes.ndim != 2 or len(codes) != count or codes.shape[1] == 0:
        raise InputError(f"{name} are not whole numbers, a row for each of {count:,}")
    if codes.min() < NOTHING or codes.max() > values or (codes[:, 0] == NOTHING).any():
        raise InputError(f"{name} are not codes of {values:,} values")
    return codes.astype(np.int32)
