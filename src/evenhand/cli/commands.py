"""What commands there are, grouped by the question that they help to answer.

A command's own module is imported when it runs: what all of them can do takes ten times as long to put
together as `--help` needs, which is names and one sentence each (those with which their own help begins).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

COMMANDS = {
    "Start here": {
        "demo": "Make a small marketplace with planted unfairness, audit it, and show the report.",
        "audit": "Run all the audits of a plan and write one report.",
    },
    "Creators": {
        "opportunity": "Do creators get equal opportunity, given what users like?",
        "compare": "Does a change to the system change who gets opportunity? An A/B test with any number of "
        "arms.",
        "experiments": "Which of the changes that are tried at the same time change who gets opportunity?",
        "stages": "Which stage of the system makes opportunity unequal? Each stage against the one before.",
        "boost": "What would showing some groups more often do to equal opportunity?",
        "parity": "Are groups shown in proportion to what they offer, whatever users like?",
        "plan-traffic": "How much random traffic, and for how many days, would answer the question?",
    },
    "Exposure": {
        "exposure": "Who is shown to whom, beside what relevance asks for?",
    },
    "Users": {
        "groups": "Which users are served worst, and is that more than chance?",
        "user-precision": "Are users of all groups shown what they like?",
        "mitigate": "Re-rank the lists of the groups that are served worst, and say what that did, for whom.",
    },
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
# Commands that do not live in the module of their name.
_MODULES = dict.fromkeys(("stages", "boost", "parity", "user-precision"), "opportunity_more")


class Commands(TyperGroup):
    """The commands, each put together when it is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Only their names are used, for "Did you mean ...?".
        self.commands: Any = dict.fromkeys(name for section in COMMANDS.values() for name in section)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            return None
        python_name = cmd_name.replace("-", "_")
        module = import_module(f"evenhand.cli.{_MODULES.get(cmd_name, python_name)}")
        if hasattr(module, "app"):
            made = get_command(module.app)
        else:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command()(getattr(module, python_name))
            made = get_command(alone)
        made.name = cmd_name
        return made

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for section, commands in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()))
