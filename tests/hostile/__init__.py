"""Hostile cases over all audits: files, frames, arrays, values, plans and places of kinds that nobody means."""

from collections.abc import Iterator
from importlib import import_module

from hostile.cases import Case

MODULES = ("files", "frames", "arrays", "values", "plans", "places")


def all_cases() -> Iterator[Case]:
    for name in MODULES:
        yield from import_module(f"hostile.{name}").cases()
