"""Whoever is killed while days are added has added whole days, and whoever goes on loses none."""

import importlib.util
import itertools
import sys
from pathlib import Path

import pytest
from sqlalchemy import event

import evenhand as eh
from evenhand import monitor
from monitor.worlds import days, write_day, write_plan

DAYS = days(8, "2024-01-01")  # other processes have the clock of the machine
PATH = Path(__file__).parents[2] / "benchmarks" / "monitor_kills.py"


@pytest.fixture(scope="module")
def kills():
    spec = importlib.util.spec_from_file_location("benchmark_of_kills", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def plan(tmp_path):
    for one in DAYS:
        write_day(tmp_path, one, rows=1_000)
    return write_plan(tmp_path)


@pytest.mark.slow
def test_killed_at_random_moments(plan, tmp_path, kills):
    numbers = itertools.count(1)
    kills.killed_again_and_again(plan, lambda: str(tmp_path / f"m{next(numbers)}.db"), DAYS, 5)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["sqlite", "postgresql"], indirect=True)
def test_two_writers_at_once(plan, address, tmp_path, kills):
    """Both add the same days; each day is there once, and both end well."""
    said = [tmp_path / "one", tmp_path / "other"]
    both = [kills.adding(plan, address, each, DAYS[:4]) for each in said]
    for one, each in zip(both, said, strict=True):
        assert one.wait() == 0, each.read_text()
    assert sorted(kills.whole_days(address)) == DAYS[:4]


def test_a_full_disk(plan, tmp_path, kills):
    """Nothing is added, one sentence says why, and once there is room the day is."""
    address = str(tmp_path / "m.db")
    store = monitor.open_store(address)
    monitor.add(plan, store, DAYS[0])
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    full = f"PRAGMA max_page_count = {pages + 2}"

    def limited(connection, _):
        connection.execute(full)

    store.engine.dispose()
    event.listen(store.engine, "connect", limited)
    with pytest.raises(eh.InputError, match=r"The disk of the store .* is full: what was to be written"):
        monitor.add(plan, store, DAYS[1])
    event.remove(store.engine, "connect", limited)
    store.engine.dispose()
    assert kills.whole_days(address) == DAYS[:1]
    assert monitor.add(plan, store, DAYS[1]).what == "added"
