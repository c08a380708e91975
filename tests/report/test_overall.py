"""The first words over all questions."""

from types import SimpleNamespace

import pytest

from evenhand.findings import Verdict
from evenhand.report.words import overall


@pytest.mark.parametrize(("questions", "said"), [(2, "Both questions are"), (3, "All three questions are")])
def test_two_questions_are_both(questions, said):
    card = SimpleNamespace(
        verdict=Verdict.WITHIN_TOLERANCE,
        mended=None,
        compared=None,
        beyond_beside=(),
        beyond_under=(),
        topic="envy",
    )
    assert overall.lines([card] * questions)[0].text.startswith(f"{said} within their limits.")


@pytest.mark.parametrize(
    ("some", "every", "said"),
    [
        (1, 2, "one of two questions"),
        (2, 2, "both questions"),
        (3, 3, "all three questions"),
        (1, 1, "the one question that has a limit"),
    ],
)
def test_all_of_the_questions_are_not_counted_twice(some, every, said):
    assert overall._of_how_many(some, every) == said
