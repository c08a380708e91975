"""What audits, units and details are called, from the vocabulary of the report."""

from __future__ import annotations

from evenhand.report.vocabulary.names import question, words
from evenhand.report.vocabulary.questions import QUESTIONS
from from_code.markdown import code, plain, table
from from_code.measures import UNITS


def text() -> str:
    known = words()
    return "\n".join(
        [
            "## Questions\n",
            table(["question", "asked"], [(code(name), asked) for name, asked in QUESTIONS.items()]),
            "## Audits\n",
            table(
                ["audit", "called", "asks", "serves"],
                [
                    (code(name), said.title, plain(question(name)), code(said.serves))
                    for name, said in known.audits.items()
                ],
            ),
            "## Units\n",
            table(["unit", "is"], [(code(name), said) for name, said in UNITS.items()]),
            "## Details of findings\n",
            table(
                ["detail", "is"], [(code(name), plain(said)) for name, said in sorted(known.terms.items())]
            ),
        ]
    )
