"""Pictures of online audits: bounds of policies as they close, how long audits take, what alpha does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from evenhand.pictures import Arm, Bounds, Lines
from evenhand.report.pictures.palette import DASHES, SERIES
from evenhand.report.pictures.picture import Picture, below, data, in_page_style
from evenhand.report.words.numbers import count

OUTCOMES = {
    "envy": "there is envy",
    "no_envy": "no other policy is left: no envy",
    "inconclusive": "the audit ends undecided",
    None: "the audit was not over, but is drawn no further",
}
_OWN = "the user's own"
# How many times longer the audit is than the first part of it that is not drawn.
_DRAWN_TIMES = 300
_STEPS = alt.Axis(format="~s", tickCount=5, grid=False)


_OF_MEANS = (
    "the upper and the lower bound of each policy's mean reward (a band for the user's own), and the truth "
    "as a diamond. A policy is settled when its upper bound falls to the dashed line, epsilon above the "
    "lower bound of the user's own; there is envy when its lower bound rises above the band."
)
_OF_DIFFERENCES = (
    "between which bounds each policy's mean reward lies above that of the user's own (the line at 0), and "
    "the truth as a diamond. A policy is settled when it is clearly below the dashed line, epsilon above "
    "the user's own; there is envy when one is clearly above 0. What decides is sharper than these bounds."
)


def arms_over_time(audit: Bounds) -> Picture:
    """The upper and the lower bound of each policy; between those of the user's own, a band."""
    labels = [_label(arm) for arm in audit.arms]
    named = list(zip(audit.arms, labels, strict=True))
    # The first steps say little and would take most of a logarithmic axis.
    since = max(1, audit.steps // _DRAWN_TIMES)
    points: list[dict[str, Any]] = [
        {"step": step, "low": low, "high": high, "label": label}
        for arm, label in named
        for step, low, _, high in arm.bounds
        if step >= since or len(arm.bounds) == 1
    ]
    own = [point for point in points if point["label"] == _OWN]
    limit = [{"step": point["step"], "limit": point["low"] + audit.epsilon} for point in own]
    truth = [
        {"step": max(since, arm.bounds[-1][0]), "mean": arm.mean, "label": label} for arm, label in named
    ]
    # The user's own policy is in the colour of the text, the others in colours.
    colours = [SERIES[0], *(SERIES[1 + place % (len(SERIES) - 1)] for place in range(len(labels) - 1))]
    dashes = [DASHES[place % len(DASHES)] for place in range(len(labels))]
    legend = below(labels, symbolType="stroke", symbolStrokeWidth=3, symbolSize=300)
    stroke = alt.Stroke("label:N", scale=alt.Scale(domain=labels, range=colours), sort=None, legend=legend)
    dash = alt.StrokeDash("label:N", scale=alt.Scale(domain=labels, range=dashes), sort=None, legend=legend)
    x = alt.X(
        "step:Q", title="steps (recommendations to the user)", axis=_STEPS,
        scale=alt.Scale(type="log", nice=False, domain=[since, max(audit.steps, since + 1)]),
    )  # fmt: skip
    differences = audit.differences
    unit = alt.Scale(domain=[-1, 1] if differences else [0, 1])
    title = "Mean reward above the user's own" if differences else "Mean reward"
    y = alt.Y("low:Q", title=None, scale=unit, axis=alt.Axis(grid=True, tickCount=5))
    band = alt.Chart(data(own)).mark_area(fill="var(--band)", interpolate="step-after")
    dashes = alt.Chart(data(limit)).mark_line(
        stroke="var(--ink)", strokeDash=[3, 3], strokeWidth=1, interpolate="step-after"
    )
    bounds = alt.Chart(data(points)).mark_line(strokeWidth=2, interpolate="step-after")
    diamonds = alt.Chart(data(truth)).mark_point(
        size=70, shape="diamond", strokeWidth=2, opacity=1, fill="var(--paper)"
    )
    chart = alt.layer(
        band.encode(x=x, y=y, y2="high:Q"),
        dashes.encode(x=x, y=alt.Y("limit:Q")),
        *(
            bounds.encode(x=x, y=alt.Y(f"{side}:Q"), stroke=stroke, strokeDash=dash)
            for side in ("low", "high")
        ),
        diamonds.encode(x=x, y=alt.Y("mean:Q"), stroke=stroke),
    )
    left_out = audit.others + 1 - len(labels)
    more = f" {left_out} more policies, shown less often, are left out." if left_out else ""
    told = _OF_DIFFERENCES if differences else _OF_MEANS
    return Picture(
        f"One audit, with the rewards of the first that was simulated: {told} "
        f"After step {count(audit.steps)} {OUTCOMES[audit.outcome]}.{more}",
        in_page_style(chart, 280, title),
        f"Bounds of {len(labels)} policies that close over {count(audit.steps)} steps: "
        f"{'; '.join(_in_words(arm, label) for arm, label in named)}.",
        [
            {"policy": label, "step": step, "low": low, "average": average, "high": high, "truth": arm.mean}
            for arm, label in named
            for step, low, average, high in arm.bounds
        ],
    )


def _label(arm: Arm) -> str:
    return _OWN if arm.arm == 0 else f"policy {arm.arm}"


def _in_words(arm: Arm, label: str) -> str:
    _, low, _, high = arm.bounds[-1]
    return f"{label} ends between {low:.2f} and {high:.2f}, the truth is {arm.mean:.2f}"


def durations(ended_by: Sequence[tuple[float, float]]) -> Picture:
    """The share of audits that ended by each step."""
    points = [{"step": max(1, step), "share": share} for step, share in ended_by]
    line = alt.Chart(data(points)).mark_line(interpolate="step-after", stroke="var(--ink)", strokeWidth=2)
    chart = line.encode(
        x=alt.X(
            "step:Q",
            title="steps",
            scale=alt.Scale(zero=True),
            axis=alt.Axis(format="~s", tickCount=5, grid=False),
        ),
        y=alt.Y(
            "share:Q",
            title=None,
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", tickCount=4, grid=True),
        ),
    )
    middle = ended_by[len(ended_by) // 2 - 1]
    return Picture(
        "How long audits take: the share that has ended by each step.",
        in_page_style(alt.layer(chart), 160, "Audits that have ended"),
        f"Rising line: half of the audits have ended by step {count(int(middle[0]))}, all by step "
        f"{count(int(ended_by[-1][0]))}.",
        [{"step": step, "share of audits that have ended": share} for step, share in ended_by],
    )


def against_alpha(curve: Lines) -> list[Picture]:
    """Duration, then cost, against the share of reward that the audit may cost at any time."""
    named = [{"alpha": alpha, line.name: value} for line in curve.lines for alpha, value in line.points]
    alphas = sorted({point["alpha"] for point in named})
    ordered: list[dict[str, float]] = [
        {key: value for point in named if point["alpha"] == alpha for key, value in point.items()}
        for alpha in alphas
    ]
    first, last = ordered[0], ordered[-1]
    spans = f"from alpha {first['alpha']:g} to {last['alpha']:g}"
    lines: list[dict[str, Any]] = [
        {"alpha": point["alpha"], "value": point[key], "of": name}
        for name, key in (("half of the audits", "duration"), ("9 of 10 audits", "duration_90"))
        for point in ordered
    ]
    names = ["half of the audits", "9 of 10 audits"]
    kind = alt.StrokeDash(
        "of:N", scale=alt.Scale(domain=names, range=[[1, 0], [5, 3]]), sort=None,
        legend=below(names, symbolType="stroke", symbolStrokeColor="var(--ink)", symbolSize=300),
    )  # fmt: skip
    duration = _line(lines, alt.Scale(zero=True), alt.Axis(format="~s", tickCount=4, grid=True))
    costs = [{"alpha": point["alpha"], "value": point["cost"]} for point in ordered]
    zero = alt.Chart(data([{"at": 0}])).mark_rule(stroke="var(--muted)", strokeDash=[3, 3])
    return [
        Picture(
            "Steps until half of the audits, and 9 of 10, have an outcome, against alpha, the share of "
            "reward that the audit may cost the user at any time.",
            in_page_style(
                alt.layer(duration[0].encode(strokeDash=kind), duration[1]), 200, "Steps to the outcome"
            ),
            f"Lines of duration: the median goes from {count(round(first['duration']))} to "
            f"{count(round(last['duration']))} steps {spans}.",
            [
                {"alpha": one["alpha"], "steps, half": one["duration"], "steps, 9 of 10": one["duration_90"]}
                for one in ordered
            ],
        ),
        Picture(
            "Reward that the audit costs the user over its whole length, on average, against alpha; below 0 "
            "the user gains.",
            in_page_style(
                alt.layer(
                    zero.encode(y=alt.Y("at:Q")),
                    *_line(costs, alt.Scale(zero=True), alt.Axis(tickCount=4, grid=True)),
                ),
                160,
                "Cost in rewards",
            ),
            f"Line of cost: it goes from {first['cost']:.3g} to {last['cost']:.3g} {spans}.",
            [{"alpha": one["alpha"], "cost in rewards": one["cost"]} for one in ordered],
        ),
    ]


def _line(points: list[dict[str, Any]], scale: alt.Scale, axis: alt.Axis) -> tuple[alt.Chart, alt.Chart]:
    """Points joined by a line."""
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "alpha:Q",
            title="alpha",
            scale=alt.Scale(zero=True, nice=False, padding=8),
            axis=alt.Axis(tickCount=6, grid=False),
        ),
        y=alt.Y("value:Q", title=None, scale=scale, axis=axis),
    )
    line = base.mark_line(stroke="var(--ink)", strokeWidth=2)
    return line, base.mark_circle(fill="var(--ink)", size=45, opacity=1)
