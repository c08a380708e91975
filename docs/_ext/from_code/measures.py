"""Every measure that a report can have, from its vocabulary; its calibration from the list of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from evenhand.report.vocabulary.measure import SHOWN, Measure
from evenhand.report.vocabulary.names import rooms
from evenhand.report.vocabulary.questions import QUESTIONS
from evenhand.report.vocabulary.room import Room
from from_code.markdown import anchored, code, plain, table

_CALIBRATION = Path(__file__).parents[2] / "evidence" / "calibration" / "index.md"
_ROW = re.compile(r"^\| `(?P<measure>\w+)` \| (?P<test>[^|]+) \| (?P<weak>[^|]*) \|$", re.MULTILINE)
# The pages that explain the measures of a question.
_FORMULAS = {
    **{name: (name,) for name in QUESTIONS},
    "embeddings": ("embeddings", "leakage"),
    "mitigation": ("re-ranking", "erasure"),
}
# What a unit is, where its name alone does not say it.
UNITS = {
    "share": "a share: 1 is all; written in percent",
    "points": "the difference of two shares, written in percentage points",
    "ratio": "a ratio: 1 is as much",
    "rate": "how often, in a request or as a ratio to others",
    "sd": "standard deviations",
    "metric": "units of the metric that was asked for",
    "utility": "units of utility, as the preferences have it",
    "cosine": "a mean cosine, or the difference of two",
    "correlation": "a correlation",
    "statistic": "a test statistic",
    "squared exposure": "squared exposure; written as its root, in percent of a top place",
    "steps": "steps, each a recommendation",
    "days": "days",
}


def of_question(name: str) -> Iterator[tuple[Room, str, Measure]]:
    """The measures of the rooms that help to answer a question; mitigations stand by themselves."""
    for room in rooms():
        mitigates = any(audit.startswith("mitigate") for audit in room.audits)
        served = {audit.serves for audit in room.audits.values()}
        if (name == "mitigation") if mitigates else (name in served and name == _main(room)):
            for measure, said in room.measures.items():
                yield room, measure, said


def _main(room: Room) -> str:
    """The question that most audits of a room serve."""
    served = [audit.serves for audit in room.audits.values()]
    return max(served, key=served.count)


def listed() -> str:
    """All measures, a row each."""
    parts = []
    for name, question in {**QUESTIONS, "mitigation": "What did a mitigation do?"}.items():
        rows = [
            (f"[{code(measure)}]({name}.md#{anchor(measure)})", said.title, unit(said))
            for _, measure, said in of_question(name)
        ]
        parts += [f"## {question}\n", table(["measure", "called", "unit"], rows)]
    return "\n".join(parts)


def anchor(measure: str) -> str:
    return f"measure-{measure.lower().replace('_', '-')}"


def unit(measure: Measure) -> str:
    return measure.unit or SHOWN[measure.show]


def text(question: str) -> str:
    return "\n".join(_entry(question, *entry) for entry in of_question(question))


def _entry(question: str, room: Room, name: str, said: Measure) -> str:
    rows = [
        ("in findings", code(name)),
        ("unit", UNITS[unit(said)]),
        ("all is equal at", _number(said.no_effect)),
        ("can be", _range(said)),
        ("reads", _reads(said)),
        (
            "headline of",
            ", ".join(code(audit) for audit, words in room.audits.items() if words.headline == name),
        ),
        ("formula", ", ".join(f"[{page}](../../explain/{page}.md)" for page in _FORMULAS[question])),
        ("calibration", _calibration(name)),
    ]
    return "\n".join(
        [
            anchored(anchor(name), said.title, 2),
            f"{plain(said.definition)}\n",
            "".join(f"- {what}: {is_}\n" for what, is_ in rows if is_),
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _range(said: Measure) -> str:
    low = "" if said.least is None else f"at least {said.least:g}"
    high = "" if said.most is None else f"at most {said.most:g}"
    return ", ".join(filter(None, [low, high]))


def _reads(said: Measure) -> str:
    """The words for what lies below and above the value at which all is equal."""
    if said.check:
        return "a check of the data: it says nothing of fairness"
    if said.directions is None:
        return ""
    below, above = said.directions
    return f"below: “{below}”, above: “{above}”"


@cache
def _calibrations() -> dict[str, tuple[str, str]]:
    found = _ROW.findall(_CALIBRATION.read_text(encoding="utf-8"))
    return {measure: (test.strip(), weak.strip()) for measure, test, weak in found}


def _calibration(name: str) -> str:
    test, weak = _calibrations()[name]
    weak = re.sub(r"\]\((?!https?:)", "](../../evidence/calibration/", weak)
    return f"{test}{f'; weak where: {weak}' if weak else ''}"
