"""Text cut to so many lines: no number stands beside a name that is not its own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.pages.cut import cut


@pytest.mark.parametrize("width", [40, 50, 60])
def test_words_behind_the_number_go_first(width):
    said = (
        "users with many rather rare tastes: 9.6% would gain with the recommendations of others who are "
        "served well (counted; limit 5%)."
    )
    lines = cut(said, width, 2)
    shown = " ".join(lines)
    assert len(lines) <= 2
    assert max(map(len, lines)) <= width
    assert "9.6%" in shown
    assert "would gain" in shown
    assert shown.endswith(" … (counted; limit 5%).")


DAY = (
    "those in group a: shown 33% more often than average on 6 January 2026 (43% less to 119% more often, all "
    "5 days at once; limit 1% either way)"
)


@pytest.mark.parametrize(
    ("said", "width", "shown"),
    [
        # The year of a day is not the number that the interval is of.
        (DAY, 78, "… 33% … (43% less to 119% more often, all 5 days at once; limit 1% either way)"),
        # Where not all of the brackets fits, the interval does.
        (DAY, 58, "those … 33% more often … (43% less to 119% more often …)"),
        # Brackets that another sentence follows.
        (
            "Creators aged 35 are shown 30% less often (18 to 43%; limit 11%). Another number decides.",
            70,
            "Creators aged 35 are shown 30% less often (18 to 43%; limit 11%) …",
        ),
    ],
)
def test_no_number_stands_without_its_interval(said, width, shown):
    assert cut(said, width, 1) == [shown]


TOOK = (
    "tutto takes the rows of several values, as its `where` says only which rows it leaves out (`not`): "
    "motore brigata_4 (152,056 rows), motore brigata_3 (152,021 rows), motore redazione (9,542 rows)"
)


@pytest.mark.parametrize(
    ("width", "most", "end"),
    [
        (80, 3, "motore redazione (9,542 rows). If one of them is no part of it, leave …"),
        (62, 3, "motore brigata_4 (152,056 rows), motore brigata_3 (152,021 rows) and 1 more …"),
        (80, 2, "motore brigata_4 (152,056 rows) and 2 more …"),
    ],
)
def test_a_list_loses_whole_entries(width, most, end):
    lines = cut(f"{TOOK}. If one of them is no part of it, leave it out, too.", width, most)
    assert len(lines) <= most
    assert " ".join(lines).endswith(end)


def test_what_a_list_does_not_name_is_counted_with_what_is_left_out_of_it():
    lines = cut(f"{TOOK} and 4 more. If one of them is no part of it, leave it out, too.", 80, 2)
    assert " ".join(lines).endswith("motore brigata_4 (152,056 rows) and 6 more …")


def test_of_two_sentences_the_first_is_told_with_its_own_number():
    said = "Creators aged 18 are shown 30% less often (18 to 43%). Creators aged 35 get 9% more (5 to 12%)."
    assert cut(said, 60, 1) == ["Creators aged 18 are shown 30% less often (18 to 43%) …"]
    assert cut(said, 45, 1) == ["… 30% less often (18 to 43%) …"]


def test_what_follows_the_last_number_is_told_as_far_as_there_is_room():
    said = (
        "Since the earlier audit (2 to 15 March 2026): how well users are served was not decided and is now."
    )
    assert cut(said, 70, 1) == ["Since the earlier audit (2 to 15 March 2026): how well users are …"]


NAMES = st.lists(
    st.from_regex(r"[a-z]{1,12}_[a-z]{1,9}", fullmatch=True), min_size=1, max_size=6, unique=True
)


@given(
    NAMES,
    st.sampled_from(["{name} ({number} rows)", "{name} is shown {number}% less often (2 to 9%; limit 1%)"]),
    st.sampled_from([", ", "; ", " and ", ". "]),
    st.sampled_from(["", "Of what was taken here in the last week: "]),
    st.sampled_from(["", ".", " and 3 more.", ". See to it, and to all that follows, as soon as can be."]),
    st.integers(40, 100),
    st.integers(1, 4),
)  # fmt: skip
def test_no_number_stands_beside_a_name_that_is_not_its_own(names, form, between, before, after, width, most):
    own = {name: str(1000 + place) for place, name in enumerate(names)}
    entries = [form.format(name=name, number=number) for name, number in own.items()]
    lines = cut(f"{before}{between.join(entries)}{after}", width, most)
    assert len(lines) <= most
    assert max(map(len, lines)) <= width
    told = " ".join(lines)
    last = None
    for word in re.findall(r"[a-z]+_[a-z]+|1\d{3}", told):
        if word in own:
            last = word
        elif word.isdigit():
            assert last is None or own[last] == word
    # What is left out of a list is counted.
    if between == ", " and (left := re.search(r" and (\d+) more", told)):
        hidden = 3 if after.startswith(" and 3") else 0
        assert int(left[1]) == len(names) + hidden - sum(number in told for number in own.values())
