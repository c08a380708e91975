"""Values that an input takes only because it names others: { not = "explore" } takes the next release,
and the next experiment, too. So what it took is said, in the report and in run.log."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand import inputs
from evenhand.plan.model import InputSpec
from evenhand.plan.running.untaken import LEAST_SHARE, NAMED


@dataclass(frozen=True)
class Taken:
    """What an input took by `not`: its values, the most frequent first, and the rows of each."""

    name: str
    values: tuple[tuple[str, int], ...]

    @property
    def frequent(self) -> tuple[tuple[str, int], ...]:
        """Without the rare ones, which change nothing and are nobody's business."""
        rows = sum(count for _, count in self.values)
        return tuple((value, count) for value, count in self.values if count >= LEAST_SHARE * rows)

    def counted(self) -> dict[str, Any]:
        """For the document."""
        return {"input": self.name, "values": dict(self.frequent)}

    def told(self) -> str:
        return f"{self.name} takes, by `not`, rows of {in_rows(self.frequent)}."


def in_rows(values: Collection[tuple[str, int]]) -> str:
    """ "served_by ranker_v3 (3,750 rows) and served_by ranker_v4 (1,250)"."""
    several = [f"{value} ({count:,}{'' if at else ' rows'})" for at, (value, count) in enumerate(values)]
    if len(several) > NAMED:
        return f"{', '.join(several[:NAMED])} and {len(several) - NAMED} more"
    return " and ".join(filter(None, (", ".join(several[:-1]), several[-1])))


def taken(
    specs: Mapping[str, InputSpec],
    tables: Mapping[str, inputs.Table],
    columns: Mapping[str, str | list[str]] | None = None,
) -> list[Taken]:
    """What each input with `not` took, of tables as they are read; `columns` are our names of theirs."""
    ours = {
        theirs: new
        for new, listed in (columns or {}).items()
        for theirs in ([listed] if isinstance(listed, str) else listed)
    }
    found = []
    for name, table in tables.items():
        where = specs[name].where or {}
        asked = [column for column, values in where.items() if isinstance(values, dict)]
        there = [column if column in table.columns else ours.get(column, column) for column in asked]
        values = inputs.taken_unnamed(table, there) if there else ()
        if values:
            found.append(Taken(name, values))
    return found
