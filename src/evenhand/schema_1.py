"""Documents of the schema before, as documents of this one.

What a finding was about was flat there (`{"by": "gender, age", "group": "F, 55+"}`), `n` was a number, and
what was hidden or moot was said in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.about import group_of, identifier, numbered, structured, words_of
from evenhand.schema_1_words import in_numbers, subject_in_codes

SCHEMA = "evenhand.findings/1"
_OF_CREATORS = ("opportunity", "series", "compare", "experiments", "stages", "boost", "parity")
_OF_ITEMS = ("association", "association_amplification", "association_leakage", "mitigate_embeddings")
# What `n` counted, by measure and else by audit.
_COUNTED = {
    "sample_ratio": "users", "arm_overlap": "users or rows", "direction": "users", "user_growth": "users",
    "gap_growth": "users", "leak_accuracy": "users", "leak_auc": "users", "leak_precision": "users",
    "leak_recall": "users", "leak_f1": "users", "leak_parity": "users", "leak_recall_gap": "users",
    "attribute_accuracy": "users", "attribute_accuracy_change": "users", "ranking_change": "users",
}  # fmt: skip
_COUNTED_BY = {
    **dict.fromkeys((*_OF_CREATORS, "user_precision"), "rows"),
    **dict.fromkeys(_OF_ITEMS, "items"),
    **dict.fromkeys(("groups", "mitigate", "envy", "exposure"), "users"),
    **dict.fromkeys(("envy_simulation", "envy_plan"), "audits"),
    "traffic_plan": "random rows",
}


# What is a picture now.
_DRAWN = (
    "series", "heat", "matrix", "ways", "correlation", "correlations", "curve", "traffic_curve", "trade_off",
    "against_alpha", "ended_by", "arms_over_time", "along",
)  # fmt: skip


class UnlikeError(Exception):
    """A document that says it is of this schema and is not; the message is where."""


def upgraded(document: Mapping[str, Any], schema: str) -> dict[str, Any]:
    if not isinstance(document.get("findings"), list):
        return {**document, "schema": schema}
    findings = []
    taken: set[str] = set()
    for place, old in enumerate(document["findings"]):
        try:
            one = _finding(old)
            if isinstance(one, dict):
                name = identifier(str(one.get("audit")), str(one.get("measure")), structured(one["about"]))
                one["id"] = numbered(name, taken)
                taken.add(one["id"])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise UnlikeError(f"findings.{place}") from None
        findings.append(one)
    return {**document, "schema": schema, "findings": findings}


def _finding(old: Any) -> Any:
    if not isinstance(old, Mapping):
        return old
    new = {key: value for key, value in old.items() if key not in ("subject", "n")}
    new["about"] = _about(old)
    if isinstance(old.get("n"), int):
        of = _COUNTED.get(str(old.get("measure")), _COUNTED_BY.get(str(old.get("audit")), "observations"))
        new["n"] = {"count": old["n"], "of": of}
    if isinstance(old.get("more_data"), int | float):  # once it had nothing about its range
        new["more_data"] = {"times": old["more_data"]}
    warnings = list(old.get("warnings", ()))
    if old.get("estimate") is None and warnings and str(warnings[0]).startswith("suppressed: "):
        new["warnings"] = [str(warnings[0]).removeprefix("suppressed: "), *warnings[1:]]
        new["state"] = "suppressed"
    details = dict(old.get("details") or {})
    if details.pop("moot", False):
        new["state"] = "moot"
    new["pictures"] = list(_pictures(details))
    left = {key: value for key, value in details.items() if key not in _DRAWN}
    return new | {"details": in_numbers(str(old.get("audit")), str(old.get("measure")), left)}


def _pictures(details: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What was drawn of the details."""
    if "series" in details:
        yield {"kind": "series", "unit": details.get("unit", "day"), "days": details["series"]}
    if heat := details.get("heat"):
        cells = [{**_without(cell, "mean"), "value": cell["mean"]} for cell in heat["cells"]]
        yield {"kind": "map", "of": "mean", "rows": heat["rows"], "columns": heat["columns"], "cells": cells}
    if matrix := details.get("matrix"):
        cells = [{**_without(cell, "share"), "value": cell["share"]} for cell in matrix["cells"]]
        yield {"kind": "map", "of": "exposure", "cells": cells}
    if ways := details.get("ways"):
        yield _square("cosine", ways["names"], ways["matrix"], "")
    for one in [
        *details.get("correlations", ()),
        *([details["correlation"]] if "correlation" in details else []),
    ]:
        yield _square("correlation", one["metrics"], one["matrix"], one.get("of", ""))
    search = details.get("search")
    if isinstance(search, Mapping) and search.get("trace"):
        yield _lines("search", gap=search["trace"])
    if curve := details.get("curve"):
        line = {"name": "", "points": [(p["disparity"], p["relevance"]) for p in curve]}
        labels = [str(point["beta"]) for point in curve]
        yield {"kind": "lines", "of": "disparity", "lines": [line | {"labels": labels}]}
    if traffic := details.get("traffic_curve"):
        marks = {key: traffic[key] for key in ("target", "planned")}
        yield _lines("traffic", reached=traffic["points"]) | {"aim": traffic["kind"], "marks": marks}
    if trade := details.get("trade_off"):
        marked = ("days", "target", "share_needed", "balanced_share")
        marks = {key: trade[key] for key in marked if trade.get(key) is not None}
        lines = {
            key: [(point["share"], point[key]) for point in trade["points"]]
            for key in ("reached", "relevance_cost")
        }
        yield _lines("share", **lines) | {"aim": trade["kind"], "marks": marks}
    if alphas := details.get("against_alpha"):
        keys = ("duration", "duration_90", "cost")
        yield _lines("alpha", **{key: [(p["alpha"], p[key]) for p in alphas] for key in keys})
    if ended := details.get("ended_by"):
        yield _lines("ended", ended=ended)
    if arms := details.get("arms_over_time"):
        yield {"kind": "bounds", "differences": False, **arms}
    if along := details.get("along"):
        yield {"kind": "shares", "edges": along["edges"], "groups": along["values"]}


