"""What all commands share: options, progress on a terminal, and what is printed at the end.

The engine, the statistics and the report are imported when a command runs, so that `--help` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console

from evenhand.parameters import LARGEST_SEED, folder

if TYPE_CHECKING:
    from evenhand.plan import Plan
    from evenhand.results import AuditResult


Result = TypeVar("Result")


class FailOn(StrEnum):
    """Which verdicts make the command exit with 1."""

    VIOLATION = "violation"
    INCONCLUSIVE = "inconclusive"


def folder_option(given: str) -> Path:
    """A path as it was typed: as a Path, an empty one could not be told from the current folder."""
    return folder("--out", given)


Out = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=folder_option,
        help="Folder for findings.json, report.html and run.log; made if needed.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the findings as JSON instead of text.")]
Seed = Annotated[
    int | None, typer.Option(min=0, max=LARGEST_SEED, help="Seed of everything random; the default is 0.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors, and what --json asks for.")
]
Fail = Annotated[
    FailOn | None,
    typer.Option(
        help="Exit with 1 on a violation or what could not be computed; or also on anything undecided "
        "('inconclusive')."
    ),
]
MinCell = Annotated[
    int,
    typer.Option(
        min=0,
        help="Hide what would tell of fewer people than this in all that is shown (rows, where users are not "
        "known).",
    ),
]

# Options of the opportunity commands.
Random = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="Log of uniformly random traffic: a path or a quoted glob. Repeat it."),
]
Label = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN", help="0/1 column that says what users liked; repeat it for 'any of them'."
    ),
]
Group = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Column with the group, in the logs or in --attributes. Repeat it for combinations.",
    ),
]
Bins = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=EDGES", help="Bands of a number that is a --group: age=18,25,35. Repeat it."
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Look at these rows of all logs only: country=DE. Repeat it: several values of one column are "
        "any of them, several columns all of them.",
    ),
]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the user, whose rows depend on each other. Repeat it with the column of items or "
        "creators to speak of others like these.",
    ),
]
Attributes = Annotated[
    str | None, typer.Option(metavar="PATH", help="Table that holds the group, if the logs do not.")
]
On = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Key column(s) that --attributes shares with the logs."),
]
Missing = Annotated[
    str, typer.Option(help="Rows without a group: 'refuse', make them a 'group', or 'exclude' them.")
]
Probability = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of --random with the probability, up to one factor, with which each row was drawn; "
        "without it random traffic is uniform.",
    ),
]
Item = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of --random with the item: say first whether that log is random."
    ),
]
Catalogue = Annotated[
    str | None,
    typer.Option(
        metavar="PATH", help="With --item: table with that column, of all items that could be drawn."
    ),
]
ItemBy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="With --item: column of --random with a day or an attribute of the user; say whether what is "
        "drawn depends on it. Repeat it.",
    ),
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that was known of users before they were assigned, or the phase in which they were: "
        "look at its values one by one, too.",
    ),
]
DifferenceInterval = Annotated[
    str,
    typer.Option(
        help="How the interval of a change is made: hull, delta, welch (published Algorithm 3), normal "
        "(Algorithm 4), percentile, bca."
    ),
]
Folds = Annotated[int, typer.Option(help="Parts that the logs are divided into by --interval welch.")]
Timezone = Annotated[
    str | None,
    typer.Option(
        metavar="ZONE",
        help="Zone whose days are meant where times have a zone, such as Europe/Berlin or UTC.",
    ),
]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the report.")]
Level = Annotated[float, typer.Option(help="Confidence level of all intervals.")]


def columns(given: list[str] | None) -> str | list[str] | None:
    """One column or several (groups, clusters), as a plan writes them."""
    return given[0] if given and len(given) == 1 else given or None


def run_step(
    paths: dict[str, Any], step: dict[str, Any], command: str, *, title: str | None, out: Path | None,
    seed: int | None, as_json: bool, quiet: bool, fail_on: FailOn | None, min_cell: int,
    timezone: str | None = None,
) -> None:  # fmt: skip
    """Run one audit as a plan of one step, so that a command and a plan are the same thing."""
    from evenhand.plan.model import parse

    content = {
        "scope": {"title": title},
        "inputs": {name: {"path": path, "timezone": timezone} for name, path in paths.items()},
        "audits": [{key: value for key, value in step.items() if value is not None}],
    }
    plan = parse(content, f"evenhand {command}", _option)
    finish(plan, Path(), out=out, seed=seed, as_json=as_json, quiet=quiet, fail_on=fail_on, min_cell=min_cell)


def _option(place: tuple[str | int, ...]) -> str:
    """What a key of the one step is called on the command line."""
    return "--" + str(place[2] if len(place) > 2 else place[-1]).replace("_", "-")


def finish(
    plan: Plan, base: Path, *, out: Path | None, seed: int | None, as_json: bool, quiet: bool,
    fail_on: FailOn | None, min_cell: int,
) -> AuditResult:  # fmt: skip
    """Run a plan with progress, print what it found, and exit as asked."""
    from evenhand.errors import InputError
    from evenhand.findings import Verdict
    from evenhand.plan.runner import run

    if fail_on is not None and all(step.tolerance is None for step in plan.audits):
        raise InputError("--fail-on needs a tolerance to fail on, and none is set: add --tolerance.")
    with progress_on_terminal(quiet) as progress:
        result = run(plan, out, base=base, seed=seed, min_cell=min_cell, progress=progress)
    # What is printed often ends up in the log of a build: nothing that is not in the files.
    shown = result.published(min_cell)
    with reader_may_leave():
        if as_json:
            typer.echo(shown.to_json(), nl=False)
        elif not quiet:
            shown.print(_Terminal())
            if out is not None:
                typer.echo(f"\nReport: {out / 'report.html'}")
    # What could not be computed was not checked: a gate must not open for it, unless there was nothing to
    # check (a position along a direction that is not there).
    failing = {
        FailOn.VIOLATION: {Verdict.VIOLATION, Verdict.NOT_APPLICABLE},
        FailOn.INCONCLUSIVE: {Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE},
    }
    judged = [finding.verdict for finding in result.findings if not finding.details.get("moot")]
    published = {f.verdict for f in shown.findings if not f.details.get("moot")} - {None}
    # Nor where all that was judged is too small to be shown, of which the report says that it is no pass.
    unseen = published == {Verdict.NOT_APPLICABLE}
    if fail_on is not None and (unseen or failing[fail_on].intersection(judged)):
        raise typer.Exit(1)
    return result


def interruptible(work: Callable[[], Result]) -> Result:
    """What `work` gives, in a thread of its own: compiled code does not look for interrupts, the wait does.

    After an interrupt the thread is left to end with the process.
    """
    answer: Future[Result] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    return answer.result()


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """`| head` closes our output early. The work is done by then: print no more, and exit as if it had not.

    Typer and Rich would exit with 1, which here means a violation.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class _Terminal(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


class progress_on_terminal:
    """A line on standard error that says what is being done, if that is a terminal and not too quiet."""

    def __init__(self, quiet: bool) -> None:
        console = Console(stderr=True)
        self._status = console.status("starting") if console.is_terminal and not quiet else None

    def __enter__(self) -> Callable[[str], None]:
        if self._status is None:
            return lambda message: None
        self._status.start()
        return self._status.update

    def __exit__(self, *exception: object) -> None:
        if self._status is not None:
            self._status.stop()
