"""`evenhand association`: what embeddings know about an attribute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli import common

app = typer.Typer(
    help="What do the embeddings know about a sensitive attribute?",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
)

Users = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Vectors of those who have the attribute: .npy, .npz, or a table of user_id and the vector.",
    ),
]
Items = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Vectors of what is tested, in the same space: likewise, by item_id."),
]
Model = Annotated[
    Path | None,
    typer.Option(help="Folder of a trained model, which has both, instead of --users and --items."),
]
Attribute = Annotated[
    str | None,
    typer.Option(
        metavar="PATH:COLUMN", help="Table of user_id and the attribute, such as users.parquet:gender."
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="PATH:COLUMN",
        help="Table of item_id and groups, such as items.parquet:genre; an item may be in several.",
    ),
]
Toward = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="The value that positive numbers point to.  [default: the first in order]"
    ),
]
Missing = Annotated[str, typer.Option(help="Entities without a value: 'refuse', or 'exclude' them.")]


@app.callback()
def association(
    context: typer.Context,
    users: Users = None,
    items: Items = None,
    model: Model = None,
    attribute: Attribute = None,
    groups: Groups = None,
    method: Annotated[
        str, typer.Option(help="How a direction is made: centroid, svc, most_biased_svc or pca.")
    ] = "svc",
    test: Annotated[
        str,
        typer.Option(
            help="crossfit; permutation, slower and more powerful; or insample, the source's own, which "
            "alarms on noise."
        ),
    ] = "crossfit",
    scheme: Annotated[
        str, typer.Option(help="For more than two values: one-vs-rest, one-vs-one or holistic.")
    ] = "one-vs-rest",
    toward: Toward = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP,GROUP", help="Two groups to compare; repeat it.  [default: all pairs]"),
    ] = None,
    overlap: Annotated[
        str,
        typer.Option(
            help="Items in both groups of a pair: 'exclude' them, or hold all other groups fixed ('regress')."
        ),
    ] = "exclude",
    item_test: Annotated[
        str, typer.Option(help="How sets of items are compared: permutation or rank_sum.")
    ] = "permutation",
    aggregate: Annotated[
        str, typer.Option(help="GEAA as a mean over the items, or as a sum, as published.")
    ] = "mean",
    permutations: Annotated[int, typer.Option(help="How often labels are shuffled.")] = 10_000,
    most: Annotated[
        int, typer.Option(help="For most_biased_svc: how many entities on either side make the direction.")
    ] = 200,
    class_weight: Annotated[
        str | None, typer.Option(help="Of the classifier: 'balanced' gives each value the same weight.")
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(help="Of an error of the classifier; 1 in the source.  [default: 1 / entities]"),
    ] = None,
    missing: Missing = "refuse",
    alpha: Annotated[float, typer.Option(help="Level of the tests that a direction must pass.")] = 0.05,
    per_space: Annotated[
        bool,
        typer.Option(
            "--per-space", help="Audit users alone, for a model whose users and items share no space."
        ),
    ] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(help="How far GEAA, DEAA and R-RIPA, which are cosines, may be from 0 either way."),
    ] = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """What do the embeddings know about a sensitive attribute?

    Looks for a direction that tells the values of the attribute apart, tests it on those who had no part in
    making it, and measures which groups of items lie along it (GEAA, DEAA and R-RIPA).
    """
    if context.invoked_subcommand is not None:
        return
    tables, named = columns(attribute=attribute, groups=groups)
    step: dict[str, Any] = {
        "audit": "association",
        "users": users,
        "items": items,
        "model": None if model is None else str(model),
        **named,
        "method": method,
        "test": test,
        "scheme": scheme,
        "toward": toward,
        "pairs": [pair.split(",") for pair in pairs] if pairs else None,
        "overlap": overlap,
        "item_test": item_test,
        "aggregate": aggregate,
        "permutations": permutations,
        "most": most,
        "class_weight": class_weight,
        "cost": cost,
        "missing": missing,
        "alpha": alpha,
        "per_space": per_space,
        "tolerance": tolerance,
        "level": level,
    }
    common.run_step(
        tables, step, "association", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def columns(**given: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Tables by the names of their options, and what a step calls their columns: "attribute:gender"."""
    tables, named = {}, {}
    for name, text in given.items():
        if text is None:
            continue
        path, _, column = text.rpartition(":")
        if not (path and column):
            raise typer.BadParameter(
                f"--{name} takes a table and its column, such as users.parquet:gender, not {text!r}."
            )
        tables[name], named[name] = path, f"{name}:{column}"
    return tables, named
