"""Who is shown to whom? Needs scores or lists, relevance, and groups on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.inputs import file_header
from evenhand.plan.init.drafts import Cannot, Draft, InputDraft, NameTaken, StepDraft
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import DISLIKED
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.questions.choosing import mark_groups, of_items, of_users
from evenhand.plan.init.questions.found import Found
from evenhand.plan.init.tables.looking import FileSet

QUESTION = "Who is shown to whom, beside what relevance asks for?"
PAGE = "docs/explain/exposure.md#what-it-needs"
_LIKED = "relevance: user_id and item_id of pairs that users like, which the system did not choose"
_SHORT = {
    "scores": "scores or lists", "relevance": "relevance", "a table of users with an attribute": "users",
    "a table of items with an attribute": "items",
}  # fmt: skip
_OF = {role: f"a table of {role} with an attribute" for role in ("users", "items")}


def propose(found: Found, draft: Draft) -> None:
    shown = found.first("scores") or found.first("lists")
    model = next((one for one in found.models if (one / "test.parquet").is_file()), None)
    relevance = _relevance(found)
    users = [side for side in of_users(found, [], draft) if not side.attribute.bins]
    items = [
        side
        for side in of_items(found, [], draft, several=True)
        if side.table.role == "items" and not side.attribute.bins
    ]
    lacking = {
        "scores (user_id, item_id, score) or lists that were shown (user_id, item_id, rank)": shown or model,
        _LIKED: relevance or model,
        _OF["users"]: users,
        _OF["items"]: items,
    }
    if not all(lacking.values()):
        draft.cannot.append(_cannot(lacking, found, draft))
        return
    mark_groups(found, draft, users[:1], users, "users")
    mark_groups(found, draft, items[:1], items, "items")
    people, things = (
        draft.add_input(name, one.table) for name, one in (("users", users[0]), ("items", items[0]))
    )
    keys: dict[str, Any] = {"audit": "exposure"}
    try:
        if shown is not None:
            kind = shown.role
            own = ("user", "item", "score") if kind == "scores" else ("user", "item", "rank", "listed")
            if kind == "lists":
                draft.marks.append(
                    f"What users were shown is taken to be the lists of {shown.name}, by its column "
                    f"{shown.rank}. Chosen by init: check it."
                )
            keys[kind] = draft.add_input(kind, shown, own).name
        else:
            keys["model"] = str(model)
    except NameTaken as error:
        draft.cannot.append(Cannot(QUESTION, str(error), "columns with names of their own", PAGE))
        return
    if shown is None:
        assert model is not None
        keys["relevance"] = _held_out(model, draft)
    else:
        assert relevance is not None
        keys["relevance"] = _relevance_input(relevance, draft)
    keys |= {
        "users": people.name, "user_group": people.called(users[0].attribute.column),
        "items": things.name, "item_group": things.called(items[0].attribute.column),
    }  # fmt: skip
    if "lists" not in keys:
        keys["beta"] = "static"
    keys["tolerance"] = 0.3
    beside = {
        "tolerance": "how far exposure may be from what relevance asks for, as a share: agree on it first"
    }
    draft.steps.append(StepDraft(keys, ("Who is shown to whom, beside what relevance asks for?",), beside))


def _cannot(lacking: Mapping[str, Any], found: Found, draft: Draft) -> Cannot:
    """What is lacking. A table that is there and was left out is to be mended, and not to be logged."""
    needed = [what for what, there in lacking.items() if not there]
    left = {of: why for role, why in draft.left_out.items() if (of := _OF.get(role)) in needed}
    disliked = found.of("disliked") if _LIKED in needed else []
    why = " ".join([*left.values(), *(f"The table {note}" for one in disliked for note in one.notes)])
    log = "; ".join(what for what in needed if what not in left)
    few = [_SHORT[what.split(":")[0].split(" (")[0]] for what in needed]
    short = (
        f"Who is shown to whom: needs {', '.join(few[:-1])} and {few[-1]}" if len(few) > 1 and not why else ""
    )
    return Cannot(QUESTION, why or "not all that it needs is here", log, PAGE, short)


def _relevance(found: Found) -> Recognised | None:
    """Pairs that users like: a table of such pairs, or one of ratings, whose grades are known one by one."""
    plain = found.first("relevance")
    if plain is not None:
        return plain
    rated = [
        one
        for one in found.of("log")
        if one.chosen_label and "at_least" in one.chosen_label.rule and not hints(one.name, DISLIKED)
    ]
    whole = [
        one
        for one in rated
        if one.user
        and one.item
        and (grades := _grades(one))
        and all(float(g).is_integer() for g in grades)
        and min(grades) >= 0  # -1 and 1 are said of what was shown
    ]
    return whole[0] if whole else None


def _held_out(model: Path, draft: Draft) -> str:
    """What a model held out of its training: by what it learnt from, it would always look right."""
    path = model / "test.parquet"
    draft.inputs["relevance"] = InputDraft("relevance", FileSet("relevance", (path,), file_header(path)))
    return "relevance"


def _grades(table: Recognised) -> list[float]:
    return list(table.profile.columns[table.labels[0].column].values)


def _relevance_input(table: Recognised, draft: Draft) -> str:
    if table.role == "relevance":
        draft.marks.append(
            f"Relevant are all pairs of {table.name}: that it lists what users like, only its columns say. "
            "Chosen by init: check it."
        )
        means = f"a pair is in {table.name}"
        return draft.add_input("relevance", table, ("user", "item"), label_definition=means).name
    label = table.labels[0]
    values = [int(value) for value in _grades(table) if value >= label.rule["at_least"]]
    draft.marks.append(f"Relevant are pairs of {table.name} where {label.meaning}. Chosen by init: check it.")
    return draft.add_input(
        "relevance", table, ("user", "item"), where={label.column: sorted(values)},
        label_definition=label.meaning,
    ).name  # fmt: skip
