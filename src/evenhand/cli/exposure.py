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
        list[Path] | None,
        typer.Option(
            help="Folder of a trained model, which scores everything, instead; repeat it to compare models."
        ),
    ] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Table of user_id, item_id, rank (and list_id) of what users were really shown, instead.",
        ),
    ] = None,
    beta: Annotated[
        list[str] | None,
        typer.Option(
            help="Temperature of the policy, or 'static'; repeat it.  [default: 8, 1, static; with several "
            "models static]"
        ),
    ] = None,
    relative: Annotated[
        bool, typer.Option("--relative", help="Beta in units of the spread of a user's scores.")
    ] = False,
    patience: Annotated[
        list[float] | None,
        typer.Option(help="Chance to look one place further (RBP); repeat it.  [default: 0.8]"),
    ] = None,
    discount: Annotated[str, typer.Option(help="How positions count: rbp or dcg.")] = "rbp",
    k: Annotated[int | None, typer.Option("--k", "-k", min=1, help="Nobody looks beyond place k.")] = None,
    target: Annotated[
        str, typer.Option(help="What exposure is asked for: equal, or published (that of published code).")
    ] = "equal",
    user_weight: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP=NUMBER", help="How much a user group counts; repeat it for every group."),
    ] = None,
    item_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=NUMBER", help="How much an item group counts; repeat it for every group."
        ),
    ] = None,
    propensity: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the relevance table with the chance that a relevant pair was observed.",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="How far the exposure of a pair of groups may be off, as a share of the target; at most 10."
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(help="How many pairs of groups to list; those come first that are surely off.")
    ] = 100,
    tradeoff: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BETA",
            help="Temperatures of the trade-off, three or more.  [default: those of --beta; with several "
            "models 8 to .125 and static]",
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
    """Who is shown to whom, beside what relevance asks for?

    Compares the expected exposure of items to users under the ranking, or under a stochastic policy over the
    scores, with equal expected exposure of equally relevant items, for individuals and groups on both sides.
    With several models, compares how much relevance each gives for its disparity.
    """
    paths = {"relevance": relevance, "users": users, "items": items, "scores": scores, "lists": lists}
    given = {name: path for name, path in paths.items() if path}
    step: dict[str, Any] = {
        "audit": "exposure",
        **{name: name for name in given},
        "user_group": user_group,
        "item_group": item_group,
        "model": _one_or_several([str(folder) for folder in model or []]),
        "beta": [_temperature("--beta", one) for one in beta] if beta else None,
        "patience": _one_or_several(patience or []),
        "discount": discount,
        "k": k,
        "target": target,
        "relative": relative,
        "user_weights": _weights("--user-weight", user_weight),
        "item_weights": _weights("--item-weight", item_weight),
        "propensity": propensity,
        "tolerance": tolerance,
        "top": top,
        "tradeoff": [_temperature("--tradeoff", one) for one in tradeoff] if tradeoff else None,
        "level": level,
    }
    common.run_step(
        given, step, "exposure", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def _one_or_several(given: list[Any]) -> Any:
    """As a plan would say it: nothing, one, or a list."""
    return given if len(given) > 1 else next(iter(given), None)


def _weights(option: str, given: list[str] | None) -> dict[str, float] | None:
    if not given:
        return None
    found: dict[str, float] = {}
    for one in given:
        name, _, value = one.rpartition("=")
        if name in found:
            raise typer.BadParameter(f"{option} has a weight for {name!r} twice.")
        try:
            found[name] = float(value)
        except ValueError:
            raise typer.BadParameter(f"{option} takes GROUP=NUMBER, not {one!r}.") from None
    return found


def _temperature(option: str, given: str) -> float | str:
    if given == "static":
        return given
    try:
        return float(given)
    except ValueError:
        raise typer.BadParameter(f"{option} takes a number or static, not {given!r}.") from None
