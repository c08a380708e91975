"""Taking an attribute out of embeddings, and what that did, as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from evenhand import mitigate
from evenhand.association import labels, sources
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.inputs import table as open_table
from evenhand.plan.steps import Progress
from evenhand.plan.vector_step import VectorStep, column_of
from evenhand.recommenders import Factors
from evenhand.recommenders.storage import TEST_FILE, table_of
from evenhand.results import AuditResult

FOLDER = "model"


@dataclass(frozen=True, eq=False)
class Erased:
    """What changed, and the vectors without the attribute."""

    result: AuditResult
    erasure: mitigate.Erasure


class EraseStep(VectorStep):
    """Take an attribute out of vectors: `evenhand.mitigate.erase`, then `compare_embeddings`.

    `test` is an input with interactions that the model did not learn from; a folder of `evenhand train` has
    its own. `train` is what lists leave out, by default what the model learnt from.
    """

    tolerance: ClassVar[None] = None  # it says what changed, and gives no verdict

    audit: Literal["mitigate_embeddings"] = "mitigate_embeddings"
    method: Literal["leace", "projection", "nullspace"] = "leace"
    direction: Literal["svc", "centroid"] = "svc"
    rounds: int | None = Field(default=None, ge=1)
    held_out: float = Field(default=0.25, ge=0, le=0.9)
    test: str | None = None
    train: str | None = None
    k: int = Field(default=10, ge=1)
    permutations: int = Field(default=10_000, ge=20, le=1_000_000)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield from super().input_names()
        for key in ("test", "train"):
            if name := getattr(self, key):
                yield key, name

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        super().check(tables)
        for key in ("test", "train"):
            if name := getattr(self, key):
                self._check_ids(key)
                tables[name].require("user_id", "item_id")
        if self.train and not self._test(tables):
            raise InputError("train is what lists leave out, but there is no test to compare them by.")

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> Erased:
        space = sources.space(self.model or self.items, self.users, whole=True)
        # By id, as what is read here from vectors without ids is compared with what has them.
        people = labels.attribute(
            column_of(self.attribute, tables), space.users, "user_id", missing=self.missing
        )
        groups = self._groups(tables, space)
        known = people.codes >= 0
        attribute = pd.Series(
            [people.words[code] for code in people.codes[known]], space.users.ids[known], name=people.name
        )
        given: dict[str, Any] = {"missing": self.missing, "rng": seed, "progress": progress}
        users, items = space.users, space.items
        before = self.model or Factors(users.ids, items.ids, users.vectors, items.vectors)
        erasure = mitigate.erase(
            before, None, attribute, self.method, direction=self.direction, rounds=self.rounds,
            held_out=self.held_out, **given,
        )  # fmt: skip
        test = self._test(tables)
        compared = mitigate.compare_embeddings(
            before, erasure, attribute, groups, test=None if test is None else _pairs(test),
            train=_pairs(tables[self.train]) if self.train else None, k=self.k, toward=self.toward,
            permutations=self.permutations, level=self.level, **given,
        )  # fmt: skip
        return Erased(compared.result, erasure)

    def _groups(self, tables: Mapping[str, Table], space: sources.Space) -> dict[str, Any] | None:
        if not self.groups:
            return None
        found = labels.groups(column_of(self.groups, tables), space.items, "item_id")
        seen = space.items.vectors.any(axis=1)
        return {
            name: space.items.ids[found.membership[:, place] & seen].tolist()
            for place, name in enumerate(found.names)
        }

    def _test(self, tables: Mapping[str, Table]) -> Table | None:
        if self.test:
            return tables[self.test]
        own = None if self.model is None else table_of(self.model, TEST_FILE)
        return None if own is None else open_table(own, name="test")


def _pairs(table: Table) -> pd.DataFrame:
    return table.run(table.expr.select("user_id", "item_id"))


def folder_names(numbers: list[int]) -> dict[int, str]:
    """model/ for the one step that makes new vectors, with the number of the step for several."""
    if len(numbers) == 1:
        return {numbers[0]: FOLDER}
    return {number: f"{FOLDER}-{number}" for number in numbers}


def check_folders(out: Path, steps: Mapping[int, EraseStep]) -> None:
    """Raise if new vectors would take the place of the model that they are made of."""
    read = {Path(step.model).resolve() for step in steps.values() if step.model}
    for name in folder_names(list(steps)).values():
        if (out / name).resolve() in read:
            raise InputError(
                f"The new vectors would be written over {out / name}, which is read; name another folder."
            )
