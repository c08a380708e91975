"""`evenhand download NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common


def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which data set: ml-100k or ml-1m.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH", parser=common.folder_option, help="Folder to put the data set's folder into."
        ),
    ],
    quiet: common.Quiet = False,
) -> None:
    """Fetch a public data set from its publisher and compare the published checksum."""
    from evenhand import datasets

    folder = datasets.download(name, out, say=(lambda text: None) if quiet else typer.echo)
    if not quiet:
        typer.echo(f"Data: {folder} (evenhand train MODEL {folder} --out model)")
