"""`--data FOLDER`: tables of a public data set in the place of those that are not named."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.asked.marks import Table, TableColumn, Tables
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.files import is_model_folder

if TYPE_CHECKING:
    import pandas as pd

    from evenhand.datasets import Dataset

# The table of a data set that a key names.
TABLES = {
    "default": "default",
    "random": "random",
    "catalogue": "items",
    "users": "users",
    "items": "items",
    "relevance": "interactions",
    "interactions": "interactions",
    "preferences": "preferences",
}
# Those of them that are taken also where the audit can do without.
_ALWAYS = ("random", "preferences")


class Filled(NamedTuple):
    """What is told of each option, and what is said of the data that filled some of them."""

    told: dict[str, Any]
    about: str | None = None


def fills(step: type[Step]) -> set[str]:
    """The keys of a step that a data set can fill: none, where it needs tables that no data set has."""
    tables = {key for key, _ in step.marked(Table)}
    needed = {key for kind in (Table, Tables) for key, _ in step.marked(kind) if _needed(step, key)}
    if needed - TABLES.keys():
        return set()
    found = {key for key in tables & TABLES.keys() if _needed(step, key) or key in _ALWAYS}
    return found | ({"label"} & step.model_fields.keys() if "default" in found else set())


def offered(step: type[Step]) -> bool:
    """Whether --data is of use for a step: it has a table to fill, or takes columns of tables."""
    return bool(fills(step)) or any(True for _ in step.marked(TableColumn))


@contextmanager
def filled(
    folder: str | None, step: type[Step], told: Mapping[str, Any], flags: Mapping[str, str]
) -> Iterator[Filled]:
    """What was told, with tables of the data set beside it, which are there for as long as they are read."""
    lacking = [key for key in fills(step) if _needed(step, key) and key not in told]
    if folder is None:
        for key in step.model_fields:
            if key in lacking:
                raise InputError(
                    f"Missing option '{flags[key]}'. Name it, or with --data the folder of a data set."
                )
        yield Filled(dict(told))
        return
    from evenhand.datasets import load

    data = load(folder)
    with tempfile.TemporaryDirectory(prefix="evenhand-") as place:
        yield _Filling(data, step, dict(told), flags, Path(place)).done()


class _Filling:
    """The keys of one step as a data set fills them, one after the other."""

    def __init__(
        self, data: Dataset, step: type[Step], told: dict[str, Any], flags: Mapping[str, str], place: Path
    ) -> None:
        self.data, self.step, self.told, self.flags, self.place = data, step, told, flags, place
        logs = data.logs
        found = {
            "default": None if logs is None else logs.default,
            "random": None if logs is None else logs.random,
            "users": data.users,
            "items": data.items,
            "interactions": data.interactions,
            "preferences": data.preferences,
        }
        self.tables = {name: frame for name, frame in found.items() if frame is not None and len(frame)}
        self.said = [f"{data.name}.", *data.notes]

    def done(self) -> Filled:
        own_log = "default" in self.told
        if "relevance" in self.step.model_fields:
            self._of_models()
        wanted = fills(self.step) | (
            {"users"} & self.step.model_fields.keys() if "group" in self.told else set()
        )
        for key, mark in self.step.marked(Table):
            if key in wanted and key not in self.told:
                self._table(key, mark)
        for key, mark in self.step.marked(TableColumn):
            if key in self.told and ":" not in self.told[key]:
                of = "users" if mark.key == "user_id" else "items"
                self.told[key] = f"{self._written(of)}:{self.told[key]}"
        if self.data.logs is not None and "default" in self.told and not own_log:
            self._log()
        return Filled(self.told, " ".join(self.said))

    def _of_models(self) -> None:
        """Where models are asked what they rank: relevant is what they held out, as what they learnt from is
        not shown, and users and items are those that they know."""
        from evenhand.recommenders import load
        from evenhand.recommenders.stored.storage import TEST_FILE, table_of

        given = self.told.get("model") or []
        folders = [one for one in ([given] if isinstance(given, str) else given) if is_model_folder(one)]
        models = [load(folder) for folder in folders]
        for of in ("users", "items"):
            if not models or of in self.told or of not in self.tables:
                continue
            key, frame = _key(of), self.tables[of]
            known = frame
            for model in models:
                known = known[known[key].isin(getattr(model, f"{key}s"))]
            if 0 < len(known) < len(frame):
                self.tables[of] = known
                whom = "the model does not know" if len(models) == 1 else "not all of the models know"
                self.said.append(f"{len(frame) - len(known):,} {of} that {whom} are left out.")
        tests = [table_of(folder, TEST_FILE) for folder in folders]
        if "relevance" in self.told or not tests or None in tests:
            return
        if len({path.read_bytes() for path in tests if path is not None}) == 1:
            self.told["relevance"] = [str(tests[0])]
            self.said.append(f"Relevant is what the model held out ({TEST_FILE}).")

    def _table(self, key: str, mark: Table) -> None:
        if TABLES[key] in self.tables:
            path = self._written(TABLES[key])
            self.told[key] = [path] if mark.several else path
        elif _needed(self.step, key):
            can = ", ".join(self.data.answers) or "no audit by itself"
            raise InputError(
                f"{self.data.name} has nothing for {self.flags[key]}, which this audit needs; it can answer "
                f"{can}."
            )

    def _log(self) -> None:
        """What a log of the data set says of itself: its labels, its users, and where its groups are."""
        logs = self.data.logs
        assert logs is not None
        if "label" in self.step.model_fields and "label" not in self.told:
            self.told["label"] = [logs.label]
            others = ", ".join(list(logs.labels)[1:])
            more = f" (there are also {others})" if others else ""
            self.said.append(
                f"The label is {logs.label}, as no other is named{more}: {logs.labels[logs.label]}."
            )
        if logs.user is not None and "cluster" in self.step.model_fields and "cluster" not in self.told:
            self.told["cluster"] = [logs.user]
        groups = [one for one in self.told.get("group", []) if one not in logs.default]
        if groups and "attributes" not in self.told:
            self._attributes(groups)

    def _attributes(self, groups: list[str]) -> None:
        """The table of users or items that has the groups; its key says which where both have them."""
        named = ", ".join(groups)
        having = [
            of
            for of in ("users", "items")
            if of in self.tables and set(groups) <= set(self.tables[of].columns)
        ]
        if on := self.told.get("on"):
            having = [of for of in having if [_key(of)] == on]
        if len(having) > 1:
            raise InputError(
                f"{self.flags['group']} {named} is known of users and of items: add {self.flags['on']} "
                f"user_id or {self.flags['on']} item_id."
            )
        if not having:
            known = [one for of in ("users", "items") for one in self._attribute_names(of)]
            raise InputError(
                f"{self.flags['group']} {named}: no table of {self.data.name} has it; there are "
                f"{', '.join(known) or 'no attributes'}. Or name a table of your own with "
                f"{self.flags['attributes']} and {self.flags['on']}."
            )
        self.told["attributes"], self.told["on"] = self._written(having[0]), [_key(having[0])]

    def _attribute_names(self, of: str) -> list[str]:
        """The attributes in a table of the data set."""
        frame: pd.DataFrame | None = self.tables.get(of)
        return [] if frame is None else [str(one) for one in frame.columns if one != _key(of)]

    def _written(self, table: str) -> str:
        path = self.place / f"{table}.parquet"
        if not path.exists():
            self.tables[table].to_parquet(path, index=False)
        return str(path)


def _needed(step: type[Step], key: str) -> bool:
    return step.model_fields[key].is_required()


def _key(table: str) -> str:
    return f"{table[:-1]}_id"
