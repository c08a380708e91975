"""What all commands share: options, progress on a terminal, and what is printed at the end.

The engine, the statistics and the report are imported when a command runs, so that `--help` is quick.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console

from evenhand.asked import written
from evenhand.cli.exit_codes import Exit
from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, folder, whole

if TYPE_CHECKING:
    from evenhand.asked.step import Step
    from evenhand.plan import Plan
    from evenhand.results import AuditResult


Result = TypeVar("Result")


class Format(StrEnum):
    """What is printed at the end."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"


class FailOn(StrEnum):
    """Which verdicts make the command exit with 1."""

    VIOLATION = "violation"
    INCONCLUSIVE = "inconclusive"


def folder_option(given: str) -> Path:
    """A path as it was typed: as a Path, an empty one could not be told from the current folder."""
    return folder("--out", given)


def whole_option(flag: str, least: int, most: int | None = None) -> Callable[[Any], int]:
    """Reads a whole number, and refuses another in the words of all parameters: Typer has its own."""

    def read(given: Any) -> int:
        try:
            return whole(flag, int(given), least, most)
        except ValueError:
            return whole(flag, given, least, most)

    return read


seed_option = whole_option("--seed", 0, LARGEST_SEED)
min_cell_option = whole_option("--min-cell", 0)

Out = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=folder_option,
        help="Folder for findings.json, report.html and run.log; made if needed.",
    ),
]
ReportOut = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=folder_option,
        help="Folder for findings.json and report.html with its pictures; made if needed.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Printed = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="|".join(Format),
        help="What to print: the answers as text, the findings as JSON, a summary for a build's page, or a "
        "test report.  [default: text]",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", parser=seed_option, help="Seed of everything random.  [default: 0]"),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors, and what --json asks for.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print every finding, not the answers alone.")]
Fail = Annotated[
    FailOn | None,
    typer.Option(
        metavar="|".join(FailOn),
        help="Exit with 1 on a violation or what could not be computed; or also on anything undecided "
        "('inconclusive').",
    ),
]
MinCell = Annotated[
    int,
    typer.Option(
        metavar="NUMBER",
        parser=min_cell_option,
        help="Hide what would tell of fewer people than this in all that is shown (rows, where users are not "
        "known).",
    ),
]
Days = Annotated[
    str | None,
    typer.Option(
        metavar="FIRST..LAST|DATE|all",
        help="Of which days, where paths of the plan have {day}: such as 2026-01-01..2026-01-31, or all days "
        "that are there.",
    ),
]

Only = Annotated[
    list[str] | None,
    typer.Option(metavar="STEP", help="This audit of the plan alone, by its name or number. Repeat it."),
]

Timezone = Annotated[
    str | None,
    typer.Option(
        metavar="ZONE",
        rich_help_panel="Data",
        help="Zone whose days are meant where times have a zone, such as Europe/Berlin or UTC.",
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        rich_help_panel="Data",
        help="Folder of a public data set, such as KuaiRand: its tables stand for those that are not named.",
    ),
]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the report.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="NAME=THEIRS",
        rich_help_panel="Data",
        help="What a column is called in your tables, such as user_id=User_ID, wherever it is there. Repeat "
        "it.",
    ),
]


@dataclass(frozen=True)
class ReportOptions:
    """What every command that audits can be told: where its report goes, and how it ends."""

    out: Path | None = None
    as_json: bool = False
    printed: Format | None = None
    seed: int | None = None
    quiet: bool = False
    verbose: bool = False
    fail_on: FailOn | None = None
    min_cell: int = 5
    title: str | None = None
    data: str | None = None
    about_data: str | None = None
    timezone: str | None = None
    their_names: list[str] | None = None
    only: list[str] | None = None
    compare: Path | None = None

    @property
    def format(self) -> Format:
        """What is to be printed; one of two ways to say it is enough, and they must not differ."""
        if self.as_json and self.printed not in (None, Format.JSON):
            raise InputError(f"--json and --format {self.printed} ask for different things; leave one out.")
        return Format.JSON if self.as_json else self.printed or Format.TEXT


# By the names of their parameters: type and default. Those about tables stand with the data.
ABOUT_TABLES: dict[str, tuple[Any, Any]] = {
    "data": (Data, None),
    "their_names": (Columns, None),
    "timezone": (Timezone, None),
}
ABOUT_OUTPUT: dict[str, tuple[Any, Any]] = {
    "title": (Title, None),
    "out": (Out, None),
    "printed": (Printed, None),
    "as_json": (Json, False),
    "seed": (Seed, None),
    "quiet": (Quiet, False),
    "verbose": (Verbose, False),
    "fail_on": (Fail, None),
    "min_cell": (MinCell, 5),
}
# Of commands that answer a question and audit nothing.
ABOUT_ANSWERS: dict[str, tuple[Any, Any]] = {
    "out": (ReportOut, None),
    "as_json": (Json, False),
    "seed": (Seed, None),
    "quiet": (Quiet, False),
}


