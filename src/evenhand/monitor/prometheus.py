"""What a monitor found, as Prometheus reads it: a line a number, by finding.

The last look alone is a text file for the textfile collector, which takes no times: when the look was made,
and of which day it is, are numbers of their own. All looks are OpenMetrics with the time of each day, to be
imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from evenhand.files import write_together
from evenhand.findings import Finding, Verdict
from evenhand.monitor.page.model import Point, Watch
from evenhand.report.pictures.scale import limits

Labels = Mapping[str, str]
# A number, its labels, and the time at which it was so, in seconds; None: now.
Sample = tuple[Labels, float, float | None]

HELP = {
    "evenhand_estimate": "What a followed finding was estimated to be.",
    "evenhand_low": "The lower end of its interval.",
    "evenhand_high": "The upper end of its interval.",
    "evenhand_limit": "Where what was agreed to be acceptable ends; harm lies below it or above it.",
    "evenhand_verdict": "1 for the verdict that a finding has, 0 for those that it has not.",
    "evenhand_flag_open": "1 for each flag that is open.",
    "evenhand_flags_open": "How many flags are open.",
    "evenhand_last_day_timestamp_seconds": "The day of the last look, at midnight UTC.",
    "evenhand_look_timestamp_seconds": "When the last look was made.",
}
# On which side of its limits harm lies.
_SIDES = {"above": ("above",), "below": ("below",), "outside": ("below", "above")}


def text(watch: Watch) -> str:
    """The last look in the text format of Prometheus, without times."""
    return "".join(_family(name, samples) for name, samples in _now(watch).items())


def history(watch: Watch) -> str:
    """Every look as OpenMetrics, each day with its time."""
    times = {label: _midnight(label) for label in watch.days}
    samples: dict[str, list[Sample]] = {name: [] for name in HELP}
    for identifier, finding in watch.findings.items():
        for label, point in watch.points[identifier].items():
            for name, labels, value in _of_finding(watch, finding, point):
                samples[name].append((labels, value, times[label]))
    # Those of one series stand together, in the order of time.
    for of in samples.values():
        of.sort(key=lambda one: (sorted(one[0].items()), one[2]))
    return "".join(_family(name, of) for name, of in samples.items() if of) + "# EOF\n"


def write(watch: Watch, path: Path, *, whole: bool = False) -> Path:
    """Write the last look, or all of them, into a file that is there in full or not at all."""
    return write_together(path.parent, {path.name: history(watch) if whole else text(watch)})[path.name]


def _now(watch: Watch) -> dict[str, list[Sample]]:
    samples: dict[str, list[Sample]] = {name: [] for name in HELP}
    for finding in watch.latest.findings:
        point = watch.points[finding.id].get(watch.last_day)
        if point is not None:
            for name, labels, value in _of_finding(watch, finding, point):
                samples[name].append((labels, value, None))
    of = {"monitor": watch.name}
    samples["evenhand_flag_open"] = [
        ({**of, "rule": one.rule, "flag": one.name, "finding": one.finding}, 1.0, None)
        for one in watch.open_flags
    ]
    samples["evenhand_flags_open"] = [(of, float(len(watch.open_flags)), None)]
    samples["evenhand_last_day_timestamp_seconds"] = [(of, _midnight(watch.last_day), None)]
    if watch.looked_at is not None:
        samples["evenhand_look_timestamp_seconds"] = [(of, watch.looked_at, None)]
    return {name: found for name, found in samples.items() if found}


def _of_finding(watch: Watch, finding: Finding, point: Point) -> Iterator[tuple[str, Labels, float]]:
    """Every number of a finding on a day. `who` is its group as the data has it: words may change."""
    labels = {
        "monitor": watch.name,
        "question": finding.question,
        "audit": finding.audit,
        "measure": finding.measure,
        "who": str(finding.subject.get("group", "")),
        "finding": finding.id,
    }
    numbers = {"estimate": point.estimate, "low": point.low, "high": point.high}
    for name, value in numbers.items():
        if value is not None:
            yield f"evenhand_{name}", labels, value
    if point.estimate is not None:
        for side, limit in zip(_SIDES[finding.harm], limits(finding), strict=False):
            yield "evenhand_limit", {**labels, "side": side}, limit
    if point.verdict is not None:
        for verdict in map(str, Verdict):
            yield "evenhand_verdict", {**labels, "verdict": verdict}, float(verdict == point.verdict)


def _family(name: str, samples: list[Sample]) -> str:
    head = f"# HELP {name} {HELP[name]}\n# TYPE {name} gauge\n"
    return head + "".join(_line(name, *sample) for sample in samples)


def _line(name: str, labels: Labels, value: float, at: float | None) -> str:
    told = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    number = f"{value:.0f}" if value.is_integer() else f"{value!r}"
    return f"{name}{{{told}}} {number}{'' if at is None else f' {at:.0f}'}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _midnight(label: str) -> float:
    return datetime.fromisoformat(label).replace(tzinfo=UTC).timestamp()
