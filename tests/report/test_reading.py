"""What a reader is told, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markupsafe import escape

from evenhand.findings import Interval, Verdict
from evenhand.report.pages import html, junit, markdown, notebook, text, whole_text
from evenhand.report.reading.read import read
from evenhand.results import AuditResult
from short_findings import short


def reading(*findings):
    return read(AuditResult(findings, version="1").document)


@pytest.fixture
def unequal(make):
    """Creators of 18-24 are shown less, those of 35+ more, and the penalty says so."""
    return (
        make.penalty(),
        make.utility("18-24", -0.22, -0.25, -0.18),
        make.utility("25-34", 0.0, -0.03, 0.03),
        make.utility("35+", 0.24, 0.20, 0.28),
    )


def arm(make, name, estimate, low, high):
    subject = {"by": "creator_age", "arm": name}
    return make.penalty(estimate, low, high, audit="compare", subject=subject, tolerance=None)


def test_who_is_served_worse_comes_before_who_is_served_better(unequal):
    (card,) = reading(*unequal).cards
    assert [row.finding.subject["group"] for row in card.rows] == ["18-24", "35+"]
    assert card.verdict is Verdict.VIOLATION


@pytest.mark.parametrize(("groups", "more"), [(3, ""), (7, " and 2 more")])
def test_everybody_beyond_the_limit_is_named_on_the_first_screen(make, groups, more):
    worse = [make.utility(str(one), -0.6 + one / 50, -0.7, -0.3) for one in range(groups)]
    better = make.utility("90", 0.5, 0.4, 0.6)
    document = AuditResult((make.penalty(), *reversed(worse), better), version="1").document
    (card,) = read(document).cards
    assert [row.finding.subject["group"] for row in card.rows] == ["0", "90"]
    named = [f"creators aged {one}" for one in range(1, groups)][:4]
    listed = ", ".join(named) + more if more else " and ".join(named)
    said = f"Also beyond the limit: {listed}."
    assert card.also == said
    assert said in html.render(document)
    assert said in markdown.render(document)


def test_an_audit_by_another_attribute_does_not_disappear_behind_one_that_is_beyond(make, unequal):
    """Two audits of one kind have one answer, and the first screen told of one of them only."""
    unsure = make.utility("small", -0.1, -0.2, 0.0, subject={"by": "size", "group": "small"})
    document = AuditResult((*unequal, unsure), version="1").document
    (card,) = read(document).cards
    assert card.others == ("Creators by size: not decided.",)
    for shown in (text.plain, html.render, markdown.render, junit.render):
        assert "Creators by size: not decided." in shown(document)
    (one,) = reading(*unequal).cards
    assert one.others == ()


def test_who_is_named_already_is_not_also_beyond_the_limit(make):
    """As with several betas, which are several findings of the same items."""
    pairs = [
        make.penalty(
            far, far - 0.02, far + 0.02, audit="exposure", measure="pair_exposure", harm="outside",
            subject={"by": "genre", "group": group, "beta": beta},
        )
        for group, beta, far in (("a", "1", -0.3), ("a", "8", -0.5), ("b", "1", -0.2))
    ]  # fmt: skip
    (card,) = reading(*pairs).cards
    assert [row.who for row in card.rows] == ["items with genre a"]
    assert card.also == "Also beyond the limit: items with genre b."


def test_a_tested_change_that_mends_is_said_first(make, unequal):
    arms = (arm(make, "control", 0.15, 0.12, 0.19), arm(make, "treatment", 0.07, 0.05, 0.10))
    told = reading(*unequal, *arms, make.difference()).overall
    assert "treatment, brings creators on average back inside the limit" in told[0].text
    assert told[0].finding is not None
    assert told[0].finding.subject["arm"] == "treatment"
    assert reading(*unequal, *arms, make.difference()).cards[0].next_step.startswith("Roll out treatment")


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.12), (0.12, 0.2)], ids=["undecided", "beyond"])
def test_a_change_that_is_not_surely_inside_mends_nothing(make, unequal, low, high):
    assert reading(*unequal, arm(make, "treatment", 0.09, low, high)).cards[0].mended is None


def test_a_change_of_other_groups_mends_nothing(make, unequal):
    other = arm(make, "treatment", 0.07, 0.05, 0.1).amended(
        about={"by": {"users": ["gender"]}, "arm": "treatment"}
    )
    assert reading(*unequal, other).cards[0].mended is None


def worse(make, arm="treatment"):
    subject = {"by": "creator_age", "arm": arm, "baseline": "control"}
    return make.difference(subject=subject, estimate=0.09, interval=make.interval(0.05, 0.13))


def test_the_first_arm_is_no_change_that_mends(make, unequal):
    """The audited log is that of the treatment, which does harm: the comparison's own answer is said."""
    arms = (arm(make, "control", 0.06, 0.03, 0.09), arm(make, "treatment", 0.154, 0.121, 0.187))
    told = reading(*unequal, *arms, worse(make))
    assert told.cards[0].mended is None
    said = "Did the change help? Creators by age have an opportunity penalty 9 points higher under treatment"
    assert told.overall[0].text.startswith(said)
    assert "system as it is" not in " ".join(line.text for line in told.overall)
    assert told.cards[0].next_step.startswith("Do not roll the change out")
    document = AuditResult((*unequal, *arms, worse(make)), version="1").document
    assert said in " ".join(text.plain(document).split())


