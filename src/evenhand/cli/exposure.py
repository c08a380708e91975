"""`evenhand exposure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli import common


def exposure(
    relevance: Annotated[
        list[str],
        typer.Option(metavar="PATH", help="Table of user_id and item_id of relevant pairs (and relevance)."),
    ],
    users: Annotated[str, typer.Option(metavar="PATH", help="Table of user_id and the user group.")],
    user_group: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Attribute of users; repeat it for combinations."),
    ],
    items: Annotated[str, typer.Option(metavar="PATH", help="Table of item_id and the item group.")],
    item_group: Annotated[
        str, typer.Option(metavar="COLUMN", help="Attribute of items: one value, or a list of several.")
    ],
    scores: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Table of user_id, item_id, score: the candidates of each user."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Folder of a trained model, which scores everything, instead.")
    ] = None,
    beta: Annotated[
        list[str] | None,
        typer.Option(help="Temperature of the policy, or 'static'; repeat it.  [default: 8, 1, static]"),
    ] = None,
    patience: Annotated[float, typer.Option(help="Chance to look one place further (RBP).")] = 0.8,
    discount: Annotated[str, typer.Option(help="How positions count: rbp or dcg.")] = "rbp",
    k: Annotated[int | None, typer.Option("--k", "-k", min=1, help="Nobody looks beyond place k.")] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="How far the exposure of a pair of groups may be off, as a share of the target."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many pairs of groups to report.")] = 10,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Who is shown to whom, beside what relevance asks for?

    Compares the expected exposure of items to users under the ranking, or under a stochastic policy over the
    scores, with equal expected exposure of equally relevant items, for individuals and groups on both sides.
    """
    paths = {"relevance": relevance, "users": users, "items": items, "scores": scores}
    given = {name: path for name, path in paths.items() if path}
    step: dict[str, Any] = {
        "audit": "exposure",
        **{name: name for name in given},
        "user_group": user_group,
        "item_group": item_group,
        "model": None if model is None else str(model),
        "beta": [_temperature(one) for one in beta] if beta else None,
        "patience": patience,
        "discount": discount,
        "k": k,
        "tolerance": tolerance,
        "top": top,
        "level": level,
    }
    common.run_step(
        given, step, "exposure", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def _temperature(given: str) -> float | str:
    if given == "static":
        return given
    try:
        return float(given)
    except ValueError:
        raise typer.BadParameter(f"--beta takes a number or static, not {given!r}.") from None
