"""What all commands of `evenhand monitor` have in common: the plan, the store, and the name of a monitor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import EvenhandError, InputError

if TYPE_CHECKING:
    from evenhand.monitor import Store

PlanPath = Annotated[
    Path, typer.Argument(metavar="PLAN", help="The plan that is followed; its paths are relative to it.")
]
StoreAddress = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where days are kept: the path of a SQLite file, or postgresql://user@host/database.  [default: "
        "EVENHAND_STORE in the environment, the plan's, or PLAN.monitor.db beside the plan]",
    ),
]
Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the monitor.  [default: that of the plan file]")
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@contextmanager
def opened_store(plan: Path, given: str | None, make: bool = True) -> Iterator[Store]:
    """The store of a plan, closed afterwards; with `make`, one that is not there yet is made. Where a fault
    comes of what somebody else did to the store, that is said."""
    try:
        from evenhand.monitor import open_store
        from evenhand.monitor.damage import damage
        from evenhand.monitor.naming import store_address
    except ModuleNotFoundError as error:
        raise InputError(
            f"The monitor needs {error.name}, which is not installed: pip install "
            f"'evenhand[monitor]', or '.[monitor]' from its folder."
        ) from None
    store = open_store(store_address(plan, given), make=make)
    try:
        yield store
    except (EvenhandError, OSError, typer.Exit, typer.Abort):
        raise
    except Exception as error:
        if (what := damage(store)) is None:
            raise
        raise InputError(f"The store {store.name} is damaged: {what}; go back to a backup.") from error
    finally:
        store.close()


def own_monitor_id(store: Store, plan: Path, name: str | None) -> int:
    """The number of the plan's monitor. It is refused where it follows another system; what else speaks for
    another plan than the one whose days it has is said beside what was asked for."""
    from evenhand.monitor.naming import monitor_name
    from evenhand.monitor.records import known_monitor
    from evenhand.monitor.whose import doubts

    with store.reading() as connection:
        found = known_monitor(connection, monitor_name(plan, name))
        if not plan.exists():  # it gives its name alone
            return found.id
        for doubt in doubts(connection, plan, name):
            typer.echo(f"Warning: {doubt}", err=True)
    return found.id
