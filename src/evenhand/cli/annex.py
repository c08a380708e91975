"""`evenhand annex KIND RESULT`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import common
from evenhand.parameters import choice

if TYPE_CHECKING:
    from evenhand.results import AuditResult


def annex(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="dsa|ll144|ai-act", help="Which annex: what it names and leaves blank differs."
        ),
    ],
    result: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="The folder of a saved result, or its findings.json."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            parser=common.folder_option,
            help="Folder for annex-KIND.md, in place of printing it; made if needed.",
        ),
    ] = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Write what is handed to an auditor, in Markdown, from a saved result."""
    from evenhand.files import write_together
    from evenhand.report.annex.render import KINDS, render
    from evenhand.results import AuditResult

    choice("the kind of annex", kind, KINDS)
    chosen = next(one for one in KINDS if one == kind)
    loaded = AuditResult.load(result)
    document = loaded.published(min_cell).document
    text = render(
        document,
        chosen,
        _digest(result),
        _digest_alone(loaded),
        saved=loaded.document,
        min_cell=_least(loaded, min_cell),
    )
    if out is None:
        with common.reader_may_leave():
            typer.echo(text, nl=False)
    else:
        typer.echo(f"Annex: {write_together(out, {f'annex-{chosen}.md': text})[f'annex-{chosen}.md']}")


def _least(loaded: AuditResult, min_cell: int) -> int:
    """Of how many people the annex tells at least: one of a plan was saved with 5, or has another number."""
    plan = loaded.document.plan
    return min_cell if plan is None else max(min_cell, plan.get("min_cell", 5))


def _digest(result: Path) -> str:
    """That of the file which was read: a reader can compare it with the one that he has."""
    from hashlib import sha256

    from evenhand.files import content_of
    from evenhand.results import FINDINGS_FILE

    return sha256(content_of(result if result.suffix == ".json" else result / FINDINGS_FILE)).hexdigest()


def _digest_alone(loaded: AuditResult) -> str:
    """That of the file as it would be without `--compare`: an auditor does not have the earlier result."""
    from hashlib import sha256

    if loaded.document.compared is None:
        return ""
    return sha256(replace(loaded, compared=None).to_json().encode()).hexdigest()
