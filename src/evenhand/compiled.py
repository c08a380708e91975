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
            return cast(Function, numba.njit(cache=True, **options)(function))
        except RuntimeError:  # what Numba says of a function that it cannot cache
            return cast(Function, numba.njit(**options)(function))

    return compiled
