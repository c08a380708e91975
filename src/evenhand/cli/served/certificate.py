"""`evenhand serve certificate`: fetch what is needed to check a live audit, and check it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common, envy_online
from evenhand.cli.served.simulate import VARIABLE, host_of, token_of
from evenhand.errors import InputError
from evenhand.parameters import writable_folder


def certificate(
    audit: Annotated[str, typer.Option(metavar="ID", help="The audit, which must be over.")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for certificate.json and its event log.")
    ],
    url: Annotated[str, typer.Option(metavar="URL", help="The server.")] = "http://127.0.0.1:8000",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help=f"File with a token of the scope read.  [default: {VARIABLE} in the environment]",
        ),
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Fetch the certificate of an audit and its event log, and check that it holds.

    Exits as `evenhand envy verify` does, which checks the same files again.
    """
    host_of(url)
    token = token_of(token_file)
    folder = writable_folder("--out", out)
    try:
        from evenhand.service.fetching import fetch
    except ModuleNotFoundError as error:
        raise InputError(
            f"This needs {error.name}, which is not installed: pip install 'evenhand[client]', or "
            f"'.[client]' from its folder."
        ) from None
    with common.progress_on_terminal(quiet) as progress:
        path = fetch(url, token, audit, folder, progress)
    if not quiet:
        typer.echo(f"Certificate: {path}  (check it again: evenhand envy verify {path})")
    envy_online.verify(path, None, False, quiet)
