"""`evenhand schema`."""

from __future__ import annotations

import json

import typer

from evenhand.cli import common


def schema() -> None:
    """Print the JSON Schema of plans, for editors that complete and check audit.toml."""
    from evenhand.plan.schema import plan_schema

    with common.reader_may_leave():
        typer.echo(json.dumps(plan_schema(), indent=2))
