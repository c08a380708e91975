"""What a series says of days that cannot be judged, that are hidden, or that a few heavy rows decide."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words import summary
from opportunity.conftest import make_log

RATES = {"a": 0.2, "b": 0.2, "c": 0.2}
ASKED = {"label": "liked", "group": "creator_age", "day": "day"}
DAYS = [f"2024-02-{26 + t}" for t in range(4)]


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(3)


@pytest.fixture(scope="module")
def random(rng):
    logs = [make_log(rng, 3_000, RATES).assign(day=day) for day in DAYS]
    return pd.concat(logs, ignore_index=True)


@pytest.fixture(scope="module")
def days(rng):
    return [make_log(rng, 4_000, RATES).assign(day=day) for day in DAYS]


def without_likes(log):
    return log.assign(liked=0)


def said(result, min_cell=5):
    return summary.headline(suppress(result.findings, min_cell))


def test_a_latest_day_that_cannot_be_judged_is_said_so(days, random):
    result = eh.opportunity.series(pd.concat([*days[:3], without_likes(days[3])]), random, **ASKED)
    assert said(result).startswith("On 29 February 2024, the latest day, opportunity could not be judged.")
    assert "All" not in said(result)


def test_days_before_that_cannot_be_judged_are_counted(days, random):
    result = eh.opportunity.series(pd.concat([without_likes(days[0]), *days[1:]]), random, **ASKED)
    assert said(result).startswith("On 29 February 2024, the latest day, the penalty was")
    assert said(result).endswith("1 day before it could not be judged.")


def test_a_hidden_day_is_not_passed_over(days, random):
    result = eh.opportunity.series(pd.concat([*days[:3], days[3].head(4)]), random, **ASKED)
    assert "29 February 2024, the latest day, opportunity could not be judged." in said(result)


def test_what_is_left_out_of_days_is_in_all_traffic(days, random):
    late = random[random.day >= DAYS[2]]
    result = eh.opportunity.series(pd.concat(days), late, **ASKED, window=1)
    running = result.find("running_penalty")
    assert running.excluded == ()
    whole = eh.opportunity.audit(pd.concat(days), late, "liked", "creator_age").find("reo_penalty")
    assert running.estimate == pytest.approx(whole.estimate)
    assert [left.what for left in result.find("daily_penalty").excluded] == [f"days {', '.join(DAYS[:2])}"]


def test_a_baseline_that_cannot_be_computed_is_a_finding(days, random):
    result = eh.opportunity.series(pd.concat([without_likes(days[0]), *days[1:]]), random, **ASKED)
    change = result.find("penalty_change", against="first")
    assert change.estimate is None
    assert "what is left out says why" in change.warnings[0]
    assert change.state == "moot"


@pytest.mark.parametrize("judge", ["any", "latest"])
def test_how_few_rows_a_hidden_day_has_cannot_be_recovered(days, random, judge):
    few = without_likes(days[1]).head(3)
    result = eh.opportunity.series(pd.concat([days[0], few, *days[2:]]), random, **ASKED, judge=judge)
    for finding in suppress(result.findings, 5):
        assert all(left.count is None or left.count >= 5 for left in finding.excluded)
        entries = finding.details.get("series", ())
        assert all(entry.get("n", 5) >= 5 for entry in entries)
        # Not as a difference of sums either.
        assert 3 not in np.diff([entry["n"] for entry in entries if "n" in entry])


@pytest.mark.parametrize("small", [0, 2])
def test_a_day_of_very_few_rows_does_not_follow_from_a_change(tmp_path, small):
    """What is hidden in one place is not to be had as a difference in another."""
    rng = np.random.default_rng(4)
    rates = {"a": 0.25, "b": 0.2, "c": 0.15}
    random = make_log(rng, 2_000, rates)
    days = [f"2024-04-0{t + 1}" for t in range(5)]
    logs = [make_log(rng, 900, rates).assign(day=day) for day in days]
    liked = logs[small][logs[small]["liked"] == 1]
    logs[small] = liked.groupby("creator_age").head(1)
    found = eh.opportunity.series(pd.concat(logs), random, label="liked", group="creator_age", day="day")
    assert any(entry.n == 3 for entry in found.find("daily_penalty").series.days)
    found.save(tmp_path)
    saved = eh.AuditResult.load(tmp_path)
    told = {
        f.subject["against"]: [entry.day for entry in (f.series.known if f.series is not None else ())]
        for f in saved.findings
        if f.measure == "penalty_change"
    }
    if small == 0:  # held against it: nothing is left of the changes since the first day
        assert told == {"before": days[2:], "first": []}
    else:
        assert told == {"before": [days[1], days[4]], "first": [days[1], days[3], days[4]]}
    for finding in saved.findings:
        assert finding.details.get("day") != days[small] or finding.estimate is None
        for entry in finding.series.days if finding.series is not None else ():
            # The rows of all other days, less than all rows, would be those of the hidden one.
            assert not {"n", "against_n", "people"} & entry.model_dump(exclude_none=True).keys()
        assert finding.n is None or finding.series is None


def test_heavy_rows_are_named_without_their_number(days, random):
    weighted = random.assign(p=0.5)
    rare = weighted[(weighted.creator_age == "a") & (weighted.liked == 1)].index
    weighted = weighted.drop(rare[20:])
    weighted.loc[rare[0], "p"] = 0.025
    found = eh.opportunity.audit(pd.concat(days), weighted, "liked", "creator_age", probability="p")
    (warning,) = [text for text in found.find("reo_penalty").warnings if "heavy rows" in text]
    assert "creator_age = a" in warning
    assert "20" not in warning


def test_a_day_that_a_few_heavy_rows_decide_is_left_out(days, random):
    weighted = random.assign(p=0.5)
    liked = weighted[(weighted.day == DAYS[1]) & (weighted.creator_age == "a") & (weighted.liked == 1)].index
    weighted.loc[liked[:2], "p"] = 0.5 / 600
    result = eh.opportunity.series(pd.concat(days), weighted, **ASKED, window=1, probability="p")
    (left,) = result.find("daily_penalty").excluded
    assert left.what == f"day {DAYS[1]}"
    assert "as good as fewer than 5 of equal weight" in left.why


def test_a_group_outside_is_said_where_the_penalty_is_not():
    rng = np.random.default_rng(4)
    rates = {"a": 0.15, "b": 0.2, "c": 0.2, "d": 0.2}
    random = make_log(rng, 100_000, dict.fromkeys(rates, 0.2))
    default = pd.concat([make_log(rng, 50_000, rates).assign(day=day) for day in DAYS])
    result = eh.opportunity.series(default, random, **ASKED, tolerance=0.13)
    beyond = [f for f in result.findings if f.verdict is eh.Verdict.VIOLATION]
    assert beyond
    assert not any("penalty" in f.measure for f in beyond)
    assert "Beyond the limit: On" in said(result)


def test_the_last_nanosecond_of_a_day_belongs_to_it(days, random):
    log = pd.concat(days)
    ends = log.assign(day=pd.to_datetime(log.day) + pd.Timedelta(days=1) - pd.Timedelta(nanoseconds=1))
    by_date, by_time = (eh.opportunity.series(each, random, **ASKED) for each in (log, ends))
    assert by_time.findings == by_date.findings


@pytest.mark.parametrize("written", ["20240227xx", "2024-02-27x", 2024022799, 1712101234])
def test_what_only_begins_like_a_date_is_refused(days, random, written):
    log = pd.concat(days).assign(day=written)
    with pytest.raises(eh.InputError, match="cannot be read as a date in 16,000 rows"):
        eh.opportunity.series(log, random.drop(columns="day"), **ASKED)


@pytest.mark.parametrize("argument", ["judge", "period", "missing", "label", "window"])
def test_an_array_is_no_choice(days, random, argument):
    asked = {**ASKED, argument: np.array([1, 2])}
    with pytest.raises(eh.InputError, match=f"{argument} is array"):
        eh.opportunity.series(pd.concat(days), random, **asked)
