"""Whatever is written in a plan, it is refused in sentences with lines, or it is fine: never a fault."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.plan import load
from evenhand.plan.checking.mistakes import PlanError

CONTENT = {
    "seed": 1,
    "scope": {"title": "A", "stakeholders": ["b"], "attributes": {"gender": "c"}},
    "identify": {"comparison": "d"},
    "labels": {"creator_age": {"18-24": "young"}},
    "columns": {"positive": "liked"},
    "inputs": {"control": {"path": "data/control.parquet"}, "random": {"path": ["data/random.parquet"]}},
    "audits": [
        {"audit": "opportunity", "default": "control", "random": "random", "label": ["liked", "shared"],
         "group": "creator_age", "tolerance": 0.1},
        {"audit": "stages", "stages": {"a": "control", "b": "control"}, "random": "random", "label": "liked",
         "group": "creator_age", "name": "x", "reason": "y"},
        {"audit": "association", "users": "users.npy", "items": "items.npy", "attribute": "control:liked"},
    ],
    "monitoring": {"day": "day"},
    "revisions": [{"who": "e", "what": "f", "fingerprint": "0"}],
}  # fmt: skip
JUNK = st.sampled_from(
    [3, -1, 0.5, True, "", "control", "opportunity", "liked", "a:b", "é\n", 10**30, [], [1], ["x"], [[]], {},
     {"path": "x.csv"}, {"x": 1}, [{"audit": "groups"}]]
)  # fmt: skip


def _places(value: Any, place: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, one in inner for found in _places(one, (*place, key)))]


PLACES = [place for place in _places(CONTENT) if place]


def _changed(value: Any, place: tuple, to: Any, leave_out: bool) -> Any:
    if not place:
        return to
    key, *rest = place
    copy = dict(value) if isinstance(value, dict) else list(value)
    if leave_out and not rest:
        del copy[key]
    else:
        copy[key] = _changed(copy[key], tuple(rest), to, leave_out)
    return copy


def _as_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_as_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_as_toml, value)) + "]"
    return json.dumps(value)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK, st.booleans()), min_size=1, max_size=3))
def test_a_plan_with_anything_in_it_is_refused_in_sentences(folder, changes):
    content = CONTENT
    for place, to, leave_out in changes:
        if place in _places(content):
            content = _changed(content, place, to, leave_out)
    path = folder / "any.toml"
    text = "".join(f"{json.dumps(key)} = {_as_toml(value)}\n" for key, value in content.items())
    assert tomllib.loads(text) == content
    path.write_text(text, encoding="utf-8")
    said = _refusal(path)
    if said:
        head, *lines = said.splitlines()
        assert head.startswith("any.toml")
        assert all(line.startswith("  ") and line.endswith(".") for line in lines)


def _refusal(path: Path) -> str:
    try:
        load(path)
    except PlanError as error:
        return str(error)
    return ""
