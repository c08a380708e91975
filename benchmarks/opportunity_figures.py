"""Counterparts of figures 3 to 9 of Dong and others (2024), drawn into a folder.

    .venv/bin/python benchmarks/opportunity_figures.py --out docs/figures

Their log is not public. Ours is simulated in its likeness: two groups, 150,000 rows a day in each log, two
weeks, a penalty near .08 on all days but the 13th, when it is .12.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
from opportunity_synthetic import BOOSTS, RANDOM_SHARES, ROWS, SETS, mean_squared_errors, slope

import evenhand as eh
from evenhand.opportunity.boosting import boosted
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalty_interval, replicate_penalties
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty

GROUPS = ["others", "young adults"]
DAYS = [f"2024-04-{day}" for day in range(13, 27)]
PENALTIES = {day: 0.12 if day.endswith("25") else 0.08 for day in DAYS}
NEARLY_FAIR = 0.004
SUBSETS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
REPEATS = 200
REPLICATES = 10_000
# Told apart by the colour-blind (Okabe and Ito 2008).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
SIZE = {"width": 560, "height": 240}
Rows = list[dict[str, object]]


def day_counts(day: str, seed: int, size: float | None = None) -> tuple[LogCounts, LogCounts]:
    """Default and random traffic of one day; liked rows are more common where the system chose."""
    rng = np.random.default_rng([seed, DAYS.index(day)])
    ahead = np.exp(2 * np.arctanh(PENALTIES[day] if size is None else size))
    default = RANDOM_SHARES * np.array([1.0, ahead]) * 1.3
    log, random = (
        LogCounts.from_totals(GROUPS, rng.multinomial(ROWS, [*s, 1 - s.sum()])[:-1].tolist(), ROWS)
        for s in (default, RANDOM_SHARES)
    )
    return log, random


def mse(seed: int) -> Rows:
    """Figure 3: the mean squared error of the penalty against the rows of each log."""
    found: Rows = []
    for p in SETS:
        errors = mean_squared_errors(p, REPEATS, seed)
        name = f"p = {p[0]:g}, {p[1]:g} (slope {slope(errors):.2f})"
        found += [{"rows": rows, "value": error, "of": name} for rows, error in errors.items()]
    return found


def subsets(seed: int) -> tuple[Rows, Rows]:
    """Figures 4 and 5: relative error and variance of the penalty of parts of one day, against their size."""
    rng = np.random.default_rng(seed)
    whole = [_kinds(log) for log in day_counts(DAYS[0], seed)]
    truth = _penalty(*whole)
    errors, variances = [], []
    for rows in SUBSETS:
        drawn = [rng.multivariate_hypergeometric(kinds, rows, size=REPEATS) for kinds in whole]
        values = penalty(drawn[0][:, :-1] / drawn[1][:, :-1])
        relative = np.abs(values - truth) / truth
        low, middle, high = np.quantile(relative, [0.25, 0.5, 0.75])
        errors.append({"rows": rows, "value": float(middle), "low": float(low), "high": float(high)})
        # Parts of a finite log vary less than new logs would: by the share that is left out.
        variances.append({"rows": rows, "value": float(values.var(ddof=1)), "of": "parts of one day"})
        variances.append(
            {"rows": rows, "value": float(values.var(ddof=1) / (1 - rows / ROWS)), "of": "as of new logs"}
        )
    return errors, variances


def _kinds(log: LogCounts) -> list[int]:
    positives = log.positives.sum(axis=0).tolist()
    return [*positives, log.total - sum(positives)]


def _penalty(default: list[int], random: list[int]) -> float:
    return float(penalty(np.array(default[:-1]) / np.array(random[:-1])))


def days(seed: int) -> Rows:
    """Figure 6: the penalty of each day, with the interval of one look and the band of all."""
    default, random = [], []
    for day in DAYS:
        for log, rows in zip(day_counts(day, seed), (default, random), strict=True):
            a, b, others = _kinds(log)
            group = np.repeat([*GROUPS, GROUPS[0]], [a, b, others])
            rows.append(pd.DataFrame({"age": group, "liked": np.arange(log.total) < a + b, "day": day}))
    result = eh.opportunity.series(
        pd.concat(default), pd.concat(random), label="liked", group="age", day="day", window=1, rng=seed
    )
    series = result.find("daily_penalty").series
    assert series is not None
    return [
        {"day": day.day, "value": day.estimate, "low": day.low, "high": day.high,
         "alone_low": day.fixed.low, "alone_high": day.fixed.high}
        for day in series.known
    ]  # fmt: skip


def methods(seed: int) -> Rows:
    """Figure 7: 95% intervals of each day by four methods."""
    found: Rows = []
    for day in DAYS:
        log, random = day_counts(day, seed)
        inference = ArmInference(Arms.from_logs([log], random), 0, seed)
        intervals = {
            "ours (hull)": inference.penalty_interval(0.95),
            "delta": inference.penalty_interval(0.95, "delta"),
            "bootstrap": penalty_interval(log, random, "normal", REPLICATES, seed, 0.95),
            "BCa bootstrap": penalty_interval(log, random, "bca", REPLICATES, seed, 0.95),
        }
        value = float(penalty(inference.utilities))
        found += [
            {"day": day, "of": name, "value": value, "low": low, "high": high}
            for name, (low, high) in intervals.items()
        ]
    return found


def bias(seed: int, size: float | None = None, replicates: int = 10 * REPLICATES) -> Rows:
    """Figure 8: how far the mean of the bootstrap is from the estimate, as a share of the truth."""
    found: Rows = []
    for number, day in enumerate(DAYS):
        log, random = day_counts(day, seed, size)
        estimate = _penalty(_kinds(log), _kinds(random))
        # A seed a day: with one for all, the noise of the bootstrap would look like a bias.
        truth = PENALTIES[day] if size is None else size
        values = (replicate_penalties(log, random, replicates, seed + number) - estimate) / truth
        noise = 2 * float(values.std()) / len(values) ** 0.5
        mean = float(values.mean())
        found.append({"day": day, "value": mean, "low": mean - noise, "high": mean + noise})
    return found


def boosts(seed: int) -> Rows:
    """Figure 9: the change of each day's penalty under three boosts, with its 95% interval."""
    found: Rows = []
    for day in DAYS:
        log, random = day_counts(day, seed)
        for name, weights in BOOSTS.items():
            change = penalty_difference(boosted(log, random, np.array(weights)), 1, 0, 0.95, seed)
            found.append(
                {"day": day, "of": name, "value": change.estimate, "low": change.low, "high": change.high}
            )
    return found


