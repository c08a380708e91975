"""`evenhand serve`: run the live service, and keep its store."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import common
from evenhand.cli.exit_codes import Exit
from evenhand.cli.pages import SectionedCommand, SectionedGroup
from evenhand.cli.served import certificate, simulate
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.store.connecting import Store

app = typer.Typer(
    cls=SectionedGroup,
    help="Run the live service: which policy serves a user now, what came of it, and pages.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
_VARIABLE = "EVENHAND_STORE"
_DAY_S = 86_400.0

StoreAddress = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where events are kept: sqlite:///evenhand.db, or postgresql://user@host/database.  [default: "
        "EVENHAND_STORE in the environment]",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.callback()
def serve(
    context: typer.Context,
    store: StoreAddress = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(metavar="N", parser=common.whole_option("--port", 1, 65_535), help="Port to listen on."),
    ] = 8000,
    rate: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=common.whole_option("--rate", 1, 1_000_000),
            help="Requests a second that a token may make.",
        ),
    ] = 2_000,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A proxy on another machine that tells who asks (X-Forwarded-For), or a network such as "
            "10.0.0.0/8; give several. One on this machine is believed.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Write a line for every request.")] = False,
) -> None:
    """Run the live service until it is told to stop (SIGTERM, SIGHUP, or Ctrl-C)."""
    if context.invoked_subcommand is not None:
        if store is not None:
            named = context.invoked_subcommand
            raise InputError(f"Write --store behind the command: evenhand serve {named} --store ...")
        return
    if not host:
        raise InputError(
            "--host is empty, which would be every address of this machine; name one, or 0.0.0.0."
        )
    with _explained():
        from evenhand.service.http.serving import SILENT_S
        from evenhand.service.http.serving import serve as run
        from evenhand.store.connecting import open_store
    proxies = [_proxy(each) for each in trusted_proxy or []]
    opened = open_store(_address(store), silent_s=SILENT_S)
    run(opened, host, port, verbose=verbose, rate=float(rate), proxies=proxies)


def _proxy(address: str) -> str:
    try:
        return str(ip_network(address) if "/" in address else ip_address(address))
    except ValueError:
        raise InputError(
            f"--trusted-proxy {address} is not an address such as 10.0.0.7, or a network such as 10.0.0.0/8."
        ) from None


@app.command(cls=SectionedCommand)
def token(
    store: StoreAddress = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="What it may do: assign, report, read or admin; give several."),
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="Whose it is.")] = None,
    audit: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only for this audit; give several."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the tokens there are.")] = False,
    revoked: Annotated[
        str | None, typer.Option("--revoke", metavar="ID", help="Let this token in no longer.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a token, which is printed once; or list them, or revoke one."""
    from evenhand.report.words.legible import line

    if (listing or revoked is not None) and (scope or name or audit):
        raise InputError("--list and --revoke stand alone; --scope, --name and --audit make a token.")
    with _opened(store) as opened:
        from evenhand.service.access import tokens

        if revoked is not None:
            tokens.revoke(opened, revoked)
            typer.echo(f"Revoked {line(revoked)}; servers that run know it within seconds.")
        elif listing:
            found = tokens.listed(opened)
            if as_json:
                typer.echo(json.dumps([one.told() for one in found], indent=2))
                return
            for one in found:
                limited = "all audits" if one.audits is None else ", ".join(sorted(one.audits))
                ended, scopes = "revoked" if one.revoked_at else "valid", ", ".join(sorted(one.scopes))
                typer.echo(f"{one.id}  {ended:<7}  {scopes:<20}  {limited}  {line(one.name)}")
            if not found:
                typer.echo("There is no token yet; `evenhand serve token --scope admin` makes one.")
        else:
            tokens.refuse_unknown(opened, audit or [])
            made, text = tokens.make(opened, name or "unnamed", scope or [], audit or None)
            if as_json:
                typer.echo(json.dumps(made.told() | {"token": text}))
            else:
                typer.echo(text)
                typer.echo("This is the only time that it is shown.", err=True)


