"""A result for terminals: the same sentences as the report, at any width and without needing colour."""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evenhand.documents import Document
from evenhand.findings import Finding, Verdict
from evenhand.report.pages import tables
from evenhand.report.pages.arrange import Family, Section, sections
from evenhand.report.pages.text import STYLES, WIDTH
from evenhand.report.reading.read import read
from evenhand.report.vocabulary.names import audit, capital, question, section_heading
from evenhand.report.words import advice, overall, sentences, summary, verdicts
from evenhand.report.words.legible import legible


def render(document: Document) -> RenderableType:
    """The document for `rich` to print."""
    document = legible(document)
    findings = document.findings
    parts: list[RenderableType] = [
        Text(document.scope.get("title", "Fairness audit"), style="bold"),
        Text(),
        Text(_first(document)),
    ]
    judged = summary.judged(findings)
    counted = [(verdict, number) for verdict, number in summary.counts(findings).items() if number]
    if counted and judged:
        parts += [Text(), Text("   ").join(_verdict(verdict, f"{number} ") for verdict, number in counted)]
    parts += [Text(sentences.sentence(finding)) for finding in summary.further_results(findings)]
    parts += [Text(note, style="dim") for note in summary.asides(findings)]
    parts += [Text(f"What to do: {step}") for step in advice.next_steps(findings)]
    for section in sections(findings):
        parts += _section(section, judged)
    return Group(*parts)


def _first(document: Document) -> str:
    """The verdicts of all checks; where the answers hide one of them, what the other pages say."""
    under = overall.beyond_under(read(document).cards)
    return under[0].text if under else summary.headline(document.findings)


def plain(document: Document) -> str:
    """The document as text of 80 columns, without colour."""
    page = io.StringIO()
    Console(file=page, width=WIDTH, color_system=None, force_terminal=False).print(render(document))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _verdict(verdict: Verdict | None, before: str = "") -> Text:
    shape, word = verdicts.SHAPES[verdict], verdicts.WORDS[verdict]
    # Joined by no-break spaces, so that a narrow line breaks between verdicts and not inside one.
    return Text(f"{shape} {before}{word}".replace(" ", "\N{NO-BREAK SPACE}"), style=STYLES[verdict])


def _section(section: Section, judged: bool) -> list[RenderableType]:
    heading = section_heading(audit(section.audit).title, section.about)
    parts: list[RenderableType] = [Text(), Text(heading, style="bold underline")]
    if asked := question(section.audit):
        parts.append(Text(asked, style="dim"))
    said = section.shared_warnings
    parts += [Text(f"Take care: {warning}", style="yellow") for warning in said]
    singles = [part for finding in section.singles for part in _single(finding, said, judged)]
    families = [part for family in section.families for part in _family(family, said, judged)]
    parts += families + singles if section.families_first else singles + families
    premises = dict.fromkeys(text for finding in section.members for text in finding.assumptions)
    if premises:
        parts += [Text(), Text("These numbers assume:", style="dim")]
        parts += [_indented(f"- {text}", style="dim") for text in premises]
    return parts


def _single(finding: Finding, said: list[str], judged: bool) -> list[RenderableType]:
    about = sentences.place(finding, leave_out=audit(finding.audit).section)
    title = sentences.title(finding) + (f" ({about})" if about else "")
    is_said = judged or finding.verdict is not None
    head = Text.assemble((title, "bold"), "  ", _verdict(finding.verdict) if is_said else "")
    parts: list[RenderableType] = [Text(), head, _indented(sentences.sentence(finding))]
    if is_said:
        parts.append(_indented(verdicts.reason(finding), style="dim"))
    if finding.estimate is not None:
        parts += [_caution(warning) for warning in finding.warnings if warning not in said]
    parts += [_indented(verdicts.exclusion(left_out)) for left_out in finding.excluded]
    return parts


def _counted(family: Family) -> str:
    """What the numbers of a family are counts of."""
    return next((capital(f.n.of) for f in family.findings if f.n is not None), "N")


def _family(family: Family, said: list[str], judged: bool) -> list[RenderableType]:
    shown, rest = family.split()
    title = sentences.title(family.first) + (f" ({family.context})" if family.context else "")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(capital(family.member), overflow="fold", ratio=1)
    shown_rows = tables.rows(shown)
    dated = bool(shown_rows[0].day)
    if dated:
        table.add_column(capital(family.first.details["unit"]), no_wrap=True)
    for name in ("Estimate", "Interval", _counted(family)):
        table.add_column(name, justify="right", no_wrap=True)
    liked = any(row.positives for row in shown_rows)
    if liked:
        head = "\n".join(tables.head_of_positives(shown_rows))
        table.add_column(head, justify="right", no_wrap=True)
    if judged:
        table.add_column("Verdict", overflow="fold")
    for row in shown_rows:
        # Text, not str: a group called "[red]" is a name, not markup.
        word = Text(f"{row.shape} {row.verdict}", style=STYLES[row.finding.verdict])
        verdict = [word] if judged else []
        table.add_row(
            Text(row.label), *([row.day] if dated else []), row.estimate, row.interval, row.n,
            *([row.positives] if liked else []), *verdict,
        )  # fmt: skip
    parts: list[RenderableType] = [Text(), Text(title, style="bold")]
    if ends := sentences.sides(family.first):
        parts.append(_indented(f"Below 0: {ends[0]}. Above 0: {ends[1]}.", style="dim"))
    parts.append(Padding(table, (0, 0, 0, 2)))
    if rest is not None:
        parts.append(
            _indented(f"and {len(rest.findings)} more, in the report and in to_frame()", style="dim")
        )
    needing_words = [f for f in shown.findings if f.verdict in (Verdict.VIOLATION, Verdict.INCONCLUSIVE)]
    needing_words += [f for f in shown.findings if f.verdict is Verdict.NOT_APPLICABLE]
    for finding in needing_words:
        sentence = sentences.sentence(finding)
        if finding.verdict is Verdict.INCONCLUSIVE:
            sentence += f" {verdicts.reason(finding)}"
        parts.append(_indented(f"{verdicts.SHAPES[finding.verdict]} {sentence}"))
    known = [finding for finding in family.findings if finding.estimate is not None]
    cautions = dict.fromkeys(warning for finding in known for warning in finding.warnings)
    parts += [_caution(warning) for warning in cautions if warning not in said]
    left_out = dict.fromkeys(verdicts.exclusion(item) for finding in known for item in finding.excluded)
    parts += [_indented(text) for text in left_out]
    return parts


def _caution(warning: str) -> Padding:
    return _indented(f"Take care: {warning}", style="yellow")


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(text, style=style), (0, 0, 0, 2))
