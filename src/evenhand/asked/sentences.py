"""What is wrong with what was asked, as one sentence: where, what was given, and what it must be."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from evenhand.asked.marks import COLUMN, Must, Table, TableColumn
from evenhand.parameters import meant, shown

Place = tuple[str | int, ...]
Model = type[BaseModel]
# Further problems that are named.
_MOST = 5
# How alike a word and a choice must be; include and exclude are .71.
_NEARLY = 0.75
_OPPOSITE = "(?:un|non|not|no|in|dis)[-_ ]?{}"
# What others call a choice.
_ALSO_SAID = {
    "exclude": ("drop", "remove", "skip", "omit", "ignore", "leave out"),
    "refuse": ("error", "raise", "fail"),
}


def as_argument(place: Place) -> str:
    """A place as a call names it."""
    return str(place[0])


def problem(
    error: ValidationError, model: Model, given: Any, name_of: Callable[[Place], str] = as_argument
) -> str:
    """The most telling problem of what was given, without its full stop, and where there are more.

    A misspelt key comes first: it usually explains a missing one.
    """
    found = _found(error, model, given)
    place, first = min(found.items(), key=lambda one: one[1]["type"] != "extra_forbidden")
    said = _said(first, _spot(model, given, first["loc"]), name_of)
    others = [name_of(one) for one in found if one and one != place]
    more = len(found) - 1
    if not more:
        return said
    listed = f": {', '.join(others[:_MOST])}{', ...' if len(others) > _MOST else ''}" if others else ""
    return f"{said} (and {more} more {'problem' if more == 1 else 'problems'}{listed})"


def problems(
    error: ValidationError, model: Model, given: Any, name_of: Callable[[Place], str] = as_argument
) -> list[tuple[Place, str]]:
    """Every problem of what was given, with its place. A key that is missing because it was misspelt is one
    problem, not two."""
    found = _found(error, model, given)
    spots = {place: _spot(model, given, one["loc"]) for place, one in found.items()}
    misspelt = {
        (*place[:-1], meant_by)
        for place, one in found.items()
        if one["type"] == "extra_forbidden"
        and (meant_by := _meant(str(place[-1]), list(spots[place].owner.model_fields)))
    }
    return [
        (place, _said(one, spots[place], name_of))
        for place, one in found.items()
        if not (one["type"] == "missing" and place in misspelt)
    ]


def _found(error: ValidationError, model: Model, given: Any) -> dict[Place, ErrorDetails]:
    """The errors by their places: a value that may be of several kinds fails as each of them, in each of its
    parts, and it is said once."""
    found: dict[Place, ErrorDetails] = {}
    for one in error.errors():
        found.setdefault(_spot(model, given, one["loc"]).place, one)
    return found


def guess(given: Any, known: Sequence[str]) -> str:
    """The name that was probably meant, in brackets, or nothing."""
    close = _meant(given, known)
    return f" (did you mean {close!r}?)" if close else ""


def _chosen(given: Any, known: Sequence[str]) -> str:
    """The choice that was probably meant, in brackets, or nothing. Choices are few and often opposites, so
    that only one that is nearly the same word is named, or one that means the same."""
    if not isinstance(given, str):
        return ""
    word = given.strip().lower()
    same = [one for one in known if word in _ALSO_SAID.get(one, ())]
    turned = [one for one in known if sorted(one) == sorted(word)]
    close = turned or difflib.get_close_matches(word, known, n=1, cutoff=_NEARLY)
    found = same or [one for one in close if not re.fullmatch(_OPPOSITE.format(re.escape(one)), word)]
    return f" (did you mean {found[0]!r}?)" if found else ""


def _meant(given: Any, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(given, known, n=1) if isinstance(given, str) else []
    return close[0] if close else ""


def requirement(field: FieldInfo) -> str:
    """What the values of a field must be, in words."""
    return _must(field.annotation, tuple(field.metadata))


class _Spot(NamedTuple):
    """Where something is in a model: the names that a reader knows, what stands there, and whose it is;
    `within` says that it is one of the tables that a field holds, not the field itself."""

    place: Place
    value: Any
    owner: Model
    field: FieldInfo | None
    within: bool = False


class _Held(NamedTuple):
    """The models that a field holds, if any: one, several by name or in a list, each of one kind or of the
    kind that the key `told_by` says."""

    kinds: tuple[Model, ...] = ()
    several: bool = False
    told_by: str | None = None

    def kind(self, tag: Any) -> Model | None:
        """The kind that is meant; where kinds are told apart by a key, a place has its value."""
        if self.told_by is None:
            return self.kinds[0] if self.kinds else None
        return next((one for one in self.kinds if tag in _words(_tag_of(one, self.told_by))), None)


def _spot(model: Model, given: Any, place: Place) -> _Spot:
    """Follow a place through models in models; kinds of a union and parts of a value are not followed,
    unless a key tells them apart."""
    if not place:
        return _Spot((), given, model, None)
    field = model.model_fields.get(str(place[0]))
    value = _part(given, place[0])
    held = _held(field)
    names = 2 if held.several and len(place) > 1 else 1
    if names == 2:
        value = _part(value, place[1])
    rest = place[names:]
    inner = held.kind(rest[0] if rest else None)
    rest = rest if held.told_by is None else rest[1:]
    if inner is None or not rest:
        return _Spot(place[:names], value, model, field, names == 2)
    deeper = _spot(inner, value, rest)
    return deeper._replace(place=place[:names] + deeper.place)


def _held(field: FieldInfo | None) -> _Held:
    kind: Any = None if field is None else field.annotation
    inner = [one for one in get_args(kind) if one is not NoneType]
    if get_origin(kind) in (Union, UnionType) and len(inner) == 1:
        kind = inner[0]
    several = get_origin(kind) in (dict, list)
    kind = get_args(kind)[-1] if several else kind
    told_by = getattr(field, "discriminator", None)
    if get_origin(kind) is Annotated:
        kind, *said = get_args(kind)
        told_by = next((one.discriminator for one in said if isinstance(one, FieldInfo)), told_by)
    if _is_model(kind):
        return _Held((kind,), several)
    if isinstance(told_by, str) and get_origin(kind) in (Union, UnionType):
        return _Held(tuple(get_args(kind)), several, told_by)
    return _Held()


def _tag_of(model: Model, key: str) -> Any:
    return model.model_fields[key].annotation


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _part(given: Any, name: Any) -> Any:
    if isinstance(given, list) and isinstance(name, int) and name < len(given):
        return given[name]
    return given.get(name) if isinstance(given, dict) else None


def _said(found: ErrorDetails, spot: _Spot, name_of: Callable[[Place], str]) -> str:
    kind = found["type"]
    if kind == "value_error":
        return str(found["ctx"]["error"]).removesuffix(".")
    if kind.startswith("union_tag") and spot.field is not None:
        return _untold(spot, name_of)
    where = name_of(spot.place)
    if kind == "extra_forbidden":
        key = str(spot.place[-1])
        meant_there = _elsewhere(key, spot.owner) or guess(key, list(spot.owner.model_fields))
        return f"{where} is not a known key{meant_there or '; take it out'}"
    if kind == "missing" and spot.value is None:
        return f"{where} is missing; add {_to_add(spot)}"
    must, known = ("a table of names and values", []) if spot.field is None else _wanted(spot)
    # Of a table nothing is shown: it may hold what others must not read.
    is_table = isinstance(spot.value, dict) and bool(_held(spot.field).kinds)
    given = "a table" if is_table else shown(spot.value)
    said = f"{where} is {given}, but must be {must}{_chosen(spot.value, known)}"
    return said if spot.field is None else said + _hint(spot.value, spot.field)


def _to_add(spot: _Spot) -> str:
    """What is to be added: where any text will do, what it is for."""
    if spot.field is None:
        return "it"
    must, _ = _wanted(spot)
    said = (spot.field.description or "").removesuffix(".")
    return f"it: {said[0].lower()}{said[1:]}" if must == "text" and said else must


def _untold(spot: _Spot, name_of: Callable[[Place], str]) -> str:
    """The key that should say of which kind a table is says nothing, or something else."""
    held = _held(spot.field)
    key = str(held.told_by)
    known = [word for one in held.kinds for word in _words(_tag_of(one, key))]
    where, given, must = name_of((*spot.place, key)), _part(spot.value, key), f"one of {', '.join(known)}"
    if given is None:
        return f"{where} is missing: it must be {must}"
    return f"{where} is {shown(given)}, but must be {must}{_chosen(given, known)}"


def _elsewhere(key: str, owner: Model) -> str:
    """Where a key that stands at the top belongs, if it is one of a table below."""
    for name, field in owner.model_fields.items():
        held = _held(field)
        if held.kinds and not held.several and key in held.kinds[0].model_fields:
            return f" here: it belongs below [{name}]"
    return ""


def _hint(value: Any, field: FieldInfo) -> str:
    """Why a number is too large, where the declaration says so, and what was probably meant by it."""
    ranges = _ranges(field.annotation, tuple(field.metadata))
    # Only what is at most 1 is a share, which some write as a percentage.
    shares = [one for one in ranges if one.most is not None and one.most <= 1]
    probably = meant(value, lambda number: any(one.holds(number) for one in shares or ranges))
    why = next((one.beyond for one in field.metadata if isinstance(one, Must) and one.beyond), "")
    too_large = type(value) in (int, float) and any(
        one.most is not None and value >= one.most for one in ranges
    )
    # Whoever writes 11 means a percentage; of 1.2 nobody can tell.
    plain = too_large and why and not (probably and value >= 2)
    return (f": {why}" if plain else "") + probably + (_UNQUOTED if _is_quoted(value, ranges) else "")


_UNQUOTED = "; write it without quotation marks"


def _is_quoted(value: Any, ranges: Sequence[_Range]) -> bool:
    """Whether it is a number that would do, were it no text."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return False
    return any(one.holds(number) for one in ranges) and math.isfinite(number)


