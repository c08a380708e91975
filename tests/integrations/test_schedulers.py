"""Recipes of schedulers: the command that each of them runs, run as it is written.

Airflow and Dagster are not installed here. What stands for them knows only what the recipes use; the recipes
themselves were run by both (see the docs).
"""

from __future__ import annotations

import sys
from datetime import date, timedelta
from types import ModuleType, SimpleNamespace

import jinja2
import pytest

from integrations.conftest import RECIPES


@pytest.fixture
def called(shell):
    """In place of `evenhand` a program that writes down what it was asked; its exit code is in `code`."""
    calls, code = shell.programs / "calls", shell.programs / "code"
    code.write_text("0")
    (shell.programs / "evenhand").write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexit $(cat {code})\n')
    return SimpleNamespace(
        lines=lambda: calls.read_text().splitlines() if calls.exists() else [], fails_with=code.write_text
    )


def cron(shell, folder, **variables):
    known = {"PLAN": "our audit.toml", "TODAY": "2026-03-02"}
    return shell(str(RECIPES / "cron/evenhand-daily.sh"), folder, **known, **variables)


def test_cron_adds_the_last_days_in_order_and_exports(clean_folder, shell, called):
    done = cron(shell, clean_folder, PROMETHEUS="feed.prom")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    days = ("2026-02-27", "2026-02-28", "2026-03-01")
    added = [f"monitor add our audit.toml --day {day} --late --quiet" for day in days]
    assert called.lines() == [*added, "monitor export our audit.toml --out feed.prom"]


def test_cron_goes_on_after_a_day_that_fails_and_says_so_at_the_end(clean_folder, shell, called):
    called.fails_with("2")
    assert cron(shell, clean_folder).returncode == 2
    assert len(called.lines()) == 3


def test_cron_leaves_the_work_to_one_that_is_at_it(clean_folder, shell, called):
    # The lock is held by this shell, and not by what it starts.
    held = f'exec 9> "our audit.lock"; flock 9; "{RECIPES}/cron/evenhand-daily.sh" 9>&-'
    done = shell(held, clean_folder, PLAN="our audit.toml")
    assert (done.returncode, called.lines()) == (0, [])


def test_cron_says_what_it_was_not_told(clean_folder, shell):
    done = shell(str(RECIPES / "cron/evenhand-daily.sh"), clean_folder)
    assert done.returncode != 0
    assert "PLAN: name the plan" in done.stderr


def read(path, modules, monkeypatch):
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    known = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), known)
    return known


def test_airflow_adds_the_day_before_its_own(clean_folder, shell, called, monkeypatch):
    tasks, dags = [], []

    class Graph:
        def __init__(self, name, **settings):
            dags.append(settings)

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

    modules = {name: ModuleType(name) for name in ("airflow", "airflow.sdk")}
    operator = "airflow.providers.standard.operators.bash"
    modules |= {operator.rsplit(".", n)[0]: ModuleType("packages") for n in (1, 2, 3)} | {
        operator: ModuleType("bash")
    }
    modules["airflow.sdk"].DAG = Graph
    modules[operator].BashOperator = lambda **settings: tasks.append(settings)
    read(RECIPES / "airflow/evenhand_watch.py", modules, monkeypatch)
    macros = SimpleNamespace(ds_add=lambda day, by: str(date.fromisoformat(day) + timedelta(days=by)))
    command = jinja2.Template(tasks[0]["bash_command"]).render(ds="2026-01-04", macros=macros)
    done = shell(command, clean_folder, PLAN="our audit.toml")
    assert done.returncode == 0
    assert called.lines() == ["monitor add our audit.toml --day 2026-01-03 --late --quiet"]
    assert dags[0]["max_active_runs"] == 1


def test_dagster_adds_the_day_of_its_partition(clean_folder, shell, called, monkeypatch):
    dagster = ModuleType("dagster")
    dagster.asset = lambda **settings: lambda function: function
    made = lambda *given, **settings: None  # noqa: E731
    for name in ("DailyPartitionsDefinition", "define_asset_job", "Definitions"):
        setattr(dagster, name, made)
    dagster.build_schedule_from_partitioned_job = made
    dagster.AssetExecutionContext = SimpleNamespace
    known = read(RECIPES / "dagster/evenhand_watch.py", {"dagster": dagster}, monkeypatch)
    monkeypatch.setenv("PATH", f"{shell.programs}:/usr/bin:/bin")
    monkeypatch.setenv("PLAN", "our audit.toml")
    known["evenhand_watch"](SimpleNamespace(partition_key="2026-01-03"))
    assert called.lines() == ["monitor add our audit.toml --day 2026-01-03 --late"]
