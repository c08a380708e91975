"""`evenhand envy`: offline with known preferences; and what goes with audits of a live system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli import common, envy_online
from evenhand.cli.user_options import whole_numbers

app = typer.Typer(
    help="Would a user be better off with another user's recommendations?",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def offline(
    preferences: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Table of user_id, item_id, preference: what everybody likes."),
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Table of user_id, item_id, probability: how often each user is shown what. "
            "[default: a softmax, see --inverse-temperature]",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a trained model: its scores are the preferences, or with --preferences make the "
            "policies."
        ),
    ] = None,
    inverse_temperature: Annotated[
        float | None,
        typer.Option(help="Of the softmax that turns scores, or preferences, into policies; 0 is uniform."),
    ] = None,
    missing: Annotated[
        float | None, typer.Option(help="The preference of pairs that the table does not list.")
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(
            help="How much more utility another policy must give to count, in the unit of the preferences; "
            "also the tolerance of envy between groups."
        ),
    ] = 0.05,
    gamma: Annotated[float, typer.Option(help="Share of policies that may be better by that.")] = 0.1,
    tolerance: Annotated[
        float,
        typer.Option(
            help="Share of users that may be envious (lambda), of all and of each group; the tolerance of "
            "envy between groups is --epsilon. Below 1."
        ),
    ] = 0.1,
    users: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Table of user_id and --group, for envy in each group and between groups."
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Attribute of users; repeat it for combinations."),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="USERS,POLICIES",
            help="Look at so many users, drawn at random, and so many policies for each, such as 2000,200. "
            "Without it everybody is looked at, which is exact.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(help="How many users who envy most to name by id; 0 names nobody.")
    ] = 10,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Audit who would be better off with whose recommendations, where preferences are known.

    Compares what every user gets from their own policy with what they would get from those of all others, or
    of a sample: average envy, the share of envious users, who envies whom, and envy in and between groups.
    """
    paths = {"preferences": preferences, "policies": policies, "users": users}
    given = {name: path for name, path in paths.items() if path}
    step: dict[str, Any] = {
        "audit": "envy",
        **{name: name for name in given},
        "model": None if model is None else str(model),
        "inverse_temperature": inverse_temperature,
        "missing": missing,
        "epsilon": epsilon,
        "gamma": gamma,
        "tolerance": tolerance,
        "group": group or None,
        "sample": None if sample is None else whole_numbers("--sample", sample),
        "top": top,
        "level": level,
    }
    common.run_step(
        given, step, "envy offline", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


app.command()(envy_online.simulate)
app.command()(envy_online.plan)
app.command()(envy_online.verify)
