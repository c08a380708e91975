"""Every problem of a table of the plan. A model that has a wrong value does not look at the rest of what it
says, so that what is wrong is taken out, and it is asked again."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import Any

from pydantic import BaseModel, ValidationError

from evenhand.asked.sentences import Place, problems
from evenhand.plan.model import in_file

# In the place of what is missing or wrong: a text, which is also the name of an environment variable; and,
# where that will not do, a list, of an address or the words of a program.
_STAND_INS: tuple[Any, ...] = ("X", ["nobody@localhost"])


def every_problem(model: type[BaseModel], given: Any, context: dict[str, Any]) -> list[tuple[Place, str]]:
    """All problems of what was given, with their places, each once."""
    told: dict[Place, str] = {}
    seen: set[tuple[Place, bool]] = set()
    stood_in: Counter[Place] = Counter()
    rest = deepcopy(given)
    while True:
        try:
            model.model_validate(rest, context=context)
            break
        except ValidationError as error:
            found = problems(error, model, rest, in_file)
        kinds = {(place, _is_missing(place, said)) for place, said in found}
        again = [place for place, _ in found if 0 < stood_in[place] < len(_STAND_INS)]
        if kinds <= seen and not again:
            break
        for place, said in found:
            missing = _is_missing(place, said) or place in again
            # What is missing only now was taken out, and that was told.
            if not (missing and seen):
                told.setdefault(place, said)
            if missing and stood_in[place] < len(_STAND_INS):
                _change(rest, place, [_STAND_INS[stood_in[place]]])
                stood_in[place] += 1
            else:
                _change(rest, place, [])
        seen |= kinds
    return [(_nearer(given, place, said), said) for place, said in told.items()]


def _is_missing(place: Place, said: str) -> bool:
    return said.startswith(f"{in_file(place)} is missing")


def _nearer(given: Any, place: Place, said: str) -> Place:
    """Of what is said of a table, the key that the sentence begins with, where the table has it."""
    for part in place:
        given = _part(given, part)
    key = said.partition(" ")[0]
    return (*place, key) if isinstance(given, dict) and key in given else place


def _change(content: Any, place: Place, instead: list[Any]) -> None:
    """Take out what is wrong, or let something else stand there."""
    owner = content
    for part in place[:-1]:
        owner = _part(owner, part)
    if not place or not isinstance(owner, dict):
        return
    if instead:
        owner[place[-1]] = instead[0]
    else:
        owner.pop(place[-1], None)


def _part(content: Any, name: str | int) -> Any:
    if isinstance(content, dict):
        return content.get(name)
    return (
        content[name] if isinstance(content, list) and isinstance(name, int) and name < len(content) else None
    )