def test_no_other_arm_mends_the_log_of_a_tested_arm(make, unequal):
    """Of three arms one is audited: that is not the system as it is, and the comparison's answer is said."""
    arms = (
        arm(make, "control", 0.10, 0.08, 0.12),
        arm(make, "second", 0.154, 0.121, 0.187),
        arm(make, "third", 0.06, 0.03, 0.09),
    )
    third = make.difference(subject={"by": "creator_age", "arm": "third", "baseline": "control"})
    within = worse(make, "second").amended(tolerance=0.2)
    for second in (worse(make, "second"), within):
        told = reading(*unequal, *arms, second, third)
        assert told.cards[0].mended is None
        assert told.overall[0].finding is not None
        assert told.overall[0].finding.audit == "compare"
    assert reading(*unequal, *arms, within, third).cards[0].next_step.startswith("Find the stage")


def test_a_change_beyond_its_own_limit_mends_nothing(make, unequal):
    """The audited log is of neither arm, and more unequal than both."""
    arms = (arm(make, "control", 0.01, 0.0, 0.02), arm(make, "treatment", 0.08, 0.06, 0.10))
    unequal = (make.penalty(0.3, 0.25, 0.35), *unequal[1:])
    told = reading(*unequal, *arms, worse(make))
    assert told.cards[0].mended is None
    assert "9 points higher under treatment" in told.overall[0].text


def test_a_change_that_makes_nothing_worse_does_not_say_that_opportunity_is_equal(make):
    (card,) = reading(make.difference()).cards
    assert card.verdict is Verdict.WITHIN_TOLERANCE
    assert card.title == "Does a change to the system change who gets opportunity?"


def test_other_audits_are_parts_of_the_card(make, unequal):
    (card,) = reading(*unequal, make.difference()).cards
    assert card.title == "Do creators get equal opportunity?"
    assert [part.title for part in card.parts] == ["Did the change help?"]


def test_every_assumption_stands_once_and_has_a_number(make, unequal):
    told = reading(*unequal)
    texts = [one.text for one in told.assumptions]
    assert len(set(texts)) == len(texts)
    assert [one.number for one in told.assumptions] == list(range(1, len(texts) + 1))
    assert told.cards[0].main.assumptions == tuple(range(1, len(texts) + 1))


def test_people_with_a_violation_come_first_and_what_was_not_asked_has_no_cell(unequal):
    rows = reading(*unequal).people
    assert [row.cells["creators"].verdict for row in rows] == [
        Verdict.VIOLATION, Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE
    ]  # fmt: skip
    assert "users" not in rows[0].cells


def test_a_gap_is_about_the_people_whom_it_names(make):
    """Means of groups have no limit: the gap, which has one, says who is served worst, and the number is
    that group's own."""

    def of_users(measure, estimate, about, **values):
        return make.penalty(
            estimate, estimate - 0.1, estimate + 0.1, audit="groups", measure=measure
        ).amended(about={**about, "metric": "mrr@5"}, **values)

    means = [
        of_users("group_mean", mean, {"users": {"gender": value}}, tolerance=None)
        for value, mean in (("F", 0.3), ("M", 0.5))
    ]
    gap = of_users(
        "confirmed_gap", 0.2, {"by": {"users": ["gender"]}}, tolerance=0.05,
        details={"lowest": "F", "highest": "M"},
    )  # fmt: skip
    rows = reading(*means, gap).people
    assert [row.cells["users"].finding.estimate for row in rows] == [0.3, 0.5]
    assert [row.cells["users"].verdict for row in rows] == [Verdict.VIOLATION, None]
    assert [row.key for row in rows] == ["users:gender=F", "users:gender=M"]


