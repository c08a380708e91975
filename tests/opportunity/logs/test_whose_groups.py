"""Whose groups an audit of opportunity compares: creators', users', or not known."""

import numpy as np
import pandas as pd
import pytest

from evenhand.opportunity import audit
from evenhand.opportunity.logs.grouping import groups_of
from evenhand.report.words import sentences


def logs(**columns):
    rng = np.random.default_rng(3)
    rows = 4_000
    made = [
        pd.DataFrame(
            {
                "user_id": rng.integers(400, size=rows),
                "creator_id": rng.integers(60, size=rows),
                "liked": (rng.random(rows) < rate).astype(int),
            }
        )
        for rate in (0.4, 0.2)
    ]
    return [one.assign(**{name: of(one) for name, of in columns.items()}) for one in made]


def said(found):
    of_all = next(one for one in found.findings if one.measure == "reo_penalty")
    of_one = next(one for one in found.findings if one.measure == "relative_utility")
    return sentences.sentence(of_all), sentences.sentence(of_one)


@pytest.mark.parametrize(
    ("key", "of_all", "of_one"),
    [
        ("user_id", "Users by gender typically get", "Items liked by users with gender F are shown"),
        ("creator_id", "Creators by gender typically", "Liked items by creators with gender F are shown"),
    ],
)
def test_groups_that_are_found_by_a_key_are_of_those_whose_key_it_is(key, of_all, of_one):
    people = pd.DataFrame({key: range(400), "gender": np.where(np.arange(400) % 2, "F", "M")})
    found = said(audit(*logs(), label="liked", group="gender", attributes=people, on=key))
    assert found[0].startswith(of_all)
    assert found[1].startswith(of_one)


def test_of_a_column_of_the_log_nobody_is_said_to_be_its_people():
    with_gender = logs(gender=lambda log: np.where(log.user_id % 2, "F", "M"))
    found = said(audit(*with_gender, label="liked", group="gender"))
    assert found[0].startswith("Groups by gender typically get")
    assert found[1].startswith("Liked items of those with gender F are shown")


def test_a_column_of_the_log_may_say_whose_it_is():
    named = logs(creator_gender=lambda log: np.where(log.creator_id % 2, "F", "M"))
    found = said(audit(*named, label="liked", group="creator_gender"))
    assert found[0].startswith("Creators by gender typically get")
    assert found[1].startswith("Liked items by creators with gender F are shown")


def test_whatever_the_users_are_called():
    assert groups_of("Leser", ["Leser", "Autor"]) == "users"
    assert groups_of("creator_id", "creator_id") is None
    assert groups_of(["user_id", "item_id"], "user_id") == "rows"
    assert groups_of(None, "user_id") == "rows"
