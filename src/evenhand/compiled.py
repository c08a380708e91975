"""Functions that are compiled, once a machine: the result is kept beside the code or in the user's cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[Function], Function]:
    """`numba.njit`, with a cache on disk where there is a place for one.

    In a container neither the package's folder nor a home may be writable: then each run compiles for itself.
    """

    def compiled(function: Function) -> Function:
        try:
            made = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # what Numba says of a function that it cannot cache
            return cast(Function, numba.njit(**options)(function))
        _forget_other_layouts(made, _layouts(function))
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


def _forget_other_layouts(made: Any, layouts: str) -> None:
    """What was compiled for named tuples of other fields, or names, is compiled again.

    Numba looks at the file of the function alone. A named tuple from another file whose fields were put into
    another order would be read in the old one, and one that was renamed would break the reading of the cache.
    So their layouts are a part of the version of the cache, which Numba compares before it reads on.
    """
    file = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if layouts and file is not None:
        file._version = f"{file._version}, {layouts}"
