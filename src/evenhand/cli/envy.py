"""`evenhand envy`: offline with known preferences; and what goes with audits of a live system."""

from __future__ import annotations

import typer

from evenhand.cli import envy_online, made
from evenhand.cli.pages import SectionedCommand, SectionedGroup

app = typer.Typer(
    cls=SectionedGroup,
    help="Would a user be better off with another user's recommendations?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
made.add(app, "envy offline")
made.add(app, "envy simulate", envy_online.simulate)
made.add(app, "envy plan", envy_online.plan)
app.command(cls=SectionedCommand)(envy_online.verify)
