"""Options that give something a name: NAME=PATH and GROUP=NUMBER."""

from __future__ import annotations

from evenhand.errors import InputError


def paths(option: str, given: list[str], example: str) -> dict[str, str]:
    """What NAME=PATH says, by name, in the order given; `example` is a good one."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InputError(f"{option} is {text!r}, but must be NAME=PATH, such as {example}.")
        if name in found:
            raise InputError(
                f"two {option.strip('-')}s are called {name!r}: give every {option} a name of its own."
            )
        found[name] = path
    return found


def numbers(option: str, given: list[str] | None) -> dict[str, float] | None:
    """What GROUP=NUMBER says, by group; a group may have a = in its name."""
    if not given:
        return None
    found: dict[str, float] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            equals = ""
        if not (name and equals):
            raise InputError(f"{option} is {text!r}, but must be GROUP=NUMBER, such as 18-24=0.02.")
    if len(found) < len(given):
        raise InputError(f"{option} names a group twice: give every group once.")
    return found


def split(given: list[str] | None) -> dict[str, float] | str:
    """What ARM=SHARE says, by arm; or a word for all arms."""
    if not given:
        return "equal"
    return given[0] if given in (["equal"], ["any"]) else numbers("--split", given) or "equal"
