"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def anchored(name: str, heading: str, level: int) -> str:
    """A heading that other pages can link to by `#name`, whatever it says."""
    return f"({name})=\n{'#' * level} {heading}\n"


def anchor(*words: str) -> str:
    """ "evenhand envy offline" is "evenhand-envy-offline"."""
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def code(text: object) -> str:
    """Text as it is typed."""
    fence = "``" if "`" in str(text) else "`"
    return f"{fence}{text}{fence}"


def block(text: str, language: str = "text") -> str:
    return f"````{language}\n{text.rstrip()}\n````\n"


def cell(text: object) -> str:
    """One line, in which nothing ends the cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, or nothing where there is no row; columns that are empty are left out."""
    listed = [list(map(cell, row)) for row in rows]
    kept = [place for place in range(len(head)) if any(row[place] for row in listed)]
    if not listed:
        return ""
    lines = [[head[place] for place in kept], ["---"] * len(kept)]
    lines += [[row[place] for place in kept] for row in listed]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def paragraphs(text: str) -> str:
    """Text of a docstring or a help page, its lines joined."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(part.split()) for part in parts) + "\n"


def plain(text: str) -> str:
    """Prose in which nothing is markup, but for code in backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if piece.startswith("`") and len(piece) > 1 else re.sub(r"([\\*_\[\]<>#$|{}])", r"\\\1", piece)
        for piece in pieces
    )
