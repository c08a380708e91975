"""What a plan said at its revisions, in a file beside it, so that a later change can be told key by key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.report.words.legible import line

# Of a value that is longer, the middle is left out.
_LONGEST = 80


def place_of(plan: Path) -> Path:
    """The file beside a plan: audit.revisions.json for audit.toml."""
    return plan.with_name(f"{plan.stem}.revisions.json")


def kept(plan: Path) -> dict[str, dict[str, Any]]:
    """What the plan said, by fingerprint. A file that is not there, or that somebody spoilt, tells nothing:
    it is only there to be more exact."""
    try:
        found = json.loads(place_of(plan).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def text_with(plan: Path, fingerprint: str, said: Mapping[str, Any]) -> str:
    """The text of that file with what the plan says now."""
    return json.dumps(kept(plan) | {fingerprint: said}, default=str, indent=1, ensure_ascii=False) + "\n"


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Every key that says something else, a line each, in the order of the plan."""
    was, is_now = dict(_flat(before)), dict(_flat(now))
    for key in dict.fromkeys((*is_now, *was)):
        if key not in was:
            yield f"{key}: new, {is_now[key]}"
        elif key not in is_now:
            yield f"{key}: taken out, was {was[key]}"
        elif was[key] != is_now[key]:
            yield f"{key}: was {was[key]}, is {is_now[key]}"


def _flat(said: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every value by its place. An audit is called by its name, or by what it is, wherever it stands."""
    if isinstance(said, Mapping) and said:
        for key, value in said.items():
            yield from _flat(value, f"{place}.{key}" if place else str(key))
    elif isinstance(said, list) and said and all(isinstance(one, Mapping) for one in said):
        for name, one in zip(_names(said), said, strict=True):
            yield from _flat(one, f"{place}.{name}")
    else:
        yield line(place), line(json.dumps(said, default=str, ensure_ascii=False), _LONGEST)


def _names(tables: list[Mapping[str, Any]]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for number, one in enumerate(tables, start=1):
        name = str(one.get("name") or one.get("audit") or one.get("measure") or one.get("by") or number)
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} {seen[name]}"
