"""How a page of `--help` looks: options under headings, what must be given first, whole sentences."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from evenhand.asked.types import OUTPUT, SECTIONS


class _Sections:
    """Options under headings, in the order of `SECTIONS`; arguments above them."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        rows: dict[str, list[Any]] = {"Arguments": [], **{section: [] for section in SECTIONS}}
        # What must be given comes first.
        for one in sorted(self.get_params(ctx), key=lambda one: not one.required):  # type: ignore[attr-defined]
            if one.param_type_name == "argument":
                rows["Arguments"].append((_called(one), one.help))
            elif (record := one.get_help_record(ctx)) is not None:
                rows.setdefault(one.rich_help_panel or OUTPUT, []).append(record)
        for section, records in rows.items():
            if records:
                alone = len(records) == 1 and section == OUTPUT  # --help
                with formatter.section("Options" if alone else section):
                    formatter.write_dl(records)
        if isinstance(self, TyperGroup):
            self.format_commands(ctx, formatter)


class SectionedCommand(_Sections, TyperCommand):
    """A command whose options stand under headings."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_called, arguments)]


class SectionedGroup(_Sections, TyperGroup):
    """A command with commands of its own, each with the whole sentence that its help begins with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._sentence(ctx, name)) for name in self.list_commands(ctx)])

    def _sentence(self, ctx: Any, name: str) -> str:
        about = getattr(self.get_command(ctx, name), "help", None) or ""
        return " ".join(about.split("\n\n")[0].split())


def _called(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())
