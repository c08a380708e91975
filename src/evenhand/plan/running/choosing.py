"""Some steps of a plan, by their names or numbers."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.asked.sentences import guess
from evenhand.asked.step import Step
from evenhand.errors import InputError


def chosen(steps: Sequence[Step], only: Sequence[str | int] | None) -> dict[int, Step]:
    """The steps that are asked for, by their places in the plan from 0; all of them where none is named."""
    everything = dict(enumerate(steps))
    if not only:
        return everything
    wanted = {_place(steps, str(one)) for one in only}
    return {place: step for place, step in everything.items() if place in wanted}


def called(step: Step) -> str:
    """What a step is called: as the plan says, or as its audit is."""
    return step.name or step.audit


def _place(steps: Sequence[Step], named: str) -> int:
    names = [called(step) for step in steps]
    if names.count(named) == 1:
        return names.index(named)
    if named.isdecimal() and 1 <= int(named) <= len(steps):
        return int(named) - 1
    if named in names:
        several = [str(number) for number, name in enumerate(names, start=1) if name == named]
        raise InputError(
            f"only: audits {', '.join(several[:-1])} and {several[-1]} are both called {named!r}; name one "
            "by its number, or give them names."
        )
    known = ", ".join(f"{number} {name}" for number, name in enumerate(names, start=1))
    raise InputError(f"only: the plan has no audit {named!r}{guess(named, names)}; it has {known}.")
