"""`evenhand opportunity`."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli import common, named
from evenhand.errors import InputError


def opportunity(
    default: Annotated[
        list[str],
        typer.Option(metavar="PATH", help="Log of default traffic: a path or a quoted glob. Repeat it."),
    ],
    label: common.Label,
    group: common.Group,
    random: common.Random = None,
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    probability: common.Probability = None,
    item: common.Item = None,
    catalogue: common.Catalogue = None,
    item_by: common.ItemBy = None,
    timezone: common.Timezone = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Annotated[
        float,
        typer.Option(
            show_default="1/9",
            help="Largest acceptable penalty t, and how far a group may be from the average; the worst ratio "
            "must be at least (1 - t)/(1 + t), which is 80% for 1/9.",
        ),
    ] = 1 / 9,
    day: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the day: follow opportunity over time, day by day, not all rows at once.",
        ),
    ] = None,
    period: Annotated[
        str, typer.Option(help="With --day: a 'day', or a 'week' from Monday, is one point of the series.")
    ] = "day",
    window: Annotated[
        str | None,
        typer.Option(
            metavar="DAYS",
            help="With --day: hold each day against random traffic of so many days, itself the last; or of "
            "its 'weekday', or 'all' of it. [default: 1, or all where the random log has no days]",
        ),
    ] = None,
    baseline: Annotated[
        int,
        typer.Option(
            metavar="DAYS", help="With --day: changes are also against so many first days together."
        ),
    ] = 1,
    judge: Annotated[
        str,
        typer.Option(
            help="With --day: whether 'any' day outside the tolerance decides verdicts and --fail-on, or the "
            "'latest' day does."
        ),
    ] = "any",
    interval: Annotated[
        str,
        typer.Option(help="How the penalty's interval is made: hull, delta, ray, percentile, normal, bca."),
    ] = "hull",
    variance: Annotated[
        str,
        typer.Option(help="'multinomial', or 'independent' as published (Algorithm 1), which is too narrow."),
    ] = "multinomial",
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Do creators get equal opportunity, given what users like?

    Compares how often liked items of each group are shown (default traffic) with how often users like them
    when anything is shown (random traffic). With --day it does so day by day, with intervals that hold on
    every day at once.
    """
    # Tables are called what `evenhand.opportunity.audit` calls them, so that both say the same.
    names = {
        "default": "default log",
        "random": "random log",
        "attributes": "attributes",
        "catalogue": "catalogue",
    }
    paths = {"default": default, "random": random, "attributes": attributes, "catalogue": catalogue}
    given = {names[key]: path for key, path in paths.items() if path}
    over_time = {
        "day": day,
        "period": period,
        "window": _window(window),
        "baseline": baseline,
        "judge": judge,
    }
    at_once = {"interval": interval, "variance": variance}
    if day is None and (period, window, baseline, judge) != ("day", None, 1, "any"):
        raise InputError(
            "--period, --window, --baseline and --judge are about a series: name its days with --day."
        )
    if day is not None and (interval, variance) != ("hull", "multinomial"):
        raise InputError(
            "--interval and --variance are not for a series: leave them out, or leave out --day."
        )
    step = {
        "audit": "opportunity" if day is None else "series",
        **{key: name for key, name in names.items() if name in given},
        "label": label,
        "group": common.columns(group),
        "cluster": common.columns(cluster),
        "on": on or None,
        "missing": missing,
        "bins": named.edges(bins),
        "where": named.conditions(where),
        "probability": probability,
        "item": item,
        "item_by": item_by or None,
        "level": level,
        "tolerance": tolerance,
        **(at_once if day is None else over_time),
    }
    common.run_step(
        given, step, "opportunity", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell, timezone=timezone,
    )  # fmt: skip


def _window(written: str | None) -> str | int | None:
    return int(written) if written is not None and written.isascii() and written.isdigit() else written
