"""A result inside a notebook: the headline and one table, without scripts, in the notebook's own colours."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, Template

from evenhand.documents import Document
from evenhand.report.pages import tables
from evenhand.report.words import sentences, summary, verdicts
from evenhand.report.words.legible import legible

_MOST_ROWS = 30

# Styles stand on the elements: notebooks share one page, and some remove style sheets from outputs.
_TEMPLATE = """\
<div style="max-width: 60rem">
<p style="font-size: 1.1em; line-height: 1.45">{{ headline }}</p>
{% for note in asides %}<p style="opacity: .75">{{ note }}</p>{% endfor %}
<table style="border-collapse: collapse; font-variant-numeric: tabular-nums">
<thead><tr>
{% for name in columns %}
<th style="text-align: left; padding: .3em 1em .3em 0">{{ name }}</th>
{% endfor %}
</tr></thead>
<tbody>
{% set cell = "text-align: left; padding: .25em 1em .25em 0" %}
{% for row in rows %}
{% set said = sentences.sentence(row.finding) ~ " " ~ verdicts.reason(row.finding) %}
<tr style="background: transparent" title="{{ said }}">
{% if judged %}
<td style="{{ cell }}; white-space: nowrap"><b>{{ row.shape }} {{ row.verdict }}</b></td>
{% endif %}
{% for text in (row.label, sentences.place(row.finding)) %}
<td style="{{ cell }}">{{ text }}</td>
{% endfor %}
{% for text in (row.estimate, row.interval, row.tolerance)[: 3 if judged else 2] %}
<td style="{{ cell }}; white-space: nowrap">{{ text }}</td>
{% endfor %}
</tr>
{% for warning in row.finding.warnings %}
<tr style="background: transparent">{% if judged %}<td></td>{% endif %}
<td colspan="{{ 5 if judged else 4 }}" style="text-align: left; opacity: .75">{{ warning }}</td></tr>
{% endfor %}
{% endfor %}
</tbody>
</table>
{% if more %}<p style="opacity: .75">and {{ more }} more, in to_frame() and in the saved report</p>{% endif %}
</div>
"""


def render(document: Document) -> str:
    """The document as a fragment of HTML, the findings that want attention first."""
    findings = legible(document).findings
    first = [finding for _, listed in summary.by_verdict(findings) for finding in listed]
    chosen = {id(finding) for finding in first}
    ordered = first + [finding for finding in findings if id(finding) not in chosen]
    judged = summary.judged(findings)
    columns = ("Verdict", "Measure", "About", "Estimate", "Interval", "Tolerance")
    return _template().render(
        judged=judged,
        columns=columns if judged else columns[1:-1],
        headline=summary.headline(findings),
        asides=summary.asides(findings),
        rows=[tables.row(finding) for finding in ordered[:_MOST_ROWS]],
        more=max(0, len(ordered) - _MOST_ROWS),
        verdicts=verdicts,
        sentences=sentences,
    )


@cache
def _template() -> Template:
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_TEMPLATE)
