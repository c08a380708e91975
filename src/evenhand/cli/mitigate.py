"""`evenhand mitigate`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import common
from evenhand.cli import user_options as options


def mitigate(
    users: options.Users,
    attribute: options.Attribute,
    candidates: options.Candidates = None,
    goal: Annotated[str, typer.Option(help="diversity, popularity or relevance.")] = "diversity",
    metric: Annotated[
        str | None,
        typer.Option(help="By which the worst groups are chosen; the default is urd, urp or mrr, by --goal."),
    ] = None,
    share: Annotated[float, typer.Option(help="The share of groups to re-rank, the worst first.")] = 0.1,
    strength: Annotated[
        float, typer.Option(help="Weight of the goal against the score; 0 changes nothing.")
    ] = 0.5,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC", help="Metric to watch; the default is all that can be computed."),
    ] = None,
    k: options.K = 5,
    min_size: options.MinSize = 20,
    history: options.History = None,
    items: options.Items = None,
    model: options.Model = None,
    bins: options.Bins = None,
    missing: options.Missing = "refuse",
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    min_cell: common.MinCell = 5,
) -> None:
    """Re-rank the lists of the groups that are served worst, and say what that did, for whom.

    With --out, the folder also gets candidates.parquet, the candidates with their new scores; only those of
    users in the chosen groups differ.
    """
    paths = {"users": users, "candidates": candidates, "history": history, "items": items}
    given = {name: path for name, path in paths.items() if path}
    step: dict[str, Any] = {
        "audit": "mitigate",
        **{name: name for name in given},
        "attributes": attribute,
        "goal": goal,
        "metric": metric,
        "share": share,
        "strength": strength,
        "also": also or None,
        "k": k,
        "min_size": min_size,
        "model": None if model is None else str(model),
        "bins": options.bins(bins),
        "missing": missing,
        "level": level,
    }
    common.run_step(
        given, step, "mitigate", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet, fail_on=None,
        min_cell=min_cell,
    )  # fmt: skip
