"""What is wrong with a plan, as one sentence: where, what, and the word that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]


def in_file(place: Place) -> str:
    """A place as a reader of the file finds it: audits are counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


def sentence(
    error: ValidationError,
    models: Mapping[str, type[BaseModel]],
    audits: Mapping[str, type[BaseModel]],
    name_of: Callable[[Place], str] = in_file,
) -> str:
    """The most telling problem as a sentence, and how many more there are.

    `models` are the parts of a plan by their names ("" for the plan itself), `audits` the steps by theirs.
    A misspelt key comes first: it usually explains a missing one.
    """
    problems = _without_alternatives(error.errors())
    first = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    place, audit = _place_and_audit(first["loc"])
    where, kind, context = name_of(place), first["type"], first.get("ctx", {})
    if kind == "extra_forbidden":
        model = audits[audit] if audit else models.get(str(place[0]) if len(place) > 1 else "")
        known = list(model.model_fields) if model else []
        said = f"{where} is not a known key{guess(str(place[-1]), known)}"
    elif kind == "missing":
        said = f"{where} is missing"
    elif kind == "union_tag_invalid":
        tag = str(context["tag"])
        meant = guess(tag, list(audits)) or f", only {', '.join(audits)}"
        said = f"{where}: there is no audit {tag!r}{meant}"
    elif kind == "union_tag_not_found":
        said = f'{where}: say which audit it is, such as audit = "opportunity"'
    elif kind == "value_error":
        said = str(context["error"])
    elif kind == "too_short":
        said = f"{where} needs at least {context['min_length']}, but has {context['actual_length']}"
    elif kind == "list_type" and place == ("audits",):
        said = "audits must be a list: write [[audits]], with two brackets, above each audit"
    else:
        said = f"{where} {_requirement(first)}, but it is {_short(first['input'])}"
    more = len(problems) - 1
    return said + (f" (and {more} more {'problem' if more == 1 else 'problems'})" if more else "") + "."


def guess(name: str, known: Sequence[str]) -> str:
    """The word that was probably meant, in brackets, or nothing."""
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _place_and_audit(place: Place) -> tuple[Place, str | None]:
    """A step's own name is in the place of its problems; a reader knows the audit by its number."""
    if place[:1] == ("audits",) and len(place) > 2:
        return place[:2] + place[3:], str(place[2])
    return place, None


def _without_alternatives(problems: list[ErrorDetails]) -> list[ErrorDetails]:
    """A value that may be text or a list of texts fails as both: say it once."""
    kept: dict[Place, ErrorDetails] = {}
    for problem in problems:
        place = problem["loc"]
        for i, part in enumerate(place):
            if part in ("str", "list[str]"):
                place = place[:i]
                both = "Input should be text or a list of texts"
                value = kept[place]["input"] if place in kept else problem["input"]
                problem = {**problem, "loc": place, "msg": both, "input": value}
                break
        kept.setdefault(place, problem)
    return list(kept.values())


def _requirement(problem: ErrorDetails) -> str:
    said = problem["msg"].removeprefix("Input ").replace("dictionary or instance of InputSpec", "dictionary")
    return said.replace("a valid dictionary", "a table of names and values").replace("valid string", "text")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
