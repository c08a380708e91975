"""What a verdict is called, why it is what it is, and what was left out of it."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.findings import Exclusion, Finding, Verdict
from evenhand.report.vocabulary.names import capital
from evenhand.report.words import numbers
from evenhand.report.words.sentences import is_counted

WORDS: Mapping[Verdict | None, str] = {
    Verdict.VIOLATION: "beyond the limit",
    Verdict.INCONCLUSIVE: "not decided",
    Verdict.NOT_APPLICABLE: "could not be computed",
    Verdict.WITHIN_TOLERANCE: "within the limit",
    None: "no limit set",
}

# A verdict is told by word and shape, so that nothing hangs on colour.
SHAPES: Mapping[Verdict | None, str] = {
    Verdict.VIOLATION: "◆",
    Verdict.INCONCLUSIVE: "○",
    Verdict.NOT_APPLICABLE: "–",
    Verdict.WITHIN_TOLERANCE: "●",
    None: "□",
}

MEANINGS: Mapping[Verdict | None, str] = {
    Verdict.VIOLATION: "The whole interval is beyond the limit.",
    Verdict.INCONCLUSIVE: (
        "The interval reaches both sides of the limit, or part of the question cannot be answered from this "
        "data. It is not a pass. Where it can be said, the report says how much more data would decide."
    ),
    Verdict.NOT_APPLICABLE: "The measure could not be computed or is not shown; the reason stands beside it.",
    Verdict.WITHIN_TOLERANCE: "The whole interval is within the limit.",
    None: "Nobody said how much would be acceptable, so there is a number and no verdict.",
}
# From here on a range of how much more data would decide says little.
_WIDE = 10


def reason(finding: Finding) -> str:
    """Why the verdict is what it is."""
    verdict = finding.verdict
    if verdict is None:
        against = f" Nor could there be one: {'; '.join(finding.doubts)}." if finding.doubts else ""
        return f"No limit was set, so there is no verdict.{against}"
    if verdict is Verdict.NOT_APPLICABLE:
        return "There is no estimate, so nothing can be said either way."
    if verdict is Verdict.VIOLATION:
        return f"{_what_lies(finding)} beyond the limit."
    if verdict is Verdict.WITHIN_TOLERANCE:
        return f"{_what_lies(finding)} within the limit."
    across = " The interval reaches both sides of the limit." if finding.open_to_data else ""
    return f"Not decided.{across} {what_would_decide(finding)}"


def _what_lies(finding: Finding) -> str:
    return "The number was counted, and lies" if is_counted(finding.interval) else "The whole interval lies"


def what_would_decide(finding: Finding) -> str:
    """How much more data an inconclusive finding needs, or why more would not help."""
    if finding.interval is None:
        return "There is no interval to decide by."
    if finding.doubts:
        return f"It cannot be decided either way: {'; '.join(finding.doubts)}."
    blind = [exclusion for exclusion in finding.excluded if exclusion.unidentified]
    if blind:
        names = "; ".join(f"{exclusion.what} ({exclusion.why})" for exclusion in blind)
        return f"The data cannot speak about {names}; only data about it can."
    needed = finding.more_data
    if needed is None:
        return "It is not known how much more would decide."
    what = "as much data" if needed.of == "data" else f"as many {needed.of}"
    if needed.low > 1 and needed.times > _WIDE * needed.low:
        least, most = (numbers.times(end, end).removeprefix("about ") for end in (needed.low, needed.times))
        many = what.removesuffix(f" {needed.of}")
        return (
            f"It would take at least {least} {what}, and perhaps {most} {many}, to decide it; more, if the "
            "truth is nearer to the limit than the estimate."
        )
    return capital(
        f"{numbers.times(needed.low, needed.times)} {what} would probably decide it; more, if the truth is "
        "nearer to the limit than the estimate."
    )


def exclusion(exclusion: Exclusion) -> str:
    blind = " The data cannot speak about this." if exclusion.unidentified else ""
    return f"Left out: {left_out(exclusion)}. Reason: {exclusion.why.rstrip('.')}.{blind}"


def left_out(exclusion: Exclusion) -> str:
    """What was left out, and how many, where that may be shown: "3 groups of fewer than 20 users (41)"."""
    count = "" if exclusion.count is None else f" ({numbers.count(exclusion.count)})"
    return f"{exclusion.what}{count}"
