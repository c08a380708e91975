"""What a finding is about: nothing is lost between names, structure, flat subjects and ids."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evenhand.about import combined, flat, group_of, identifier, structured, words_of

names = st.text(st.sampled_from('ab ,"/=:~+é'), max_size=6)


@given(st.lists(names, min_size=1, max_size=4))
def test_a_combination_is_taken_to_pieces_again(words):
    assert words_of(combined(words)) == tuple(words)


@given(st.lists(names.filter(bool), min_size=1, max_size=3, unique=True), st.data())
def test_a_group_comes_back_from_its_flat_name(attributes, data):
    values = [data.draw(names) for _ in attributes]
    name = values[0] if len(values) == 1 else combined(values)
    # The name of one column is as it is, unless it could be taken for several.
    assume(len(attributes) > 1 or words_of(attributes[0]) == (attributes[0],))
    by = attributes[0] if len(attributes) == 1 else combined(attributes)
    about = structured({"by": {"users": by}, "users": group_of(by, name), "metric": "mrr@5"})
    assert about == {"users": dict(zip(attributes, values, strict=True)), "metric": "mrr@5"}
    assert flat(about) == {"by": by, "group": name, "metric": "mrr@5"}


@given(st.lists(st.dictionaries(names, names, min_size=1, max_size=2), min_size=2, max_size=2))
def test_ids_are_one_each(groups):
    first, second = (identifier("groups", "group_mean", {"users": {**group}}) for group in groups)
    assert (first == second) == (list(groups[0].items()) == list(groups[1].items()))


@given(st.lists(st.lists(names, min_size=1, max_size=3), min_size=2, max_size=2))
@example([["a+b"], ["a", "b"]])
def test_ids_of_several_attributes_are_one_each(attributes):
    first, second = (identifier("groups", "uf", {"by": {"users": tuple(each)}}) for each in attributes)
    assert (first == second) == (attributes[0] == attributes[1])


@pytest.mark.parametrize(
    ("about", "subject", "expected"),
    [
        (
            {"users": {"gender": "F", "age": "55+"}, "metric": "mrr@5"},
            {"by": "gender, age", "group": "F, 55+", "metric": "mrr@5"},
            "a.m/users:gender=F,age=55+/metric=mrr@5",
        ),
        ({"by": {"creators": "age"}, "arm": "b"}, {"by": "age", "arm": "b"}, "a.m/by:creators=age/arm=b"),
        (
            {"by": {"users": ("g",), "items": ("genre",)}, "users": {"g": "F"}, "items": {"genre": "drama"}},
            {"by": "g, genre", "group": "drama to F"},
            "a.m/users:g=F/items:genre=drama",
        ),
        (
            {"by": {"users": ("g", "age")}, "users": {"g": "F"}},
            {"by": "g, age", "group": "g F"},
            "a.m/by:users=g+age/users:g=F",
        ),
        (
            {"by": {"users": "g"}, "first": {"genre": "a/b"}, "second": {"genre": "c, d"}},
            {"by": "g", "first": "a/b", "second": "c, d"},
            "a.m/by:users=g/first:genre=a%2Fb/second:genre=c%2C d",
        ),
    ],
)
def test_flat_and_id(about, subject, expected):
    told = structured(about)
    assert flat(told) == subject
    assert identifier("a", "m", told) == expected
