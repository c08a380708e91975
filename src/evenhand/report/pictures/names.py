"""Names of groups in a picture: short, each once, in two lines where they are long."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from evenhand.report.pictures.picture import NARROW

# Letters of a name that a picture has room for in any place; its rows have it whole.
_LONGEST = 60
# Letters that a line of a label has room for, on a telephone and elsewhere.
_NARROW_LABEL, _WIDE_LABEL = 17, 40


def shortened(name: str) -> str:
    """A name that has room in a picture."""
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1].rstrip() + "…"


def distinct(labels: Sequence[str]) -> list[str]:
    """Names of rows in a picture, short and each once: a second "other" becomes "other (2)"."""
    seen: Counter[str] = Counter()
    result = []
    for label in map(shortened, labels):
        seen[label] += 1
        result.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return result


def in_two_lines(labels: Sequence[str]) -> dict[str, Any]:
    """Long labels broken in two: cut off at one length, several would look the same."""
    told = [
        {label: wrap(label, letters, max_lines=2, placeholder=" …") or [label] for label in labels}
        for letters in (_NARROW_LABEL, _WIDE_LABEL)
    ]
    narrow, wide = (f"({json.dumps(lines)})[datum.value]" for lines in told)
    # The first line stands in the middle of its row: where most have two, half a line higher.
    raised = [-6 if 2 * sum(len(some) > 1 for some in lines.values()) > len(lines) else 0 for lines in told]
    return {
        "labelExpr": f"{NARROW} ? {narrow} : {wide}",
        "labelOffset": alt.ExprRef(f"{NARROW} ? {raised[0]} : {raised[1]}"),
        "labelLineHeight": 12,
    }