class _Range(NamedTuple):
    """Which numbers something can be; the ends are in it where `closed`, and None is no end."""

    least: float | None
    most: float | None
    closed: tuple[bool, bool]

    def holds(self, number: float) -> bool:
        low, high = self.closed
        above = self.least is None or (number >= self.least if low else number > self.least)
        return above and (self.most is None or (number <= self.most if high else number < self.most))


def _ranges(kind: Any, said: tuple[Any, ...] = ()) -> list[_Range]:
    """Those of all numbers that a value can be or hold."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        inner = [one.metadata if isinstance(one, FieldInfo) else [one] for one in parts[1:]]
        return _ranges(parts[0], (*said, *(one for several in inner for one in several)))
    if origin in (Union, UnionType, list):
        return [found for one in parts for found in _ranges(one, said if origin is not list else ())]
    if kind is not float:
        return []
    least, above, most, below = (_limit(said, name) for name in ("ge", "gt", "le", "lt"))
    return [
        _Range(
            least if above is None else above,
            most if below is None else below,
            (above is None, below is None),
        )
    ]


def _wanted(spot: _Spot) -> tuple[str, list[str]]:
    assert spot.field is not None
    held = _held(spot.field)
    if held.kinds and (spot.within or not held.several):
        return "a table of names and values", []
    return requirement(spot.field), _words(spot.field.annotation)


def _words(kind: Any) -> list[str]:
    """The words that can be chosen from."""
    if get_origin(kind) is Literal:
        return [word for word in get_args(kind) if isinstance(word, str)]
    return [word for one in get_args(kind) for word in _words(one)]


def _must(kind: Any, said: tuple[Any, ...] = ()) -> str:
    """`kind` in words; `said` are the limits that go with it."""
    for one in said:
        if isinstance(one, Must):
            return one.be
    if any(isinstance(one, Table) for one in said):
        return "the name of an input"
    if any(isinstance(one, TableColumn) for one in said):
        return "a table and its column, with a colon between them"
    if any(getattr(one, "metavar", None) == COLUMN.metavar for one in said):
        several = any(get_origin(one) is list for one in get_args(kind))
        return f"the name of a column{', or a list of several' if several else ''}"
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        inner = [one.metadata if isinstance(one, FieldInfo) else [one] for one in parts[1:]]
        return _must(parts[0], (*said, *(one for several in inner for one in several)))
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_must(one, said) for one in parts if one is not NoneType))
    if origin is Literal:
        return f"one of {', '.join(map(str, parts))}" if len(parts) > 1 else repr(parts[0])
    if origin is list:
        return f"{_count(said)} {_several(_must(parts[0]))}"
    if origin is dict:
        return f"a table of names and {_several(_must(parts[1]))}"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a finite number") + _range(said)
    return {bool: "true or false", str: "text"}.get(kind, "a table of names and values")


def _several(what: str) -> str:
    if what == "text":
        return "texts"
    for one in ("whole number", "finite number"):
        if what.startswith(f"a {one}"):
            return f"{one}s{what.removeprefix(f'a {one}')}"
    return f"values, each {what}"


def _count(said: tuple[Any, ...]) -> str:
    least, most = _limit(said, "min_length"), _limit(said, "max_length")
    if least is not None and least == most:
        return f"a list of {least}"
    return "a list of" if least in (None, 0, 1) else f"a list of at least {least}"


def _range(said: tuple[Any, ...]) -> str:
    least, above, most, below = (_limit(said, name) for name in ("ge", "gt", "le", "lt"))
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}"
    if least is not None and below is not None:
        return f" from {least:,} to below {below:,}"
    low = "" if least is None else f" of at least {least:,}"
    low = low if above is None else f" above {above:,}"
    high = "" if most is None else f"at most {most:,}"
    high = high if below is None else f"below {below:,}"
    return f"{low} and {high}" if low and high else low or (f" of {high}" if high else "")


def _limit(said: tuple[Any, ...], name: str) -> Any:
    return next((getattr(one, name) for one in said if getattr(one, name, None) is not None), None)
