"""Four folders of a third reader, whose ids and engines have names that no vocabulary has; their worlds are
smaller here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from plan.init.folders import ITEMS, Expected, both, people

# The user, the item, the label, what chose a row, and its values, of which the last draws.
NAMES = {
    "museum": ("badge", "exhibit", "lingered", "guide", ("route_a", "route_b", "dice")),
    "radio": ("listener_no", "track_no", "thumb_up", "picked_by", ("dj", "algo", "shuffle")),
    "shelter": ("adopter", "animal", "asked_for_visit", "rank_src", ("v1", "v2", "zufall")),
    "farm": ("coop_member", "machine", "booked", "engine", ("std", "new", "explore")),
}


def _made(name: str) -> Callable[[Path], Expected]:
    user, item, label, engine, values = NAMES[name]

    def make(home: Path) -> Expected:
        default, random = both(47)
        default[engine] = np.array(values[:2])[np.arange(len(default)) % 2]
        shown = pd.concat([default, random.assign(**{engine: values[2]})]).drop(columns="maker")
        shown["when"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(len(shown)), unit="min")
        names = {"user": user, "item": item, "liked": label}
        shown[["user", "item", engine, "when", "liked"]].rename(columns=names).to_parquet(
            home / "log.parquet"
        )
        users = people().rename(columns={"user": user})[[user, "gender"]]
        users.assign(plz=10_000 + np.arange(len(users)) * 7).to_csv(home / "people.csv", index=False)
        ids = np.arange(ITEMS)
        pd.DataFrame({item: ids, "maker": ids % 17, "category": np.array(list("abc"))[ids % 3]}).to_csv(
            home / "things.csv", index=False
        )
        return Expected(
            [
                {"audit": "opportunity", "group": "category", "attributes": "items", "label": label},
                {"audit": "user_precision", "group": "gender", "attributes": "users"},
            ],
            {label},
            {"default": "log.parquet", "items": "things.csv", "users": "people.csv"},
            {"default": {engine: {"not": values[2]}}, "random": {engine: values[2]}},
            columns={"default": {"user_id": user, "item_id": item}},
        )

    return make


ODD_NAMES = {name: _made(name) for name in NAMES}
