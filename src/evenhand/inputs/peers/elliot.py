"""Lists that Elliot writes (recs/*.tsv): user, item and score with tabs, and no header."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from evenhand.inputs.peers import ids
from evenhand.inputs.peers.lines import Layout, read

LISTS = Layout("a list of Elliot", (("user_id", "id"), ("item_id", "id"), ("score", "number")), tabs=True)


def read_lists(path: Path, name: str) -> pa.Table:
    """Columns user_id, item_id and score."""
    found = read(path, LISTS, name)
    ids.refuse_repeated(found, path, LISTS, name)
    users, items = (ids.column(found[key]) for key in ids.KEYS)
    return pa.table({"user_id": users, "item_id": items, "score": np.asarray(found["score"])})
