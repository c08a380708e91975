"""What the libraries raise, in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evenhand.errors import InputError


@contextmanager
def explained(name: str) -> Iterator[None]:
    """What the libraries raise where a user can help it, in words."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"this model needs {error.name}, which is not installed: pip install "
            f"'evenhand[models]', or '.[models]' from its folder."
        ) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):
            raise
        raise InputError(
            f"there is not enough memory to train {name} on these data; use fewer factors, or another model."
        ) from error
