"""Libraries that Evenhand can do without, imported when a model of theirs is given."""

from __future__ import annotations

import importlib
from typing import Any

from evenhand.errors import InputError


def library(name: str) -> Any:
    """The module, or one sentence that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        root = name.split(".")[0]
        raise InputError(
            f"{root} is not installed, so its models cannot be read: pip install "
            f"'evenhand[models]', or '.[models]' from its folder."
        ) from error
