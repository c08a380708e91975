"""`evenhand association`: what embeddings know about an attribute, what grows, what can go."""

from __future__ import annotations

import typer

from evenhand.cli import made
from evenhand.cli.pages import SectionedGroup

app = typer.Typer(
    cls=SectionedGroup,
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.callback()(made.command("association", in_group=True))
for name in ("leakage", "amplify", "mitigate"):
    made.add(app, f"association {name}")
