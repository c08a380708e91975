"""`evenhand serve simulate`: a running server and users who are not there."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from evenhand.cli import common
from evenhand.errors import InputError
from evenhand.parameters import number

if TYPE_CHECKING:
    from evenhand.service.simulating import Asked, Means, Simulated

VARIABLE = "EVENHAND_TOKEN"
_NEARLY = 0.9  # of the rate that was asked for is as good as that
_AGREES = {
    True: "This agrees with what was planted.",
    False: "This does not agree with what was planted.",
    None: "Nothing is certified, so there is nothing to compare with what was planted.",
}


def _number(flag: str, least: float, most: float) -> Callable[[Any], float]:
    """Refuses another in the words of all parameters."""

    def read(given: Any) -> float:
        try:
            return number(flag, float(given), least, most)
        except ValueError:
            return number(flag, given, least, most)

    return read


def simulate(
    url: Annotated[str, typer.Option(metavar="URL", help="The server.")] = "http://127.0.0.1:8000",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help=f"File with a token of the scope admin.  [default: {VARIABLE} in the environment]",
        ),
    ] = None,
    users: Annotated[
        int,
        typer.Option(metavar="N", parser=common.whole_option("--users", 2, 100), help="So many users."),
    ] = 3,
    better_by: Annotated[
        float,
        typer.Option(
            metavar="X",
            parser=_number("--better-by", 0.0, 0.5),
            help="One user's mean reward is higher by so much with another's policy; 0 is nobody's.",
        ),
    ] = 0.0,
    epsilon: Annotated[
        float,
        typer.Option(
            metavar="X",
            parser=_number("--epsilon", 0.01, 0.5),
            help="Another's policy may be better by so much while the audit says that nobody is better off.",
        ),
    ] = 0.2,
    rate: Annotated[
        int,
        typer.Option(metavar="N", parser=common.whole_option("--rate", 1, 10_000), help="Visits a second."),
    ] = 50,
    seconds: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=common.whole_option("--seconds", 1, 86_400),
            help="Stop after so many seconds, outcome or not.",
        ),
    ] = 120,
    not_shown: Annotated[
        float,
        typer.Option(
            metavar="SHARE", parser=_number("--not-shown", 0.0, 1.0), help="Visits that never reach the user."
        ),
    ] = 0.05,
    not_reported: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            parser=_number("--not-reported", 0.0, 1.0),
            help="Rewards that are never reported.",
        ),
    ] = 0.05,
    seed: common.Seed = None,
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Also a server that is not on this machine.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Drive a running server with invented users, and compare what it says with what was planted."""
    _refuse_others(url, anywhere)
    token = token_of(token_file)
    try:
        from evenhand.service.simulating import Asked, Means
        from evenhand.service.simulating import simulate as run
    except ModuleNotFoundError as error:
        raise InputError(
            f"The simulation needs {error.name}, which is not installed: pip install "
            f"'evenhand[service]', or '.[service]' from its folder."
        ) from None
    asked = Asked(users, better_by, epsilon, float(rate), float(seconds), not_shown, not_reported, seed or 0)
    means = Means(users, better_by, random.Random(asked.seed))
    with common.progress_on_terminal(quiet) as progress:
        found = run(url, token, asked, means, progress)
    with common.reader_may_leave():
        if as_json:
            typer.echo(json.dumps(_document(asked, found), indent=2))
        elif not quiet:
            for line in _told(asked, means, found):
                typer.echo(line)


def host_of(url: str) -> str:
    """The host of the address of a server; another address is refused."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    if not host or urlsplit(url).scheme not in ("http", "https"):
        raise InputError("--url is not the address of a server; write one such as http://127.0.0.1:8000.")
    return host


def _refuse_others(url: str, anywhere: bool) -> None:
    host = host_of(url)
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here and not anywhere:
        raise InputError(
            f"{host} is not this machine, and its store would get an audit of invented users; if you mean "
            "it, add --anywhere."
        )


def token_of(path: Path | None) -> str:
    """Of this file, or of the environment."""
    if path is not None:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    found = os.environ.get(VARIABLE, "").strip()
    if not found:
        raise InputError(f"Say who you are: --token-file, or {VARIABLE} in the environment.")
    return found


def _document(asked: Asked, found: Simulated) -> dict[str, object]:
    counts = {"visits": found.visits, "seconds": round(found.seconds, 3), "assigned": found.stats.assigned}
    counts |= {"fallbacks": sum(found.stats.fallbacks.values()), "rate": round(found.rate, 1)}
    planted = {"better_by": asked.better_by, "epsilon": asked.epsilon}
    said = {"outcome": found.said["outcome"], "reason": found.said["reason"], "meaning": found.meaning}
    agrees = asked.agrees_with(found.said["outcome"])
    return {"audit": found.audit, **counts, "planted": planted, "said": said, "agrees": agrees}


def _told(asked: Asked, means: Means, found: Simulated) -> list[str]:
    stats, said = found.stats, found.said
    fallbacks, refused = sum(stats.fallbacks.values()), sum(stats.dropped.values())
    told = [
        f"Audit {found.audit}: {found.visits:,} visits in {found.seconds:.0f} s; {stats.assigned:,} assigned,"
        f" {fallbacks:,} served without an answer, {refused:,} reports refused."
    ]
    if found.rate < _NEARLY * asked.rate:
        told[0] += f" That is {found.rate:.3g} visits a second, where {asked.rate:g} were asked for."
    planted = "nobody is better off with the policy of another."
    if asked.better_by:
        first, second = means.users[:2]
        planted = f"{first} is better off by {asked.better_by:g} with the policy of {second}."
    told.append(f"Planted: {planted}")
    if said["outcome"] is None:
        told.append(
            f"The server says: not decided yet, {said['decided']} of {said['targets']} users are; the audit "
            "is still there."
        )
    else:
        told.append(f"The server says: {said['outcome']}. {found.meaning}")
        told.append(_AGREES[asked.agrees_with(said["outcome"])])
    return told
