"""`evenhand monitor flags` shows each flag once, `evenhand monitor deliver` what became of its messages."""

from __future__ import annotations

import json
import re

import pytest
import typer
from typer.testing import CliRunner

from evenhand.cli.monitors import telling
from evenhand.errors import InputError
from evenhand.monitor.delivery import outbox
from evenhand.monitor.records import made_monitor
from monitor.followed import BAD, GOOD, followed, monitoring, penalty

PLAN = """
[inputs.log]
path = "log.parquet"

[[audits]]
audit = "opportunity"
default = "log"
random = "log"
label = "liked"
group = "creator_age"

[monitoring]
[[monitoring.flags]]
name = "penalty"
measure = "running_penalty"

[[monitoring.tell]]
name = "list"
by = "file"
path = "told/flags.jsonl"
"""


@pytest.fixture
def run(tmp_path):
    app = typer.Typer()
    app.command()(telling.flags)
    app.command()(telling.deliver)
    store, plan = str(tmp_path / "monitor.db"), str(tmp_path / "audit.toml")

    def run(*words):
        named = [] if "--name" in words else ["--name", "Home feed"]
        command, *rest = words
        ran = CliRunner().invoke(app, [command, plan, *rest, *named, "--store", store])
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        return ran.exit_code, ran.stdout

    return run


@pytest.fixture
def world(tmp_path):
    world = followed(tmp_path)
    (tmp_path / "audit.toml").write_text(PLAN)
    world.looks(
        [BAD, GOOD, BAD], monitoring(tell=[{"name": "list", "by": "file", "path": "told/flags.jsonl"}])
    )
    yield world
    world.store.close()


def test_flags_are_listed_once_the_open_ones_first(run, world):
    code, told = run("flags")
    lines = told.splitlines()
    assert code == 0
    assert lines[0].startswith("open      2026-01-03  penalty  (flag-")
    assert "limit 10%" in lines[1]
    assert lines[2].startswith("closed    2026-01-01 to 2026-01-02  penalty  (flag-")
    assert lines[-1] == "Waiting for 'list': 3 not delivered."
    assert "closed" not in run("flags", "--open")[1]


def test_as_json(run, world):
    told = json.loads(run("flags", "--json")[1])
    assert [one["state"] for one in told["flags"]] == ["open", "closed"]
    assert told["flags"][1]["events"] == [["opened", "2026-01-01"], ["closed", "2026-01-02"]]
    assert told["waiting"] == [
        {"channel": "list", "messages": 3, "attempts": 0, "problem": "", "due_at": None}
    ]


def test_a_flag_that_somebody_has_seen(run, world):
    name = json.loads(run("flags", "--json")[1])["flags"][0]["name"]
    told = run("flags", "--acknowledge", name, "--who", "Ada", "--why", "known\x1b[31m")[1]
    assert "Seen by Ada on " in told
    assert "\x1b" not in told
    assert told.startswith("open")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--acknowledge", "flag-1"], "--acknowledge, --who and --why belong together"),
        (["--who", "Ada"], "--acknowledge, --who and --why belong together"),
        (
            ["--acknowledge", "flag-1", "--who", "Ada", "--why", "x"],
            "This monitor has no flag 'flag-1'",
        ),
        (
            ["--acknowledge", "flag-1", "--who", " ", "--why", "x"],
            "who is ' ', but must be 1 to 1,000 characters",
        ),
        (["--name", "Other"], "The store has no monitor 'Other'; it has Home feed."),
    ],
)
def test_what_is_refused(run, world, words, said):
    with pytest.raises(InputError, match=said):
        run("flags", *words)


def test_a_store_without_flags(run, tmp_path):
    world = followed(tmp_path)
    assert run("flags")[1] == "No flag was raised.\n"
    world.look(1, penalty(GOOD), plan=monitoring())
    assert run("flags", "--open")[1] == "No flag is open.\n"
    world.store.close()


def test_delivering_exits_with_1_until_everything_is_delivered(run, world, tmp_path, monkeypatch):
    monkeypatch.setattr(outbox, "_FIRST_WAIT", 0.2)
    code, told = run("deliver")
    assert code == 1
    assert (
        "3 messages for 'list' not delivered after 1 attempt: the file cannot be written (No such file"
        in told
    )
    (tmp_path / "told").mkdir()
    code, told = run("deliver", "--wait", "60")
    assert (code, told) == (0, "3 messages delivered.\n")
    assert run("deliver") == (0, "Nothing waits.\n")
    assert len((tmp_path / "told" / "flags.jsonl").read_text().splitlines()) == 3


def test_a_run_that_does_not_try_says_when_one_will(run, world):
    run("deliver")
    code, again = run("deliver")
    assert code == 1
    assert "after 1 attempt" in again
    assert re.search(
        r"The next attempt is due at 20\d\d-\d\d-\d\d [\d:]{8} UTC; no run tries before that", again
    )


def test_a_test_message_reaches_a_channel_past_what_waits(run, world, tmp_path):
    with pytest.raises(InputError, match="'list' was not told: the file cannot be written"):
        run("deliver", "--test", "list")
    (tmp_path / "told").mkdir()
    assert run("deliver", "--test", "list") == (0, "'list' was told.\n")
    (told,) = map(json.loads, (tmp_path / "told" / "flags.jsonl").read_text().splitlines())
    assert (told["type"], told["schema"]) == ("flag.test", "evenhand.flag/1")
    with pytest.raises(InputError, match="of the name 'lost'; it has list"):
        run("deliver", "--test", "lost")
    assert run("deliver")[1] == "3 messages delivered.\n"


def test_a_channel_that_the_plan_has_lost_is_named(run, world, tmp_path):
    (tmp_path / "audit.toml").write_text(PLAN.replace('name = "list"', 'name = "other"'))
    code, told = run("deliver")
    assert code == 1
    assert (
        "3 messages for 'list' cannot be delivered: the plan has no [[monitoring.tell]] of that name." in told
    )
    code, told = run("deliver", "--give-up", "list")
    assert (code, told) == (0, "Gave up 3 that waited for 'list'.\nNothing waits.\n")
    assert len(json.loads(run("flags", "--json")[1])["flags"]) == 2


def test_a_flag_of_another_monitor_is_not_acknowledged(run, world):
    name = json.loads(run("flags", "--json")[1])["flags"][0]["name"]
    with world.store.writing() as connection:
        made_monitor(connection, "other", "{}", "now")
    with pytest.raises(InputError, match="This monitor has no flag"):
        run("flags", "--name", "other", "--acknowledge", name, "--who", "Eve", "--why", "x")
    assert "Seen by" not in run("flags")[1]