def test_a_gap_of_users_is_not_that_of_creators_whose_groups_have_its_names(make):
    """With labels both are "men"; they are told apart, and the gap stands beside the users alone."""
    labels = {"sex": {"1": "men", "2": "women"}}

    def of(value, whom, **values):
        found = make.penalty(0.2, 0.1, 0.3, **values)
        return found.amended(about={whom: {"sex": value}}, labels=labels)

    creators = [of(value, "creators", measure="relative_utility") for value in ("men", "women")]
    users = [of(value, "users", audit="groups", measure="group_mean", tolerance=None) for value in ("men",)]
    gap = make.penalty(0.2, 0.1, 0.3, audit="groups", measure="confirmed_gap", tolerance=0.05).amended(
        about={"by": {"users": ["sex"]}}, labels=labels, details={"lowest": "men", "highest": "women"}
    )
    rows = {row.label: row for row in reading(*creators, *users, gap).people}
    assert set(rows) == {"men (creators)", "men (users)", "women"}
    told = [one for one, row in rows.items() if gap.measure in {f.measure for f in row.findings}]
    assert told == ["men (users)"]
    assert "users" not in rows["men (creators)"].cells


def test_what_decides_a_question_stands_before_what_explains_it(make, unequal):
    """A change of one group, however far beyond, is not the answer to the question about it."""
    worse = make.utility_difference("18-24", 0.9, 0.8, 1.0)
    rows = reading(*unequal, worse).people
    assert {row.cells["creators"].finding.audit for row in rows} == {"opportunity"}
    assert worse.id in {finding.id for finding in rows[0].findings}


def test_what_is_not_decided_says_what_it_would_take(make):
    unsure = make.utility("18-24", -0.1, -0.2, 0.0)
    (one,) = reading(unsure).undecided
    assert one.finding.subject["group"] == "18-24"
    assert one.takes


def test_all_within_is_no_proof_of_fairness(make):
    fair = (make.utility("a", 0.0, -0.02, 0.02), make.utility("b", 0.0, -0.02, 0.02))
    other = make.penalty(audit="exposure", measure="pair_exposure", estimate=0.0, low=0.0, high=0.01)
    told = reading(*fair, other)
    assert "does not show that the system is fair" in told.overall[-1].text


def test_one_question_with_a_limit_among_others_is_said_in_the_singular(make):
    fair = make.utility("a", 0.0, -0.02, 0.02)
    other = make.penalty(audit="exposure", measure="pair_exposure", estimate=0.0, low=0.0, high=0.01).amended(
        tolerance=None, verdict=None
    )
    said = " ".join(line.text for line in reading(fair, other).overall)
    assert "The one question that has a limit is within it: " in said
    assert "All one" not in said


def test_a_part_beyond_its_limit_is_said_first_where_the_answer_is_within(make):
    """A system within its limit, and a change that must not be rolled out."""
    fair = make.utility("18-24", 0.0, -0.02, 0.02)
    worse = make.difference(estimate=0.1, interval=make.interval(0.05, 0.15))
    other = make.utility("F", 0.0, -0.02, 0.02).amended(
        audit="exposure", measure="pair_exposure", question=""
    )
    for told in (reading(fair, worse), reading(fair, worse, other)):
        (part,) = told.cards[0].beyond_beside
        assert part.audit == "compare"
        assert told.overall[0].text == f"Did the change help? {part.lines[0].text}"
        said = " ".join(line.text for line in told.overall)
        assert "questions are within" not in said
        assert "Nothing is shown" not in said
    document = AuditResult((fair, worse), version="1").document
    assert "◆ beyond the limit: Did the change help?" in text.plain(document)
    assert reading(make.utility("18-24", -0.3, -0.4, -0.2), worse).cards[0].beyond_beside == ()


