"""`evenhand monitor show --out` and `evenhand monitor export`."""

import re
from datetime import UTC, datetime

import pytest
from typer.main import get_command

from evenhand.cli.monitors.commands import app
from evenhand.monitor.days import dates
from integrations.conftest import RECIPES
from monitor.page.in_store import filled
from monitor.worlds import PLAN, days, write_day, write_plan


@pytest.fixture
def asked(tmp_path):
    """What every command is told: the plan, by which the monitor is called, and its store."""
    filled(tmp_path / "monitor.db").close()
    return [str(tmp_path / "feed.toml"), "--store", str(tmp_path / "monitor.db")]


def test_show_writes_the_page_and_says_where(evenhand, tmp_path, monkeypatch):
    monkeypatch.setattr(dates, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))
    plan, folder = write_plan(tmp_path, f'[scope]\ntitle = "Home feed"\n{PLAN}'), tmp_path / "shown"
    for day in days(2):
        write_day(tmp_path, day)
        assert evenhand("monitor", "add", plan, "--day", day).code == 0
    ended = evenhand("monitor", "show", plan, "--out", folder)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == f"Page: {folder / 'monitor.html'}"
    assert "<title>Home feed: monitor</title>" in (folder / "monitor.html").read_text()
    assert evenhand("monitor", "forget", plan, "--before", days(2)[1]).code == 0
    ended = evenhand("monitor", "show", plan, "--out", folder)
    assert (ended.code, ended.err) == (0, "")
    assert "What was counted up to 1 January 2026 was deleted" in (folder / "monitor.html").read_text()


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
