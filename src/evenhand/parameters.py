"""What a caller chooses: one check for each kind (numbers, names, folders, functions), one way to refuse.

Each but a device gives back plain Python, so that what was used can be written as JSON.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

# What every generator takes (torch's have 64 bits) and every file can hold.
LARGEST_SEED = 2**63 - 1
# Bytes that the usual systems take; beyond these, each call that looks at a path fails in its own way.
LONGEST_PATH, LONGEST_NAME = 4095, 255


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """`value`, if it is a whole number in this range."""
    # True is a number to Python, but nobody means 1 by it.
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    plain = int(value) if is_whole else value
    if not is_whole or not _within(plain, least, most):
        wanted = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise InputError(f"{name} is {shown(plain)}, but must be a whole number {wanted}.")
    return plain


def number(
    name: str, value: Any, least: float = 0, most: float | None = None, *, above: bool = False
) -> float:
    """`value`, if it is a finite number in this range; with `above`, `least` itself is not in it."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    try:
        plain = float(value) if is_number else math.nan
    except OverflowError:  # a whole number of more than 300 digits
        plain = math.inf
    if not (math.isfinite(plain) and _within(plain, least, most)) or (above and plain == least):
        wanted = f"above {least:g}" if above else f"of at least {least:g}"
        if most is not None:
            wanted = f"{wanted} and at most {most:g}" if above else f"from {least:g} to {most:g}"
        raise InputError(f"{name} is {shown(value)}, but must be a finite number {wanted}.")
    return plain


def tolerance(value: Any, most: float, what: str, *, above: bool = False) -> float | None:
    """`value`, if `what` can be beyond it: a number from 0 (or `above` 0) to below `most`, the furthest that
    it can be at all. None is no tolerance."""
    if value is None:
        return None
    try:
        found = number("tolerance", value, 0, above=above)
    except InputError:
        found = math.nan
    if not found < most:
        wanted = f"a number {'above' if above else 'from'} 0 {'and' if above else 'to'} below {most:g}"
        why = f": {what} cannot be more than {most:g}, so nothing would ever be outside it"
        raise InputError(
            f"tolerance is {shown(value)}, but must be {wanted}{why if found >= most else ''}"
            f"{meant(value, lambda one: 0 < one < most <= 1)}."
        )
    return found


_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")
_WITH_A_COMMA = re.compile(r"\s*\d*,\d+\s*")


def meant(value: Any, fits: Callable[[float], bool]) -> str:
    """What a number was probably to be, in brackets, or nothing: a share that was given as a percentage, or a
    number with a comma for the point. `fits` says what it can be."""
    if isinstance(value, str) and _WITH_A_COMMA.fullmatch(value):
        plain = float(value.replace(",", "."))
        return f" (write {plain:g}, with a point)" if fits(plain) else ""
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    # Of 1.2 nobody can tell what it was to be.
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if percent is None and not (is_number and (value == 1 or 2 <= value <= 100)):
        return ""
    given = float(percent[1] if percent else value)
    share = float(f"{given / 100:.12g}")
    return f" ({given:.12g}% is {share:.12g})" if fits(share) else ""


def text(name: str, value: Any) -> str:
    """`value`, if it is text."""
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}, but must be text.")
    return value


def choice(name: str, value: Any, known: Iterable[str]) -> str:
    """`value`, if it is one of these words."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        close = difflib.get_close_matches(value, known, n=1) if isinstance(value, str) else []
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"{name} is {shown(value)}, but must be one of {', '.join(known)}.{guess}")
    return value


def names(what: str, given: Any, known: str) -> list[str]:
    """One name or several, none of them twice; `known` says which there are."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise InputError(f"{what} is {given!r}, but must be a name or a list of names: {known}.")
    if not listed:
        raise InputError(f"{what} is empty: name {known}.")
    for name in listed:
        if listed.count(name) > 1:
            raise InputError(f"{what} names {name!r} more than once; name it once.")
    return list(listed)


def function(name: str, value: Any) -> Any:
    """`value`, if it can be called."""
    if not callable(value):
        raise InputError(f"{name} is {shown(value)}, but must be a function.")
    return value


def folder(name: str, value: Any) -> Path:
    """`value`, if it is a path; an empty one would be the current folder, which nobody means by it."""
    if not isinstance(value, str | Path) or value == "" or "\0" in str(value):
        raise InputError(f"{name} is {shown(value)}, but must be the path of a folder.")
    return plain_path(name, value)


def plain_path(name: str, value: str | Path) -> Path:
    """`value` as a path, with ~ as the home folder; what no file can be called, or no report can name, is
    refused."""
    given = str(value)
    try:
        given.encode()
    except UnicodeEncodeError:
        # Python keeps the bytes of such a name as halves of characters, which cannot be written anywhere.
        readable = os.fsencode(given).decode("utf-8", "backslashreplace")
        raise InputError(f"{name}: the name {readable!r} is not UTF-8 text; rename it.") from None
    if "\0" in given:
        raise InputError(f"{name}: the path {given!r} has a zero character, which no name can have.")
    if len(given.encode()) > LONGEST_PATH or any(
        len(part.encode()) > LONGEST_NAME for part in given.split("/")
    ):
        raise InputError(f"{name}: {shown(given)} is longer than any path can be; check it.")
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise InputError(
            f"{name}: {given.split('/')[0]!r} is the home folder of nobody; write the whole path."
        ) from None


def writable_folder(name: str, value: Any) -> Path:
    """`value`, if files can be written there: better known now than after an hour. Makes nothing."""
    path = folder(name, value)
    above = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not above.is_dir():
        why = "it is a file" if above == path else f"{above.name} is a file"
    elif not os.access(above, os.W_OK | os.X_OK):
        why = "Permission denied"
    else:
        return path
    raise InputError(f"{path} cannot be written to ({why}); name another folder.")


def torch_device(name: Any) -> Any:
    """The device of torch with this name, or None for NumPy; "auto" is a GPU where there is one."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise InputError(f"device is {name!r}, but must be a name such as 'cpu' or 'cuda', or 'auto'.")
    try:
        import torch
    except ImportError:
        if name == "auto":
            return None
        raise InputError(
            f"device is {name!r}, but torch is not installed; install the extra models."
        ) from None
    if name == "auto":
        return torch.device("cuda") if torch.cuda.is_available() else None
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch has its own for each device
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"device is {name!r}, which torch cannot use here ({reason}).") from None
    return device


def _within(value: float, least: float, most: float | None) -> bool:
    return least <= value and (most is None or value <= most)


def shown(value: Any) -> str:
    """Short, and on one line, whatever was given."""
    # NumPy's own would be np.float64(nan). It is not imported for this: `--help` has no need of it.
    plain = value.item() if type(value).__module__ == "numpy" and value.shape == () else value
    if isinstance(plain, int) and abs(plain) >= 10**4000:  # Python refuses to write so many digits
        return "a whole number of more than 4,000 digits"
    return " ".join(reprlib.repr(plain).split())
