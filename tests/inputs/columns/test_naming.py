"""Several columns as one group: values come back as they were, and two combinations never have one name."""

from datetime import date

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.about import combined
from evenhand.groups.cells import Cells, every_cell
from evenhand.inputs import apart, table, together

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
    made = log.run(log.expr.select(number=log.expr.number, group=together(columns, keep_empty=True)))
    found = [apart(text) for text in made["group"]]
    assert found == [
        ("a|b", 1, 0.5, True, "2024-01-01"),
        ("50%7C", -2, 1e-9, False, "2024-01-01"),
        ('x"\\', 2**60, None, True, "2024-01-01"),
        (None, 4, float("inf"), False, "2024-01-01"),
    ]


def test_one_missing_value_makes_the_combination_missing():
    log = table(ROWS)
    made = log.run(log.expr.select(group=together([log.expr.text, log.expr.half], keep_empty=False)))
    assert made["group"].isna().tolist() == [False, False, True, True]


def test_the_rooms_of_users_name_combinations_alike():
    users = pd.DataFrame({"user_id": range(40), "x": ["a, b", "a"] * 20, "y": ["c", "b, c"] * 20})
    pairs = {"user_id": np.repeat(np.arange(40), 20), "item_id": np.tile(np.arange(20), 40)}
    values = np.random.default_rng(0).random(800)
    scores = pd.DataFrame(pairs | {"score": values})
    relevance = pd.DataFrame(pairs | {"relevance": (values > 0.7).astype(int)})
    items = pd.DataFrame({"item_id": range(20), "genre": ["p", "q"] * 10})
    exposed = eh.exposure.audit(scores, relevance, users, items, user_group=["x", "y"], beta="static")
    names = {f.subject["group"] for f in exposed.findings if f.measure == "relevant_exposure"}
    assert names == {'"a, b", c', 'a, "b, c"'}
    cells = Cells.of(["x", "y"], [["a", "a, b"], ["b, c", "c"]], [np.array([0, 1]), np.array([0, 1])])
    assert [every_cell(cells, 1).name(group) for group in (0, 1)] == ['a, "b, c"', '"a, b", c']
