"""Code that is compiled: without a place to keep it, and where named tuples, or functions that it calls, are
no longer as they were."""

import importlib
import sys

import pytest

from evenhand.compiled import njit


def test_what_cannot_be_kept_is_compiled_all_the_same():
    """Numba keeps nothing of a function without a file, as of one whose folder cannot be written."""
    made = {}
    exec("def twice(x):\n    return 2 * x", made)
    assert njit()(made["twice"])(21) == 42


SHAPES = """
from typing import NamedTuple

class {name}(NamedTuple):
    {fields[0]}: float
    {fields[1]}: float
"""
KERNELS = """
import shapes
from evenhand.compiled import njit

Pair = getattr(shapes, "Pair", None) or shapes.Couple

@njit()
def difference(pair):
    return pair.more - pair.less
"""


@pytest.fixture
def difference(tmp_path, monkeypatch):
    """2 - 1 in compiled code of one file, by a named tuple of another that is written anew each time."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else a file of the same second and size is old
    (tmp_path / "kernels.py").write_text(KERNELS)

    def found(name: str, *fields: str) -> tuple[float, int]:
        (tmp_path / "shapes.py").write_text(SHAPES.format(name=name, fields=fields))
        for module in ("shapes", "kernels"):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        kernels = importlib.import_module("kernels")
        value = kernels.difference(kernels.Pair(more=2.0, less=1.0))
        return value, sum(kernels.difference.stats.cache_hits.values())

    yield found
    for module in ("shapes", "kernels"):
        sys.modules.pop(module, None)


def test_what_is_kept_is_taken_up_again(difference):
    assert difference("Pair", "more", "less") == (1.0, 0)
    assert difference("Pair", "more", "less") == (1.0, 1)


def test_fields_in_another_order_are_compiled_again(difference):
    assert difference("Pair", "more", "less") == (1.0, 0)
    assert difference("Pair", "less", "more") == (1.0, 0)


def test_a_named_tuple_of_another_name_does_not_break_the_cache(difference):
    assert difference("Pair", "more", "less") == (1.0, 0)
    assert difference("Couple", "more", "less") == (1.0, 0)


RULE = """
from evenhand.compiled import njit

@njit()
def rule(value):
    return {rule}
"""
BETWEEN = """
from evenhand.compiled import njit
from rules import rule

@njit()
def between(value):
    return rule(value)
"""
CALLER = """
from evenhand.compiled import njit
from between import between

@njit()
def called(value):
    return between(value)
"""


def test_what_calls_a_function_of_another_file_that_has_changed_is_compiled_again(tmp_path, monkeypatch):
    """Else tests of a kernel would be of the rules that it was compiled with."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "between.py").write_text(BETWEEN)
    (tmp_path / "caller.py").write_text(CALLER)
    modules = ("rules", "between", "caller")
    found = []
    try:
        for rule in ("value + 1", "value + 1", "value * 10"):
            if not found or rule != "value + 1":
                (tmp_path / "rules.py").write_text(RULE.format(rule=rule))
            for module in modules:
                sys.modules.pop(module, None)
            importlib.invalidate_caches()
            called = importlib.import_module("caller").called
            found.append((called(4), sum(called.stats.cache_hits.values())))
    finally:
        for module in modules:
            sys.modules.pop(module, None)
    assert found == [(5, 0), (5, 1), (40, 0)]
