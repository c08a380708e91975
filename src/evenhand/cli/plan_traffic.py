"""`evenhand plan-traffic`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evenhand.asked import written
from evenhand.cli import common
from evenhand.parameters import writable_folder

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        parser=common.folder_option,
        help="Folder for findings.json and report.html with its picture; made if needed.",
    ),
]

Random = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="Log of uniformly random traffic: a path or a quoted glob. Repeat it."),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of users, whose rows depend on each other.")
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
Level = Annotated[float, typer.Option(help="Confidence level of all intervals.")]


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
    random: Random = None,
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
    cluster: Cluster = None,
    attributes: Attributes = None,
    on: On = None,
    missing: Missing = "refuse",
    bins: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=EDGES", help="Bands of a number that is a --group: age=18,25,35. Repeat it."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Look at these rows of the pilot only. Repeat it."),
    ] = None,
    probability: Probability = None,
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
    level: Level = 0.95,
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
            group[0] if group and len(group) == 1 else group or None,
            cluster,
            level,
            seed or 0,
            attributes=attributes,
            on=on or None,
            missing=missing,  # type: ignore[arg-type]
            bins=written.edges("--bins", bins) if bins else None,
            where=written.conditions("--where", where) if where else None,
            probability=probability,
            rates=written.by_group("--rate", rate) if rate else None,
            utilities=written.by_group("--utility", utility) if utility else None,
            design_effect=design_effect,
            rows_a_day=rows_a_day,
            random_rows_a_day=random_rows_a_day,
            random_share=random_share or None,
            half_width=half_width,
            of=of,
            treatment=written.by_group("--treatment", treatment) if treatment else None,
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
    from evenhand.report.words.sentences import sentence
    from evenhand.results import AuditResult

    assert isinstance(result, AuditResult)
    for finding in result.findings:
        typer.echo(sentence(finding))
    # Why there is no answer stands in its sentence.
    known = [finding for finding in result.findings if finding.estimate is not None]
    for warning in dict.fromkeys(text for finding in known for text in finding.warnings):
        typer.echo(f"Note: {warning}")
