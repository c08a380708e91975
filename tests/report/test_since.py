"""What changed since an earlier result: by id, with an interval that holds whoever is in both."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from evenhand import opportunity
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval, Verdict
from evenhand.report.pages import html, markdown, text
from evenhand.report.since import asked_otherwise, bound, refuse_unrelated
from evenhand.report.words.since import which_way
from evenhand.results import AuditResult

LEVEL = 0.95


def penalty(estimate: float, half: float = 0.03, **more) -> Finding:
    interval = Interval(low=estimate - half, high=estimate + half, level=LEVEL, method="hull")
    told = {
        "audit": "opportunity", "measure": "reo_penalty", "about": {"by": {"creators": "creator_age"}},
        "interval": interval, "tolerance": 0.1, **more,
    }  # fmt: skip
    return Finding(estimate=estimate, **told)


def result(*findings: Finding, plan: dict | None = None) -> AuditResult:
    return AuditResult(findings, plan=plan)


def plan(**step) -> dict:
    return {"inputs": {"log": {"path": "a.parquet"}}, "audits": [{"audit": "opportunity", **step}]}


def one(now: AuditResult, before: AuditResult):
    compared = now.since(before).compared
    (change,) = compared.changes
    return change


def test_the_far_ends_are_those_of_the_change():
    change = one(result(penalty(0.2)), result(penalty(0.05)))
    assert change.change == "verdict"
    assert change.verdict_before is Verdict.WITHIN_TOLERANCE
    assert (change.before, change.difference) == (0.05, pytest.approx(0.15))
    assert (change.interval.low, change.interval.high) == (pytest.approx(0.09), pytest.approx(0.21))
    assert change.interval.level == pytest.approx(0.9)


def test_a_truth_in_both_intervals_has_its_change_in_the_bound():
    ends = (-1.0, -0.2, 0.0, 0.3, 2.0)
    pairs = [(a, b) for a, b in product(ends, ends) if a <= b]
    for (low, high), (lower, higher) in product(pairs, pairs):
        made = bound(
            Interval(low=low, high=high, level=0.95, method="x"),
            Interval(low=lower, high=higher, level=0.9, method="x"),
        )
        assert made.level == pytest.approx(0.85)
        for was, now in product((low, high, (low + high) / 2), (lower, higher, (lower + higher) / 2)):
            assert made.low <= now - was <= made.high


@pytest.mark.parametrize("correlation", [-1.0, 0.0, 0.9, 1.0])
def test_it_covers_whatever_the_two_have_in_common(correlation):
    """Two means of the same users, of others, or of opposites: at least 90%, and no change is seen in 10%."""
    draw = np.random.default_rng(0)
    runs, half = 4000, 1.96
    first = draw.normal(size=runs)
    second = correlation * first + np.sqrt(1 - correlation**2) * draw.normal(size=runs)
    covers = [
        made.low <= 0.5 <= made.high
        for was, now in zip(first, second + 0.5, strict=True)
        if (made := bound(_around(was, half), _around(now, half)))
    ]
    assert np.mean(covers) >= 0.9 - 2 * np.sqrt(0.09 / runs)


def _around(centre: float, half: float) -> Interval:
    return Interval(low=centre - half, high=centre + half, level=LEVEL, method="x")


def test_what_was_counted_adds_no_error():
    counted = Interval(low=3, high=3, level=0.95, method="counted, not estimated", validity="exact")
    assert bound(counted, _around(5, 1)).level == LEVEL
    both = bound(counted, counted)
    assert (both.low, both.high, both.validity) == (0, 0, "exact")


def test_a_range_without_a_promise_promises_no_change():
    nothing = Interval(low=0, high=1, level=0.95, method="x", validity="none")
    assert bound(nothing, _around(0, 1)) is None
    assert bound(None, _around(0, 1)) is None
    low = Interval(low=0, high=1, level=0.6, method="x")
    assert bound(low, low) is None


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        (penalty(0.1), penalty(0.2, interval=None), "interval"),
        (penalty(0.1), penalty(0.2, doubts=("It cannot be.",)), "doubts"),
        (
            Finding(audit="opportunity", measure="reo_penalty", about=penalty(0.1).about, estimate=None),
            penalty(0.2),
            "number",
        ),
    ],
)
def test_where_there_is_no_interval_it_says_why(before, now, why):
    change = one(result(now), result(before))
    assert (change.interval, change.why_not) == (None, why)


def test_other_groups_that_the_data_chose_are_no_change():
    def gap(worst: str) -> Finding:
        halves = [{"lowest": worst, "highest": "M"}] * 2
        about = {"by": {"users": "gender"}, "metric": "mrr@5"}
        details = {"halves": halves, "better": "higher"}
        return penalty(0.2, audit="groups", measure="confirmed_gap", about=about, details=details)

    assert one(result(gap("F")), result(gap("F"))).why_not is None
    assert one(result(gap("F")), result(gap("X"))).why_not == "groups"


def test_what_is_asked_otherwise_is_not_compared():
    before = result(penalty(0.1), plan=plan(label="liked", tolerance=0.1))
    assert one(result(penalty(0.2), plan=plan(label="liked", tolerance=0.2)), before).interval is not None
    otherwise = result(penalty(0.2), plan=plan(label="shared", tolerance=0.1))
    assert one(otherwise, before).why_not == "asked"
    assert asked_otherwise(before.document, otherwise.document) == ("opportunity",)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("label_definition", "liked in a day"),
        ("made", {"liked": {"column": "rating", "at_least": 3}}),
        ("where", {"country": "DE"}),
        ("joined", {"host": {"path": "shows.csv", "on": "show_id"}}),
    ],
)
def test_an_input_that_means_something_else_is_asked_otherwise(key, said):
    before = result(penalty(0.1), plan=plan(label="liked"))
    defined = plan(label="liked")
    defined["inputs"]["log"][key] = said
    assert one(result(penalty(0.2), plan=defined), before).why_not == "asked"
    further = plan(label="liked")
    further["inputs"]["users"] = {"path": "users.parquet", key: said}
    assert one(result(penalty(0.2), plan=further), before).why_not is None


def test_where_a_joined_table_lies_is_not_what_is_asked():
    plans = [plan(label="liked") for _ in range(3)]
    for one_plan, path, on in zip(
        plans, ("old.csv", "new.csv", "new.csv"), ("show", "show", "id"), strict=True
    ):
        one_plan["inputs"]["log"]["joined"] = {"host": {"path": path, "on": on}}
    before, moved, other = (result(penalty(0.1), plan=one_plan) for one_plan in plans)
    assert one(moved, before).why_not is None
    assert one(other, before).why_not == "asked"


def test_new_gone_and_not_asked_for():
    """A number of a step that is not in this run was not asked for; one that should be there is gone."""
    group, other, third = (
        penalty(0.1, about={"by": {"creators": name}}) for name in ("age", "genre", "place")
    )
    steps = [{"audit": "opportunity", "group": name} for name in ("age", "genre")]
    before = {**plan(), "audits": steps}
    only_age = {**before, "audits": steps[:1], "left_out": ["genre"]}
    since = result(group, third, plan=only_age).since(result(group, other, plan=before))
    compared = since.compared
    assert {one.id: one.change for one in compared.changes} == {
        group.id: "same", third.id: "new", other.id: "not_asked"
    }  # fmt: skip
    assert compared.asked_otherwise == ()
    changes = result(group, plan=before).since(result(group, other, plan=before)).compared.changes
    assert [(one.change, one.before) for one in changes] == [("same", 0.1), ("gone", 0.1)]
    said = " ".join(text.plain(since.document).split())
    assert "Of the other numbers, 1 is new and 1 is not asked for now." in said


def test_nothing_in_common_is_refused():
    before = AuditResult((penalty(0.1),), scope={"title": "Jobs"}, plan=plan(group="sex"))
    other = penalty(0.1, about={"by": {"creators": "genre"}})
    with pytest.raises(InputError, match=r"\(Jobs\) has no number in common with this audit"):
        result(other).since(before)
    with pytest.raises(InputError, match="no number in common"):
        refuse_unrelated(before.document, [{"audit": "opportunity", "group": "genre"}])
    refuse_unrelated(before.document, [{"audit": "opportunity", "group": ["sex"], "label": "another"}])


def test_an_answer_that_another_number_gives_is_no_progress():
    """Another number decides now, or it is asked otherwise: no word of a change."""
    counted = {"audit": "parity", "measure": "items", "about": {}, "tolerance": None}
    same = penalty(0.1, 0, **counted)
    gap = penalty(
        0.3, audit="groups", measure="confirmed_gap", about={"by": {"users": "sex"}, "metric": "mrr@5"}
    )
    precision = penalty(
        0.01, audit="user_precision", measure="precision_penalty", about={"by": {"users": "sex"}}
    )
    since = result(same, precision).since(result(same, gap))
    assert since.compared.decided_otherwise == {"users": "confirmed_gap"}
    said = " ".join(text.plain(since.document).split())
    assert "is within the limit." not in said
    assert "How well users are served: another number answers this now" in said
    otherwise = result(young(-0.01), plan=plan(label="b")).since(result(young(-0.3), plan=plan(label="a")))
    said = " ".join(text.plain(otherwise.document).split())
    assert "no question was asked the same both times" in said
    assert "have changed" not in said
    assert "so that nothing can be said of a change: opportunity" in said


def test_another_worst_group_is_no_other_question():
    """The answer is beyond the limit both times, for others: the question is the same, and who is said."""

    def found(old: float, women: float) -> AuditResult:
        return result(*(
            penalty(size, measure="relative_utility", about={"creators": group}, harm="outside")
            for group, size in (({"age": "50+"}, old), ({"sex": "f"}, women), ({"sex": "m"}, 0.0))
        ))  # fmt: skip

    since = found(-0.1, -0.41).since(found(-0.37, -0.01))
    assert since.compared.decided_otherwise == {}
    said = " ".join(text.plain(since.document).split())
    assert "Since the earlier audit: the same answer to the question." in said
    assert "Beyond the limit now, and not then: creators with sex f (within the limit then)." in said
    assert "Beyond the limit then, and not now: creators aged 50+ (not decided now)." in said


def test_another_system_is_said():
    before = AuditResult((young(-0.2),), scope={"system": "Search"})
    now = AuditResult((young(-0.2),), scope={"system": "Home"})
    assert "That audit was of another system: Search." in " ".join(
        text.plain(now.since(before).document).split()
    )


def test_it_survives_json_and_is_nothing_unless_asked_for():
    compared = result(penalty(0.2)).since(result(penalty(0.05)))
    assert AuditResult.from_json(compared.to_json()) == compared
    assert '"compared": null' in result(penalty(0.2)).to_json()


def test_nothing_follows_of_a_number_that_is_hidden():
    small = penalty(0.2, people={"18-24": 2})
    change = one(result(small), result(penalty(0.05)))
    assert change.difference is not None
    (published,) = result(small).since(result(penalty(0.05))).published(5).compared.changes
    assert (published.difference, published.interval, published.why_not) == (None, None, "number")


def young(estimate: float) -> Finding:
    about = {"creators": {"creator_age": "18-24"}}
    return penalty(estimate, measure="relative_utility", about=about, harm="outside")


def test_text_markdown_and_page_say_it():
    document = result(young(-0.2)).since(result(young(-0.05))).document
    answer = "creators' opportunity was within the limit, is beyond the limit."
    for said in (" ".join(text.plain(document).split()), markdown.render(document).replace("\\", "")):
        assert f"Since the earlier audit: {answer}" in said
        assert "1 of 1 numbers has changed by more than chance explains (1 worse)." in said
    page = html.render(document)
    assert 'id="since"' in page
    assert "was within the limit; 5% less often before; worse, by −21 to −9 points</td>" in page
    assert 'id="since"' not in html.render(result(young(-0.2)).document)


def test_what_could_be_chance_is_called_no_change():
    page = html.render(result(young(-0.2)).since(result(young(-0.19))).document)
    assert "no change shown: −7 to +5 points" in page
    assert "the same answer to the question." in page
    assert "Each interval on a change holds in at least 90% of such comparisons." in page


def test_an_end_that_is_not_zero_does_not_look_like_it():
    page = html.render(result(young(-0.2)).since(result(young(-0.2601))).document)
    assert "better, by +0.01 to +12 points" in page


def test_what_got_worse_is_said_before_that_the_answers_are_the_same():
    """Twice the gap, and beyond the limit both times."""
    document = result(young(-0.4)).since(result(young(-0.2))).document
    worse = (
        "Worse than in the earlier audit: relative utility, creators aged 18-24 (20% less often before, 40% "
        "less often now; by −26 to −14 points)."
    )
    for said in (
        " ".join(text.plain(document).split()),
        " ".join(markdown.render(document).replace("\\", "").split()),
        html.render(document),
    ):
        assert f"{worse} Since the earlier audit: the same answer to the question." in said
    better = " ".join(text.plain(result(young(-0.2)).since(result(young(-0.4))).document).split())
    assert "Worse" not in better
    assert "(better, by +14 to +26 points)" in better


@pytest.mark.parametrize(
    ("before", "now", "harm", "tolerance", "way"),
    [
        (0.05, 0.3, "above", 0.1, "worse"), (0.3, 0.05, "above", 0.1, "better"),
        (0.9, 0.6, "below", 0.8, "worse"), (0.6, 0.9, "below", 0.8, "better"),
        (0.2, 0.4, "outside", 0.1, "worse"), (-0.2, -0.4, "outside", 0.1, "worse"),
        (-0.2, 0.2, "outside", 0.1, "changed"), (0.05, 0.3, "above", None, "changed"),
        (0.2, 0.21, "above", 0.1, "changed"),
    ],
)  # fmt: skip
def test_which_way_a_number_has_moved(before, now, harm, tolerance, way):
    finding = penalty(now, harm=harm, tolerance=tolerance)
    change = one(result(finding), result(penalty(before, harm=harm, tolerance=tolerance)))
    assert which_way(change, finding) == way


def test_numbers_beside_groups_that_could_not_be_told_before_have_not_changed():
    """Nothing changes but the random traffic: the third group, which is starved, can be told of only once."""

    def audited(seed: int, random_rows: int) -> AuditResult:
        rng = np.random.default_rng(seed)
        shares, served = np.array([0.49, 0.49, 0.02]), np.array([1, 1, 0.2])

        def log(rows: int, drawn: np.ndarray) -> pd.DataFrame:
            group = rng.choice(3, rows, p=drawn / drawn.sum())
            liked = (rng.random(rows) < 0.1).astype(int)
            return pd.DataFrame({"group": np.array(list("abc"))[group], "liked": liked})

        return opportunity.audit(log(40_000, shares * served), log(random_rows, shares), "liked", "group")

    few, many = audited(0, 7_000), audited(1, 40_000)
    for before, now in ((few, many), (many, few)):
        compared = now.since(before).compared
        both = [one for one in compared.changes if one.change not in ("new", "gone")]
        assert {one.why_not for one in both} == {"groups"}
        assert not any(one.interval for one in both)
    assert any(one.interval for one in audited(2, 40_000).since(many).compared.changes)
