"""Options of the commands about embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Users = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Vectors of those who have the attribute: .npy, .npz, or a table of user_id and the vector. "
        "Instead of --model.",
    ),
]
Items = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Vectors of what is tested, in the same space: likewise, by item_id."),
]
Model = Annotated[
    Path | None,
    typer.Option(help="Folder of a trained model, which has both.  [required, or --users and --items]"),
]
Attribute = Annotated[
    str | None,
    typer.Option(
        metavar="PATH:COLUMN",
        help="Table of user_id and the attribute, such as users.parquet:gender.  [required]",
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
Missing = Annotated[str, typer.Option(help="Users without a value: 'refuse', or 'exclude' them.")]
Zeros = Annotated[
    str, typer.Option(help="Vectors of zeros, which have no direction: 'refuse', or 'exclude' them.")
]
Method = Annotated[str, typer.Option(help="How a direction is made: centroid, svc, most_biased_svc or pca.")]
Scheme = Annotated[str, typer.Option(help="For more than two values: one-vs-rest, one-vs-one or holistic.")]
Alpha = Annotated[float, typer.Option(help="Level of the tests that a direction must pass.")]
Permutations = Annotated[int, typer.Option(help="How often labels are shuffled.")]
Cost = Annotated[
    float | None,
    typer.Option(help="Of an error of the classifier; 1 in the source.  [default: 1 / users]"),
]


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


def vectors(users: str | None, items: str | None, model: Path | None) -> dict[str, str | None]:
    return {"users": users, "items": items, "model": None if model is None else str(model)}


def titled(given: str | None, form: str, attribute: str | None, *paths: str | Path | None) -> str | None:
    """The title that was given, or one that says which attribute and whose vectors a report is about."""
    name = next((Path(path).name for path in paths if path), "")
    if given is not None or attribute is None or not name:
        return given
    column = attribute.rpartition(":")[2].replace("_", " ")
    return form.format(attribute=column[:1].upper() + column[1:], name=name)


def refuse_before(context: typer.Context) -> None:
    """Raise if options stand before the name of a command, where nobody would read them."""
    given = [context.get_parameter_source(name) for name in context.params]
    if any(source is not None and source.name == "COMMANDLINE" for source in given):
        raise typer.BadParameter(f"options of {context.invoked_subcommand} stand after its name, not before.")