def _lines(of: str, **lines: Any) -> dict[str, Any]:
    named = [{"name": name, "points": points} for name, points in lines.items()]
    return {"kind": "lines", "of": of, "lines": named}


def _square(of: str, names: Sequence[str], matrix: Sequence[Sequence[Any]], part: str) -> dict[str, Any]:
    cells = [
        {"row": first, "column": second, "value": value}
        for first, row in zip(names, matrix, strict=True)
        for second, value in zip(names, row, strict=True)
    ]
    return {"kind": "map", "of": of, "part": part, "cells": cells}


def _without(cell: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name != key}


def _about(old: Mapping[str, Any]) -> dict[str, Any]:
    """The same, by whom and attribute where the audit says which."""
    audit = str(old.get("audit"))
    subject = subject_in_codes(audit, dict(old.get("subject") or {}))
    by, group = subject.pop("by", None), subject.pop("group", None)
    if by is None:
        return subject | ({} if group is None else {"group": group})
    if audit == "exposure":
        return _exposure(str(by), group, old.get("measure") == "relevant_exposure") | subject
    if audit in _OF_ITEMS:
        groups = {"items": {"group": group}} if group is not None else {}
        return {"by": {"users": by}, **groups} | subject
    whom = "creators" if audit in (*_OF_CREATORS, "traffic_plan") else "users"
    about: dict[str, Any] = {"by": {whom: by}}
    if group is not None:
        about[whom] = _part_of(str(by), str(group)) or group_of(str(by), str(group))
    if "other" in subject and group is not None:
        subject["other"] = group_of(str(by), str(subject["other"]))
    return about | subject


def _part_of(by: str, name: str) -> dict[str, str]:
    """A group of some of the attributes, "gender F" of "gender, age", or nothing where it is of all."""
    attributes, words = words_of(by), words_of(name)
    named = [next((one for one in attributes if word.startswith(f"{one} ")), "") for word in words]
    if len(words) >= len(attributes) or not all(named):
        return {}
    return {one: word.removeprefix(f"{one} ") for one, word in zip(named, words, strict=True)}


def _exposure(by: str, group: Any, of_users: bool) -> dict[str, Any]:
    *user_attributes, item_attribute = words_of(by)
    about: dict[str, Any] = {"by": {"users": tuple(user_attributes), "items": (item_attribute,)}}
    if group is None:
        return about
    if of_users:
        return about | {"users": group_of(tuple(user_attributes), str(group))}
    items, _, users = str(group).partition(" to ")
    if not users or " to " in users:  # a system, or a name that can be read in two ways
        return about | {"group": group}
    return about | {
        "users": group_of(tuple(user_attributes), users),
        "items": group_of((item_attribute,), items),
    }
