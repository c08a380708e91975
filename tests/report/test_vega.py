"""The script that draws charts is put together once a machine, or each time where nothing can be kept."""

import pytest

from evenhand.report.pictures import vega


@pytest.fixture
def made(monkeypatch, tmp_path):
    """How often it was put together, with a home of its own."""
    times = []
    monkeypatch.setattr(vega, "_made", lambda: times.append(1) or "script")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield times
    vega.library.cache_clear()


def asked():
    vega.library.cache_clear()  # as a new process would
    return vega.library()


def test_it_is_made_once(made):
    assert [asked(), asked()] == ["script"] * 2
    assert len(made) == 1


def test_without_a_place_it_is_made_each_time(made, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert [asked(), asked()] == ["script"] * 2
    assert len(made) == 2


def test_without_a_home_it_is_made_each_time(made, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")

    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", nowhere)
    assert asked() == "script"
    assert len(made) == 1
