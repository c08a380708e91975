"""Pages that are made from the code, so that nothing is written twice.

A page says where with a comment of its own line, `<!-- from code: measures of envy -->`: the name of a
module of this package, or of one of its functions, and what it is of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

MARK = re.compile(r"^<!-- from code: (?P<name>[\w ]+?)(?: of (?P<of>[\w -]+))? -->$", re.MULTILINE)
_MADE: dict[str, str] = {
    "command": "commands:text",
    "exit codes": "exit_codes:text",
    "findings": "findings:text",
    "glossary": "glossary:text",
    "HTTP API": "http_api:text",
    "all commands": "commands:listed",
    "all measures": "measures:listed",
    "measures": "measures:text",
    "plan keys": "plan_keys:whole",
    "keys": "plan_keys:audit",
    "public names": "python_rooms:top",
    "room": "python_rooms:text",
}


def filled(page: str) -> str:
    """The Markdown of a page with what is made from the code in its place."""
    return MARK.sub(lambda mark: _made(mark["name"], mark["of"]), page)


def _made(name: str, of: str | None) -> str:
    module, _, function = _MADE[name].partition(":")
    make: Callable[..., str] = getattr(import_module(f"from_code.{module}"), function)
    return make() if of is None else make(of)


def setup(app: Any) -> dict[str, Any]:
    def fill(_app: Any, _page: str, source: list[str]) -> None:
        source[0] = filled(source[0])

    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
