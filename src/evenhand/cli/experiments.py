"""`evenhand experiments`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import common, named
from evenhand.errors import InputError


def experiments(
    default: Annotated[
        list[str],
        typer.Option(metavar="PATH", help="Log of default traffic: a path or a quoted glob. Repeat it."),
    ],
    experiment: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN[=ARM,...]",
            help="Column that says which arm a row is in. After =, the baseline, or the arms with the "
            "baseline first; otherwise the first value in order is the baseline. Repeat it.",
        ),
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
    switching: Annotated[
        str,
        typer.Option(
            help="Users in several arms of one experiment: 'refuse' them, or 'keep' and count them."
        ),
    ] = "refuse",
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN:[VALUE:]ARM=SHARE",
            help="Planned share of users in an arm; repeat it for every arm of an experiment that is not "
            "split equally. Where it differs between values of --split-by, such as the phases of a ramp-up: "
            "of each VALUE, in the order in which users come to them; COLUMN:VALUE:equal for an equal one. "
            "'any' where users were not assigned. [default: equal]",
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
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Which of the changes that are tried at the same time change who gets opportunity?

    One log with a column for each experiment, whose values are its arms; all A/B tests at once, corrected for
    their number.
    """
    columns = dict(_named(text) for text in experiment)
    if len(columns) < len(experiment):
        columns_named = [_named(text)[0] for text in experiment]
        twice = next(name for name in columns if columns_named.count(name) > 1)
        raise InputError(f"--experiment names {twice!r} twice: name each column once.")
    # Tables are called what `evenhand.opportunity.experiments` calls them, so that both say the same.
    names = {
        "default": "default log",
        "random": "random log",
        "attributes": "attributes",
        "catalogue": "catalogue",
    }
    paths = {"default": default, "random": random, "attributes": attributes, "catalogue": catalogue}
    given = {names[key]: path for key, path in paths.items() if path}
    step = {
        "audit": "experiments",
        **{key: name for key, name in names.items() if name in given},
        "columns": columns,
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
        "split": _split(split, columns, split_by),
        "switching": switching,
        "level": level,
        "tolerance": tolerance,
        "interval": interval,
        "folds": folds,
    }
    common.run_step(
        given, step, "experiments", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell, timezone=timezone,
    )  # fmt: skip


def _named(text: str) -> tuple[str, list[str]]:
    column, equals, arms = text.partition("=")
    named = [arm.strip() for arm in arms.split(",")] if equals else []
    if not column or "" in named:
        raise InputError(
            f"--experiment is {text!r}, but must be COLUMN, COLUMN=BASELINE or COLUMN=BASELINE,ARM, such as "
            "ranker=control."
        )
    return column, named


def _split(given: list[str] | None, experiments: dict[str, list[str]], split_by: str | None) -> Any:
    """The planned shares by experiment."""
    if not given or given == ["any"]:
        return named.split(given, (), split_by)
    columns: dict[str, list[str]] = {}
    for text in given:
        column, colon, share = text.partition(":")
        if not (column and colon):
            raise InputError(
                f"--split is {text!r}, but must be COLUMN:ARM=SHARE, such as ranker:control=0.9."
            )
        columns.setdefault(column, []).append(share)
    # One arm alone is the baseline, and leaves the others unknown.
    arms = {column: named_arms if len(named_arms) > 1 else () for column, named_arms in experiments.items()}
    return {column: named.split(shares, arms.get(column, ()), split_by) for column, shares in columns.items()}
