"""What do the embeddings know? Needs vectors of users and an attribute of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from evenhand.plan.init.drafts import Cannot, Draft, StepDraft
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import CREATOR, ITEM, USER
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.questions.choosing import Side, mark_groups, of_items, of_users
from evenhand.plan.init.questions.found import Found

QUESTION = "What do the embeddings know about a sensitive attribute?"
PAGE = "docs/explain/embeddings.md"


def propose(found: Found, draft: Draft) -> None:
    users, items = (_vectors(found, side) for side in ("user", "item"))
    model = next(iter(found.models), None)
    if users is None and model is None:
        draft.cannot.append(
            Cannot(
                QUESTION,
                "there are no vectors of users",
                "vectors of users and items: .npz with ids, or tables",
                PAGE,
                "Embeddings: needs vectors of users",
            )
        )
        return
    sides = [
        side for side in of_users(found, [], draft) if not side.attribute.bins and side.table.role == "users"
    ]
    if isinstance(users, Path):
        sides = [side for side in sides if _rows(users) == side.table.profile.rows or users.suffix == ".npz"]
    if not sides:
        draft.cannot.append(
            Cannot(QUESTION, "no table says an attribute of those whose vectors are here",
                   "a table of user_id and the attribute; of .npy files, in the order of their rows", PAGE)
        )  # fmt: skip
        return
    chosen = sides[0]
    mark_groups(found, draft, [chosen], sides, "users")
    people = draft.add_input("users", chosen.table)
    keys: dict[str, Any] = {"audit": "association"}
    if users is None:
        keys["model"] = str(model)
    else:
        keys["users"] = _placed(users, "user", draft)
        if items is not None:
            keys["items"] = _placed(items, "item", draft)
    keys["attribute"] = f"{people.name}:{people.called(chosen.attribute.column)}"
    groups = _groups(found, items, model, draft)
    if groups is not None:
        things = draft.add_input("items", groups.table)
        keys["groups"] = f"{things.name}:{things.called(groups.attribute.column)}"
        keys["tolerance"] = 0.1
    if chosen.attribute.missing:
        keys["missing"] = "exclude"
    if isinstance(users, Path) and users.suffix == ".npy":
        draft.marks.append(
            f"{users.name} has no ids: its rows are taken to be in the order of {chosen.table.name}. "
            "Check it."
        )
    beside = {"tolerance": "how far mean cosines may be from 0: agree on it first"}
    draft.steps.append(
        StepDraft(keys, (f"What do the vectors know about {chosen.attribute.column}?",), beside)
    )


def _vectors(found: Found, side: str) -> Recognised | Path | None:
    table = found.first(f"vectors of {side}s")
    if table is not None:
        return table
    words = USER if side == "user" else ITEM | CREATOR
    return next((path for path in found.arrays if hints(path.stem, words) and _rows(path) > 1), None)


def _rows(path: Path) -> int:
    """How many vectors a file has, from its header."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as stored:
                return max((len(stored[name]) for name in stored.files[:4]), default=0)
        return len(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, TypeError, EOFError):
        return 0


def _placed(vectors: Recognised | Path, side: str, draft: Draft) -> str:
    """The path of an array, or the input that a table of vectors is."""
    if isinstance(vectors, Path):
        return str(vectors)
    return draft.add_input(f"{side}_vectors", vectors, (side,)).name


def _groups(found: Found, items: Any, model: Path | None, draft: Draft) -> Side | None:
    if items is None and model is None:
        return None
    sides = [side for side in of_items(found, [], draft, several=True) if side.table.role == "items"]
    if isinstance(items, Path) and items.suffix == ".npy":
        sides = [side for side in sides if _rows(items) == side.table.profile.rows]
    if sides:
        mark_groups(found, draft, sides[:1], sides, "items")
    return sides[0] if sides else None
