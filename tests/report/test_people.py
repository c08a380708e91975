"""Whom a finding is about, and how much, each without the other."""

from __future__ import annotations

import pytest

from evenhand.findings import Finding, Interval
from evenhand.report.words import people, sentences
from evenhand.report.words.phrases.groups import chosen


def of(measure: str, about: dict, estimate: float = -0.22, **more) -> Finding:
    interval = Interval(low=estimate - 0.035, high=estimate + 0.035, level=0.95, method="t")
    return Finding(audit="a", measure=measure, about=about, estimate=estimate, interval=interval, **more)


@pytest.mark.parametrize(
    ("measure", "about", "said"),
    [
        ("relative_utility", {"creators": {"creator_age": "18-24"}}, "creators aged 18-24"),
        ("relative_utility", {"creators": {"genre": "drama"}}, "items with genre drama"),
        ("reo_penalty", {"by": {"creators": ["creator_age"]}}, "creators by age"),
        ("pair_exposure", {"users": {"sex": "M"}, "items": {"genre": "a b"}}, "users with sex M: “a b”"),
        ("pair_exposure", {"users": {"age": "9"}, "items": {"brand": "Acme"}}, "users aged 9: brand Acme"),
        ("group_mean", {"users": {"gender": "F", "age_band": "55+"}}, "users aged 55+ with gender F"),
        ("group_mean", {"users": {"sex": "F", "place": "n"}}, "users with sex F and place n"),
        ("spread", {"by": {"users": ["gender", "age_band"]}}, "users by gender and age band"),
        ("group_envy", {"users": {"sex": "f"}, "other": {"sex": "m"}},
         "users with sex f, with lists of users with sex m"),
        ("envious_users", {"epsilon": 0.05, "gamma": 0.1}, "all users"),
        ("geaa", {"by": {"users": ["gender"]}, "items": {"genre": "sport"}}, "sport"),
        ("deaa", {"first": {"genre": "a"}, "second": {"genre": "b"}}, "a against b"),
        ("leak_recall", {"by": {"users": ["gender"]}, "value": "F"}, "users with gender F"),
    ],
)  # fmt: skip
def test_just_the_people(measure, about, said):
    assert people.short_who(of(measure, about)) == said


@pytest.mark.parametrize(
    ("better", "said"), [("higher", "users aged 55+ with sex f"), ("lower", "users with sex m")]
)
def test_the_group_served_worst_is_the_one_with_the_worse_mean(better, said):
    half = {"highest": "sex m", "lowest": "f, 55+"}
    gap = of(
        "confirmed_gap", {"by": {"users": ["sex", "age"]}}, details={"halves": [half] * 2, "better": better}
    )
    assert people.short_who(gap) == said


@pytest.mark.parametrize(
    ("worst", "said"),
    [
        (
            ("m, 55+", "w, 55+"),
            "users aged 55+ with sex m or w (two halves of the users name different groups)",
        ),
        (
            ("sex m", "age 55+"),
            "users with sex m or aged 55+ (two halves of the users name different groups)",
        ),
        (("m, 55+", "m, 55+"), "users aged 55+ with sex m"),
    ],
)
def test_two_halves_that_chose_other_groups_do_not_name_them_as_one(worst, said):
    halves = [{"highest": "sex d", "lowest": one} for one in worst]
    about = {"by": {"users": ["sex", "age"]}}
    gap = of("confirmed_gap", about, details={"halves": halves, "better": "higher"})
    assert people.short_who(gap) == said
    assert chosen(gap)["worst"] == said
    assert chosen(gap)["best"] == "users with sex d"


def test_how_much_does_not_say_who():
    one = of("relative_utility", {"creators": {"creator_age": "18-24"}}, tolerance=0.11, harm="outside")
    assert sentences.how_much(one) == "liked items shown 22% less often than average (18 to 26%; limit 11%)"
    across = of("relative_utility", {"creators": {"creator_age": "18-24"}}, 0.01)
    assert sentences.how_much(across).endswith("(2% less to 5% more often)")
    surer = one.amended(interval=one.interval.amended(level=0.99))
    assert "(99% interval 18 to 26%; limit 11%)" in sentences.how_much(surer)
    assert sentences.how_much(one.amended(estimate=None, interval=None)) == "could not be computed"


def test_no_gap_is_not_said_to_be_0_below():
    half = {"highest": "f", "lowest": "m"}
    gap = of(
        "confirmed_gap", {"by": {"users": ["sex"]}, "metric": "mrr@5"}, estimate=0.0,
        details={"halves": [half] * 2, "better": "higher"},
    )  # fmt: skip
    assert sentences.how_much(gap).startswith("no gap in mrr@5 on other users (")
    assert sentences.how_much(gap.amended(estimate=0.03, id=gap.id)).startswith(
        "mrr@5 0.03 below the best served ("
    )
