"""Public data sets as tables: their own formats are no tables, so small ones are written beside the plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from evenhand.datasets import coat, load
from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.inputs import file_header
from evenhand.plan.init.tables.looking import FileSet, Looked


def prepared(looked: Looked, home: Path, progress: Callable[[str], None]) -> None:
    """Write the tables of each known data set beside the plan, and add them to what was found."""
    for folder, title in looked.datasets:
        progress(f"reading {title}")
        try:
            tables = _coat(folder) if title == "Coat" else _others(folder, looked)
        except InputError as error:
            looked.notes.append(f"{folder.name} looks like {title}, but cannot be read: {error}")
            continue
        place = home / f"{folder.resolve().name}-tables"
        if place.exists() and not all((place / f"{name}.parquet").is_file() for name in tables):
            raise InputError(f"{place} is there already, and is not written over; move it.")
        with filled(place) as waiting:
            for name, frame in tables.items():
                frame.to_parquet(waiting / f"{name}.parquet", index=False)
        looked.notes.append(f"{title} comes in files of its own format; its tables were written to {place}.")
        for name in tables:
            path = place / f"{name}.parquet"
            looked.tables.append(FileSet(name, (path,), file_header(path)))


def _coat(folder: Path) -> dict[str, pd.DataFrame]:
    data = coat(folder)
    items = data.items.rename(columns={"gender": "coat_gender"})
    return {"selected": data.selected, "random": data.random, "users": data.users, "items": items}


def _others(folder: Path, looked: Looked) -> dict[str, pd.DataFrame]:
    data = load(folder)
    looked.notes.extend(data.notes)
    about = {"users": data.users, "items": data.items}
    if data.logs is not None:
        both = {"default_log": data.logs.default, "random_log": data.logs.random}
        return {name: frame for name, frame in (both | about).items() if frame is not None and len(frame)}
    if data.preferences is not None:
        return {"preferences": data.preferences} | about
    return {"ratings" if "rating" in data.interactions else "interactions": data.interactions,
            **about}  # fmt: skip
