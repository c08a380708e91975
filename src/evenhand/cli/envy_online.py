"""`evenhand envy simulate`, `plan` and `verify`: before and after an audit of a live system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.asked.declared.envy_online import AuditPlanQuestion, SimulationQuestion
from evenhand.asked.types import DATA
from evenhand.cli import common
from evenhand.cli.exit_codes import Exit
from evenhand.parameters import folder, writable_folder

if TYPE_CHECKING:
    from evenhand.envy import PlannedAudit, Simulation
    from evenhand.results import AuditResult


# Outcomes that an audit does not have yet, or that decide nothing.
_OUTCOMES = {
    None: "not yet decided",
    "inconclusive": "inconclusive: nothing was decided, and nothing is certified",
}
_NOT_SHOWN = (
    "It does not show that this happened, who made it, or that no other audit was made before it (ask for "
    "the seed_hash when an audit begins)."
)


def simulate(asked: SimulationQuestion, settings: common.ReportOptions) -> None:
    """Answer `envy simulate`."""
    from evenhand import envy

    kept = None if asked.certificate is None else folder("--certificate", asked.certificate)
    for given in (settings.out, kept):
        if given is not None:
            writable_folder("folder", given)
    with common.progress_on_terminal(settings.quiet) as progress:
        answer = common.interruptible(
            lambda: envy.simulated(
                asked.means, asked.runs, settings.seed or 0, _options(asked), draw=settings.out is not None,
                certify=kept is not None, progress=progress,
            )
        )  # fmt: skip
        common.save(answer.result, settings, progress)
        if kept is not None and answer.played is not None:
            kept = envy.save_certificate(answer.played.auditor, answer.played.events, kept)
    with common.reader_may_leave():
        common.tell(answer.result, _about_simulation(answer.found, answer.result), settings)
        if kept is not None and not (settings.as_json or settings.quiet):
            typer.echo(f"Certificate: {kept}  (check it: evenhand envy verify {kept})")


def plan(asked: AuditPlanQuestion, settings: common.ReportOptions) -> None:
    """Answer `envy plan`."""
    from evenhand import envy

    if settings.out is not None:
        writable_folder("--out", settings.out)
    with common.progress_on_terminal(settings.quiet) as progress:
        progress(f"{asked.runs:,} simulated audits for each alpha")
        answer = common.interruptible(
            lambda: envy.planned(asked.baseline, asked.gaps, asked.runs, settings.seed or 0, _options(asked))
        )
        common.save(answer.result, settings, progress)
    with common.reader_may_leave():
        common.tell(answer.result, _table(answer.rows, asked.runs), settings)


def _options(asked: SimulationQuestion | AuditPlanQuestion) -> dict[str, Any]:
    """How the audits are made and what users are like: all but what each question has of its own."""
    own = {"means", "certificate", "baseline", "gaps", "runs"}
    return {key: value for key, value in asked if key not in own}


def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="Certificate of an audit, such as certificate.json.")
    ],
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            rich_help_panel=DATA,
            help="Its event log, an event a line.  [default: beside it, certificate.events.jsonl for "
            "certificate.json]",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer as JSON instead of text.")
    ] = False,
    quiet: common.Quiet = False,
) -> None:
    """Run an audit again from its event log, and check that it ends as the certificate says.

    Exits with 0 if it does, with 1 and what differs if not (or why nobody can tell: people on whom the
    outcome rests were deleted), and with 2 if a file is missing or cannot be read.
    """
    from evenhand import envy
    from evenhand.errors import ChangedError, UncheckableError

    with common.progress_on_terminal(quiet) as progress:
        progress("running the audit again")
        try:
            audit = envy.verify_files(certificate, events)
        except (ChangedError, UncheckableError) as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(Exit.FAILED) from error
    # As it is written, which was found to be so; earlier schemas did not write all of it.
    found = envy.certificate(audit) | json.loads(certificate.read_bytes())
    unchecked = envy.not_checked(audit)
    with common.reader_may_leave():
        if as_json:
            names = (
                "kind",
                "outcome",
                "meaning",
                "assumptions",
                "reason",
                "warnings",
                "duration",
                "cost",
                "not_compared",
                "cost_at_most",
                "not_counted",
                "constraint_margin",
                "exploring_share",
                "events",
            )
            told = {name: found[name] for name in names if name in found}
            typer.echo(json.dumps({"holds": True, **told, "not_checked": unchecked}, indent=2))
        elif not quiet:
            count = found["events"]["count"]
            of_users = _whose(audit, found["users_drawn"]) if "users_drawn" in found else ""
            outcome = _OUTCOMES.get(found["outcome"], found["outcome"])
            typer.echo(
                f"The certificate holds: the {count:,} events of its log give the same audit"
                f"{of_users} of {found['duration']:,} steps, with the outcome {outcome}."
            )
            if audit.events < count:
                typer.echo(
                    f"{audit.events:,} of these events were run again. The others decide nothing (who it "
                    "is, what was shown) or were deleted: their hashes were checked."
                )
            typer.echo(found["meaning"])
            typer.echo("It assumes:")
            for assumption in found["assumptions"]:
                typer.echo(f"- {assumption}")
            typer.echo(_NOT_SHOWN)
            typer.echo(f"Not checked, as the log has nothing to check it by: {', '.join(unchecked)}.")


def _whose(audit: Any, drawn: int) -> str:
    """The audits that happened again: of who was deleted there are hashes alone."""
    there = drawn - len(audit.linked_only)
    return f" of {there:,} of {drawn:,} users" if there < drawn else f" of {drawn:,} users"


def _about_simulation(found: Simulation, result: AuditResult) -> list[str]:
    from evenhand.report.words.sentences import sentence

    outcomes = ", ".join(f"{word} {found.share(word):.0%}" for word in ("envy", "no_envy", "inconclusive"))
    told = [f"{len(found.durations):,} audits: {outcomes}."]
    told += [sentence(result.find(name)) for name in ("audit_duration", "audit_cost")]
    told.append(
        f"The constraint on that cost held at every step in {found.held.mean():.1%} of the audits, and "
        f"{result.find('wrong_outcomes').estimate:.1%} of the outcomes were wrong."
    )
    return told


def _table(rows: Sequence[PlannedAudit], runs: int) -> list[str]:
    told = [
        f"{runs:,} simulated audits for each alpha; duration in steps, cost in rewards.",
        "",
        f"{'alpha':>6s} {'median':>10s} {'9 of 10':>10s} {'cost':>10s} {'own policy':>11s} "
        f"{'envy':>6s} {'no_envy':>8s} {'undecided':>10s}",
    ]
    for row in rows:
        envy, no_envy, undecided = (row.outcomes[word] for word in ("envy", "no_envy", "inconclusive"))
        told.append(
            f"{row.alpha:6g} {row.duration:10,.0f} {row.duration_90:10,.0f} {row.cost:10,.1f} "
            f"{row.own_share:11.0%} {envy:6.0%} {no_envy:8.0%} {undecided:10.0%}"
        )
    return told
