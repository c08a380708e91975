"""Settings of the reference models: known, sensible, and within the data and the machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from evenhand.errors import InputError
from evenhand.parameters import number, whole
from evenhand.recommenders.fitting.names import DEEP
from evenhand.recommenders.taken.interactions import Interactions

# What each setting must be, whichever model has it; the libraries count in 32 bits and compute in 32 bits.
_count, _size = partial(whole, most=2**31 - 1), partial(number, most=1e38)
SETTINGS: dict[str, Callable[[str, Any], float]] = {
    **dict.fromkeys(("factors", "batch", "epochs", "patience", "every", "neighbours"), _count),
    "learning_rate": partial(_size, above=True),
    "regularisation": _size,
}


def checked_settings(name: str, settings: dict[str, Any], known: list[str]) -> dict[str, Any]:
    """The settings as plain numbers, if the model has them all and each makes sense."""
    for key in settings:
        if key not in known:
            listed = ", ".join(known) if known else "none"
            raise InputError(f"the model {name!r} has no setting {key!r}; it has: {listed}.")
    return {key: SETTINGS[key](key, value) for key, value in settings.items()}


def within_data(
    name: str, train: Interactions, settings: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A default that the data are too small for is lowered to what they allow, which the notes say."""
    from evenhand.recommenders.models.classic import PURESVD_FACTORS, largest_rank

    most = largest_rank(train)
    if name != "puresvd" or "factors" in settings or not 0 < most < PURESVD_FACTORS:
        return settings, ()
    note = (
        f"puresvd has {most} factors and not {PURESVD_FACTORS}, its default: there are only "
        f"{len(train.user_ids):,} users and {len(train.item_ids):,} items."
    )
    return {**settings, "factors": most}, (note,)


def refuse_beyond_memory(name: str, train: Interactions, settings: dict[str, Any]) -> None:
    """A model whose weights alone are more than the machine has: better known now than after an hour."""
    users, items, factors = len(train.user_ids), len(train.item_ids), settings.get("factors", 0)
    numbers = 4 * items**2 if name == "ease" else (users + items) * factors
    if name in ("als", "dmf", "neumf", "bert4rec"):
        numbers += factors**2  # their layers, or what is solved
    needed = 4 * numbers * (4 if name in DEEP else 1)  # a gradient and its two moments
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return
    if needed > there:
        size = f"{factors:,} factors" if factors else f"{items:,} items"
        raise InputError(
            f"{name} with {size} needs at least {needed / 1e9:,.0f} GB of memory, but this machine has "
            f"{there / 1e9:,.0f} GB; use fewer, or another model."
        )
