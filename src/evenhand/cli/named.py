"""Options that give something a name: NAME=PATH, GROUP=NUMBER, VALUE:ARM=SHARE, COLUMN=VALUE."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

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


def numbers(
    option: str, given: list[str] | None, form: str = "GROUP=NUMBER, such as 18-24=0.02"
) -> dict[str, float] | None:
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
            raise InputError(f"{option} is {text!r}, but must be {form}.")
    if len(found) < len(given):
        word = form.partition("=")[0].lower()
        a_word = f"an {word}" if word.startswith("a") else f"a {word}"
        raise InputError(f"{option} names {a_word} twice: give every {word} once.")
    return found


def edges(given: list[str] | None) -> dict[str, list[float]] | None:
    """What --bins says, COLUMN=EDGE,EDGE, by column."""
    found: dict[str, list[float]] = {}
    for column, written in (_column_and_rest("--bins", text, "age=18,25,35") for text in given or ()):
        if column in found:
            raise InputError(f"--bins names {column!r} twice: give all edges of a column at once.")
        try:
            found[column] = [float(edge) for edge in written.split(",")]
        except ValueError:
            raise InputError(
                f"--bins is {f'{column}={written}'!r}, but must be COLUMN=EDGES, such as age=18,25,35."
            ) from None
    return found or None


def conditions(given: list[str] | None) -> dict[str, list[str]] | None:
    """What --where says, COLUMN=VALUE, by column: all values of a column together."""
    found: dict[str, list[str]] = {}
    for column, value in (_column_and_rest("--where", text, "country=DE") for text in given or ()):
        found.setdefault(column, []).append(value)
    return found or None


def _column_and_rest(option: str, text: str, example: str) -> tuple[str, str]:
    column, equals, rest = text.partition("=")
    if not (column and equals):
        form = "COLUMN=EDGES" if option == "--bins" else "COLUMN=VALUE"
        raise InputError(f"{option} is {text!r}, but must be {form}, such as {example}.")
    return column, rest


def split(given: list[str] | None, arms: Collection[str], split_by: str | None) -> Any:
    """What ARM=SHARE says, by arm; VALUE:ARM=SHARE and VALUE:equal, by value of `split_by`; or one word.

    `arms` are those that are known here: they tell a value with a colon in it from an arm.
    """
    if not given:
        return "equal"
    if given in (["equal"], ["any"]):
        return given[0]
    told = [_value_and_rest(text, arms, split_by) for text in given]
    values: dict[str, list[str]] = {value: [] for value, _ in told if value is not None}
    if not values:
        return _shares(given)
    for (value, rest), text in zip(told, given, strict=True):
        if value is None:
            raise InputError(
                f"--split is {text!r} beside shares for single values of {split_by}: give VALUE:ARM=SHARE "
                "for every value, or one split for all."
            )
        values[value].append(rest)
    return {value: "equal" if rest == ["equal"] else _shares(rest) for value, rest in values.items()}


def _shares(given: list[str]) -> dict[str, float] | None:
    return numbers("--split", given, "ARM=SHARE, such as control=0.9")


def _value_and_rest(text: str, arms: Collection[str], split_by: str | None) -> tuple[str | None, str]:
    """VALUE and what is after it; no value where the share is that of all."""
    if split_by is not None and text.endswith(":equal"):
        return text.removesuffix(":equal"), "equal"
    name, equals, share = text.rpartition("=")
    told = [name.removesuffix(f":{arm}") for arm in arms if name.endswith(f":{arm}")]
    if split_by is None:
        if told and name not in arms:
            raise InputError(
                f"--split is {text!r}, a share for {told[0]!r}, but --split-by does not say of which column "
                "that is a value."
            )
        return None, text
    if len(told) + (name in arms) > 1:
        raise InputError(
            f"--split is {text!r}, which can be read in two ways, as an arm has a colon in its name: rename "
            "it, or use a plan."
        )
    if not equals or name in arms or ":" not in name:
        return None, text
    value = told[0] if told else name.rpartition(":")[0]
    return value, f"{name[len(value) + 1 :]}={share}"
