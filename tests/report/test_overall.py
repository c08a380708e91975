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