def _colour(rows: Rows) -> alt.Color:
    names = list(dict.fromkeys(str(row["of"]) for row in rows))
    scale = alt.Scale(domain=names, range=COLOURS[: len(names)])
    return alt.Color(
        "of:N",
        title=None,
        scale=scale,
        sort=None,
        legend=alt.Legend(orient="bottom", columns=2, labelLimit=320),
    )


def _log_log(rows: Rows, title: str, percent: bool = False) -> alt.LayerChart:
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("rows:Q", title="rows of each log", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s")),
        y=alt.Y(
            "value:Q",
            title=title,
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~%" if percent else ".0e", tickCount=6),
        ),
    )
    if "of" in rows[0]:
        base = base.encode(color=_colour(rows))
    return base


def _over_days(rows: Rows, title: str) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "day:O",
            title=None,
            axis=alt.Axis(
                labelExpr="timeFormat(toDate(datum.value), '%d %b')", labelAngle=0, labelOverlap=True
            ),
        ),
        y=alt.Y("value:Q", title=title, axis=alt.Axis(format="%")),
    )


def _rule(at: float, dash: list[int]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[{"at": at}])).mark_rule(strokeDash=dash).encode(y="at:Q")


def draw_mse(seed: int) -> alt.LayerChart:
    rows = mse(seed)
    points = _log_log(rows, "mean squared error of the penalty")
    first = min((row for row in rows if row["of"] == rows[0]["of"]), key=lambda row: row["rows"])
    falling = [{"rows": n, "value": first["value"] * first["rows"] / n} for n in (10**3, 10**8)]
    law = alt.Chart(alt.InlineData(values=falling)).mark_line(strokeDash=[4, 4], stroke="#666")
    return law.encode(x="rows:Q", y="value:Q") + points.mark_line(point=True)


def draw_error(seed: int) -> alt.LayerChart:
    base = _log_log(subsets(seed)[0], "relative error (median, quartiles)", percent=True)
    quartiles = base.mark_rule(strokeWidth=2, stroke=COLOURS[0]).encode(y="low:Q", y2="high:Q")
    return base.mark_line(stroke=COLOURS[0], point=alt.OverlayMarkDef(fill=COLOURS[0])) + quartiles


def draw_variance(seed: int) -> alt.LayerChart:
    return alt.layer(_log_log(subsets(seed)[1], "variance of the penalty").mark_line(point=True))


def draw_days(seed: int) -> alt.LayerChart:
    base = _over_days(days(seed), "opportunity penalty")
    band = base.mark_bar(width={"band": 0.96}, opacity=0.15, color="#444").encode(y="low:Q", y2="high:Q")
    alone = base.mark_rule(strokeWidth=2.5, stroke=COLOURS[0]).encode(y="alone_low:Q", y2="alone_high:Q")
    return band + _rule(1 / 9, [6, 4]) + alone + base.mark_circle(color=COLOURS[0], size=60, opacity=1)


def draw_methods(seed: int) -> alt.LayerChart:
    rows = methods(seed)
    names = list(dict.fromkeys(row["of"] for row in rows))
    base = _over_days(rows, "opportunity penalty").encode(
        color=_colour(rows), xOffset=alt.XOffset("of:N", sort=names)
    )
    lines = base.mark_rule(strokeWidth=2.5).encode(y="low:Q", y2="high:Q")
    return _rule(1 / 9, [6, 4]) + lines + base.mark_circle(size=25, opacity=1)


def draw_bias(seed: int) -> alt.LayerChart:
    base = _over_days(bias(seed), "bias, share of the penalty")
    noise = base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q")
    return base.mark_bar(width={"band": 0.5}, color=COLOURS[0]) + _rule(0, [1, 0]) + noise


def draw_boosts(seed: int) -> alt.LayerChart:
    rows = boosts(seed)
    base = _over_days(rows, "change of the penalty").encode(color=_colour(rows))
    lines = base.mark_rule(strokeWidth=2.5).encode(y="low:Q", y2="high:Q")
    return _rule(0, [3, 3]) + lines + base.mark_circle(size=50, opacity=1)


FIGURES: dict[str, Callable[[int], alt.LayerChart]] = {
    "opportunity_mse": draw_mse,
    "opportunity_error": draw_error,
    "opportunity_variance": draw_variance,
    "opportunity_days": draw_days,
    "opportunity_methods": draw_methods,
    "opportunity_bias": draw_bias,
    "opportunity_boosts": draw_boosts,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/figures"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        path = options.out / f"{name}.svg"
        draw(options.seed).properties(**SIZE, background="white").save(path)
        print(path)
    for size in (None, NEARLY_FAIR):
        biases = [float(row["value"]) for row in bias(options.seed, size)]
        at = "as drawn" if size is None else f"penalty {size:g}"
        print(f"Bias of the bootstrap, {at}: {min(biases):+.2%} to {max(biases):+.2%} of the truth.")


if __name__ == "__main__":
    main()
