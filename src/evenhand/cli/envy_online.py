"""`evenhand envy simulate`, `plan` and `verify`: before and after an audit of a live system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.asked import written
from evenhand.cli import common
from evenhand.parameters import folder, writable_folder

if TYPE_CHECKING:
    from evenhand.envy import PlannedAudit, Simulation
    from evenhand.results import AuditResult

Epsilon = Annotated[float, typer.Option(help="How much better another policy may be without being envied.")]
Delta = Annotated[float, typer.Option(help="Probability that an audit may be wrong; below 0.5.")]
Runs = Annotated[int, typer.Option(help="How many audits to simulate.")]
Bound = Annotated[str, typer.Option(help="Confidence sequence: mixture, or lil (that of the source).")]
Design = Annotated[
    str | None,
    typer.Option(
        help="How policies are compared: in randomised blocks, or unpaired, which assumes that mean rewards "
        "do not change.  [default: blocks, with --bound lil unpaired]"
    ),
]
Unreported = Annotated[
    str,
    typer.Option(
        help="What a missing reward counts: compare (0, and inconclusive where policies lose different "
        "shares), or worst (the worst it can be for the claim)."
    ),
]
Choice = Annotated[str, typer.Option(help="Which policy to try next: adaptive, or uniform (the source).")]
Budget = Annotated[int | None, typer.Option(help="Most steps of an audit.  [default: no limit]")]
Rewards = Annotated[str, typer.Option(help="Rewards of users: bernoulli, beta, or mean (no noise).")]
Delay = Annotated[
    str, typer.Option(help="How late rewards come: none, random, bad_late or good_late; see --longest.")
]
Longest = Annotated[int, typer.Option(help="Most steps that a reward is late, which is also its deadline.")]
Missing = Annotated[float, typer.Option(help="Share of rewards that are never reported.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=common.folder_option,
        help="Folder for findings.json and report.html with its pictures; made if needed.",
    ),
]


def _certificate_folder(given: str) -> Path:
    return folder("--certificate", given)


def simulate(
    means: Annotated[
        str,
        typer.Option(
            metavar="OWN,OTHER,...",
            help="Mean rewards, from 0 to 1, under the user's own policy and under every other.",
        ),
    ],
    alpha: Annotated[
        float, typer.Option(help="Share of their own policy's reward that an audit may cost the user.")
    ] = 0.4,
    runs: Runs = 100,
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    bound: Bound = "mixture",
    choice: Choice = "adaptive",
    budget: Budget = None,
    rewards: Rewards = "bernoulli",
    delay: Delay = "none",
    longest: Longest = 0,
    missing: Missing = 0.0,
    design: Design = None,
    unreported: Unreported = "compare",
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            parser=_certificate_folder,
            help="Folder for certificate.json of one audit and its events, for evenhand envy verify.",
        ),
    ] = None,
    out: Folder = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
) -> None:
    """Simulate online audits of a user whose true mean rewards are known.

    Says how they end, how long they take, what they cost the user, and how often the constraint on that held.
    """
    from evenhand import envy

    true = written.numbers("--means", means)
    options: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "alpha": alpha, "bound": bound, "choice": choice,
        "budget": budget, "rewards": rewards, "delay": delay, "longest": longest, "missing": missing,
        "design": design, "unreported": unreported,
    }  # fmt: skip
    for given in (out, certificate):
        if given is not None:
            writable_folder("folder", given)
    with common.progress_on_terminal(quiet) as progress:
        answer = common.interruptible(
            lambda: envy.simulated(
                true, runs, seed or 0, options, draw=out is not None, certify=certificate is not None,
                progress=progress,
            )
        )  # fmt: skip
        if out is not None:
            progress("writing the report")
            answer.result.save(out)
        kept = None
        if certificate is not None and answer.played is not None:
            kept = envy.save_certificate(answer.played.auditor, answer.played.events, certificate)
    with common.reader_may_leave():
        _tell(answer.result, _about_simulation(answer.found, answer.result), out, as_json, quiet)
        if kept is not None and not (as_json or quiet):
            typer.echo(f"Certificate: {kept}  (check it: evenhand envy verify {kept})")


def plan(
    baseline: Annotated[
        float, typer.Option(help="Mean reward, from 0 to 1, that you expect under the user's own policy.")
    ],
    gap: Annotated[
        list[float],
        typer.Option(help="How much better another policy is than that; repeat it for every policy."),
    ],
    alpha: Annotated[
        list[float] | None,
        typer.Option(
            help="Share of their own policy's reward that an audit may cost the user; repeat it.  "
            "[default: .02, .05, .1, .2, .3, .4, .5]"
        ),
    ] = None,
    runs: Runs = 100,
    epsilon: Epsilon = 0.05,
    delta: Delta = 0.05,
    bound: Bound = "mixture",
    choice: Choice = "adaptive",
    budget: Budget = None,
    rewards: Rewards = "bernoulli",
    delay: Delay = "none",
    longest: Longest = 0,
    missing: Missing = 0.0,
    design: Design = None,
    unreported: Unreported = "compare",
    out: Folder = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
) -> None:
    """How long an online audit would take and what it would cost the user, for each alpha, by simulation."""
    from evenhand import envy

    options: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "bound": bound, "choice": choice, "budget": budget,
        "rewards": rewards, "delay": delay, "longest": longest, "missing": missing, "design": design,
        "unreported": unreported,
    }  # fmt: skip
    if out is not None:
        writable_folder("--out", out)
    if alpha:
        options["alpha"] = list(dict.fromkeys(alpha))
    with common.progress_on_terminal(quiet) as progress:
        progress(f"{runs:,} simulated audits for each alpha")
        answer = common.interruptible(lambda: envy.planned(baseline, gap, runs, seed or 0, options))
        if out is not None:
            progress("writing the report")
            answer.result.save(out)
    with common.reader_may_leave():
        _tell(answer.result, _table(answer.rows, runs), out, as_json, quiet)


def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="Certificate of an audit, such as certificate.json.")
    ],
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
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

    Exits with 0 if it does, with 1 and what differs if not, and with 2 if a file is missing or cannot be
    read.
    """
    from evenhand import envy
    from evenhand.errors import ChangedError

    with common.progress_on_terminal(quiet) as progress:
        progress("running the audit again")
        try:
            audit = envy.verify_files(certificate, events)
        except ChangedError as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(1) from error
    found = envy.certificate(audit)
    unchecked = envy.not_checked(audit)
    with common.reader_may_leave():
        if as_json:
            names = (
                "kind",
                "outcome",
                "meaning",
                "assumptions",
                "reason",
                "duration",
                "cost",
                "cost_at_most",
                "constraint_margin",
                "exploring_share",
                "carry_over",
                "events",
            )
            told = {name: found[name] for name in names if name in found}
            typer.echo(json.dumps({"holds": True, **told, "not_checked": unchecked}, indent=2))
        elif not quiet:
            of_users = f" of {found['users_drawn']:,} users" if "users_drawn" in found else ""
            outcome = found["outcome"] or "not yet decided"
            typer.echo(
                f"The certificate holds: the {audit.events:,} events of its log give the same audit"
                f"{of_users} of {audit.step:,} steps, with the outcome {outcome}."
            )
            typer.echo(found["meaning"])
            typer.echo("It assumes:")
            for assumption in found["assumptions"]:
                typer.echo(f"- {assumption}")
            typer.echo(f"Taken as it stands, as the log says nothing of it: {', '.join(unchecked)}.")


def _tell(result: AuditResult, text: Sequence[str], out: Path | None, as_json: bool, quiet: bool) -> None:
    if as_json:
        typer.echo(result.to_json(), nl=False)
    elif not quiet:
        for line in text:
            typer.echo(line)
        if out is not None:
            typer.echo(f"\nReport: {out / 'report.html'}")


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