def run_step(
    paths: dict[str, Any],
    step: dict[str, Any],
    command: str,
    flags: Mapping[str, str],
    settings: ReportOptions,
) -> None:
    """Run one audit as a plan of one step, so that a command and a plan are the same thing."""
    from evenhand.plan.model import parse

    content = {
        "scope": {"title": settings.title, "system": settings.about_data},
        "inputs": {name: {"path": path, "timezone": settings.timezone} for name, path in paths.items()},
        "columns": written.names("--columns", settings.their_names or []),
        "audits": [step],
    }

    def option(place: tuple[str | int, ...]) -> str:
        """What a key of the one step is called on the command line."""
        key = str(place[2] if len(place) > 2 else place[-1])
        return flags.get(key, f"--{key.replace('_', '-')}")

    finish(parse(content, f"evenhand {command}", option), Path(), settings, "--tolerance")


def finish(
    plan: Plan,
    base: Path,
    settings: ReportOptions,
    limit: str = "the key `tolerance` to an audit",
) -> AuditResult:
    """Run a plan with progress, print what it found, and exit as asked. `limit` is what to add where no audit
    has one."""
    from evenhand.plan.running.choosing import chosen
    from evenhand.plan.running.runner import run
    from evenhand.plan.running.unfinished import FOLDER
    from evenhand.report.gate import stops, why
    from evenhand.report.words.legible import legible

    out, fail_on, min_cell, form = settings.out, settings.fail_on, settings.min_cell, settings.format
    asked = chosen(plan.audits, settings.only)
    if fail_on is not None and not any(step.judges for step in asked.values()):
        raise InputError(f"--fail-on needs a tolerance to fail on, and none is set: add {limit}.")
    no_gate = "" if fail_on is None else _no_gate(asked)
    try:
        with progress_on_terminal(settings.quiet) as progress:
            result = run(
                plan,
                out,
                base=base,
                seed=settings.seed,
                min_cell=min_cell,
                only=settings.only,
                compare=settings.compare,
                progress=progress,
            )
    except KeyboardInterrupt:
        if out is not None and (out / FOLDER).is_dir():
            typer.echo("What is finished is kept: the same command goes on from there.", err=True)
        raise
    if settings.about_data is not None and not settings.quiet:
        typer.echo(settings.about_data, err=True)
    # What is printed often ends up in the log of a build: nothing that is not in the files.
    shown = result.published(min_cell)
    told = legible(shown.document).findings
    failed = "" if fail_on is None else why(result.findings, told, fail_on)
    with reader_may_leave():
        if form is Format.JSON:
            typer.echo(shown.to_json(), nl=False)
        elif form is not Format.TEXT:
            typer.echo(_summary(shown, form, fail_on, (no_gate, failed)), nl=False)
        elif not settings.quiet:
            where = "" if out is None else str(out / "report.html")
            shown.print(_Terminal(), whole=settings.verbose, where=where)
            if no_gate:
                typer.echo(no_gate)
            elif out is None:
                typer.echo("No report was written; --out FOLDER writes one.")
            if failed:
                typer.echo(failed)
    if fail_on is not None and stops(result.findings, shown.findings, fail_on):
        raise typer.Exit(Exit.FAILED)
    return result


def _no_gate(asked: Mapping[int, Step]) -> str:
    """Which audits of the run no gate looks at, in a line; by number where several have one name."""
    from evenhand.plan.running.choosing import called

    names = [called(step) for step in asked.values()]
    without = [
        called(step) if names.count(called(step)) == 1 else f"{called(step)} ({place + 1})"
        for place, step in asked.items()
        if not step.judges
    ]
    return f"No limit, and so no gate: {', '.join(without)}." if without else ""


def _summary(result: AuditResult, form: Format, fail_on: FailOn | None, last: Sequence[str]) -> str:
    from evenhand.report.pages import junit, markdown

    if form is Format.MARKDOWN:
        said = [f"\n{markdown.plain(line, cut=False)}\n" for line in last if line]
        return markdown.render(result.document) + "".join(said)
    return junit.render(result.document, undecided_fails=fail_on is FailOn.INCONCLUSIVE)


def save(result: AuditResult, settings: ReportOptions, progress: Callable[[str], None]) -> None:
    """Write the report, where one was asked for."""
    if settings.out is not None:
        progress("writing the report")
        result.save(settings.out)


def tell(result: AuditResult, text: Iterable[str], settings: ReportOptions) -> None:
    """Print an answer as it was asked for: as JSON, or as lines of text."""
    if settings.as_json:
        typer.echo(result.to_json(), nl=False)
    elif not settings.quiet:
        for line in text:
            typer.echo(line)
        if settings.out is not None:
            typer.echo(f"\nReport: {settings.out / 'report.html'}")


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
    """Says on standard error what is being done, unless it is to be quiet: on a terminal in a line that
    changes, elsewhere (a pipe, the log of a build) in a line every half minute."""

    EVERY = 30.0

    def __init__(self, quiet: bool) -> None:
        console = Console(stderr=True)
        self._quiet = quiet
        self._status = console.status("starting") if console.is_terminal and not quiet else None
        self._told = time.monotonic()

    def __enter__(self) -> Callable[[str], None]:
        if self._status is None:
            return lambda message: None if self._quiet else self._line(message)
        self._status.start()
        return self._status.update

    def _line(self, message: str) -> None:
        if time.monotonic() - self._told >= self.EVERY:
            self._told = time.monotonic()
            typer.echo(message, err=True)

    def __exit__(self, *exception: object) -> None:
        if self._status is not None:
            self._status.stop()
