"""The exit codes of the command."""

from evenhand.cli.exit_codes import Exit
from from_code.markdown import code, table


def text() -> str:
    return table(["code", "meaning"], [(code(int(one)), one.meaning) for one in Exit])
