"""What a store kept and nobody can read any more: one sentence, wherever it is met."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from evenhand.errors import InputError


@contextmanager
def sound(what: str) -> Iterator[None]:
    """Around, or above, what reads a thing that the store kept: only that, so that faults stay faults."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
        raise InputError(
            f"The store is damaged: {what} cannot be read ({type(error).__name__}); go back to a backup."
        ) from error


def damaged(name: str, said: str) -> str:
    """Of the whole store of this name, with what is wrong with it."""
    return f"{name} is not a store of Evenhand, or is damaged ({said}); name another, or a backup."
