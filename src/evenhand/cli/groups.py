"""`evenhand groups`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import common
from evenhand.cli import user_options as options


def groups(
    users: options.Users,
    attribute: options.Attribute,
    candidates: options.Candidates = None,
    metric: Annotated[
        list[str],
        typer.Option(
            help="auc, mrr, ndcg, ndcg_published, hit, recall, precision, urd, urp, urp_signed, or a number "
            "column of --users. Repeat it."
        ),
    ] = ["mrr"],  # noqa: B006 - Typer copies it
    k: options.K = 5,
    min_size: options.MinSize = 20,
    search: Annotated[str, typer.Option(help="exhaustive, threshold, cube or swarm.")] = "exhaustive",
    history: options.History = None,
    items: options.Items = None,
    model: options.Model = None,
    bins: options.Bins = None,
    missing: options.Missing = "refuse",
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
        float,
        typer.Option(help="For --search swarm: most users to score, as a share, or as a number above 1."),
    ] = 0.5,
    seconds: Annotated[
        float | None, typer.Option(help="For --search swarm: how long to search; repeats may then differ.")
    ] = None,
    better: Annotated[
        str, typer.Option(help="For a column of --users: whether 'higher' or 'lower' is better.")
    ] = "higher",
    bounds: Annotated[
        str | None,
        typer.Option(metavar="LOW,HIGH", help="For a column of --users: between which values it can lie."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many groups to report at either end.")] = 10,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Largest acceptable gap between groups, below what the metric can differ."),
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
        "bins": options.bins(bins),
        "missing": missing,
        "no_positive": no_positive,
        "permutations": permutations,
        "threshold": threshold,
        "depth": depth,
        "budget": budget,
        "seconds": seconds,
        "better": better,
        "bounds": None if bounds is None else options.numbers("--bounds", bounds),
        "top": top,
        "tolerance": tolerance,
        "level": level,
    }
    common.run_step(
        given, step, "groups", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet, fail_on=fail_on,
        min_cell=min_cell,
    )  # fmt: skip
