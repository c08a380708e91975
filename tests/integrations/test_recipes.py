"""Recipes for dbt and pytest, run as they are written."""

from __future__ import annotations

import shutil

import duckdb
import pytest

from integrations.conftest import PLAN, RECIPES, impressions


@pytest.fixture
def project(tmp_path):
    """The dbt project of the recipe beside a warehouse."""
    folder = shutil.copytree(RECIPES / "dbt", tmp_path / "project")
    default, random = impressions(0.2), impressions(0.5)
    default["is_random"], random["is_random"] = False, True
    with duckdb.connect(str(folder / "warehouse.duckdb")) as warehouse:
        for table in (default, random):
            warehouse.register("rows_now", table)
            made = "insert into impressions" if table is random else "create table impressions as"
            warehouse.execute(f"{made} select * from rows_now")
    return folder


# Stands for dbt: it selects as the models say.
DBT = """#!/bin/sh
[ "$*" = "build --quiet --profiles-dir . --select source:feed default_log random_log" ] || exit 9
exec python - <<'PYTHON'
import duckdb, jinja2, pathlib
for model in ("default_log", "random_log"):
    kept = {}
    text = jinja2.Template(pathlib.Path(f"models/{model}.sql").read_text()).render(
        config=lambda **given: kept.update(given) or "",
        env_var=lambda name, default: default,
        source=lambda schema, table: table,
    )
    with duckdb.connect("warehouse.duckdb") as warehouse:
        warehouse.execute(f"copy ({text}) to '{kept['location']}'")
PYTHON
"""


@pytest.mark.slow
def test_dbt_builds_what_the_plan_reads(project, shell):
    (shell.programs / "dbt").write_text(DBT)
    (shell.programs / "dbt").chmod(0o755)
    done = shell("./build-and-audit.sh", project, FAIL_ON="violation")
    assert (done.returncode, done.stderr) == (1, "")
    assert "beyond the limit" in done.stdout
    assert (project / "audit/report.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("shown_young", "code"), [(0.2, 1), (0.5, 0)])
def test_the_pytest_recipe_passes_and_fails_with_the_plan(tmp_path, shell, shown_young, code):
    (tmp_path / "logs").mkdir()
    impressions(shown_young).to_parquet(tmp_path / "logs/default.parquet", index=False)
    impressions(0.5).to_parquet(tmp_path / "logs/random.parquet", index=False)
    (tmp_path / "audit.toml").write_text(PLAN)
    shutil.copy(RECIPES / "pytest/test_fairness.py", tmp_path)
    done = shell("python -m pytest -q -p no:cacheprovider --rootdir . test_fairness.py", tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("beyond the limit" in done.stdout) == bool(code)
    assert (tmp_path / "audit/report.html").is_file()
