"""What `evenhand --help` says of the commands, without loading them."""

import pytest
import typer

from evenhand.cli.commands import sections
from evenhand.cli.main import app


def test_each_line_is_the_one_with_which_the_command_s_own_help_begins():
    group = typer.main.get_command(app)
    context = typer.Context(group)
    said = {name: about for section in sections().values() for name, about in section.items()}
    own = {name: group.get_command(context, name).help.split("\n\n")[0] for name in said}
    assert {name: " ".join(text.split()) for name, text in own.items()} == said


def test_a_default_of_0_is_a_default_and_what_has_none_says_when_it_is_needed(evenhand, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = " ".join(evenhand("envy", "offline", "--help").out.split()).replace("inverse- t", "inverse-t")
    assert "0 names nobody. [default: 0]" in page
    assert "Needed, unless --inverse-temperature makes policies. --model" in page
    assert "0 is uniform. Needed, unless --policies are a table. --missing" in page


COMMANDS = [
    (name,) for section in sections().values() for name in section
] + [("envy", name) for name in ("offline", "simulate", "plan", "verify")] + [
    ("association", name) for name in ("leakage", "amplify", "mitigate")
] + [("serve", name) for name in ("simulate", "certificate")
]  # fmt: skip


@pytest.mark.parametrize("words", [(), *COMMANDS], ids=" ".join)
def test_a_page_is_for_readers(evenhand, monkeypatch, words):
    """In whole sentences of 80 columns, with what can be written and without the names of Python's types."""
    monkeypatch.setenv("COLUMNS", "80")
    usage, _, page = evenhand(*words, "--help").out.partition("\n")
    assert usage.startswith("Usage: ")
    assert [odd for odd in ("<", "x>=", "completion", "the source", "None") if odd in page] == []
    assert [line for line in page.splitlines() if len(line) > 80 or line.endswith("...")] == []
