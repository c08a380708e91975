"""`evenhand opportunity`."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli import common


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
    probability: common.Probability = None,
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
    when anything is shown (random traffic).
    """
    # Tables are called what `evenhand.opportunity.audit` calls them, so that both say the same.
    names = {"default": "default log", "random": "random log", "attributes": "attributes"}
    paths = {"default": default, "random": random, "attributes": attributes}
    given = {names[key]: path for key, path in paths.items() if path}
    step = {
        "audit": "opportunity",
        **{key: name for key, name in names.items() if name in given},
        "label": label,
        "group": group,
        "cluster": cluster,
        "on": on or None,
        "missing": missing,
        "probability": probability,
        "level": level,
        "tolerance": tolerance,
        "interval": interval,
        "variance": variance,
    }
    common.run_step(
        given, step, "opportunity", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip
