"""The Python API: what the door of a room names, as its source has it.

The source is read and not imported: some rooms import what only an extra brings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import evenhand
from evenhand.asked.audits import AUDITS, QUESTIONS
from evenhand.asked.step import Step
from from_code.markdown import code, plain, table

_PACKAGE = Path(evenhand.__file__).parent
Definition = ast.FunctionDef | ast.ClassDef


class Named(NamedTuple):
    """A public name of a room, and where it is defined."""

    name: str
    definition: Definition


def text(room: str) -> str:
    """All that a room's door names: its calls that can be declared first."""
    declared = {
        call.rpartition(":")[2]: step for call, step in _declared() if call.startswith(f"evenhand.{room}:")
    }
    found = sorted(
        public(room), key=lambda one: (one.name not in declared, isinstance(one.definition, ast.ClassDef))
    )
    return "\n".join(_entry(f"evenhand.{room}", one, declared.get(one.name)) for one in found)


def top() -> str:
    """What `evenhand` itself names, besides rooms."""
    return "\n".join(_entry("evenhand", one, None) for one in public(""))


def public(room: str) -> Iterator[Named]:
    """The names of a room's `__all__` that are functions or classes; those of which only plans know are left
    out."""
    door = _PACKAGE.joinpath(*room.split("."), "__init__.py") if room else _PACKAGE / "__init__.py"
    tree = _read(door)
    listed = next(
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    inner = {named for step in (one[1] for one in _declared()) for named in _for_plans(step)}
    for name in listed:
        definition = _defined(f"evenhand.{room}".rstrip("."), name)
        if definition is not None and f"evenhand.{room}:{name}" not in inner:
            yield Named(name, definition)


@cache
def _declared() -> list[tuple[str, type]]:
    """Every call that is declared, and its declaration."""
    found = []
    for declared in (*AUDITS.values(), *QUESTIONS.values()):
        step = declared.load()
        found.append((step.calls, step))
    return found


def _for_plans(step: type) -> set[str]:
    if not issubclass(step, Step):
        return set()
    return set(filter(None, (step.checks, step.in_parts, step.follows)))


@cache
def _read(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(module: str) -> Path | None:
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    for one in (path / "__init__.py", path.with_suffix(".py")):
        if one.is_file():
            return one
    return None


def _defined(module: str, name: str) -> Definition | None:
    """The function or class of this name, in the module or where that has it from."""
    path = _file(module)
    if path is None:
        return None
    tree = _read(path)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    for node in ast.walk(tree):  # also within `if TYPE_CHECKING` and `__getattr__`
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("evenhand."):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _defined(str(node.module), alias.name)
    return None


def _entry(module: str, one: Named, step: type | None) -> str:
    about = ast.get_docstring(one.definition) or ""
    short = f"{module.removeprefix('evenhand.')}.{one.name}" if module != "evenhand" else one.name
    kind = "class" if isinstance(one.definition, ast.ClassDef) else "function"
    inside = [_prose(about), *(_parameters(step, one.definition) if step else [])]
    inside += list(_members(one.definition)) if isinstance(one.definition, ast.ClassDef) else []
    signature = f"{module}.{one.name}{_signature(one.definition)}"
    return f"## {short}\n\n``````{{py:{kind}}} {signature}\n\n{chr(10).join(inside)}\n``````\n"


def _prose(text: str) -> str:
    """A docstring: paragraphs, and code that is indented."""
    lines, parts = text.split("\n"), []
    for line in lines:
        parts.append(line if line.startswith("    ") else plain(line))
    return "\n".join(parts) + "\n"


def _signature(definition: Definition) -> str:
    if isinstance(definition, ast.FunctionDef):
        arguments = definition.args
        returns = f" -> {ast.unparse(definition.returns)}" if definition.returns else ""
        return f"({_without_self(arguments)}){returns}"
    init = next(
        (one for one in definition.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None
    )
    return f"({_without_self(init.args)})" if init else ""


def _without_self(arguments: ast.arguments) -> str:
    text = ast.unparse(arguments)
    first = arguments.args[0].arg if arguments.args else ""
    return text.removeprefix(first).removeprefix(", ") if first in ("self", "cls") else text


def _parameters(step: type, definition: Definition) -> Iterator[str]:
    """What the declaration says of the parameters of a call."""
    takes = (
        {one.arg for one in (*definition.args.args, *definition.args.kwonlyargs)}
        if isinstance(definition, ast.FunctionDef)
        else set()
    )
    fields = getattr(step, "model_fields", {})
    rows = [(code(key), plain(field.description or "")) for key, field in fields.items() if key in takes]
    if rows:
        yield table(["parameter", "what it is"], rows)


def _members(definition: ast.ClassDef) -> Iterator[str]:
    """Fields, properties and methods of a class that have no underscore."""
    fields = [
        (code(node.target.id), code(ast.unparse(node.annotation)))
        for node in definition.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and not node.target.id.startswith("_")
    ]
    yield table(["field", "is"], fields)
    for node in definition.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            about = _prose(ast.get_docstring(node) or "")
            marks = {ast.unparse(one) for one in node.decorator_list}
            if {"property", "cached_property", "computed_field"} & marks:
                yield f"`````{{py:property}} {node.name}\n\n{about}\n`````\n"
            else:
                option = (
                    "\n:classmethod:"
                    if "classmethod" in marks
                    else "\n:staticmethod:"
                    if "staticmethod" in marks
                    else ""
                )
                yield f"`````{{py:method}} {node.name}{_signature(node)}{option}\n\n{about}\n`````\n"
