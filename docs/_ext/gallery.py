"""The gallery: a file of `gallery/` is a picture, with its name and how to read it as docstring.

The pictures are drawn when the site is built. Each has a page of its own, in `gallery/made/`; the directive
`gallery` makes thumbnails of those that it names.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

MADE = "made"
CARD = """\
:::{{grid-item-card}} {title}
:link: /gallery/{made}/{name}
:link-type: doc
:img-top: /gallery/{made}/{name}.svg
:::
"""
PAGE = """\
# {title}

{text}

```{{image}} {name}.svg
:alt: {alt}
```

## The code

```{{literalinclude}} ../{name}.py
:language: python
:lines: {first}-
```

[All pictures](../index.md)
"""


def told(file: Path) -> tuple[str, str, int]:
    """The title, the text, and the line at which the code begins."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    return title, text.replace("\n", " "), tree.body[1].lineno


def draw(app: Sphinx) -> None:
    """Draw every picture, and write its page."""
    gallery = Path(app.srcdir) / "gallery"
    made = gallery / MADE
    made.mkdir(exist_ok=True)
    for old in made.iterdir():
        old.unlink()
    program = Path(__file__).with_name("gallery_pictures.py")
    subprocess.run([sys.executable, str(program), str(gallery), str(made)], check=True)
    for file in sorted(gallery.glob("*.py")):
        title, text, first = told(file)
        page = PAGE.format(title=title, text=text, name=file.stem, alt=text.split(". ")[0], first=first)
        (made / f"{file.stem}.md").write_text(page, encoding="utf-8")


class Gallery(SphinxDirective):
    """Thumbnails of the pictures that are named, a line each."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.srcdir) / "gallery"
        cards = []
        for name in self.content:
            title, _, _ = told(folder / f"{name}.py")
            cards.append(CARD.format(title=title, name=name, made=MADE))
            self.env.metadata[self.env.docname].setdefault("gallery", []).append(name)
        return self.parse_text_to_nodes("::::{grid} 1 2 3 3\n:gutter: 3\n\n" + "\n".join(cards) + "::::\n")


def check(app: Sphinx, _env: object) -> None:
    """A picture that no thumbnail leads to would not be found."""
    shown = set(app.env.metadata["gallery/index"].get("gallery", ()))
    for file in sorted((Path(app.srcdir) / "gallery").glob("*.py")):
        if file.stem not in shown:
            logging.getLogger(__name__).warning("no thumbnail of gallery/%s", file.name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("gallery", Gallery)
    app.connect("builder-inited", draw)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": False}
