"""How values are written on a command line: with commas between, NAME=PATH, GROUP=NUMBER, VALUE:ARM=SHARE."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evenhand.errors import InputError


def numbers(option: str, given: str) -> list[float]:
    """LOW,HIGH"""
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise InputError(f"{option} is {given!r}, but must be numbers with commas between.") from None


def whole_numbers(option: str, given: str) -> list[int]:
    """USERS,POLICIES"""
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise InputError(f"{option} is {given!r}, but must be whole numbers with commas between.") from None


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


def path_and_column(option: str, given: str) -> tuple[str, str]:
    """PATH:COLUMN"""
    path, _, column = given.rpartition(":")
    if not (path and column):
        raise InputError(
            f"{option} is {given!r}, but must be a table and its column, such as users.parquet:gender."
        )
    return path, column


def names(option: str, given: list[str]) -> dict[str, list[str]]:
    """NAME=THEIRS, by our name: tables may call one thing by different names"""
    found: dict[str, list[str]] = {}
    for text in given:
        ours, equals, theirs = text.partition("=")
        if not (ours and equals and theirs):
            raise InputError(f"{option} is {text!r}, but must be NAME=THEIRS, such as user_id=User_ID.")
        found.setdefault(ours, []).append(theirs)
    return found


def by_group(option: str, given: list[str]) -> dict[str, float]:
    """GROUP=NUMBER"""
    return _by_name(option, given, "GROUP=NUMBER, such as 18-24=0.02")


def bins(option: str, given: list[str]) -> dict[str, int | list[float]]:
    """COLUMN=N and COLUMN=EDGES, by column"""
    found: dict[str, int | list[float]] = {}
    for text in given:
        column, sign, rest = text.partition("=")
        if not (sign and column and rest):
            raise InputError(
                f"{option} is {text!r}, but must be COLUMN=N, such as age=4, or COLUMN=EDGES, such as "
                "age=18,35,55."
            )
        found[column] = int(rest) if rest.isdigit() else numbers(option, rest)
    return found


def edges(option: str, given: list[str]) -> dict[str, list[float]]:
    """COLUMN=EDGES, by column"""
    found: dict[str, list[float]] = {}
    for text in given:
        column, rest = _column_and_rest(option, text, "COLUMN=EDGES, such as age=18,25,35")
        if column in found:
            raise InputError(f"{option} names {column!r} twice: give all edges of a column at once.")
        try:
            found[column] = [float(edge) for edge in rest.split(",")]
        except ValueError:
            raise InputError(
                f"{option} is {text!r}, but must be COLUMN=EDGES, such as age=18,25,35."
            ) from None
    return found


def conditions(option: str, given: list[str]) -> dict[str, list[str] | dict[str, list[str]]]:
    """COLUMN=VALUE, or COLUMN!=VALUE, by column: all values of a column together"""
    found: dict[str, list[str] | dict[str, list[str]]] = {}
    for text in given:
        column, value = _column_and_rest(option, text, "COLUMN=VALUE or COLUMN!=VALUE, such as country=DE")
        others = column.endswith("!") and column != "!"
        column = column.removesuffix("!") if others else column
        asked = found.setdefault(column, {"not": []} if others else [])
        if isinstance(asked, dict) is not others:
            raise InputError(f"{option} asks for values of {column!r} and for others: give one or the other.")
        (asked["not"] if isinstance(asked, dict) else asked).append(value)
    return found


def _column_and_rest(option: str, text: str, form: str) -> tuple[str, str]:
    column, equals, rest = text.partition("=")
    if not (column and equals):
        raise InputError(f"{option} is {text!r}, but must be {form}.")
    return column, rest


def _by_name(option: str, given: list[str], form: str) -> dict[str, float]:
    """A group may have a = in its name."""
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


def columns_and_arms(option: str, given: list[str]) -> dict[str, list[str]]:
    """COLUMN, COLUMN=BASELINE and COLUMN=BASELINE,ARM, by column"""
    found: dict[str, list[str]] = {}
    for text in given:
        column, equals, arms = text.partition("=")
        named = [arm.strip() for arm in arms.split(",")] if equals else []
        if not column or "" in named:
            raise InputError(
                f"{option} is {text!r}, but must be COLUMN, COLUMN=BASELINE or COLUMN=BASELINE,ARM, such as "
                "ranker=control."
            )
        if column in found:
            raise InputError(f"{option} names {column!r} twice: name each column once.")
        found[column] = named
    return found


def splits(given: list[str], experiments: Mapping[str, list[str]], split_by: str | None) -> Any:
    """COLUMN:ARM=SHARE and the like: the planned shares by experiment."""
    if given == ["any"]:
        return "any"
    columns: dict[str, list[str]] = {}
    for text in given:
        column, colon, share = text.partition(":")
        if not (column and colon):
            raise InputError(
                f"--split is {text!r}, but must be COLUMN:ARM=SHARE, such as ranker:control=0.9."
            )
        columns.setdefault(column, []).append(share)
    # One arm alone is the baseline, and leaves the others unknown.
    arms = {column: named if len(named) > 1 else () for column, named in experiments.items()}
    return {column: split(shares, arms.get(column, ()), split_by) for column, shares in columns.items()}


def split(given: list[str], arms: Collection[str], split_by: str | None) -> Any:
    """What ARM=SHARE says, by arm; VALUE:ARM=SHARE and VALUE:equal, by value of `split_by`; or one word.

    `arms` are those that are known here: they tell a value with a colon in it from an arm.
    """
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


def _shares(given: list[str]) -> dict[str, float]:
    return _by_name("--split", given, "ARM=SHARE, such as control=0.9")


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


def as_it_is(option: str, given: Any) -> Any:
    """What is read together with other options, or by nobody."""
    return given


def pairs(option: str, given: list[str]) -> list[list[str]]:
    """GROUP,GROUP"""
    return [text.split(",") for text in given]


def states(option: str, given: list[str]) -> list[str | list[str]]:
    """PATH and PATH,PATH"""
    folders = [text.split(",") for text in given]
    return [several if len(several) > 1 else several[0] for several in folders]
