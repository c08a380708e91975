"""The small picture beside a number: its interval against the tolerance, as SVG that needs no script.

Horizontal places are percentages, so the strip fits any width while its text keeps its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.findings import Finding
from evenhand.report.pictures.scale import drawn_range, tolerated
from evenhand.report.vocabulary.names import measure
from evenhand.report.words import sentences, verdicts


@dataclass(frozen=True)
class Mark:
    """A place on the strip with its label, anchored so that the text stays inside the picture."""

    x: float
    label: str

    @property
    def anchor(self) -> Literal["start", "middle", "end"]:
        return "start" if self.x < 20 else "end" if self.x > 80 else "middle"


@dataclass(frozen=True)
class Strip:
    """Percentages of the width, from the left."""

    low: float
    high: float
    estimate: float
    band: tuple[float, float] | None
    edges: tuple[float, ...]
    tolerance: Mark | None
    no_effect: Mark | None
    key: str
    description: str


def strip(finding: Finding, together: Sequence[Finding] = ()) -> Strip | None:
    """The strip of a finding, or None where there is no interval to draw.

    Findings of one measure that stand `together` are drawn on one scale, so that lengths can be compared.
    """
    shown = sentences.value(finding)
    if shown is None or finding.interval is None:
        return None
    alike = [other for other in together if other.measure == finding.measure]
    least, most = drawn_range(alike or [finding])

    def place(value: float) -> float:
        # Rounded so that the file does not depend on the last bit of a division.
        return round(min(100.0, max(0.0, 100 * (value - least) / (most - least))), 2)

    zone = tolerated(finding, least, most)
    band = None if zone is None else (place(zone[0]), place(zone[1]))
    edges: tuple[float, ...] = ()
    label = None
    if finding.tolerance is not None and band is not None:
        edges = {"above": (band[1],), "below": (band[0],), "outside": band}[finding.harm]
        middle = (band[0] + band[1]) / 2 if finding.harm == "outside" else edges[0]
        sign = "±" if finding.harm == "outside" else ""
        label = Mark(middle, f"limit {sign}{sentences.figure(finding, finding.tolerance)}")
    no_effect = measure(finding.measure).no_effect
    return Strip(
        low=place(finding.interval.low),
        high=place(finding.interval.high),
        estimate=place(shown),
        band=band,
        edges=edges,
        tolerance=label,
        no_effect=None
        if no_effect is None
        else Mark(place(no_effect), f"no difference {sentences.figure(finding, no_effect)}"),
        key=finding.verdict or "none",
        description=f"Drawing of the interval. {sentences.sentence(finding)} {verdicts.reason(finding)}",
    )
