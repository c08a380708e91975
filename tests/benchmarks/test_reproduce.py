"""Every paper has a page with all of its tables and figures, from made-up or small data; a step that was done
is not done again."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from site_pages import anchors

FOLDER = Path(__file__).parents[2] / "benchmarks"
LINK = re.compile(r"\]\(([^)]+)\)")
PAPERS = ("fairrec", "jme", "reo", "ocef", "esa")


@pytest.fixture(scope="module")
def benchmarks():
    """The scripts as they import one another, and without them afterwards; tests have folders so named."""
    scripts = {path.stem for path in FOLDER.iterdir()}
    others = {name: sys.modules.pop(name) for name in set(sys.modules) if name.split(".")[0] in scripts}
    sys.path.insert(0, str(FOLDER))
    yield lambda name: importlib.import_module(name)
    sys.path.remove(str(FOLDER))
    for name in set(sys.modules):
        if name.split(".")[0] in scripts:
            del sys.modules[name]
    sys.modules.update(others)


def rows_of(page):
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| ")
    ]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_quick_run_says_something_of_every_table_and_figure(
    benchmarks, paper, tmp_path, monkeypatch, capsys
):
    reproduce = benchmarks("reproduce")
    monkeypatch.setattr(sys, "argv", ["reproduce.py", paper, "--quick", "--out", str(tmp_path)])
    reproduce.main()
    page = (tmp_path / f"{paper}.md").read_text()
    assert capsys.readouterr().out.strip() == str(tmp_path / f"{paper}.md")
    assert "these figures say nothing about the paper" in page
    room = benchmarks(f"replications.{paper}")
    summary = rows_of(page.split("\n## ")[0])[1:]
    for name in room.EVERY:
        (row, *_) = [row for row in summary if row[0].split(",")[0] == name]
        assert row[-1]  # the cause, or why it is not there
        assert row[2] or row[-1].startswith("not reproduced: ")
    there = [row for row in summary if row[2]]
    assert page.count("**Cause.**") == len(there)
    assert sum(int(row[2]) for row in there) == sum(
        len(rows_of(part)) - 1 for part in page.split("\n## ")[1:]
    )
    assert not re.search(r"\b(nan|inf)\b", page)
    for target in LINK.findall(page):
        path, _, anchor = target.partition("#")
        file = (tmp_path / path).resolve()
        assert file.is_file(), target
        assert not anchor or anchor in anchors(file), target
    # What is done is read again: with the same results, the same page.
    done = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    reproduce.main()
    assert (tmp_path / f"{paper}.md").read_text() == page
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")} == done


def test_a_page_that_says_nothing_of_a_table_is_refused(benchmarks, tmp_path, monkeypatch):
    reproduce, reo = benchmarks("reproduce"), benchmarks("replications.reo")
    steps = benchmarks("replications.steps")
    monkeypatch.setattr(reo, "EVERY", (*reo.EVERY, "Table 9"))
    with pytest.raises(ValueError, match="nothing is said of Table 9"):
        reproduce.reproduce("reo", steps.Run(tmp_path, tmp_path / "work", quick=True), tmp_path)
    assert not (tmp_path / "reo.md").exists()


def test_data_that_are_not_there_are_named(benchmarks, tmp_path):
    reproduce, steps = benchmarks("reproduce"), benchmarks("replications.steps")
    page = reproduce.reproduce(
        "esa", steps.Run(tmp_path / "nothing", tmp_path / "work"), tmp_path
    ).read_text()
    assert "| Table 7.2 |  |  |  |  |  | not reproduced: MovieLens-1M is not at hand" in page


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(benchmarks, wrong):
    pages = benchmarks("replications.pages")
    for given in ({"ours": wrong}, {"published": wrong}, {"spread": wrong}):
        with pytest.raises(ValueError, match="not finite"):
            pages.Line(**{"what": "UF", "published": 0.2, "ours": 0.1, **given})


def test_a_part_has_figures_with_a_cause_or_a_reason_for_none(benchmarks):
    pages = benchmarks("replications.pages")
    line = pages.Line("UF", 0.2, 0.25)
    for wrong in ({}, {"lines": [line]}, {"lines": [line], "cause": "chance", "missing": "no data"}):
        with pytest.raises(ValueError):
            pages.Part("Table 1", "gaps", **wrong)
    part = pages.Part("Table 1", "gaps", [line, pages.Line("UD", 0.1, 0.1)], cause="chance")
    assert part.summary() == ["Table 1", "gaps", "2", "1", "0.150", "0.025", "chance"]
    assert line.cells() == ["UF", "0.200", "0.250", "+0.050"]


def test_a_step_goes_on_after_what_is_done_and_says_what_is_long(benchmarks, tmp_path, capsys):
    steps = benchmarks("replications.steps")
    run = steps.Run(tmp_path, tmp_path / "work")
    assert run.step("first", lambda: {"a": [1, 2.5]}) == {"a": [1, 2.5]}

    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.step("second", stopped, 3)
    assert "second, about 3 minutes on one core" in capsys.readouterr().err
    assert [path.name for path in run.work.iterdir()] == ["first.json"]
    assert run.step("first", stopped) == {"a": [1, 2.5]}
    steps.first_say_what_is_long(run, {"first": 5, "second": 3})
    assert "About 3 minutes on one core: second 3." in capsys.readouterr().err
    assert json.loads((run.work / "first.json").read_text()) == {"a": [1, 2.5]}
