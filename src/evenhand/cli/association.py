"""`evenhand association`: what embeddings know about an attribute."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import association_more, common
from evenhand.cli import vector_options as options

app = typer.Typer(
    help="What do the embeddings know about a sensitive attribute?",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def association(
    context: typer.Context,
    users: options.Users = None,
    items: options.Items = None,
    model: options.Model = None,
    attribute: options.Attribute = None,
    groups: options.Groups = None,
    method: options.Method = "svc",
    test: Annotated[
        str,
        typer.Option(
            help="crossfit; permutation, slower and more powerful; or insample, the source's own, which "
            "alarms on noise."
        ),
    ] = "crossfit",
    scheme: options.Scheme = "one-vs-rest",
    toward: options.Toward = None,
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
    permutations: options.Permutations = 10_000,
    most: Annotated[
        int, typer.Option(help="For most_biased_svc: how many users on either side make the direction.")
    ] = 200,
    class_weight: Annotated[
        str | None, typer.Option(help="Of the classifier: 'balanced' gives each value the same weight.")
    ] = None,
    cost: options.Cost = None,
    missing: options.Missing = "refuse",
    zeros: options.Zeros = "refuse",
    alpha: options.Alpha = 0.05,
    per_space: Annotated[
        bool,
        typer.Option(
            "--per-space", help="Audit users alone, for a model whose users and items share no space."
        ),
    ] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="How far GEAA, DEAA and R-RIPA, which are cosines, may be from 0 either way; below 1."
        ),
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
        options.refuse_before(context)
        return
    tables, named = options.columns(attribute=attribute, groups=groups)
    step: dict[str, Any] = {
        "audit": "association",
        **options.vectors(users, items, model),
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
        "zeros": zeros,
        "alpha": alpha,
        "per_space": per_space,
        "tolerance": tolerance,
        "level": level,
    }
    title = options.titled(title, "{attribute} in the vectors of {name}", attribute, model, users)
    common.run_step(
        tables, step, "association", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


app.command()(association_more.leakage)
app.command()(association_more.amplify)
app.command()(association_more.mitigate)
