"""Groups and exposure in a monitor: days, all days so far, corrections, gaps and promises."""

from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import select

from evenhand import monitor
from evenhand.asked.declared.groups import GroupsStep
from evenhand.documents import read_document
from evenhand.report.words.sentences import how_much
from evenhand.store.tables import look

PLAN = """
[inputs.users]
path = "users-{day}.csv"

[[audits]]
audit = "groups"
users = "users"
attributes = "gender"
metric = "quality"
bounds = [0, 1]
tolerance = 0.05
permutations = 50
"""
DAY = "groups.confirmed_gap/by:users=gender/metric=quality"
ALL = f"{DAY}/days=all"


def people(seed, size=300, gap=0.3):
    rng = np.random.default_rng(seed)
    who = rng.choice(500, size, replace=False)
    women = who % 2 == 0
    taste = np.random.default_rng(99).normal(0, 0.1, 500)[who]
    quality = np.clip(0.6 + taste - gap * women + rng.normal(0, 0.05, size), 0, 1)
    return pd.DataFrame({"user_id": who, "gender": np.where(women, "F", "M"), "quality": quality})


@pytest.fixture
def kept(tmp_path):
    """A plan, and a store with three days; on the second hardly anybody came."""
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    with closing(monitor.open_store(str(tmp_path / "m.db"))) as store:
        for day, size in ((1, 300), (2, 12), (3, 300)):
            people(day, size).to_csv(tmp_path / f"users-2026-01-0{day}.csv", index=False)
            monitor.add(plan, store, f"2026-01-0{day}")
        yield plan, store


def looks(store):
    """All looks ever made, by day: number and findings."""
    with store.reading() as connection:
        rows = connection.execute(select(look).order_by(look.c.number)).all()
    found = [(row.day, row.number, read_document(row.document).findings) for row in rows]
    return [(day, number, {one.id: one for one in findings}) for day, number, findings in found]


def test_days_and_all_days_so_far_stand_in_the_history(kept):
    _, store = kept
    document = monitor.history(store, "plan").document
    found = {one.id: one for one in document.findings}
    assert {one.measure for one in document.findings} == set(GroupsStep.found_daily["groups"])
    assert [day.estimate is None for day in found[DAY].series.days] == [False, True, False]
    assert found[DAY].verdict == found[ALL].verdict == "violation"
    assert found[ALL].n.count == len({*people(1).user_id, *people(2, 12).user_id, *people(3).user_id})
    # In lines that stand one under the other.
    assert ", all days together (" in how_much(found[ALL])
    assert ", at every look; limit 0.05)" in how_much(found[ALL])
    assert "all days together" not in how_much(found[DAY])
    assert ", all 2 days at once; limit 0.05)" in how_much(found[DAY])


def test_a_correction_is_a_look_with_a_part_of_the_error_of_its_own(kept):
    plan, store = kept
    (first, *_) = looks(store)
    late = people(1, gap=0.29)
    late.to_csv(plan.parent / "users-2026-01-01.csv", index=False)
    monitor.correct(plan, store, "2026-01-01", reason="rows came late")
    made = looks(store)
    numbers = [number for _, number, _ in made]
    assert len(set(numbers)) == len(numbers)
    corrected = next(one for day, number, one in made if day == "2026-01-01" and number > first[1])
    before, after = first[2][DAY].interval, corrected[DAY].interval
    assert after.high - after.low > before.high - before.low
    assert corrected[DAY].details["alone"]["low"] != first[2][DAY].details["alone"]["low"]


def test_what_is_promised_is_told_before_anything_changed(kept):
    plan, store = kept
    told = {one.finding: one for one in monitor.promises(plan, store, times=6)}
    assert set(told) == {DAY, ALL}
    assert told[DAY].limit == 0.05
    assert told[DAY].size == pytest.approx(0.3)
    assert told[DAY].days is not None
    assert told[ALL].days is None  # these days are beyond the limit as they are
    patient = plan.read_text() + '\n[[monitoring.flags]]\nname = "gap"\naudit = "groups"\nopen_after = 3\n'
    plan.write_text(patient)
    assert {one.finding: one for one in monitor.promises(plan, store, times=6)}[DAY].days >= 3


def test_no_id_of_a_user_is_in_the_store(kept):
    plan, _ = kept
    marked = people(7).assign(user_id=[f"someone-{n}" for n in range(300)])
    marked.to_csv(plan.parent / "users-2026-01-04.csv", index=False)
    with closing(monitor.open_store(str(plan.parent / "n.db"))) as store:
        monitor.add(plan, store, "2026-01-04")
    for path in plan.parent.glob("n.db*"):
        assert b"someone-" not in path.read_bytes()
