"""`evenhand stages`, `boost`, `parity` and `user-precision`: other questions of the same logs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import common, named
from evenhand.errors import InputError

Default = Annotated[
    list[str],
    typer.Option(metavar="PATH", help="Log of default traffic: a path or a quoted glob. Repeat it."),
]
Random = Annotated[
    list[str],
    typer.Option(metavar="PATH", help="Log of uniformly random traffic: a path or a quoted glob. Repeat it."),
]
Tolerance = Annotated[float, typer.Option(show_default="1/9", help="Largest acceptable penalty.")]


def stages(
    stage: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=PATH",
            help="Log of what was shown after a stage; repeat it, in the order of the stages. The last is "
            "default traffic.",
        ),
    ],
    random: Random,
    label: common.Label,
    group: common.Group,
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    probability: common.Probability = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Tolerance = 1 / 9,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Which stage of the system makes opportunity unequal? Each stage against the one before."""
    logs = named.paths("--stage", stage, "recall=logs/recall.parquet")
    if len(logs) < 2:
        raise InputError(f"--stage is given once, {stage[0]!r}, but there must be at least two stages.")
    if "random" in logs:
        raise InputError("a stage is called 'random', which is the name of the random log: rename the stage.")
    # Tables are called what the calls of `evenhand.opportunity` call them, so that both say the same.
    tables: dict[str, Any] = {f"{name} log": path for name, path in logs.items()}
    tables["random log"] = random
    step = {
        "audit": "stages",
        "stages": {name: f"{name} log" for name in logs},
        "random": "random log",
        "label": label,
        "probability": probability,
        "tolerance": tolerance,
        **_asked(tables, group, cluster, attributes, on, missing, bins, where, level),
    }
    common.run_step(
        tables, step, "stages", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def boost(
    default: Default,
    random: Random,
    label: common.Label,
    group: common.Group,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=TIMES",
            help="How many times as often rows of a group shall come. Repeat it. "
            "[default: search for the weights with the least penalty]",
        ),
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(help="For a search: the largest weight over the smallest, at most.  [default: 2]"),
    ] = None,
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    probability: common.Probability = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Tolerance = 1 / 9,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """What would showing some groups more often do to equal opportunity?

    A search looks at one half of the data, and what it found is judged on the other.
    """
    if weight and limit is not None:
        raise InputError("--limit is for a search, and --weight says what to try: leave one of them out.")
    tables: dict[str, Any] = {"default log": default, "random log": random}
    step = {
        "audit": "boost",
        "default": "default log",
        "random": "random log",
        "label": label,
        "weights": named.numbers("--weight", weight) or "search",
        "limit": limit,
        "probability": probability,
        "tolerance": tolerance,
        **_asked(tables, group, cluster, attributes, on, missing, bins, where, level),
    }
    common.run_step(
        tables, step, "boost", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def parity(
    default: Default,
    catalogue: Annotated[
        str, typer.Option(metavar="PATH", help="Table of all items, a row an item, with the group's column.")
    ],
    group: common.Group,
    requests: Annotated[
        float | None, typer.Option(help="How many requests the log comes from, if known.")
    ] = None,
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Annotated[float | None, typer.Option(help="Largest acceptable penalty.")] = None,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Are groups shown in proportion to what they offer, whatever users like?"""
    tables: dict[str, Any] = {"default log": default, "catalogue": catalogue}
    step = {
        "audit": "parity",
        "default": "default log",
        "catalogue": "catalogue",
        "requests": requests,
        "tolerance": tolerance,
        **_asked(tables, group, cluster, attributes, on, missing, bins, where, level),
    }
    common.run_step(
        tables, step, "parity", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def user_precision(
    default: Default,
    label: common.Label,
    group: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN",
            help="Column with the group of users, in the log or in --attributes. Repeat it for combinations.",
        ),
    ],
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Tolerance = 1 / 9,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Are users of all groups shown what they like?"""
    tables: dict[str, Any] = {"default log": default}
    step = {
        "audit": "user_precision",
        "default": "default log",
        "label": label,
        "tolerance": tolerance,
        **_asked(tables, group, cluster, attributes, on, missing, bins, where, level),
    }
    common.run_step(
        tables, step, "user-precision", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def _asked(
    tables: dict[str, Any], group: list[str], cluster: list[str] | None, attributes: str | None,
    on: list[str] | None, missing: str, bins: list[str] | None, where: list[str] | None, level: float,
) -> dict[str, Any]:  # fmt: skip
    """What all four ask alike; `attributes` joins the tables if it is there."""
    if attributes:
        tables["attributes"] = attributes
    return {
        "group": common.columns(group),
        "cluster": common.columns(cluster),
        "attributes": "attributes" if attributes else None,
        "on": on or None,
        "missing": missing,
        "bins": named.edges(bins),
        "where": named.conditions(where),
        "level": level,
    }
