"""Several columns as one group: values come back as they were, and two combinations never have one name."""

from datetime import date

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from evenhand.inputs import apart, combined, table, together

WORDS = st.lists(st.text(alphabet='a,"| %', max_size=4), min_size=2, max_size=3)


@given(WORDS, WORDS)
def test_names_tell_combinations_apart(one, other):
    assert (combined(one) == combined(other)) == (one == other)


def test_plain_words_are_as_they_are():
    assert combined(["F", "18 to 24"]) == "F, 18 to 24"
    assert combined(["Doe, Jane", 'the "one"', "", " x"]) == '"Doe, Jane", "the ""one""", "", " x"'


ROWS = pd.DataFrame(
    {
        "text": ["a|b", "50%7C", 'x"\\', None],
        "number": [1, -2, 2**60, 4],
        "half": [0.5, 1e-9, None, float("inf")],
        "flag": [True, False, True, False],
        "day": [date(2024, 1, 1)] * 4,
    }
)


def test_values_come_back_as_they_were():
    log = table(ROWS)
    columns = [log.expr[name] for name in ROWS]
    made = log.run(log.expr.select(number=log.expr.number, group=together(columns, missing=True)))
    found = [apart(text) for text in made["group"]]
    assert found == [
        ("a|b", 1, 0.5, True, "2024-01-01"),
        ("50%7C", -2, 1e-9, False, "2024-01-01"),
        ('x"\\', 2**60, None, True, "2024-01-01"),
        (None, 4, float("inf"), False, "2024-01-01"),
    ]


def test_one_missing_value_makes_the_combination_missing():
    log = table(ROWS)
    made = log.run(log.expr.select(group=together([log.expr.text, log.expr.half], missing=False)))
    assert made["group"].isna().tolist() == [False, False, True, True]
