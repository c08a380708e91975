"""Taking an attribute out of embeddings, and what that did, in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.asked.declared.association import AskedErasure
from evenhand.association import Space, attribute_of, groups_of, space
from evenhand.errors import InputError
from evenhand.mitigate.vectors.embeddings import compare_embeddings
from evenhand.mitigate.vectors.erase import Erasure, erase
from evenhand.recommenders import Factors
from evenhand.recommenders.stored.storage import TEST_FILE, table_of
from evenhand.results import AuditResult


@dataclass(frozen=True, eq=False)
class Erased:
    """What changed (`result`), and the vectors without the attribute (`erasure`)."""

    result: AuditResult
    erasure: Erasure

    def write(self, folder: Path) -> None:
        """The vectors as the folder of a model."""
        self.erasure.save(folder)


def erase_and_compare(
    items: Any,
    users: Any,
    attribute: Any,
    item_groups: Any = None,
    *,
    method: str = "leace",
    direction: str = "svc",
    rounds: int | None = None,
    held_out: float = 0.25,
    test: Any = None,
    train: Any = None,
    k: int = 10,
    toward: Any = None,
    missing: str = "refuse",
    permutations: int = 10_000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[str], None] = lambda message: None,
) -> Erased:
    """Take an attribute out of vectors (`erase`), and say what that did (`compare_embeddings`).

    `items` and `users` are vectors, or `items` is the folder of a trained model, which has both. `attribute`
    and `item_groups` are a table and its column, as (users, "gender"). `test` is a table of interactions that
    the model did not learn from; a folder of `evenhand train` has its own. `train` is what lists leave out,
    by default what the model learnt from.
    """
    AskedErasure.checked(
        toward=toward, missing=missing, held_out=held_out, k=k, level=level, method=method,
        direction=direction, rounds=rounds, permutations=permutations,
    )  # fmt: skip
    folder = items if users is None else None
    test = _test(test, folder)
    if train is not None and test is None:
        raise InputError("train is what lists leave out, but there is no test to compare them by.")
    vectors = space(items, users, whole=True)
    # By id, as what is read here from vectors without ids is compared with what has them.
    people = attribute_of(attribute, vectors.users, "user_id", missing=missing)
    known = people.codes >= 0
    values = pd.Series(
        [people.words[code] for code in people.codes[known]], vectors.users.ids[known], name=people.name
    )
    before = folder or Factors(
        vectors.users.ids, vectors.items.ids, vectors.users.vectors, vectors.items.vectors
    )
    given: dict[str, Any] = {"missing": missing, "rng": rng, "progress": progress}
    erasure = erase(
        before, None, values, method, direction=direction, rounds=rounds, held_out=held_out, **given
    )
    compared = compare_embeddings(
        before, erasure, values, None if item_groups is None else _members(item_groups, vectors),
        test=None if test is None else _pairs(test), train=None if train is None else _pairs(train), k=k,
        toward=toward, permutations=permutations, level=level, **given,
    )  # fmt: skip
    return Erased(compared.result, erasure)


def _members(item_groups: Any, vectors: Space) -> dict[str, Any]:
    found = groups_of(item_groups, vectors.items, "item_id")
    seen = vectors.items.vectors.any(axis=1)
    return {
        name: vectors.items.ids[found.membership[:, place] & seen].tolist()
        for place, name in enumerate(found.names)
    }


def _test(given: Any, folder: Any) -> Any:
    if given is not None:
        return given
    own = None if folder is None else table_of(folder, TEST_FILE)
    return None if own is None else inputs.table(own, name="test")


def _pairs(table: Any) -> pd.DataFrame:
    opened = inputs.table(table)
    return opened.run(opened.expr.select("user_id", "item_id"))
