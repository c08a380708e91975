"""Maps: means of groups, who is shown to whom, pairs of groups, and how far measures agree."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Map
from evenhand.report.pictures.kinds import tiles
from evenhand.report.pictures.kinds.tiles import Tile
from evenhand.report.pictures.names import shortened
from evenhand.report.pictures.picture import Picture, Row, in_page_style
from evenhand.report.vocabulary.names import measure, spaced
from evenhand.report.words import sentences

# Where all agree more than this, a map of it would be one colour: the number alone says it.
_AGREE = 0.9
_MINUS = "\u2212"
# Where a tile has no room for a number, it has a sign instead.
_CHANCE = "In brackets, or with neither number nor sign: may be chance, all pairs at once. "


def of_map(finding: Finding, data: Map) -> Picture | None:
    """Every row with every column; None where there is nothing to see."""
    match data.of:
        case "mean":
            return of_means(finding, data)
        case "exposure":
            return of_exposure(data)
        case "correlation":
            return _of_agreement(data, "Agreement", _correlation_of(data))
        case "cosine":
            chosen = spaced(str(finding.details["method"]))
            said = (
                "How far different ways to find the direction agree (cosine; 1 is the same line). "
                f"The one that is used is {chosen}."
            )
            return _of_agreement(data, "Cosine", said)


def of_means(finding: Finding, heat: Map) -> Picture:
    """Means by two attributes. Colours say how far a group is from the mean of all."""
    known = [cell for cell in heat.cells if cell.value is not None]
    users = sum(cell.users or 1 for cell in known)
    middle = sum((cell.value or 0.0) * (cell.users or 1) for cell in known) / users
    cells = [
        Tile(c.row, c.column, c.value or 0.0, f"{c.value:.2f}", _sign((c.value or 0.0) - middle))
        for c in known
    ]
    made = tiles.drawn(
        cells,
        rows=spaced(heat.rows),
        columns=spaced(heat.columns),
        middle=middle,
        number=lambda v: f"{v:.2f}",
    )
    ends = sorted(cells, key=lambda cell: cell.value)
    better = finding.details.get("better") == "higher"
    return Picture(
        f"Mean {finding.subject.get('metric', '')} by {spaced(heat.rows)} (down) and {spaced(heat.columns)} "
        f"(across). Purple is below the mean of everybody, {'served worse' if better else 'served better'}; "
        f"green is above it. Small groups differ by chance. {made.left_out}".rstrip(),
        in_page_style(made.chart, made.height, f"Mean {finding.subject.get('metric', '')}".strip()),
        f"Map of {len(cells)} groups, from {_about(ends[0])} to {_about(ends[-1])}.",
        [
            {spaced(heat.rows): c.row, spaced(heat.columns): c.column, "mean": c.value, "users": c.users}
            for c in heat.cells
        ],
    )


def of_exposure(data: Map) -> Picture:
    """Every item group (across) to every user group (down), beside what relevance asks for."""
    known = [cell for cell in data.cells if cell.value is not None]
    cells = [_exposed(cell.row, cell.column, cell.value or 0.0, bool(cell.sure)) for cell in known]
    rows: list[Row] = [
        {
            "users": cell.row, "items": cell.column, "more or less than asked for": cell.value,
            "beyond chance": cell.sure, "users in the group": cell.users,
        }
        for cell in data.cells
    ]  # fmt: skip
    return _exposure(cells, rows, "")


def of_pairs_of_people_and_items(findings: Sequence[Finding]) -> Picture:
    """The same of the pairs that were reported, with which of them are beyond the limit."""
    cells, rows = [], []
    for finding in findings:
        people, items = _whom(finding, "users"), _whom(finding, "items")
        interval = finding.interval
        rows.append(
            {
                "users": people, "items": items, "more or less than asked for": finding.estimate,
                "low": None if interval is None else interval.low,
                "high": None if interval is None else interval.high,
                "limit": finding.tolerance, "verdict": finding.verdict,
            }
        )  # fmt: skip
        if finding.estimate is not None:
            sure = sentences.leaves_out_no_effect(finding)
            beyond = finding.verdict is Verdict.VIOLATION
            cells.append(_exposed(people, items, finding.estimate, sure, beyond))
    first = next(finding for finding in findings if finding.estimate is not None)
    limit = ""
    if first.tolerance is not None:
        limit = f"◆: beyond the limit of ±{sentences.figure(first, first.tolerance)}. "
    if len(cells) < len({tile.row for tile in cells}) * len({tile.column for tile in cells}):
        limit += "Empty: not among the pairs that were reported. "
    order = sorted({tile.row for tile in cells}), sorted({tile.column for tile in cells})
    cells.sort(key=lambda tile: (order[0].index(tile.row), order[1].index(tile.column)))
    return _exposure(cells, rows, limit)


def _whom(finding: Finding, whom: str) -> str:
    group = finding.about[whom]
    return ", ".join(map(str, group.values())) if isinstance(group, dict) else str(group)


def _exposed(people: str, items: str, share: float, sure: bool, beyond: bool = False) -> Tile:
    number = _percent(share)
    text = f"◆ {number}" if beyond else number if sure else f"({number})"
    return Tile(people, items, share, text, "◆" if beyond else _sign(share) if sure else "")


def _exposure(cells: Sequence[Tile], rows: Sequence[Row], limit: str) -> Picture:
    # Over-exposure has no end, under-exposure has one: what is beyond +60% is as dark as what is beyond -60%.
    made = tiles.drawn(cells, rows="users", columns="items", reach=1.0, number=_percent)
    ends = sorted(cells, key=lambda cell: cell.value)
    return Picture(
        "Item groups (across) to user groups (down): purple is shown less than relevance asks for, green "
        f"more. {limit}{_CHANCE}{made.left_out}".rstrip(),
        in_page_style(made.chart, made.height, "Shown, beside what relevance asks for"),
        f"Map of {len(cells)} pairs of groups, from {_about(ends[0])} to {_about(ends[-1])}.",
        rows,
    )


def of_pairs(findings: Sequence[Finding]) -> Picture:
    """Differences between groups, the row minus the column; groups in the order of their means."""
    known = [finding for finding in findings if finding.estimate is not None]
    differences = {
        (str(f.subject["first"]), str(f.subject["second"])): (
            f.estimate or 0.0, sentences.leaves_out_no_effect(f), f.verdict is Verdict.VIOLATION,
        )
        for f in known
    }  # fmt: skip
    both = differences | {(b, a): (-value, *more) for (a, b), (value, *more) in differences.items()}
    means: dict[str, list[float]] = {}
    for (name, _), (value, *_) in both.items():
        means.setdefault(name, []).append(value)
    names = sorted(means, key=lambda name: -sum(means[name]) / len(means[name]))
    reach = max(abs(value) for value, *_ in both.values()) or 1.0
    decimals = 2 if reach >= 0.1 else 3
    cells = []
    for row in names:
        for column in names:
            if (row, column) in both:
                value, sure, beyond = both[row, column]
                number = f"{value:+.{decimals}f}".replace("-", _MINUS)
                text = f"◆ {number}" if beyond else number if sure else f"({number})"
                cells.append(Tile(row, column, value, text, "◆" if beyond else _sign(value) if sure else ""))
    first = known[0]
    made = tiles.drawn(cells, order=names, number=lambda v: f"{v:+.{decimals + 1}g}".replace("-", _MINUS))
    toward = first.details.get("toward", "the positive end of the direction")
    limit = ""
    if first.tolerance is not None:
        limit = f"◆: beyond the limit of {sentences.figure(first, first.tolerance)}. "
    ends = sorted(cells, key=lambda cell: cell.value)
    return Picture(
        f"{measure(first.measure).title}, the row minus the column: green where the row lies further toward "
        f"{toward}, purple where the column does. {limit}{_CHANCE}"
        f"{made.left_out}".rstrip(),
        in_page_style(made.chart, made.height, measure(first.measure).title),
        f"Map of {len(known)} pairs of groups; the largest difference is {_about(ends[-1])}.",
        [
            {
                "first": f.subject["first"], "second": f.subject["second"], "first minus second": f.estimate,
                "low": None if f.interval is None else f.interval.low,
                "high": None if f.interval is None else f.interval.high,
                "limit": f.tolerance, "verdict": f.verdict,
            }
            for f in findings
        ],
    )  # fmt: skip


def _of_agreement(data: Map, title: str, said: str) -> Picture | None:
    """Numbers from -1 to 1, of every one with every other; None where all agree."""
    known = [cell for cell in data.cells if cell.value is not None]
    values = [cell.value or 0.0 for cell in known if cell.row != cell.column]
    if not values or min(values) >= _AGREE:
        return None
    cells = [
        Tile(_spoken(data, c.row), _spoken(data, c.column), c.value or 0.0, _two(c.value or 0.0))
        for c in known
    ]
    made = tiles.drawn(cells, reach=1.0, number=lambda v: f"{v:+.1f}".replace("-", _MINUS))
    least = min((cell for cell in cells if cell.row != cell.column), key=lambda cell: cell.value)
    return Picture(
        f"{said} {made.left_out}".rstrip(),
        in_page_style(made.chart, made.height, title),
        f"Map of how {len({cell.row for cell in cells})} agree; the least is {_about(least)}.",
        [{"first": cell.row, "second": cell.column, "agreement": cell.value} for cell in data.cells],
    )


def _correlation_of(data: Map) -> str:
    if data.part:
        return (
            f"How far the measures put settings in the same order by {data.part} (Kendall's correlation; 1 "
            "is the same order)."
        )
    return "How far the metrics put groups in the same order (rank correlation; 1 is the same order)."


def _spoken(data: Map, name: str) -> str:
    """Ways have names for machines, metrics those that were asked for."""
    return spaced(name) if data.of == "cosine" else name


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", _MINUS)


def _sign(value: float) -> str:
    return "+" if value > 0 else _MINUS if value < 0 else ""


def _percent(share: float) -> str:
    return f"{share:+.0%}".replace("-", _MINUS)


def _about(tile: Tile) -> str:
    return f"{shortened(tile.row)} with {shortened(tile.column)}: {tile.text}"
