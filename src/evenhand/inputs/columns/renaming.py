"""Our names for the columns of several tables, wherever these call them otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.asked.sentences import guess
from evenhand.errors import InputError
from evenhand.inputs.tables import Table, table


def renamed(tables: Mapping[str, Table], columns: Mapping[str, str | list[str]]) -> dict[str, Table]:
    """The tables with our names of columns, each wherever theirs is there; one of ours may have several, as
    tables may call one thing by different names."""
    listed = [(ours, [one] if isinstance(one, str) else one) for ours, one in columns.items()]
    known = [column for opened in tables.values() for column in opened.columns]
    for theirs in (name for _, several in listed for name in several):
        if theirs not in known:
            raise InputError(f"columns: no table has a column {theirs!r}{guess(theirs, known)}.")
    found = {}
    for name, opened in tables.items():
        here = {ours: [one for one in several if one in opened.columns] for ours, several in listed}
        for ours, several in here.items():
            if len(several) > 1:
                raise InputError(
                    f"{name}: {' and '.join(several)} are both named as {ours}; name one of them."
                )
        changes = {ours: several[0] for ours, several in here.items() if several}
        found[name] = table(opened, columns=changes)
    return found
