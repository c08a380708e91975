"""`evenhand monitor show --out` and `evenhand monitor export`."""

import re

import pytest
from typer.main import get_command

from evenhand.cli.monitor import app
from integrations.conftest import RECIPES
from monitor.page.in_store import filled


@pytest.fixture
def asked(tmp_path):
    """What every command is told: the plan, by which the monitor is called, and its store."""
    filled(tmp_path / "monitor.db").close()
    return [str(tmp_path / "feed.toml"), "--store", str(tmp_path / "monitor.db")]


def test_show_writes_the_page_and_says_where(evenhand, asked, tmp_path):
    ended = evenhand("monitor", "show", *asked, "--out", tmp_path / "shown")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == f"Page: {tmp_path / 'shown/monitor.html'}"
    assert "<title>Home feed: monitor</title>" in (tmp_path / "shown/monitor.html").read_text()


def test_export_writes_the_last_look_or_all_of_them(evenhand, asked, tmp_path):
    now, whole = tmp_path / "metrics/feed.prom", tmp_path / "metrics/all.prom"
    assert evenhand("monitor", "export", *asked, "--out", now).code == 0
    assert evenhand("monitor", "export", *asked, "--out", whole, "--history").code == 0
    assert now.read_text().count("evenhand_estimate{") == 1
    assert whole.read_text().count("evenhand_estimate{") == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({0: "fed.toml"}, "has no monitor 'fed'; it has: empty, feed."),
        ({0: "empty.toml"}, "The monitor 'empty' has no day yet; add one with `evenhand monitor add`."),
        ({2: "nowhere.db"}, "nowhere.db"),
    ],
)
def test_what_is_not_there_is_one_sentence(refused, asked, tmp_path, changed, said):
    given = [changed.get(place, word) for place, word in enumerate(asked)]
    assert said in refused("monitor", "export", *given, "--out", tmp_path / "feed.prom")
    assert not (tmp_path / "feed.prom").exists()


def test_recipes_ask_for_nothing_that_the_commands_do_not_know():
    commands = get_command(app).commands
    found = set()
    for path in (path for path in RECIPES.rglob("*") if path.suffix in (".sh", ".py")):
        words = path.read_text().replace('", "', " ")
        for command, rest in re.findall(r"evenhand monitor (\w+)([^\n]*)", words):
            known = {flag for one in commands[command].params for flag in one.opts}
            asked = set(re.findall(r"(?<!\S)--[a-z-]+", rest))
            assert asked <= known, f"{path.name}: {command}"
            found |= {command} | asked
    assert {"add", "export", "--day", "--late", "--quiet", "--out"} <= found
