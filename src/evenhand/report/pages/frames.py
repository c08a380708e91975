"""Findings as tables for programs (pandas) and for papers (Markdown, LaTeX), and two results side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from evenhand.about import WHOM
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.pictures import Blank, Day
from evenhand.report.pages import tables
from evenhand.report.pages.tables import POSITIVES
from evenhand.report.words import legible, sentences

if TYPE_CHECKING:
    import pandas as pd

Rows = Literal["findings", "groups", "days"]
_LIMITS = ("low", "high", "level", "method", "validity")
_NUMBERS = (
    "estimate",
    "low",
    "high",
    "low_alone",
    "high_alone",
    "level",
    "tolerance",
    "more_data",
    "p_value",
)
_NOTHING = Finding(audit="", measure="", estimate=None)
_HEAD = ("Measure", "About", "Estimate", "Interval", "Tolerance", "Verdict")
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\|`*[]"} | {"<": "&lt;"})
_LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "±": r"$\pm$",
        "≤": r"$\leq$", "≥": r"$\geq$", "−": "$-$", "–": "--", "→": r"$\to$", "<": r"$<$", ">": r"$>$",
    }
)  # fmt: skip


def frame(findings: Sequence[Finding], rows: Rows) -> pd.DataFrame:
    """One row a finding, a group or a day."""
    import pandas as pd

    if rows not in get_args(Rows):
        raise InputError(f"rows is {rows!r}, but must be one of {', '.join(get_args(Rows))}.")
    made = list({"findings": _rows, "groups": _groups, "days": _days}[rows](findings))
    # Where there is no row there are columns all the same, for programs that ask for them.
    empty = _day(_NOTHING, Blank(day="")) if rows == "days" else _row(_NOTHING, {})
    told = pd.DataFrame(made, columns=None if made else list(empty))
    whole = [name for name in ("n", *POSITIVES) if name in told]
    numeric = [name for name in _NUMBERS if name in told]
    return told.astype(dict.fromkeys(numeric, "float64") | dict.fromkeys(whole, "Int64"))


def _rows(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    keys = dict.fromkeys(key for finding in findings for key in finding.subject)
    return (_row(finding, {f"about_{key}": finding.subject.get(key) for key in keys}) for finding in findings)


def _groups(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """Findings about a group, with a column for each attribute of creators, users and items."""
    chosen = [finding for finding in findings if any(whom in finding.about for whom in WHOM)]
    spread = [_spread(finding) for finding in chosen]
    keys = dict.fromkeys(key for each in spread for key in each)
    for finding, each in zip(chosen, spread, strict=True):
        yield _row(finding, {key: each.get(key) for key in keys})


def _spread(finding: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, value in finding.about.items():
        if key in WHOM and isinstance(value, dict):
            told |= {f"{key}_{attribute}": of for attribute, of in value.items()}
        elif key != "by":
            told[f"about_{key}"] = finding.subject[key]
    return told


def _row(finding: Finding, about: Mapping[str, Any]) -> dict[str, Any]:
    interval = finding.interval
    return {
        "id": finding.id,
        "question": finding.question,
        "audit": finding.audit,
        "measure": finding.measure,
        **about,
        "estimate": finding.estimate,
        "unit": finding.unit,
        **{name: None if interval is None else getattr(interval, name) for name in _LIMITS},
        "tolerance": finding.tolerance,
        "harm": finding.harm,
        "verdict": None if finding.verdict is None else finding.verdict.value,
        "more_data": None if finding.more_data is None else finding.more_data.times,
        "p_value": finding.p_value,
        "n": None if finding.n is None else finding.n.count,
        "n_of": None if finding.n is None else finding.n.of,
        **{name: finding.details[name] for name in POSITIVES if name in finding.details},
        "family": None if finding.family is None else finding.family.name,
        "state": finding.state,
        "doubts": "; ".join(finding.doubts),
        "warnings": "; ".join(finding.warnings),
    }


def _days(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """Each day, or week, of what was followed over time."""
    for finding in findings:
        for day in () if finding.series is None else finding.series.days:
            yield _day(finding, day)


def _day(finding: Finding, day: Day | Blank) -> dict[str, Any]:
    return {
        "id": finding.id,
        "measure": finding.measure,
        **{f"about_{key}": value for key, value in finding.subject.items()},
        "unit": finding.unit,
        "day": day.day,
        "estimate": day.estimate,
        **{key: getattr(day, key, None) for key in ("low", "high")},
        "low_alone": day.fixed.low if isinstance(day, Day) else None,
        "high_alone": day.fixed.high if isinstance(day, Day) else None,
        "tolerance": finding.tolerance,
        "verdict": getattr(day, "verdict", None),
        "n": day.n,
    }


def stored(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as a file can hold it, whose columns are of one kind: names and numbers in one column, such
    as the temperatures 1.0 and "static", are text there."""
    mixed = [
        name
        for name in frame.columns
        if frame[name].dtype == object and len({isinstance(one, str) for one in frame[name].dropna()}) > 1
    ]
    return frame.assign(
        **{name: frame[name].map(lambda one: one if one is None else str(one)) for name in mixed}
    )


def difference(before: Sequence[Finding], after: Sequence[Finding]) -> pd.DataFrame:
    """One row a finding of either result, those of the later one first."""
    import pandas as pd

    old, new = ({finding.id: finding for finding in findings} for findings in (before, after))
    columns = [
        "id", "change", "estimate_before", "estimate", "difference", "verdict_before", "verdict", "apart"
    ]  # fmt: skip
    rows = [_changed(key, old.get(key), new.get(key)) for key in dict.fromkeys((*new, *old))]
    told = pd.DataFrame(rows, columns=columns)
    return told.astype(dict.fromkeys(("estimate_before", "estimate", "difference"), "float64"))


def _changed(key: str, old: Finding | None, new: Finding | None) -> tuple[Any, ...]:
    was, now = (None if finding is None else finding.estimate for finding in (old, new))
    verdicts = [None if one is None or one.verdict is None else one.verdict.value for one in (old, new)]
    apart = None
    if old is not None and new is not None and old.interval is not None and new.interval is not None:
        apart = old.interval.high < new.interval.low or new.interval.high < old.interval.low
    if old is None or new is None:
        change = "new" if old is None else "gone"
    elif verdicts[0] != verdicts[1]:
        change = "verdict"
    else:
        change = "same" if was == now else "number"
    moved = None if was is None or now is None else now - was
    return key, change, was, now, moved, *verdicts, apart


def markdown(findings: Sequence[Finding]) -> str:
    """A table that any Markdown renders."""
    lines = [_HEAD, tuple("---" for _ in _HEAD), *_said(findings)]
    escaped = ([cell.translate(_MARKDOWN) for cell in line] for line in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in escaped)


def latex(findings: Sequence[Finding]) -> str:
    """A table for a paper, with the rules of booktabs."""

    def line(cells: Iterable[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

    body = [line(cells) for cells in _said(findings)]
    return "\n".join(
        [r"\begin{tabular}{llrrrl}", r"\toprule", line(_HEAD), r"\midrule", *body, r"\bottomrule",
         r"\end{tabular}", ""]
    )  # fmt: skip


def _said(findings: Sequence[Finding]) -> Iterator[tuple[str, ...]]:
    for finding in findings:
        row = tables.row(finding)
        cells = row.label, sentences.place(finding), row.estimate, row.interval, row.tolerance, row.verdict
        yield tuple(map(legible.line, cells))  # names from data may break lines
