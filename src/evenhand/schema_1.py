"""Documents of the schema before, as documents of this one.

What a finding was about was flat there (`{"by": "gender, age", "group": "F, 55+"}`), `n` was a number, and
what was hidden or moot was said in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evenhand.about import group_of, identifier, structured, words_of
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


def upgraded(document: Mapping[str, Any], schema: str) -> dict[str, Any]:
    findings = [_finding(one) for one in document.get("findings", ())]
    seen: Counter[str] = Counter()
    for one in findings:
        if isinstance(one, dict):
            name = identifier(str(one.get("audit")), str(one.get("measure")), structured(one["about"]))
            seen[name] += 1
            one["id"] = name if seen[name] == 1 else f"{name}~{seen[name]}"
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
    return new | {"details": in_numbers(str(old.get("audit")), str(old.get("measure")), details)}


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
