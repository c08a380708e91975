"""Item lists that LensKit writes as Parquet in its own layout: a row a list, its items in one column."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ITEMS, ITEM = "items", "item_id"


def columns_of(schema: pa.Schema) -> tuple[str, ...] | None:
    """The columns once each item has a row, or None where this is another table."""
    if ITEMS not in schema.names or ITEM in schema.names:
        return None
    kind = schema.field(ITEMS).type
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not lists or not pa.types.is_struct(kind.value_type):
        return None
    inside = [field.name for field in kind.value_type]
    return (*(one for one in schema.names if one != ITEMS), *inside) if ITEM in inside else None


def read_lists(path: Path, name: str) -> pa.Table:
    """A row an item, with the keys of its list (user_id) before it."""
    rows = pq.read_table(path).combine_chunks()
    lists = rows.column(ITEMS)
    keys = rows.drop_columns(ITEMS).take(pc.list_parent_indices(lists))
    items = pc.list_flatten(lists)
    inside = lists.type.value_type
    values = {field.name: pc.struct_field(items, place) for place, field in enumerate(inside)}
    return pa.table({**{one: keys.column(one) for one in keys.column_names}, **values})
