"""The whole result in words: what a reader should know after the first minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.names import audit, measure
from evenhand.report.words import sentences, series, verdicts
from evenhand.report.words.numbers import count, p_value
from evenhand.report.words.people import is_of_group, short_who

# How many reasons for what was not computed are said at the top.
_REASONS = 3

# From what needs a decision to what does not.
ORDER: tuple[Verdict, ...] = (
    Verdict.VIOLATION,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
    Verdict.WITHIN_TOLERANCE,
)


def counts(findings: Sequence[Finding]) -> dict[Verdict, int]:
    """How many findings have each verdict; findings without a tolerance have none and are not counted."""
    return {verdict: sum(finding.verdict is verdict for finding in findings) for verdict in ORDER}


def judged(findings: Sequence[Finding]) -> bool:
    """Whether anything has a tolerance; where nothing could be computed, that may not be known."""
    if any(f.tolerance is not None for f in findings):
        return True
    return all(f.estimate is None and not audit(f.audit).simulated for f in findings)


def headline(findings: Sequence[Finding]) -> str:
    """The verdicts of all checks in a sentence or two; without any, the answer itself."""
    number = counts(findings)
    checks = sum(number.values()) if judged(findings) else 0
    if not findings:
        return "There are no findings."
    simulated = all(audit(finding.audit).simulated for finding in findings)
    if simulated and (undecided := _undecided(findings)):
        return undecided
    if simulated and findings[0].estimate is None:
        return f"{sentences.why_not(findings[0])}."
    if simulated and not checks:
        return "This is a calculation to plan by: it judges no system, so there are no verdicts."
    if not checks and (compared := _clear_or_not(findings)):
        return compared
    if not checks and (answers := key_results(findings)):
        return sentences.sentence(answers[0])
    if not checks:
        what = (
            "is 1 finding and no verdict"
            if len(findings) == 1
            else f"are {count(len(findings))} findings and no verdicts"
        )
        return f"No limit was set, so there {what}."
    followed = series.daily_penalty(findings)
    if followed is not None and all(finding.audit == "series" for finding in findings):
        return f"{series.latest(followed)} {series.which_days(followed)}{_alone(findings)}"
    beyond = number[Verdict.VIOLATION]
    if beyond == 0:
        return f"{_clear_or_not(findings)} {_nothing_beyond(number, checks, simulated)}".lstrip()
    worst = ranked_by_concern([finding for finding in findings if finding.verdict is Verdict.VIOLATION])[0]
    statement = sentences.sentence(worst)
    statement = statement[:1].lower() + statement[1:]
    if checks == 1:
        return f"The one check is beyond its limit: {statement}"
    if beyond == 1:
        return f"1 of {count(checks)} checks is beyond its limit: {statement}"
    return f"{count(beyond)} of {count(checks)} checks are beyond their limits, among them: {statement}"


def _alone(findings: Sequence[Finding]) -> str:
    """What is outside its tolerance where the penalty is not: a group, or the worst ratio."""
    beyond = [finding for finding in findings if finding.verdict is Verdict.VIOLATION]
    if not beyond or any("penalty" in finding.measure for finding in beyond):
        return ""
    return f" Beyond the limit: {sentences.sentence(ranked_by_concern(beyond)[0])}"


def _clear_or_not(findings: Sequence[Finding]) -> str:
    """Which of several experiments changed something, whatever is tolerated."""
    changes = [f for f in findings if f.measure == "reo_difference" and "experiment" in f.subject]
    known = [f for f in changes if f.estimate is not None and f.interval is not None]
    if len(changes) < 2 or not known:
        return ""
    clear = [f for f in known if sentences.leaves_out_no_effect(f)]
    if not clear:
        return f"None of {count(len(changes))} comparisons shows a clear change of the opportunity penalty."
    said = "; ".join(sentences.short_change(finding) for finding in clear)
    others = len(changes) - len(clear)
    rest = {0: "", 1: " The other comparison is not clear."}.get(
        others, f" The other {count(others)} comparisons are not clear."
    )
    verb = "is" if len(clear) == 1 else "are"
    return f"{count(len(clear))} of {count(len(changes))} comparisons {verb} clear: {said}.{rest}"


def _undecided(findings: Sequence[Finding]) -> str:
    """That no simulated audit came to a decision, where that is so."""
    found = {finding.measure: finding for finding in findings}
    decided, duration = found.get("decided_audits"), found.get("audit_duration")
    if decided is None or duration is None or decided.estimate != 0:
        return ""
    steps = count(int(duration.details["longest"]))
    return f"No audit came to a decision within {steps} steps. Such an audit certifies nothing."


def _nothing_beyond(number: dict[Verdict, int], checks: int, simulated: bool) -> str:
    within = number[Verdict.WITHIN_TOLERANCE]
    if within == checks:
        subject = (
            "The one check is within its limit"
            if checks == 1
            else f"All {count(checks)} checks are within their limits"
        )
        if simulated:
            return f"{subject}. This is about the method of the audit, and says nothing of a system."
        return (
            f"{subject}. This is about these measures, this data and these limits; "
            "it does not show that the system is fair."
        )
    open_verdicts = [
        f"{count(number[verdict])} {_be(verdict, number[verdict])}{verdicts.WORDS[verdict]}"
        for verdict in ORDER
        if number[verdict]
    ]
    listed = ", ".join(open_verdicts)
    if within == 0:
        if checks == 1:
            return "The one check could not be decided. That is not a pass."
        return f"None of {count(checks)} checks could be decided ({listed}). That is not a pass."
    return (
        f"None of {count(checks)} checks is shown to be beyond its limit, but not all could be decided: "
        f"{listed}. What is not decided is not a pass."
    )


def _be(verdict: Verdict, number: int) -> str:
    """ "is ", "are ", or nothing where the words of a verdict have a verb of their own."""
    return "" if verdict is Verdict.NOT_APPLICABLE else "is " if number == 1 else "are "


def key_results(findings: Sequence[Finding]) -> list[Finding]:
    """Findings that answer the question by themselves: the outcome of an A/B test, a confirmed gap."""
    unsaid = (None, Verdict.WITHIN_TOLERANCE)  # any other stands in the list of what wants attention
    of_all = {f.measure for f in findings if "group" not in f.subject}
    return [
        f
        for f in findings
        if measure(f.measure).key_result
        and f.estimate is not None
        and f.verdict in unsaid
        # What is said of everybody is not said again of each group.
        and not ("group" in f.subject and f.measure in of_all)
    ]


def further_results(findings: Sequence[Finding]) -> list[Finding]:
    """The key results that the headline does not say."""
    # What is clear is said first.
    found = sorted(key_results(findings), key=lambda finding: not sentences.leaves_out_no_effect(finding))
    return found[1:] if found and headline(findings) == sentences.sentence(found[0]) else found


def asides(findings: Sequence[Finding]) -> list[str]:
    """What the counts leave out: a clear difference of unclear size, no tolerance, suppressed findings."""
    if not judged(findings):
        return _unjudged(findings)
    notes = []
    undecided = [f for f in findings if f.verdict is Verdict.INCONCLUSIVE and not f.doubts]
    clear = [
        (f.p_value, place)
        for place, f in enumerate(findings)
        if f.tolerance is None
        and f.p_value is not None
        and f.p_value < 0.05
        and not measure(f.measure).check
        # A test speaks of what is undecided only where that is about the same thing, or a part of it.
        and any(g.audit == f.audit and g.subject.items() >= f.subject.items() for g in undecided)
    ]
    if clear and not any(finding.verdict is Verdict.VIOLATION for finding in findings):
        p, place = min(clear)
        there = f"There is a difference {_of_whom(findings[place])} ({p_value(p)})"
        notes.append(f"{there}; whether it is beyond the limit is not decided.")
    notes += _doubted(findings)
    silent = sum(finding.verdict is None for finding in findings)
    if silent and silent < len(findings):
        notes.append(
            "1 other number has no limit." if silent == 1 else f"{count(silent)} other numbers have no limit."
        )
    within = [finding for finding in findings if finding.verdict is Verdict.WITHIN_TOLERANCE]
    unseen = dict.fromkeys(exclusion for finding in within for exclusion in finding.excluded)
    if unseen:
        listed = "; ".join(verdicts.left_out(exclusion) for exclusion in unseen)
        notes.append(f"What is within its limit says nothing about what was left out: {listed}.")
    return notes + _corrected(findings) + _hidden(findings)


def _of_whom(finding: Finding) -> str:
    """ "among users by gender, in mrr@5", "for women"."""
    said = short_who(finding)
    metric = finding.about.get("metric")
    whom = f"for {said}" if is_of_group(finding) else f"among {said}"
    return f"{whom}, in {metric}" if metric else whom


def _corrected(findings: Sequence[Finding]) -> list[str]:
    """That intervals of several comparisons hold all at once."""
    numbers = {
        int(f.details["comparisons"])
        for f in findings
        if f.measure == "reo_difference" and "comparisons" in f.details
    }
    return [
        f"Intervals and p-values are corrected for {count(number)} comparisons: they hold for all at once."
        for number in sorted(numbers)
    ]


def _doubted(findings: Sequence[Finding]) -> list[str]:
    doubts = dict.fromkeys(doubt for finding in findings for doubt in finding.doubts)
    return [f"Some of it cannot be decided either way: {'; '.join(doubts)}."] if doubts else []


def _unjudged(findings: Sequence[Finding]) -> list[str]:
    """Beside an answer without verdicts: that nobody asked for any, and what could not be computed."""
    notes = _doubted(findings)
    if key_results(findings) and not all(audit(finding.audit).simulated for finding in findings):
        notes.append("No limit was set, so there are numbers and no verdicts.")
    reasons = Counter(
        sentences.why_not(f) for f in findings if f.estimate is None and f.state != "suppressed"
    )
    notes += [f"{_findings(number)} not computed: {why}." for why, number in reasons.most_common(_REASONS)]
    if len(reasons) > _REASONS:
        left = sum(reasons.values()) - sum(number for _, number in reasons.most_common(_REASONS))
        notes.append(f"{_findings(left)} not computed for other reasons, which stand beside them.")
    return notes + _corrected(findings) + _hidden(findings)


def _hidden(findings: Sequence[Finding]) -> list[str]:
    hidden = sum(finding.state == "suppressed" for finding in findings)
    if not hidden:
        return []
    return [
        f"{_findings(hidden)} not shown: a group is very small, or one would follow from it. Merge small "
        "groups, or take more data."
    ]


def hidden_below(findings: Sequence[Finding], min_cell: int) -> str:
    """Which groups are too small to be shown, and whether any is."""
    hidden = sum(finding.state == "suppressed" for finding in findings)
    if min_cell <= 1 and not hidden:
        return "Nothing was hidden, of however few people it tells."
    here = "none is" if not hidden else "1 is" if hidden == 1 else f"{count(hidden)} are"
    return (
        f"Findings that tell of fewer than {min_cell} people (rows, where no column says whose they are) are "
        f"hidden; here {here}."
    )


def _findings(number: int) -> str:
    return "1 finding is" if number == 1 else f"{count(number)} findings are"


def ranked_by_concern(findings: Sequence[Finding]) -> list[Finding]:
    """The over-served last; before them named groups, then overall measures, each the furthest first.

    Over days a group is one of many lines, so there the overall measures come first.
    """

    def concern(finding: Finding) -> tuple[bool, bool, bool, float]:
        no_effect = measure(finding.measure).no_effect or 0.0
        away = 0.0 if finding.estimate is None else finding.estimate - no_effect
        served_better = finding.harm == "outside" and away > 0
        of_group, of_days = "group" in finding.subject, finding.audit == "series"
        return served_better, not of_group or of_days, of_group and of_days, -abs(away)

    return sorted(findings, key=concern)


def by_verdict(findings: Sequence[Finding]) -> list[tuple[Verdict, list[Finding]]]:
    """The findings of each verdict that wants attention, the most concerning first."""
    if not judged(findings):
        return []
    return [
        (verdict, ranked_by_concern(chosen))
        for verdict in ORDER
        if verdict is not Verdict.WITHIN_TOLERANCE
        and (chosen := [finding for finding in findings if finding.verdict is verdict])
    ]