def test_a_reading_of_nothing(make):
    assert reading().overall[0].text == "There are no findings."


def test_the_level_over_all_questions_is_said(make, unequal):
    other = make.penalty(audit="exposure", measure="pair_exposure", estimate=0.0, low=0.0, high=0.01)
    said = reading(*unequal, other).at_once
    assert "95%" in said
    assert "10%" in said
    assert said.startswith(
        "How far chance can mislead: each answer, with all intervals behind it, is right in"
    )
    assert "one of the answers is wrong by chance" in said
    assert not replace(reading(*unequal)).at_once.count("--together")


def test_why_an_answer_is_less_sure_than_its_intervals(make):
    """Each metric has intervals of its own; with one there is nothing to explain."""

    def gap(metric):
        subject = {"by": "gender", "metric": metric}
        return make.penalty(audit="groups", measure="confirmed_gap", subject=subject, tolerance=0.02)

    said = reading(gap("mrr"), gap("ndcg"), gap("auc")).at_once
    assert "at least 85% of such audits (it rests on 3 sets of intervals of 95% each, any of which" in said
    assert "at least 95% of such audits." in reading(gap("mrr")).at_once


def test_the_picture_is_of_the_numbers_that_are_said(make):
    """Of two rankings, the one that is further beyond the limit."""
    pairs = [
        make.penalty(
            audit="exposure", measure="pair_exposure", subject={"by": "genre", "group": "a", "beta": beta},
            estimate=far, low=far - 0.02, high=far + 0.02, tolerance=0.1, harm="outside",
        )
        for beta, far in (("1", -0.2), ("static", -0.5))
    ]  # fmt: skip
    (card,) = reading(*pairs).cards
    assert [finding.subject["beta"] for finding in card.main.drawn] == ["static"]


def test_what_has_a_limit_speaks_before_what_has_none(make):
    judged = make.utility("a", 0.01, -0.01, 0.03)
    unjudged = make.utility("b", 0.4, 0.3, 0.5, tolerance=None)
    (card,) = reading(unjudged, judged).cards
    assert [row.finding.subject["group"] for row in card.rows] == ["a"]


@pytest.fixture
def hidden_gap(make):
    """No group is told to be beyond the limit, the worst against the best is; another question passes."""
    fair = make.utility("F", 0.0, -0.02, 0.02).amended(audit="exposure", measure="pair_exposure", question="")
    return (
        make.utility("18-24", -0.20, -0.32, -0.07),
        make.utility("35+", 0.28, 0.10, 0.46),
        make.ratio(),
        fair,
    )


def test_no_page_is_an_all_clear_above_a_number_that_is_beyond_its_limit(hidden_gap):
    document = AuditResult(hidden_gap, version="1").document
    told = read(document)
    first = told.overall[0]
    assert first.text.startswith(
        "No answer is beyond its limit, but one number is: creators aged 18-24 get 69%"
    )
    assert "limit at least 80%" in first.text
    assert first.text.endswith("Another number decides creators' opportunity: relative utility.")
    assert first.finding is not None
    assert first.finding.measure == "worst_ratio"
    assert not any("Nothing is shown" in line.text for line in told.overall)
    said = " ".join(text.plain(document).split())
    assert first.text in said
    assert "◆ beyond the limit: Worst ratio" in said
    assert first.text in " ".join(whole_text.plain(document).split())
    assert markdown.plain(first.text, cut=False) in markdown.render(document)
    assert "| ◆ beyond the limit | Worst ratio |" in markdown.render(document)
    for page in (html.render(document), notebook.render(document)):
        assert str(escape(first.text)) in page
    assert "◆ Worst ratio, beyond the limit:" in str(notebook.card(document, "creators"))
    assert html.render(document).count('class="under"') == 2  # the first screen, and the card


def test_what_decides_nothing_is_not_said_where_an_answer_is_beyond(make, unequal):
    told = reading(*unequal, make.ratio())
    assert told.cards[0].beyond_under == ()
    assert "No answer" not in told.overall[0].text


