"""Options of the commands about groups of users, and how their numbers are written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Users = Annotated[str, typer.Option(metavar="PATH", help="Table of user_id and attributes.")]
Attribute = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Attribute of users; repeat it for combinations. Also activity, spend and highest_price, "
        "made from --history.",
    ),
]
Candidates = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="Table of user_id, item_id, score, label: what could be shown."),
]
K = Annotated[int, typer.Option("--k", "-k", min=1, help="How many items are shown.")]
MinSize = Annotated[float, typer.Option(help="Users that a group needs: a number, or a share below 1.")]
History = Annotated[
    list[str] | None, typer.Option(metavar="PATH", help="Table of user_id and item_id (and price).")
]
Items = Annotated[
    str | None, typer.Option(metavar="PATH", help="Table of item_id with category or popularity.")
]
Model = Annotated[Path | None, typer.Option(help="Folder of a trained model, which scores the candidates.")]
Bins = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=N", help="Bins of a number: age=4 for quarters, age=18,35,55 for edges."),
]
Missing = Annotated[
    str, typer.Option(help="Users without a value: 'refuse', make them a 'group', or 'exclude' them.")
]


def bins(given: list[str] | None) -> dict[str, int | list[float]]:
    """What --bins says, by column."""
    return dict(_bins_of(each) for each in given or [])


def _bins_of(given: str) -> tuple[str, int | list[float]]:
    column, sign, rest = given.partition("=")
    if not (sign and column and rest):
        raise typer.BadParameter(
            f"{given!r} is not COLUMN=N, such as age=4, or COLUMN=EDGES, such as age=18,35,55."
        )
    return column, int(rest) if rest.isdigit() else numbers("--bins", rest)


def numbers(option: str, given: str) -> list[float]:
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{option} takes numbers with commas between, not {given!r}.") from None


def whole_numbers(option: str, given: str) -> list[int]:
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"{option} takes whole numbers with commas between, not {given!r}."
        ) from None
