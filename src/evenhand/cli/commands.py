"""What commands there are, grouped by the question that they help to answer.

A command is put together when it runs: what all of them can do takes ten times as long to load as `--help`
needs, which is names and one sentence each (those with which their own help begins).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from evenhand.asked.audits import AUDITS, QUESTIONS

# Commands that nothing declares, or that hold several: written by hand, in the module of their name.
BY_HAND = {
    "Start here": {
        "demo": "Make a small marketplace with planted unfairness, audit it, and show the report.",
        "init": "Look at your files, say what can be audited with them, and write a plan that runs.",
        "audit": "Run all the audits of a plan and write one report.",
        "plan": "Check a plan, or show and write down who changed it.",
        "aa": "How often would the gate of a plan alarm for nothing? Its own users, split at random, say so.",
        "annex": "Write what is handed to an auditor, in Markdown, from a saved result.",
        "schema": "Print the JSON Schema of plans, for editors that complete and check audit.toml.",
    },
    "From day to day": {
        "monitor": "Follow a plan from day to day: add days, show what they say, raise flags.",
        "serve": "Run the live service: which policy serves a user now, what came of it, and pages.",
    },
    "Creators": {},
    "Exposure": {},
    "Users": {},
    "Envy": {
        "envy": "Would a user be better off with another user's recommendations?",
    },
    "Embeddings": {
        "association": "What do the embeddings know about a sensitive attribute?",
    },
    "Data and models": {
        "train": "Train a reference model, judge it, and write a folder that audits accept as a model.",
        "download": "Fetch a public data set from its publisher and compare the published checksum.",
    },
}
# Those whose module stands in a folder.
_MODULES = {name: f"plans.{name}" for name in ("aa", "audit", "demo", "init", "plan")} | {
    "monitor": "monitors.commands",
    "serve": "served.commands",
}


def sections() -> dict[str, dict[str, str]]:
    """The commands under the questions that they belong to, each with its sentence."""
    found: dict[str, dict[str, str]] = {section: {} for section in BY_HAND}
    for declared in (*AUDITS.values(), *QUESTIONS.values()):
        if " " not in declared.command:
            found.setdefault(declared.section, {}).setdefault(declared.command, declared.about)
    return {section: commands | BY_HAND.get(section, {}) for section, commands in found.items()}


class Commands(TyperGroup):
    """The commands, each put together when it is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Only their names are used, for "Did you mean ...?".
        self.commands: Any = dict.fromkeys(name for section in sections().values() for name in section)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            return None
        made = get_command(_app(cmd_name))
        made.name = cmd_name
        return made

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for section, commands in sections().items():
            if commands:
                with formatter.section(section):
                    formatter.write_dl(list(commands.items()))


def _app(name: str) -> typer.Typer:
    from evenhand.cli import made
    from evenhand.cli.pages import SectionedCommand

    by_hand = any(name in section for section in BY_HAND.values())
    if not by_hand and any(declared.command == name for declared in AUDITS.values()):
        return made.alone(name)
    module = import_module(f"evenhand.cli.{_MODULES.get(name, name.replace('-', '_'))}")
    if hasattr(module, "app"):
        return module.app
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=SectionedCommand)(getattr(module, name.replace("-", "_")))
    return app