def test_an_answer_within_its_limit_says_by_which_measure_it_is_not(make, unequal):
    """Also where another question is beyond its limit, and is what a reader is told first."""
    fair = make.utility("F", 0.0, -0.02, 0.02).amended(audit="exposure", measure="pair_exposure", question="")
    told = [line.text for line in reading(*unequal, fair).overall]
    assert "Within the limit: who is shown to whom." in told
    far = make.penalty(audit="exposure", measure="relevant_exposure", estimate=0.5, low=0.4, high=0.6)
    told = [line.text for line in reading(*unequal, fair, far).overall]
    assert told[-1] == (
        "Who is shown to whom: within the limit by exposure of item groups to user groups, but 1 by exposure "
        "of what is relevant to users is beyond."
    )
    assert not any("Within the limit:" in line for line in told)


def test_advice_about_those_who_are_shown_more_does_not_call_them_shown_less(make):
    (card,) = reading(make.utility("35+", 0.24, 0.20, 0.28)).cards
    assert (
        card.next_step == "Find the stage that shows some groups less than others, and test a change to it."
    )


def _precision(by="diet", hidden=(), **rates):
    """How well users of each group are served, by rate and half of its interval, and how unequally."""
    found = [
        short(
            {"by": by}, whom="users", audit="user_precision", measure="precision_penalty", estimate=0.3,
            interval=Interval(low=0.2, high=0.4, level=0.95, method="hull"), tolerance=0.1,
        )
    ]  # fmt: skip
    for name, (rate, half) in rates.items():
        ends = Interval(low=rate - half, high=rate + half, level=0.95, method="simultaneous")
        told = (
            {"state": "suppressed", "estimate": None}
            if name in hidden
            else {"estimate": rate, "interval": ends}
        )
        found.append(
            short(
                {"by": by, "group": name}, whom="users", audit="user_precision", measure="precision", **told
            )
        )
    return found


@pytest.mark.parametrize(
    ("half", "hidden", "said"),
    [
        (0.01, (), "the least"),
        (0.05, (), "the least, though another group may really have less"),
        (0.01, ("fish",), "the least of those shown"),
    ],
)
def test_who_is_served_worst_is_named_where_the_limit_is_of_all_groups(half, hidden, said):
    found = _precision(hidden=hidden, vegan=(0.12, half), meat=(0.2, 0.01), fish=(0.16, 0.01))
    result = AuditResult(tuple(found), version="1")
    (card,) = read(result.document).cards
    assert card.verdict == "violation"
    low, high = 100 * (0.12 - half), 100 * (0.12 + half)
    least = f"12% of what they are shown is liked ({low:.0f} to {high:.0f}%): {said}"
    assert [(row.who, row.how_much) for row in card.rows[1:]] == [("users with diet vegan", least)]
    assert card.next_step == "See what users with diet vegan are shown, and try to re-rank their lists."
    assert f"Users with diet vegan like 12% of what they are shown ({low:.0f} to {high:.0f}%): {said}." in [
        line.text for line in card.main.lines
    ]
    assert least in " ".join(str(result).split())
    assert "| users with diet vegan |" in markdown.render(result.document)


def test_the_least_is_of_the_groups_that_the_answer_is_about():
    found = _precision(vegan=(0.12, 0.01), meat=(0.2, 0.01)) + _precision(
        "sex", f=(0.1, 0.01), m=(0.11, 0.01)
    )
    found[3] = found[3].amended(estimate=0.05, interval=None, id=found[3].id)
    (card,) = read(AuditResult(tuple(found), version="1").document).cards
    assert [row.who for row in card.rows] == ["users by diet", "users with diet vegan"]


def test_of_parity_it_is_named_whose_items_are_shown_least():
    def told(measure, estimate, half, **subject):
        ends = Interval(low=estimate - half, high=estimate + half, level=0.95, method="simultaneous")
        values = {"audit": "parity", "measure": measure, "estimate": estimate, "interval": ends}
        return short({"by": "affiliation", **subject}, whom="creators", **values)

    penalty = told("rsp_penalty", 0.28, 0.01).amended(tolerance=0.11, harm="above")
    groups = [
        told("parity_deviation", off, 0.2, group=name)
        for name, off in (("university", 5.0), ("independent", -5.0))
    ]
    (card,) = read(AuditResult((penalty, *groups), version="1").document).cards
    assert [row.who for row in card.rows] == [
        "creators by affiliation",
        "creators with affiliation independent",
    ]
    assert card.rows[1].how_much.endswith(": the least")
