"""`evenhand plan-traffic`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common, named
from evenhand.parameters import writable_folder

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=common.folder_option,
        help="Folder for findings.json and report.html with its picture; made if needed.",
    ),
]


def plan_traffic(
    rows_a_day: Annotated[
        float,
        typer.Option(help="Rows of default traffic that are logged a day; in an A/B test, in each arm."),
    ],
    random_share: Annotated[
        list[float] | None,
        typer.Option(help="Share of all traffic that is random, such as .01; repeat it to compare several."),
    ] = None,
    random_rows_a_day: Annotated[
        float | None, typer.Option(help="Rows of random traffic a day, in place of --random-share.")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(help="How far the interval may reach to either side, such as .02.")
    ] = None,
    of: Annotated[
        str, typer.Option(metavar="GROUP", help="Whose interval: 'penalty', or a group's relative utility.")
    ] = "penalty",
    treatment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=FACTOR",
            help="An A/B test that shall find it when a group gets FACTOR times its opportunity; repeat it.",
        ),
    ] = None,
    power: Annotated[
        float | None, typer.Option(help="Share of such A/B tests that shall find it.  [default: 0.8]")
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(help="The days that there are: which share of random traffic is needed then?"),
    ] = None,
    importance: Annotated[
        float | None,
        typer.Option(
            help="With --days: the weight of accuracy against relevance, from 0 to 1, for the best balance."
        ),
    ] = None,
    default: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH", help="Pilot log of default traffic: a path or a quoted glob. Repeat it."
        ),
    ] = None,
    random: common.Random = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="0/1 column of the pilot that says what users liked. Repeat it."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the pilot, or --attributes, with the group. Repeat it for combinations.",
        ),
    ] = None,
    cluster: common.Cluster = None,
    attributes: common.Attributes = None,
    on: common.On = None,
    missing: common.Missing = "refuse",
    bins: common.Bins = None,
    where: common.Where = None,
    probability: common.Probability = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=SHARE",
            help="Without a pilot: share of all pairs that are liked and of this group. Repeat it.",
        ),
    ] = None,
    utility: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=TIMES",
            help="Without a pilot: how many times as often they come in default traffic. Repeat it.",
        ),
    ] = None,
    design_effect: Annotated[
        float, typer.Option(help="Without a pilot: how many dependent rows are worth one independent row.")
    ] = 1.0,
    level: common.Level = 0.95,
    out: Folder = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
) -> None:
    """How much random traffic, and for how many days, would answer the question?

    From a pilot (--default, --random, --label, --group) or from assumed rates (--rate, --utility), for an
    audit that shall be exact (--half-width) or an A/B test that shall find a change (--treatment). With
    --days the days are given and the share of random traffic is looked for.
    """
    from evenhand import opportunity

    if out is not None:
        writable_folder("--out", out)
    with common.progress_on_terminal(quiet) as progress:
        planned = opportunity.plan_traffic(
            default or None,
            random or None,
            label,
            common.columns(group),
            common.columns(cluster),  # type: ignore[arg-type]  # two are refused there
            level,
            seed or 0,
            attributes=attributes,
            on=on or None,
            missing=missing,  # type: ignore[arg-type]
            bins=named.edges(bins),
            where=named.conditions(where),
            probability=probability,
            rates=named.numbers("--rate", rate),
            utilities=named.numbers("--utility", utility),
            design_effect=design_effect,
            rows_a_day=rows_a_day,
            random_rows_a_day=random_rows_a_day,
            random_share=random_share or None,
            half_width=half_width,
            of=of,
            treatment=named.numbers("--treatment", treatment),
            power=power,
            days=days,
            importance=importance,
            progress=progress,
        )
        result = replace(planned, scope={"title": "How much random traffic?"})
        if out is not None:
            progress("writing the report")
            result.save(out)
    with common.reader_may_leave():
        if as_json:
            typer.echo(result.to_json(), nl=False)
        elif not quiet:
            _tell(result)
            if out is not None:
                typer.echo(f"\nReport: {out / 'report.html'}")


def _tell(result: object) -> None:
    from evenhand.report.words import sentence
    from evenhand.results import AuditResult

    assert isinstance(result, AuditResult)
    for finding in result.findings:
        typer.echo(sentence(finding))
    # Why there is no answer stands in its sentence.
    known = [finding for finding in result.findings if finding.estimate is not None]
    for warning in dict.fromkeys(text for finding in known for text in finding.warnings):
        typer.echo(f"Note: {warning}")
