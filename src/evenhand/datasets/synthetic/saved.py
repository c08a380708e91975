"""A world that was saved, read again as a data set."""

from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.dataset import Dataset
from evenhand.inputs import explain_problems, table


def saved_world(folder: Path) -> Dataset:
    """What users liked in the log of both arms; a pair may have been shown more than once."""
    log = table(folder / "default.parquet", name="default.parquet")
    explain_problems(log, labels=["liked"], required=["user_id", "item_id"])
    liked = log.run(
        log.expr.filter(log.expr.liked.cast("int32") == 1).select("user_id", "item_id").distinct()
    )
    liked = liked.sort_values(["user_id", "item_id"], ignore_index=True)
    users, items = (_read_all(folder / f"{kind}.parquet", kind) for kind in ("users", "items"))
    notes = ("Interactions are the pairs that were shown in either arm and liked at least once.",)
    return Dataset("synthetic marketplace", liked, users, items, notes)


def _read_all(path: Path, kind: str) -> pd.DataFrame:
    opened = table(path, name=path.name)
    key = f"{kind[:-1]}_id"
    opened.require(key)
    frame = opened.run(opened.expr)
    # A list column comes back from Arrow as arrays.
    return frame.map(lambda value: value.tolist() if isinstance(value, np.ndarray) else value)
