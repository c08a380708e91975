"""What `evenhand --help` says of the commands, without loading them."""

import typer

from evenhand.cli.commands import sections
from evenhand.cli.main import app


def test_each_line_is_the_one_with_which_the_command_s_own_help_begins():
    group = typer.main.get_command(app)
    context = typer.Context(group)
    said = {name: about for section in sections().values() for name, about in section.items()}
    own = {name: group.get_command(context, name).help.split("\n\n")[0] for name in said}
    assert {name: " ".join(text.split()) for name, text in own.items()} == said
