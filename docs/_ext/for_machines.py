"""llms.txt beside the pages: what Evenhand is, and every page with its first sentence, for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def _pages(env: Any, page: str, depth: int = 0) -> Iterator[tuple[str, int]]:
    """All pages in the order of the tables of contents, each with how deep it stands."""
    yield page, depth
    for below in env.toctree_includes.get(page, ()):
        yield from _pages(env, below, depth + 1)


def _first_sentence(env: Any, page: str) -> str:
    from docutils import nodes

    found = env.get_doctree(page).findall(nodes.paragraph)
    paragraph = next((one for one in found if not isinstance(one.parent, nodes.entry)), None)
    text = "" if paragraph is None else " ".join(paragraph.astext().split())
    return re.split(r"(?<=[.?!])\s", text, maxsplit=1)[0]


def _write(app: Any, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    lines = []
    for page, depth in _pages(app.env, app.config.root_doc):
        title = app.env.titles[page].astext()
        if depth == 0:
            about = next(iter(app.env.get_doctree(page).findall(lambda node: node.tagname == "paragraph")))
            lines += [f"# {title}", "", f"> {' '.join(about.astext().split())}"]
        elif depth == 1:
            lines += ["", f"## {title}", ""]
        if depth:
            lines.append(f"- [{title}]({page}.html): {_first_sentence(app.env, page)}".removesuffix(": "))
    Path(app.outdir, "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
