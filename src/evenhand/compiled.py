"""Functions that are compiled, once a machine: the result is kept beside the code or in the user's cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.dispatcher import Dispatcher

Function = TypeVar("Function", bound=Callable[..., Any])

_CALLED: dict[str, set[str]] = {}  # by file, the other files whose compiled functions it calls


def njit(**options: Any) -> Callable[[Function], Function]:
    """`numba.njit`, with a cache on disk where there is a place for one.

    In a container neither the package's folder nor a home may be writable: then each run compiles for itself.
    """

    def compiled(function: Function) -> Function:
        try:
            made = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # what Numba says of a function that it cannot cache
            return cast(Function, numba.njit(**options)(function))
        _forget_others(made, _layouts(function), _called(function))
        return cast(Function, made)

    return compiled


def _layouts(function: Any) -> str:
    """The named tuples that a function's module has, field by field."""
    classes = {
        value
        for value in function.__globals__.values()
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
    }
    return "; ".join(sorted(f"{cls.__module__}.{cls.__qualname__}{cls._fields}" for cls in classes))


def _called(function: Any) -> str:
    """The files whose compiled functions the function's file calls, as they are now: when they were written
    and how long they are, which is how Numba knows a file again."""
    own = function.__code__.co_filename
    others = {
        value.py_func.__code__.co_filename
        for value in function.__globals__.values()
        if isinstance(value, Dispatcher)
    }
    known = _CALLED.setdefault(own, set())
    known |= others.union(*(_CALLED.get(file, set()) for file in others)) - {own}
    stats = ((os.path.basename(file), os.stat(file)) for file in known if os.path.isfile(file))
    return "; ".join(sorted(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in stats))


def _forget_others(made: Any, layouts: str, called: str) -> None:
    """What was compiled with other functions, or for named tuples of other fields, is compiled again.

    Numba looks at the file of the function alone. What it calls of another file is a part of it, and would
    stay as it was. A named tuple from another file whose fields were put into another order would be read in
    the old one, and one that was renamed would break the reading of the cache. So all that is a part of the
    version of the cache, which Numba compares before it reads on.
    """
    file = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if (layouts or called) and file is not None:
        file._version = f"{file._version}, {layouts}, {called}"
