"""Small tables for the front door: users, candidates, a history and items, made up with a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import evenhand as eh

USERS, ITEMS, SHOWN = 120, 12, 5
QUICK: dict[str, Any] = {"min_size": 5, "permutations": 40}


def make_tables(seed: int = 0) -> dict[str, pd.DataFrame]:
    """120 users in six groups of 20, each with one positive among five candidates; women's score is noise."""
    rng = np.random.default_rng(seed)
    user = np.arange(USERS)
    users = pd.DataFrame(
        {
            "user_id": user,
            "gender": np.array(["F", "M"])[user % 2],
            "band": np.array(["old", "mid", "young"])[user // 2 % 3],
            "age": rng.integers(18, 80, USERS),
            "income": rng.normal(50, 10, USERS).round(3),
            "wait": rng.random(USERS).round(3),
        }
    )
    pairs = [(u, int(i)) for u in user for i in rng.choice(ITEMS, SHOWN, replace=False)]
    candidates = pd.DataFrame(pairs, columns=["user_id", "item_id"])
    candidates["label"] = (np.arange(len(candidates)) % SHOWN == 0).astype(int)
    signal = np.where(candidates["user_id"] % 2 == 1, 3.0, 0.0) * candidates["label"]
    candidates["score"] = rng.normal(size=len(candidates)) + signal
    history = pd.DataFrame(
        {
            "user_id": np.concatenate([user[:-1], rng.integers(0, USERS - 1, 500)]),
            "item_id": rng.integers(0, ITEMS, USERS - 1 + 500),
            "price": rng.integers(1, 100, USERS - 1 + 500) / 4,
        }
    )  # the last user has none
    items = pd.DataFrame(
        {
            "item_id": range(ITEMS),
            "category": ["a|b", "b", "c"] * (ITEMS // 3),
            "popularity": np.arange(ITEMS) ** 1.5 / 7,
        }
    )
    return {"users": users, "candidates": candidates, "history": history, "items": items}


def audit(tables: dict[str, pd.DataFrame], **changes: Any) -> eh.AuditResult:
    """By gender and band, quickly; `changes` are arguments, also the tables themselves."""
    asked = {"candidates": tables["candidates"], "users": tables["users"], "attributes": ["gender", "band"]}
    return eh.groups.audit(**(asked | QUICK | changes))


def mrr(candidates: pd.DataFrame, k: int = 5) -> pd.Series:
    """By user, of lists without ties that have a positive."""
    ordered = candidates.sort_values("score", ascending=False)
    place = ordered.groupby("user_id").cumcount() + 1
    gain = (ordered["label"] / place).where(place <= k, 0.0)
    return gain.groupby(ordered["user_id"]).max()
