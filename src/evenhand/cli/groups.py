"""`evenhand groups`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli import common


def groups(
    users: Annotated[str, typer.Option(metavar="PATH", help="Table of user_id and attributes.")],
    attribute: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN",
            help="Attribute of users; repeat it for combinations. Also activity, spend and highest_price, "
            "made from --history.",
        ),
    ],
    candidates: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Table of user_id, item_id, score, label: what could be shown."),
    ] = None,
    metric: Annotated[
        list[str],
        typer.Option(
            help="auc, mrr, ndcg, ndcg_published, hit, recall, precision, urd, urp, urp_signed, or a number "
            "column of --users. Repeat it."
        ),
    ] = ["mrr"],  # noqa: B006 - Typer copies it
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="How many items are shown.")] = 5,
    min_size: Annotated[
        float, typer.Option(help="Users that a group needs: a number, or a share below 1.")
    ] = 20,
    search: Annotated[str, typer.Option(help="exhaustive, threshold, cube or swarm.")] = "exhaustive",
    history: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Table of user_id and item_id (and price).")
    ] = None,
    items: Annotated[
        str | None, typer.Option(metavar="PATH", help="Table of item_id with category or popularity.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Folder of a trained model, which scores the candidates.")
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=N", help="Bins of a number: age=4 for quarters, age=18,35,55 for edges."
        ),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Users without a value: 'refuse', make them a 'group', or 'exclude' them.")
    ] = "refuse",
    no_positive: Annotated[
        str,
        typer.Option(help="Users without any positive candidate: 'exclude' them, or count them as 'zero'."),
    ] = "exclude",
    permutations: Annotated[int, typer.Option(help="Most shuffles of users over groups.")] = 1000,
    threshold: Annotated[
        float, typer.Option(help="For --search threshold: the least share of users in a group.")
    ] = 0.01,
    depth: Annotated[int, typer.Option(help="For --search cube: most attributes in a combination.")] = 2,
    budget: Annotated[
        float, typer.Option(help="For --search swarm: the largest share of users to score.")
    ] = 0.5,
    better: Annotated[
        str, typer.Option(help="For a column of --users: whether 'higher' or 'lower' is better.")
    ] = "higher",
    bounds: Annotated[
        str | None,
        typer.Option(metavar="LOW,HIGH", help="For a column of --users: between which values it can lie."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many groups to report at either end.")] = 10,
    tolerance: Annotated[float | None, typer.Option(help="Largest acceptable gap between groups.")] = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Which users are served worst, and is that more than chance?

    Compares the mean of a metric over all groups of users that the attributes make, tells what shuffling
    users over the groups would give, and confirms the gap with users who had no part in finding it.
    """
    paths = {"users": users, "candidates": candidates, "history": history, "items": items}
    given = {name: path for name, path in paths.items() if path}
    step: dict[str, Any] = {
        "audit": "groups",
        **{name: name for name in given},
        "attributes": attribute,
        "metric": metric,
        "k": k,
        "min_size": min_size,
        "search": search,
        "model": None if model is None else str(model),
        "bins": dict(_bins(given) for given in bins or []),
        "missing": missing,
        "no_positive": no_positive,
        "permutations": permutations,
        "threshold": threshold,
        "depth": depth,
        "budget": budget,
        "better": better,
        "bounds": None if bounds is None else _numbers("--bounds", bounds),
        "top": top,
        "tolerance": tolerance,
        "level": level,
    }
    common.run_step(
        given, step, "groups", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet, fail_on=fail_on,
        min_cell=min_cell,
    )  # fmt: skip


def _bins(given: str) -> tuple[str, int | list[float]]:
    column, sign, rest = given.partition("=")
    if not (sign and column and rest):
        raise typer.BadParameter(
            f"{given!r} is not COLUMN=N, such as age=4, or COLUMN=EDGES, such as age=18,35,55."
        )
    return column, int(rest) if rest.isdigit() else _numbers("--bins", rest)


def _numbers(option: str, given: str) -> list[float]:
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{option} takes numbers with commas between, not {given!r}.") from None
