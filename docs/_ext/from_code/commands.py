"""Every command as its `--help` has it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from typer.main import get_command

from evenhand.asked.types import OUTPUT, SECTIONS
from evenhand.cli.commands import sections
from evenhand.cli.main import app
from from_code.markdown import anchor, anchored, block, code, paragraphs, plain, table


@cache
def all_commands() -> list[tuple[str, Any]]:
    """Every command that can be typed, with its words, in the order of `evenhand --help`."""
    root: Any = get_command(app)
    return [
        found
        for section in sections().values()
        for name in section
        for found in _with_its_own(f"evenhand {name}", root.get_command(None, name))
    ]


def _with_its_own(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield words, command
    for name in getattr(command, "commands", {}):
        yield from _with_its_own(f"{words} {name}", command.commands[name])


def text(name: str) -> str:
    """A command of `evenhand --help`, and those that it has of its own."""
    return "\n".join(_entry(words, command) for words, command in all_commands() if words.split()[1] == name)


def listed() -> str:
    """All commands under the questions that they belong to, as `evenhand --help` has them."""
    parts = []
    for section, commands in sections().items():
        rows = [
            (f"[{code(f'evenhand {name}')}]({name}.md)", plain(about)) for name, about in commands.items()
        ]
        parts += [f"## {section}\n", table(["command", "what it does"], rows)]
    return "\n".join(parts)


def _entry(words: str, command: Any) -> str:
    context = command.context_class(command, info_name=words)
    level = words.count(" ")
    usage = " ".join([words, *command.collect_usage_pieces(context)])
    return "\n".join(
        [
            anchored(anchor(words), code(words), level),
            plain(paragraphs(command.help or "")),
            block(usage),
            *_options(command, context),
        ]
    )


def _options(command: Any, context: Any) -> Iterator[str]:
    shown = [one for one in command.get_params(context) if one.name != "help"]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name == "option" and not one.hidden]
    yield table(
        ["argument", ""],
        [(code(one.metavar or one.name.upper()), plain(one.help or "")) for one in arguments],
    )
    for section in [*SECTIONS, *sorted({one.rich_help_panel for one in options} - {*SECTIONS, None})]:
        rows = [
            _row(one, context)
            for one in sorted(options, key=lambda one: not one.required)
            if (one.rich_help_panel or OUTPUT) == section
        ]
        if rows:
            yield f"**{section}**\n"
            yield table(["option", "what it is", "default"], rows)


def _row(option: Any, context: Any) -> tuple[str, str, str]:
    """What is written, what it says, and what holds where it is not given."""
    written, said = option.get_help_record(context)
    said, _, default = said.partition("  [")
    default = default.rstrip("]").removeprefix("default: ")
    return (
        code(written),
        plain(said),
        default if default.startswith("required") else default and code(default),
    )
