"""Which findings stand together, in which order, and which of many are shown first."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.pages import arrange, tables
from short_findings import short


def test_sections_follow_audit_and_attribute(make):
    found = arrange.sections(make.typical().findings)
    assert [(section.audit, section.about[0]) for section in found] == [
        ("opportunity", "creator_age"),
        ("compare", "creator_age"),
    ]
    assert [finding.measure for finding in found[0].singles] == ["reo_penalty", "worst_ratio", "equality"]


def test_groups_are_ranked_worst_served_first_and_the_unknown_last(make):
    family = arrange.sections(make.typical().findings)[0].families[0]
    assert family.labels == ("18-24", "25-34", "55-64", "45-54", "35-44", "65+")


def test_where_high_values_harm_the_highest_is_first(make):
    findings = [make.utility(name, value, 0, 1, harm="above") for name, value in (("a", 0.1), ("b", 0.5))]
    assert arrange.sections(findings)[0].families[0].labels == ("b", "a")


def test_of_many_groups_violations_and_extremes_come_first(make):
    family = arrange.sections(make.crowded().findings)[1].families[0]
    shown, rest = family.split()
    assert rest is not None
    assert len(shown.findings) == arrange.PROMINENT
    assert len(shown.findings) + len(rest.findings) == 60
    assert all(finding.verdict is Verdict.VIOLATION for finding in shown.findings)
    estimates = [finding.estimate for finding in shown.findings]
    assert estimates == sorted(estimates)


def test_a_precise_violation_is_shown_before_a_vague_extreme(make):
    vague = [make.utility(f"vague-{number}", -0.6, -0.95, 0.5) for number in range(20)]
    precise = make.utility("precise", -0.2, -0.22, -0.18)
    shown, _ = arrange.sections([*vague, precise])[0].families[0].split()
    assert "precise" in shown.labels


def test_many_settings_of_one_measure_keep_their_order():
    betas = (8, 1, 4, 2)
    findings = [short(audit="x", measure="m", subject={"beta": beta}, estimate=beta / 10) for beta in betas]
    (section,) = arrange.sections(findings)
    assert section.singles == ()
    assert section.families[0].labels == ("beta 8", "beta 1", "beta 4", "beta 2")


def test_facts_that_all_share_are_said_once(make):
    family = arrange.sections(make.typical().findings)[0].families[0]
    together = tables.facts_together(family)
    assert ("Measure", "opportunity.relative_utility") in together.common
    assert "Positives default" in together.columns
    assert "Measure" not in together.columns
    assert [label for label, _ in together.lines] == list(family.labels)
