"""Formulas as MathML, made when the site is built: browsers draw it by themselves, so no script is needed.

docutils translates TeX; what it cannot translate fails the build.
"""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def _written(page: Any, node: nodes.Element, block: bool) -> None:
    text = node.astext()
    try:
        page.body.append(tex2mathml(text, as_block=block))
    except Exception as error:
        raise ExtensionError(f"{node.source}:{node.line}: this formula cannot be written: {text}") from error
    raise nodes.SkipNode


def _inline(page: Any, node: nodes.Element) -> None:
    _written(page, node, block=False)


def _block(page: Any, node: nodes.Element) -> None:
    page.body.append(page.starttag(node, "div", CLASS="math"))
    try:
        _written(page, node, block=True)
    finally:
        page.body.append("</div>\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", lambda _app, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
