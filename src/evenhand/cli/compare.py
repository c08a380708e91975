"""`evenhand compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli import common, named
from evenhand.errors import InputError


def compare(
    arm: Annotated[
        list[str], typer.Option(help="NAME=PATH of an arm's log; the first one is the baseline. Repeat it.")
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
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[VALUE:]ARM=SHARE",
            help="Planned share of users in an arm; repeat it for every arm. Where it differs between values "
            "of --split-by, such as the phases of a ramp-up: of each VALUE, in the order in which users come "
            "to them; VALUE:equal for an equal one. 'any' where users were not assigned. [default: equal]",
        ),
    ] = None,
    split_by: common.SplitBy = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    tolerance: Annotated[
        float | None, typer.Option(help="How much larger than the baseline's a penalty may be.")
    ] = None,
    interval: common.DifferenceInterval = "hull",
    folds: common.Folds = 20,
    shared_random: Annotated[
        bool, typer.Option(help="Use that all arms share the random log; the published Algorithm 2 does not.")
    ] = True,
    variance: Annotated[
        str, typer.Option(help="'multinomial', or 'independent' as published (Algorithm 2).")
    ] = "multinomial",
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Does a change to the system change who gets opportunity? An A/B test with any number of arms."""
    arms = named.paths("--arm", arm, "control=logs/control.parquet")
    if len(arms) < 2:
        raise InputError(
            f"--arm is given once, {arm[0]!r}, but a comparison needs at least two: name the baseline first, "
            "then the others."
        )
    if "random" in arms:
        raise InputError("an arm is called 'random', which is the name of the random log: rename the arm.")
    # Tables are called what `evenhand.opportunity.compare` calls them, so that both say the same.
    names = {"random": "random log", "attributes": "attributes", "catalogue": "catalogue"}
    paths = {"random": random, "attributes": attributes, "catalogue": catalogue}
    given = {names[key]: path for key, path in paths.items() if path}
    step = {
        "audit": "compare",
        "arms": {name: f"{name} log" for name in arms},
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
        "split_by": split_by,
        "split": named.split(split, arms, split_by),
        "level": level,
        "tolerance": tolerance,
        "interval": interval,
        "folds": folds,
        "shared_random": shared_random,
        "variance": variance,
    }
    tables = given | {f"{name} log": path for name, path in arms.items()}
    common.run_step(
        tables, step, "compare", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell, timezone=timezone,
    )  # fmt: skip
