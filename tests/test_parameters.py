"""What a caller chooses."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.parameters import choice, folder, number, whole, writable_folder


@pytest.mark.parametrize("value", [1, 5, np.int64(5), np.uint8(1)])
def test_whole_numbers_come_back_as_plain_ones(value):
    given = whole("k", value, 1, 5)
    assert given == value
    assert type(given) is int


@pytest.mark.parametrize("value", [0.5, 2, np.float32(0.25), np.int64(1), 2.0])
def test_numbers_come_back_as_plain_ones(value):
    given = number("beta", value, 0, 2, above=True)
    assert given == value
    assert type(given) is float


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (6, "6"),
        (np.int64(0), "0"),
        (2.0, "2.0"),
        (True, "True"),
        ("3", "'3'"),
        (None, "None"),
        ([3] * 999, "[3, 3, 3, 3, 3, 3, ...]"),
    ],
)
def test_what_is_not_whole_or_beyond_is_refused_in_one_line(value, shown):
    with pytest.raises(InputError) as error:
        whole("k", value, 1, 5)
    assert str(error.value) == f"k is {shown}, but must be a whole number from 1 to 5."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.5, "-0.5"),
        (float("nan"), "nan"),
        (np.float64("inf"), "inf"),
        (10**400, "100000000000000000...0000000000000000000"),
        (True, "True"),
        ("3", "'3'"),
        (1j, "1j"),
    ],
)
def test_what_is_not_finite_or_beyond_is_refused_in_one_line(value, shown):
    with pytest.raises(InputError) as error:
        number("beta", value, above=True)
    assert str(error.value) == f"beta is {shown}, but must be a finite number above 0."


def test_both_ends_are_named():
    with pytest.raises(InputError, match=r"rate is 3, but must be a finite number above 0 and at most 2\.$"):
        number("rate", 3, 0, 2, above=True)


@pytest.mark.parametrize("value", ["half", None, ["random"]])
def test_a_word_that_is_not_offered(value):
    with pytest.raises(InputError) as error:
        choice("split", value, {"random": 1, "time": 2})
    assert str(error.value) == f"split is {value!r}, but must be one of random, time."
    with pytest.raises(InputError, match=r"Did you mean 'time'\?"):
        choice("split", "tme", ["random", "time"])


@pytest.mark.parametrize("value", ["", None, 3, "a\0b"])
def test_what_is_no_path(value):
    with pytest.raises(InputError) as error:
        folder("out", value)
    assert str(error.value) == f"out is {value!r}, but must be the path of a folder."


def test_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder("out", "~/a") == tmp_path / "a"
    assert writable_folder("out", tmp_path / "new" / "deep") == tmp_path / "new" / "deep"
    (tmp_path / "file").write_text("")
    for place, why in (("file", "it is a file"), ("file/deep", "file is a file")):
        with pytest.raises(InputError, match=rf"cannot be written to \({why}\); name another folder"):
            writable_folder("out", tmp_path / place)
