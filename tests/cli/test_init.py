"""`evenhand init`: from a folder that nobody described to a report, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from plan.init.folders import partitions_by_day, plain_english
from published import write_kuairand

DATA = Path(os.environ.get("EVENHAND_DATA", "../shared/data"))


def test_three_commands_from_files_to_a_report(evenhand, tmp_path, monkeypatch):
    plain_english(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = evenhand("init", "--yes")
    assert ran.code == 0, ran.err
    assert "CHECK" in ran.out
    assert "evenhand audit audit.toml --out audit/" in ran.out
    ran = evenhand("audit", "--out", "audit")
    assert ran.code == 0, ran.err
    assert (tmp_path / "audit/report.html").stat().st_size > 10_000


def test_a_plan_may_lie_elsewhere_than_its_data(evenhand, tmp_path, monkeypatch):
    data, plans = tmp_path / "data", tmp_path / "plans"
    data.mkdir(), plans.mkdir()
    partitions_by_day(data)
    monkeypatch.chdir(tmp_path)
    assert evenhand("init", "data", "--yes", "--out", "plans/first.toml", "--quiet").out == ""
    assert 'path = "../data/logs/day=*/part-*.parquet"' in (plans / "first.toml").read_text()
    assert evenhand("audit", "plans/first.toml", "--quiet").code == 0


@pytest.mark.parametrize(("name", "audit"), [("coat", "opportunity"), ("ml-100k", "user_precision")])
def test_public_data(evenhand, tmp_path, monkeypatch, name, audit):
    if not (DATA / name).is_dir():
        pytest.skip(f"{name} is not here")
    place = (DATA / name).resolve()
    monkeypatch.chdir(tmp_path)
    assert evenhand("init", place, "--yes").code == 0
    assert f'audit = "{audit}"' in (tmp_path / "audit.toml").read_text()
    assert evenhand("audit", "audit.toml", "--out", "audit").code == 0


def test_logs_of_a_public_data_set_lead_to_its_audit(evenhand, tmp_path, monkeypatch):
    place = write_kuairand(tmp_path / "KuaiRand-Pure")
    monkeypatch.chdir(tmp_path)
    said = evenhand("init", place, "--yes")
    assert said.code == 0
    assert "of videos outside the pool (5)" in " ".join(said.out.split())
    plan = (tmp_path / "audit.toml").read_text()
    assert all(
        line in plan for line in ('audit = "opportunity"', 'label = "is_click"', 'cluster = "user_id"')
    )
    assert evenhand("audit", "audit.toml", "--quiet").code == 0


class TestRefusals:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def refused(self, evenhand, *words):
        ran = evenhand("init", *words)
        assert ran.code == 2
        assert ran.err.startswith("Error: ")
        assert ran.err.count("\n") == 1
        assert not Path("new.toml").exists()
        return ran

    def test_a_plan_that_is_there(self, evenhand):
        Path("audit.toml").write_text("mine")
        said = self.refused(evenhand, "--yes").err
        assert "is there already" in said
        assert f"--out {Path.cwd().name}.toml" in " ".join(said.split())
        assert Path("audit.toml").read_text() == "mine"

    def test_a_plan_without_a_name(self, evenhand):
        assert "such as audit.toml" in self.refused(evenhand, "--yes", "--out", "-").err
        assert not Path("-").exists()

    def test_no_terminal(self, evenhand):
        assert "add --yes" in self.refused(evenhand).err

    def test_an_empty_folder(self, evenhand):
        assert "nothing in . that could be audited" in self.refused(evenhand, "--yes").err

    def test_paths_that_do_not_exist(self, evenhand):
        assert "no file or folder nowhere" in self.refused(evenhand, "nowhere", "--yes").err
        Path("audit.toml").write_text("mine")
        assert "no file or folder nowhere" in self.refused(evenhand, "nowhere", "--yes").err

    def test_only_files_that_cannot_be_read(self, evenhand):
        Path("a.parquet").write_bytes(b"no")
        assert "a.parquet is not a readable Parquet file" in self.refused(evenhand, "--yes").err

    def test_data_that_answer_nothing_are_told_what_to_log(self, evenhand):
        pd.DataFrame({"user_id": range(50), "gender": ["F", "M"] * 25}).to_csv("users.csv", index=False)
        ran = self.refused(evenhand, "--yes", "--out", "new.toml")
        assert "No plan was written" in ran.err
        assert "docs/explain/creators.md" in ran.out

    def test_a_folder_that_cannot_be_written_to(self, evenhand, tmp_path):
        plain_english(tmp_path)
        assert "cannot be written" in self.refused(evenhand, "--yes", "--out", "users.csv/new.toml").err


def test_the_folder_that_is_proposed_for_the_report_is_a_new_one(evenhand, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    plain_english(tmp_path / "shop")
    told = evenhand("init", "shop", "--yes", "--out", "shop.toml").out
    assert "evenhand audit shop.toml --out shop-report/" in told
    assert "evenhand audit shop.toml --out shop-report/" in Path("shop.toml").read_text()


def test_two_data_sets_in_one_folder_are_told_apart(evenhand, tmp_path, monkeypatch):
    for place, make in (("one", plain_english), ("two", partitions_by_day)):
        (tmp_path / place).mkdir()
        make(tmp_path / place)
    monkeypatch.chdir(tmp_path)
    ran = evenhand("init", "--yes")
    assert ran.code == 0
    assert "If these are other data, run init on each folder alone" in " ".join(ran.out.split())
