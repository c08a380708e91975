"""Small groups: what is taken out before anything is published."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.pictures import Series
from evenhand.report.suppression.suppress import suppress


def test_a_small_group_keeps_its_name_and_loses_its_numbers(make):
    (small,) = suppress([make.utility("65+", -0.4, -0.6, -0.2, n=4)], min_cell=5)
    assert small.subject == {"by": "creator_age", "group": "65+"}
    assert (small.estimate, small.interval, small.n, small.p_value, small.details) == (None,) * 4 + ({},)
    assert small.warnings == ("fewer than 5 people in this group, or in one that would follow from it",)
    assert small.verdict is Verdict.NOT_APPLICABLE


def test_the_limit_itself_is_published(make):
    finding = make.utility("65+", -0.4, -0.6, -0.2, n=5)
    assert suppress([finding], min_cell=5) == (finding,)


def test_a_finding_that_is_not_about_a_group_is_kept(make):
    finding = make.penalty(n=3)
    assert suppress([finding], min_cell=5) == (finding,)


def test_other_findings_do_not_name_the_small_group(make):
    small = make.utility("18-24", -0.4, -0.6, -0.2, n=4)
    ratio = make.ratio(details={"by_group": {"18-24": 1, "35-44": 9}, "note": ["18-24"]})
    elsewhere = make.ratio(subject={"by": "region"})
    _, published, untouched = suppress([small, ratio, elsewhere], min_cell=5)
    assert published.details == {"by_group": {"35-44": 9}, "note": ["(suppressed group)"]}
    assert untouched == elsewhere


def test_a_comparison_with_a_small_group_goes_with_it(make):
    small = make.utility("18-24", -0.4, -0.6, -0.2, n=4)
    ratio = make.ratio(details={"lowest": "18-24", "highest": "35-44"})
    _, published = suppress([small, ratio], min_cell=5)
    assert published.estimate is None
    assert "18-24" not in published.model_dump_json()


def test_every_measure_of_a_small_group_goes(make):
    """One measure counts few, another of the same group does not say: both are about the same people."""
    small = make.utility("18-24", -0.4, -0.6, -0.2, n=4)
    silent = make.utility("18-24", 0.3, 0.2, 0.4, n=9, measure="other")
    assert [finding.estimate for finding in suppress([small, silent], min_cell=5)] == [None, None]


def test_a_gain_from_the_policies_of_a_small_group_goes_with_it(make):
    """Even where the small group itself has no finding, as when only the largest gains are listed."""
    about = {"users": {"gender": "f"}, "other": {"gender": "x"}}
    gain = make.utility("f", 0.4, 0.2, 0.6, n=90).amended(about=about, details={"other_users": 3})
    (published,) = suppress([gain], min_cell=5)
    assert (published.estimate, published.n, published.details) == (None, None, {})
    enough = gain.amended(details={"other_users": 5})
    assert suppress([enough], min_cell=5) == (enough,)


def test_a_series_that_is_told_by_a_day_of_few_rows(make):
    """The day that decides is the estimate of the whole finding: without it there is none to publish."""
    limits = {"low": 0.1, "high": 0.8}
    counts = (("2024-04-01", 3, 0.7), ("2024-04-02", 90, 0.2))
    days = [{"day": day, "n": n, "estimate": size, "fixed": limits, **limits} for day, n, size in counts]
    series = Series.of("day", days)
    for day, estimate in (("2024-04-01", None), ("2024-04-02", 0.2)):
        told = make.penalty(measure="daily_penalty", estimate=0.2, details={"day": day}, pictures=(series,))
        (published,) = suppress([told], min_cell=5)
        assert published.estimate == estimate
        assert "0.7" not in published.model_dump_json()
    (published,) = suppress([told.amended(details={"day": "x"})], min_cell=1)
    assert len(published.series.days) == 2
