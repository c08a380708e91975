"""Figures of the opportunity audit: what they show is what the docs say of them."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def figures(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("opportunity_figures")


def test_intervals_of_all_methods_agree_where_the_system_is_clearly_unequal(figures):
    rows = figures.methods(1)
    for day in figures.DAYS:
        ends = [(row["low"], row["high"]) for row in rows if row["day"] == day]
        for low, high in ends:
            assert low == pytest.approx(ends[0][0], abs=0.002)
            assert high == pytest.approx(ends[0][1], abs=0.002)


def test_boosts_have_the_published_signs_on_every_day(figures):
    rows = figures.boosts(1)
    assert all(row["value"] < 0 for row in rows if row["of"] == "1.25x deboost")
    assert all(row["low"] > 0 for row in rows if row["of"].startswith("2x"))


def test_errors_fall_with_the_size_of_a_part(figures):
    errors, variances = figures.subsets(1)
    assert errors[0]["value"] > 5 * errors[-1]["value"]
    new = {row["rows"]: row["value"] for row in variances if row["of"] == "as of new logs"}
    assert new[100_000] * 100_000 == pytest.approx(new[10_000] * 10_000, rel=0.35)


def test_every_figure_is_in_the_docs(figures):
    pages = "".join(page.read_text() for page in (FOLDER.parent / "docs" / "evidence").rglob("*.md"))
    for name in figures.FIGURES:
        assert f"figures/{name}.svg" in pages
        assert (FOLDER.parent / "docs" / "figures" / f"{name}.svg").is_file()
