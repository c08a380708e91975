"""Where a page names a paper, as "Beattie (2023)" or "Do and others 2022", that leads to the bibliography."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

BIBLIOGRAPHY = Path(__file__).parents[1] / "bibliography.bib"
# An author and a year: what a paper's name looks like. Commas stand between three authors and more.
_AUTHOR = r"[A-Z][\w-]*[a-z]\w*"
NAMED = re.compile(
    rf"(?<![\w-])(?P<who>{_AUTHOR}(?:(?:, {_AUTHOR})* and (?:{_AUTHOR}|others))?)(?:'s?)?,? \(?"
    r"(?P<year>(?:18|19|20)\d\d)(?!\d)"
)


@cache
def keys() -> dict[tuple[str, str], str]:
    """The key of every paper, by each way to name its authors, and its year."""
    found = {}
    for key, entry in re.findall(
        r"^@\w+\{(\w+),\n(.*?)^\}", BIBLIOGRAPHY.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
        last = [one.split(",")[0] for one in fields["author"].split(" and ")]
        for who in _ways(last):
            found[who, fields["year"]] = key
    return found


def _ways(last: list[str]) -> set[str]:
    """How authors are called: all of them, or the first and others."""
    whole = " and ".join(filter(None, [", ".join(last[:-1]), last[-1]]))
    return {whole, f"{last[0]} and others"} if len(last) > 2 else {whole}


def _link(app: Any, doctree: Any, page: str) -> None:
    from docutils import nodes

    to = app.builder.get_relative_uri(page, "reference/bibliography")
    for text in list(doctree.findall(nodes.Text)):
        inside = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, nodes.citation)
        around, within = text.parent, False
        while around is not None and not within:
            within = isinstance(around, inside)
            around = around.parent
        if not within and (pieces := _pieces(str(text), to)):
            text.parent.replace(text, pieces)


def _pieces(text: str, to: str) -> list[Any]:
    """The text with its papers linked; nothing where it names none."""
    from docutils import nodes

    pieces: list[Any] = []
    end = 0
    for named in NAMED.finditer(text):
        key = keys().get((named["who"], named["year"]))
        if key is not None:
            name = named[0]
            pieces += [
                nodes.Text(text[end : named.start()]),
                nodes.reference(name, name, internal=True, refuri=f"{to}#{key}"),
            ]
            end = named.end()
    return [*pieces, nodes.Text(text[end:])] if pieces else []


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
