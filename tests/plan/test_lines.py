"""Every key of a TOML file is found on its line, however the file is laid out."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.plan.checking.lines import Lines

LAID_OUT = '''\
# audits = "a comment is no key"
seed = 1

[scope]
title = """
[audits]
question = "all of this is the title"
"""
"quoted key" = 'a # b'
attributes.gender = "why"

[inputs]
log = { path = ["a.parquet",
  "b.parquet"], columns = { positive = "liked" } }

[[audits]]
audit = "opportunity"
label = [
  "liked",  # a ] in a comment
  "shared",
]

[[audits]]
audit = "groups"
[audits.bins]
age = [18, 25.5]
[inputs.users]
path = "users.csv"
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("seed",), 2),
        (("scope",), 4),
        (("scope", "title"), 5),
        (("scope", "quoted key"), 9),
        (("scope", "attributes", "gender"), 10),
        (("inputs", "log"), 13),
        (("inputs", "log", "path", 1), 14),
        (("inputs", "log", "columns", "positive"), 14),
        (("audits", 0), 16),
        (("audits", 0, "label"), 18),
        (("audits", 0, "label", 1), 20),
        (("audits", 1, "audit"), 24),
        (("audits", 1, "bins", "age"), 26),
        (("inputs", "users", "path"), 28),
        (("audits", 1, "group"), 23),  # not there: the line of the audit that lacks it
        (("nowhere",), None),
    ],
)
def test_lines_of_a_file_that_uses_all_that_toml_has(place, line):
    tomllib.loads(LAID_OUT)
    assert Lines(LAID_OUT).of(place) == line


WORD = st.text("ab\"'#[]{},=.\n\\ é", max_size=8)


def _written(value) -> str:
    if isinstance(value, list):
        return "[" + ",\n".join(map(_written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"""{escaped}"""' if "\n" in value else f'"{escaped}"'
    return str(value)


def _key(key: str) -> str:
    return _written(key.replace("\n", ""))


VALUES = st.recursive(
    st.integers() | WORD | st.floats(allow_nan=False, allow_infinity=False).map(lambda x: round(x, 3)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_whatever_stands_before_a_key_its_line_is_right(values):
    before = "".join(f"key{number} = {_written(value)}\n" for number, value in enumerate(values))
    try:
        tomllib.loads(before)
    except tomllib.TOMLDecodeError:  # two keys that differ in a line break alone
        return
    text = f"{before}[last]\nhere = 1\n"
    assert Lines(text).of(("last", "here")) == text.count("\n")
