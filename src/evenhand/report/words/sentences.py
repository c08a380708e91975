"""A finding in plain sentences. Every rendering (HTML, text, notebook) takes its words from here.

Nothing here recomputes a number, and no wording goes further than the verdict: an inconclusive result is
never said to be a pass, and a system is never said to be fair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from evenhand.findings import Finding, Interval, Verdict
from evenhand.following import is_of_all_days
from evenhand.report.vocabulary.names import audit, capital, heading, measure, spaced
from evenhand.report.words import numbers
from evenhand.report.words.people import in_words, is_of_group, short_who

# How the method of an interval begins where everybody was looked at, and nothing was estimated.
COUNTED = "counted, not estimated"

_ONCE = (" often", " times")
_LEANS_NOT = "{content} is not shown to lean either way"
# Said once by a page, and beside an interval only where it is another.
USUAL_LEVEL = 0.95

VALIDITY_WORDS: Mapping[str, str] = {
    "fixed": "holds for one look at a sample size chosen beforehand",
    "anytime": "holds at every look at once, however often the data is inspected",
    "exact": "holds without an approximation",
    "none": "a range without a guarantee",
}


def title(finding: Finding) -> str:
    return measure(finding.measure).title


def place(finding: Finding, leave_out: Iterable[str] = ()) -> str:
    """What a finding is about, short: "creator age, 18-24", "beta 8"."""
    forms: dict[str, Callable[[str], str]] = {
        "by": spaced,
        "group": str,
        "arm": partial(_arm, finding),
        "baseline": lambda name: f"against {_arm(finding, name)}",
        "stage": str,
        "experiment": str,
        "who": str,
        "when": heading,
        "classifier": "{} classifier".format,
        "days": lambda _: "all days so far",
    }
    if set(finding.subject) == {"user", "other"}:
        return "{user} → {other}".format_map(finding.subject)
    if {"first", "second"} <= finding.subject.keys() - set(leave_out):
        forms["first"] = lambda first: f"{first} against {finding.subject['second']}"
        leave_out = (*leave_out, "second")
    labels = audit(finding.audit).labels
    said = (
        labels[key](finding.subject)
        if key in labels
        else forms[key](str(value))
        if key in forms
        else f"{spaced(key)} {value}"
        for key, value in finding.subject.items()
        if key not in leave_out
    )
    return ", ".join(filter(None, said))


def _arm(finding: Finding, name: str) -> str:
    return audit(finding.audit).arms.get(name, name)


def value(finding: Finding) -> float | None:
    """The number to show: the estimate, or the detail that the measure has shown in its place."""
    instead = finding.details.get(measure(finding.measure).instead)
    return instead if isinstance(instead, float) else finding.estimate


def _fields(finding: Finding) -> dict[str, object]:
    """What a template of this measure may ask for, but for its phrases."""
    subject_place = place(finding)
    fields: dict[str, object] = {
        key: value for key, value in finding.details.items() if isinstance(value, str | int | float)
    }
    if "error_df" in finding.details:
        fields["df"] = f"{finding.details['df']} and {finding.details['error_df']:.0f}"
    fields.update(finding.subject)
    fields |= in_words(finding)
    fields.update({key: _arm(finding, str(fields[key])) for key in ("arm", "baseline") if key in fields})
    fields["size"] = amount(finding)
    fields["place"] = f" for {subject_place}" if subject_place else ""
    if "experiment" in finding.subject:  # several at once, whose arms may have the same names
        in_it = {key: fields[key] for key in ("arm", "baseline") if key in finding.subject}
        fields.update({key: f"{finding.subject['experiment']} = {arm}" for key, arm in in_it.items()})
    is_one_arm = "arm" in finding.subject and "baseline" not in finding.subject
    fields["under"] = f" under {fields['arm']}" if is_one_arm else ""
    if "by" in finding.subject:
        fields["by"] = (
            "the attribute" if finding.subject["by"] == "attribute" else spaced(str(finding.subject["by"]))
        )
    fields["leans"] = _leans(finding, fields)
    if finding.p_value is not None:
        fields["chance"] = numbers.chance(finding.p_value)
    return fields


def claim(finding: Finding) -> str:
    """What the estimate says, with its interval and without a full stop."""
    words, fields, is_told = measure(finding.measure), _fields(finding), told(finding)
    support = evidence(finding)
    fields["evidence"] = support = f" ({support})" if support else ""
    sentence = words.sentence if is_told or words.untold is None else words.untold
    try:
        fields.update(words.phrases(finding) if words.phrases is not None else {})
        said = _where(finding) + sentence.format_map(fields)
    except KeyError:
        return f"{words.title} is {fields['size']}{fields['place']}{support}"
    if "{evidence}" in sentence:
        return said
    open_ended = words.directions is not None and words.tested and not words.check
    chance = ", which may be chance" if open_ended and not is_told and value(finding) else ""
    return f"{said}{chance}{support}"


def told(finding: Finding) -> bool:
    """Whether the estimate is told from no effect: by the interval, which the verdict follows as well, and
    where there is none, by the p-value."""
    if finding.interval is not None and measure(finding.measure).no_effect is not None:
        return leaves_out_no_effect(finding)
    return finding.p_value is not None and finding.p_value <= _error(finding)


def _error(finding: Finding) -> float:
    return 0.05 if finding.interval is None else round(1 - finding.interval.level, 12)


def _where(finding: Finding) -> str:
    """Before or after a change, over which days, or at which stage, where the subject says so."""
    if finding.subject.get("days") == "all":  # plans of traffic have a number of days
        return "over all days so far, "
    if "when" in finding.subject:
        return f"{heading(str(finding.subject['when']))}: "
    stage = finding.subject.get("stage")
    if stage is None:
        return ""
    return f"over {stage}, " if stage == "all stages" else f"in {stage}, "


def _leans(finding: Finding, fields: Mapping[str, object]) -> str:
    """To which of two sides a group leans, or one group more than another, where that is told from chance."""
    side, is_pair = finding.details.get("lean"), "second" in finding.subject
    if side is None or not told(finding):
        template = "{first} and {second} are not shown to lean differently" if is_pair else _LEANS_NOT
    else:
        template = "{first} leans more to {lean} than {second}" if is_pair else "{content} leans to {lean}"
    return template.format_map({"content": "it", **fields})


def sides(finding: Finding) -> tuple[str, str] | None:
    """What lies below and above zero, where the measure has words for it and the finding their names."""
    ends = measure(finding.measure).sides
    if ends is None or not {"toward", "away"} <= finding.details.keys():
        return None
    below, above = (end.format_map(finding.details) for end in ends)
    return below, above


def size(finding: Finding, value: float, *, unit: bool = True) -> str:
    """A value of this finding in words, with the direction where the measure has one: "23% less often"."""
    words = measure(finding.measure)
    if words.directions is None:
        return figure(finding, value, unit=unit)
    below, above = words.directions
    return f"{figure(finding, abs(value))} {below if value < 0 else above}"


def amount(finding: Finding) -> str:
    """The number to show, in words: "23% less often", "neither less nor more"."""
    shown = value(finding)
    assert shown is not None
    directions = measure(finding.measure).directions
    return "neither {} nor {}".format(*directions) if shown == 0 and directions else size(finding, shown)


def figure(finding: Finding, value: float, *, unit: bool = True, sign: bool = False) -> str:
    words = measure(finding.measure)
    decimals = numbers.decimals_of(value, finding, words.show, words.no_effect)
    return numbers.figure(value, words.show, decimals, unit=unit, sign=sign)


def how_much(finding: Finding) -> str:
    """How much, without whom: "shown 22% less often than average (18 to 26%; limit 11%)"."""
    if finding.estimate is None:
        return "not shown" if finding.state == "suppressed" else "could not be computed"
    words, fields = measure(finding.measure), _fields(finding)
    try:
        fields.update(words.phrases(finding) if words.phrases is not None else {})
        is_equal = words.equal and value(finding) == words.no_effect
        said = (words.equal if is_equal else words.amount).format_map(fields)
    except KeyError:
        said = str(fields["size"])
    if finding.subject.get("days") == "all":  # beside the same of one day
        said += ", all days together"
    support = _support(finding)
    return f"{said} ({support})" if support else said


def evidence(finding: Finding) -> str:
    """Interval and limit, and the p-value where the measure is a test: "18 to 26%; limit 11%".

    The level is said where it is not the usual one, which a page says once.
    """
    tested = finding.p_value is not None and measure(finding.measure).tested and _agrees(finding)
    p_value = numbers.p_value(finding.p_value) if tested and finding.p_value is not None else ""
    return "; ".join(filter(None, (_support(finding), p_value)))


def _support(finding: Finding) -> str:
    parts = [] if finding.interval is None else [_interval(finding, finding.interval)]
    if finding.tolerance is not None:
        parts.append(limit(finding))
    return "; ".join(parts)


def _agrees(finding: Finding) -> bool:
    """Whether interval and p-value say the same. Those over users and items, and of one of them, may differ:
    then only the interval is said, which the verdict follows as well."""
    assert finding.p_value is not None
    return (finding.p_value <= _error(finding)) is told(finding)


def _interval(finding: Finding, interval: Interval) -> str:
    if is_counted(interval):
        return "counted"
    usual = interval.level == USUAL_LEVEL
    level = "" if usual else f"{numbers.percent_of(interval.level)} interval "
    return level + bounds(finding, interval.low, interval.high) + _wider(finding, interval)


def _wider(finding: Finding, interval: Interval) -> str:
    """Why the interval is wider than that of the same number by itself."""
    # All days together are one number, whose interval is that of a sequence of looks.
    single = finding.series is not None and "day" in finding.details and not is_of_all_days(finding)
    if finding.series is not None and single and len(finding.series.known) > 1:
        return f", all {len(finding.series.known)} {finding.series.unit}s at once"
    return ", at every look" if interval.validity == "anytime" else ""


def bounds(finding: Finding, low: float, high: float) -> str:
    """Two ends: "18 to 26%", and with words where they lie on two sides: "5% less to 2% more often"."""
    if measure(finding.measure).directions is None:
        return _two(figure(finding, low), figure(finding, high))
    if _is_one_sided(finding):
        near, far = sorted((abs(low), abs(high)))
        return _two(figure(finding, near), figure(finding, far))
    below, above = size(finding, low), size(finding, high)
    # A word that both end with is said once.
    return f"{next((below.removesuffix(end) for end in _ONCE if above.endswith(end)), below)} to {above}"


def _two(low: str, high: str) -> str:
    """The unit once, after the second."""
    for unit in ("%", " points", " days"):
        if high.endswith(unit):
            return f"{low.removesuffix(unit).removesuffix(unit.removesuffix('s'))} to {high}"
    return f"{low} to {high}"


def limit(finding: Finding) -> str:
    """What was agreed to be acceptable: "limit 11%", "limit at least 80%"."""
    assert finding.tolerance is not None
    if finding.tolerance == 0:
        return "limit 0"
    if finding.harm == "outside":
        either = "" if _is_one_sided(finding) else " either way"
        return f"limit {figure(finding, finding.tolerance)}{either}"
    if finding.harm == "below":
        return f"limit at least {size(finding, finding.tolerance)}"
    return f"limit {size(finding, finding.tolerance)}"


def _is_one_sided(finding: Finding) -> bool:
    """Whether estimate and interval lie on one side of zero, so that sizes can be said without a sign."""
    if finding.estimate is None or finding.interval is None:
        return True
    return finding.interval.high <= 0 if finding.estimate < 0 else finding.interval.low >= 0


def leaves_out_no_effect(finding: Finding) -> bool:
    """Whether the interval says that there is a difference, whatever is tolerated."""
    no_effect = measure(finding.measure).no_effect
    if finding.interval is None or no_effect is None:
        return False
    return not finding.interval.low <= no_effect <= finding.interval.high


def short_change(finding: Finding) -> str:
    """One comparison of an experiment in a few words: "ranker = b 4 points higher than a"."""
    subject = finding.subject
    assert finding.estimate is not None
    return (
        f"{subject['experiment']} = {subject['arm']} has a penalty {size(finding, finding.estimate)} than "
        f"{subject['baseline']}"
    )


def is_counted(interval: Interval | None) -> bool:
    """Whether everybody was looked at, so that the interval is one number and nothing was estimated."""
    return interval is not None and interval.low == interval.high and interval.method.startswith(COUNTED)


def sentence(finding: Finding) -> str:
    """The whole finding in one sentence."""
    if finding.estimate is None:
        about = short_who(finding) if is_of_group(finding) else place(finding)
        state = "not shown" if finding.state == "suppressed" else "could not be computed"
        return f"{title(finding)}{', ' if about else ''}{about}: {state} ({why_not(finding)})."
    return capital(f"{claim(finding)}.{unless(finding)}")


def unless(finding: Finding) -> str:
    """What would explain a violation, where the measure has words for it and the finding the number."""
    ends = measure(finding.measure).unless
    if ends is None or finding.verdict is not Verdict.VIOLATION:
        return ""
    assert finding.estimate is not None
    factor = finding.details.get("unseen_factor")
    if not isinstance(factor, float):
        return ""
    # Rounded down: a factor just above 1 is not all of them.
    return f" {ends[finding.estimate > 0].format(observed=math.floor(100 / factor))}"


def why_not(finding: Finding) -> str:
    """Why a finding has no estimate: its first warning."""
    if not finding.warnings:
        return "no reason was given"
    return finding.warnings[0].rstrip(".")