@app.command(cls=SectionedCommand)
def check(store: StoreAddress = None, quiet: Quiet = False) -> None:
    """Fold every event again and compare with what is kept; exits with 1 where something is wrong."""
    with _opened(store, make=False) as opened, common.progress_on_terminal(quiet) as progress:
        from evenhand.service.log.keeping.checking import check as folded_again

        progress("folding all events again")
        found = common.interruptible(lambda: folded_again(opened))
    for fault in found.faults:
        typer.echo(fault, err=True)
    if not quiet:
        wrong = f"{len(found.faults):,} faults" if found.faults else "all as it should be"
        gone = f"; {found.deleted:,} events are of people who were deleted" if found.deleted else ""
        counts = f"{found.streams:,} streams, {found.events:,} events, {found.snapshots:,} snapshots"
        typer.echo(f"{counts}: {wrong}{gone}.")
    if found.faults:
        raise typer.Exit(Exit.FAILED)


@app.command(cls=SectionedCommand)
def backup(
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH", help="The file to write, such as evenhand.backup.gz; an older one is replaced."
        ),
    ],
    store: StoreAddress = None,
    quiet: Quiet = False,
) -> None:
    """Copy the store of a server, which may run meanwhile, to one file."""
    with _opened(store, make=False) as opened, common.progress_on_terminal(quiet) as progress:
        from evenhand.service.log.keeping.backups import backup as copied

        progress("copying")
        count = common.interruptible(lambda: copied(opened, out))
    if not quiet:
        typer.echo(f"{count:,} rows are in {out}. Who is deleted from now on is still in it.")


@app.command(cls=SectionedCommand)
def restore(
    path: Annotated[Path, typer.Argument(metavar="BACKUP", help="What `evenhand serve backup` wrote.")],
    store: StoreAddress = None,
    quiet: Quiet = False,
) -> None:
    """Fill a new store from a backup, all of it or nothing."""
    with _opened(store) as opened, common.progress_on_terminal(quiet) as progress:
        from evenhand.service.log.keeping.backups import restore as filled

        progress("restoring")
        count = common.interruptible(lambda: filled(path, opened))
    if not quiet:
        typer.echo(f"{count:,} rows were restored.")


@app.command(cls=SectionedCommand)
def forget(
    store: StoreAddress = None,
    answers: Annotated[
        int,
        typer.Option(
            metavar="DAYS",
            parser=common.whole_option("--answers", 1, 36_500),
            help="Keep answers to requests, and rewards that came too late, for so many days.",
        ),
    ] = 30,
    people: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS",
            parser=common.whole_option("--people", 0, 36_500),
            help="Delete everybody in audits that ended so many days ago.  [default: nobody]",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Delete what need not be kept. On SQLite stop the server first."""
    with _opened(store, make=False) as opened, common.progress_on_terminal(quiet) as progress:
        from evenhand.service.log import Log
        from evenhand.service.log.keeping.retention import forget as forgotten

        progress("forgetting")
        log = Log(opened, sweep_s=None)
        try:
            kept_s = None if people is None else people * _DAY_S
            gone = forgotten(log, time.time(), answers_s=answers * _DAY_S, people_s=kept_s)
            left = opened.erase()
        finally:
            log.close()
    if not quiet:
        typer.echo(
            f"Forgot {gone.answers:,} answers, {gone.late_rewards:,} late rewards and {gone.people:,} people."
        )
    for said in gone.damaged:
        typer.echo(f"{said} Nobody was deleted from it.", err=True)
    if left is not None:
        raise InputError(f"They may still be in the store's files, as {left}; run it again later.")
    if gone.damaged:
        raise typer.Exit(Exit.FAILED)


app.command("simulate", cls=SectionedCommand)(simulate.simulate)
app.command("certificate", cls=SectionedCommand)(certificate.certificate)


def _address(given: str | None) -> str:
    found = given or os.environ.get(_VARIABLE)
    if not found:
        raise InputError(
            f"Say where events are kept: --store sqlite:///evenhand.db, or {_VARIABLE} in the environment."
        )
    return found


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"The service needs {error.name}, which is not installed: pip install "
            f"'evenhand[service]', or '.[service]' from its folder."
        ) from None


@contextmanager
def _opened(given: str | None, make: bool = True) -> Iterator[Store]:
    with _explained():
        from evenhand.store.connecting import open_store
    store = open_store(_address(given), make=make)
    try:
        yield store
    finally:
        store.close()
