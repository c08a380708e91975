"""What may stand in the place of the group that was chosen, and which other keys go with it.

Candidates that are only named would make a plan that is refused: a column of another table needs its input,
one that is empty in some rows `missing`, and bands are of one column alone."""

from __future__ import annotations

import json

from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.questions.choosing import Side

MOST = 6
_ON = {"users": "user_id", "items": "item_id", "creators": "creator_id"}


def groups_instead(chosen: Side, among: list[Side], draft: Draft) -> str:
    """The other candidates as they would be written, by the table that has them; "" where there are none."""
    rest = [side for side in among if side.attribute.column != chosen.attribute.column][:MOST]
    said = []
    for table in dict.fromkeys(side.table for side in rest):
        listed = ", ".join(_written(side) for side in rest if side.table is table)
        said.append(f"{listed}{_of_table(table, chosen, draft)}")
    if not said:
        return ""
    bands = "; leave out the bins of this one" if chosen.attribute.bins else ""
    return f"or {'; or '.join(said)}{bands}"


def _written(side: Side) -> str:
    one = side.attribute
    also = []
    if one.bins:
        edges = ", ".join(f"{edge:g}" for edge in one.bins)
        also.append(f"bins = {{ {json.dumps(one.column, ensure_ascii=False)} = [{edges}] }}")
    if one.missing:
        also.append('missing = "group"')
    name = json.dumps(one.column, ensure_ascii=False)
    return f"{name} ({' and '.join(also)})" if also else name


def _of_table(table: Recognised, chosen: Side, draft: Draft) -> str:
    """The keys that change with the table; its input is then in the plan, also if no audit reads it."""
    if table is chosen.table:
        return ""
    if table.role not in _ON:
        return " (without attributes and on)"
    name = draft.add_input(table.role, table).name
    draft.spare.add(name)
    return f' (with attributes = "{name}" and on = "{_ON[table.role]}")'
