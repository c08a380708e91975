"""A part of the hostile cases that is quick; benchmarks/hostile_cases.py runs all of them."""

from __future__ import annotations

from collections import defaultdict

import pytest

from hostile import all_cases
from hostile.cases import Case
from hostile.doors import forget_peak, peak_memory

# In processes of their own, or with a long way to their first number.
SLOW = ("processes", "certificates")
# Of all cases of a kind and name, one; of these, one in so many, and those that once came to a bad end.
ONE_IN = 5
ONCE_BAD = (
    "words as bytes", "tabs in .csv", "gzip and zeros", "zeros for a file", "a long path", "ids as tuples",
    "ids as dictionaries", "ids as lengths of time", "half floats", "swapped bytes", "a lazy frame that fails",
    "wide decimals", "a struct", "an open file", "a list of frames", "a mask", "a blank at the end",
    "accents in one and in two characters", "one user", "a byte order mark", "five gigabytes",
    "a device without end", "scores as tuples", "a whole number of 400 digits", "read only",
)  # fmt: skip


def _quick() -> dict[str, list[Case]]:
    kinds: dict[str, dict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for case in all_cases():
        if case.kind not in SLOW:
            kinds[case.kind][case.name].append(case)
    chosen: dict[str, list[Case]] = {}
    for kind, names in kinds.items():
        chosen[kind] = []
        for place, (name, cases) in enumerate(names.items()):
            if place % ONE_IN == 0 or name in ONCE_BAD:
                chosen[kind].append(cases[place % len(cases)])
    return chosen


QUICK = _quick()


@pytest.mark.parametrize("kind", QUICK)
def test_numbers_are_those_of_the_plain_world_or_there_is_a_sentence(kind, tmp_path):
    faults, before = [], forget_peak()
    for number, case in enumerate(QUICK[kind]):
        folder = tmp_path / str(number)
        folder.mkdir()
        if fault := case.fault(folder):
            faults.append(f"{case}: {fault}")
    assert not faults, "\n".join(faults)
    assert peak_memory() - before < 2


def test_there_are_hundreds_of_cases_of_many_kinds():
    cases = list(all_cases())
    assert len(cases) > 1500
    assert len({case.kind for case in cases}) > 20
