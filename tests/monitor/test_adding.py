"""Days are added whole, once, in order, and only where they were counted alike."""

from datetime import UTC, datetime

import pandas as pd
import pytest
from sqlalchemy import select

import evenhand as eh
from evenhand import monitor
from evenhand.asked.declared.opportunity import OpportunityStep
from evenhand.documents import read_document
from evenhand.monitor.days import dates
from evenhand.store.tables import day, evidence, look, regime, state
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(6)
both_kinds = pytest.mark.parametrize(
    "address", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)


@pytest.fixture
def world(tmp_path, address):
    for one in DAYS:
        write_day(tmp_path, one)
    store = monitor.open_store(address)
    yield write_plan(tmp_path), store
    store.close()


def rows(store, table):
    with store.reading() as connection:
        return connection.execute(select(table).order_by(*table.primary_key)).all()


def content(store):
    """All that a store holds, but for times."""
    tables = day, evidence, state, look, regime
    return [
        [
            {key: value for key, value in row._mapping.items() if not key.endswith("_at")}
            for row in rows(store, one)
        ]
        for one in tables
    ]


def all_rows(plan, chosen):
    return [
        pd.concat([pd.read_parquet(plan.parent / f"{name}-{one}.parquet") for one in chosen])
        for name in ("default", "random")
    ]


@both_kinds
def test_days_together_equal_the_audit_over_all_rows(world):
    plan, store = world
    for one in DAYS:
        assert monitor.add(plan, store, one).what == "added"
    for first, last in ((0, 5), (2, 3)):
        found = monitor.over_days(plan, store, DAYS[first], DAYS[last])
        audit = eh.opportunity.audit(
            *all_rows(plan, DAYS[first : last + 1]), label="liked", group="group", cluster="user_id"
        )
        for ours, theirs in zip(found.findings, audit.findings, strict=True):
            assert ours.id == theirs.id
            assert ours.estimate == pytest.approx(theirs.estimate, abs=1e-9)
            if theirs.interval is not None:
                assert ours.interval.low == pytest.approx(theirs.interval.low, abs=1e-9)
                assert ours.interval.high == pytest.approx(theirs.interval.high, abs=1e-9)


def test_the_history_is_the_series(world):
    plan, store = world
    for one in DAYS:
        monitor.add(plan, store, one)
    found = monitor.history(store, "feed")
    logs = all_rows(plan, DAYS)
    for name, log in zip(("default", "random"), logs, strict=True):
        sizes = [len(pd.read_parquet(plan.parent / f"{name}-{one}.parquet")) for one in DAYS]
        log["day"] = [one for one, size in zip(DAYS, sizes, strict=True) for _ in range(size)]
    series = eh.opportunity.series(*logs, label="liked", group="group", cluster="user_id", day="day")
    ours = {one.id: one for one in found.document.findings}
    assert {one.measure for one in ours.values()} == set(OpportunityStep.found_daily["series"])
    for theirs in series.findings:
        mine = ours[theirs.id].series.days
        assert [one.day for one in mine] == [one.day for one in theirs.series.days]
        for one, other in zip(mine, theirs.series.days, strict=True):
            numbers = (one.estimate, one.low, one.high, one.fixed.low, one.fixed.high)
            assert numbers == pytest.approx(
                (other.estimate, other.low, other.high, other.fixed.low, other.fixed.high), abs=1e-9
            )


@both_kinds
def test_a_day_is_added_once(world):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    before = content(store)
    again = monitor.add(plan, store, DAYS[0])
    assert (again.what, again.looked) == ("there already", ())
    assert content(store) == before


def test_a_log_that_is_written_again_under_another_day_is_noticed(world):
    plan, store = world
    assert monitor.add(plan, store, DAYS[0]).same_as is None
    for name in ("default", "random"):
        content = (plan.parent / f"{name}-{DAYS[0]}.parquet").read_bytes()
        (plan.parent / f"{name}-{DAYS[1]}.parquet").write_bytes(content)
    assert monitor.add(plan, store, DAYS[1]).same_as == DAYS[0]


@pytest.mark.parametrize("kind", [float, str])
def test_ids_of_another_type_are_refused_as_no_user_would_be_known_again(world, kind):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    before = content(store)
    for name in ("default", "random"):
        file = plan.parent / f"{name}-{DAYS[1]}.parquet"
        log = pd.read_parquet(file)
        log.assign(user_id=log.user_id.astype(kind)).to_parquet(file)
    with pytest.raises(eh.InputError, match=r"user_id is of type .*, and on the days before of type integer"):
        monitor.add(plan, store, DAYS[1])
    assert content(store) == before
    assert monitor.add(plan, store, DAYS[1], new_regime="ids are written otherwise").what == "added"


def test_other_numbers_of_a_day_are_refused_and_change_nothing(world):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    before = content(store)
    write_day(plan.parent, DAYS[0], seed=9)
    with pytest.raises(eh.InputError, match="2026-01-01 is in the store already, with other numbers"):
        monitor.add(plan, store, DAYS[0])
    assert content(store) == before


@both_kinds
def test_a_correction_stands_beside_what_it_was_and_gives_what_right_days_would_have_given(world, tmp_path):
    plan, store = world
    for one in DAYS[:4]:
        monitor.add(plan, store, one)
    write_day(plan.parent, DAYS[1], seed=9)
    assert monitor.correct(plan, store, DAYS[1], "late rows").what == "corrected"
    kept = [(row.revision, row.current, row.reason) for row in rows(store, day) if row.day == DAYS[1]]
    assert kept == [(1, None, ""), (2, 1, "late rows")]
    made = [(row.day, row.revision, row.current, row.number) for row in rows(store, look)]
    assert made == [
        (DAYS[0], 1, 1, 1), (DAYS[1], 1, None, 2), (DAYS[2], 1, None, 3), (DAYS[3], 1, None, 4),
        (DAYS[1], 2, 1, 5), (DAYS[2], 2, 1, 6), (DAYS[3], 2, 1, 7),
    ]  # fmt: skip
    right = monitor.open_store(str(tmp_path / "right.db"))
    for one in DAYS[:4]:
        monitor.add(plan, right, one)
    ours, theirs = (monitor.history(each, "feed").document.findings for each in (store, right))
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.estimate == pytest.approx(other.estimate, abs=1e-12)
    # Every look spends its own part of the error: what is looked at again is less sure.
    for measure in ("daily_penalty", "running_penalty"):
        penalty = next(i for i, one in enumerate(ours) if one.measure == measure)
        assert ours[penalty].interval.high > theirs[penalty].interval.high


def test_nothing_to_correct(world):
    plan, store = world
    with pytest.raises(eh.InputError, match="is not in the store, so there is nothing to correct"):
        monitor.correct(plan, store, DAYS[0], "x")
    monitor.add(plan, store, DAYS[0])
    assert monitor.correct(plan, store, DAYS[0], "x").what == "there already"
    with pytest.raises(eh.InputError, match="Say why"):
        monitor.correct(plan, store, DAYS[0], " ")


def test_looks_are_made_again_from_a_state_that_was_kept(world, monkeypatch):
    """With states of some days kept, a correction looks at the days after the last of them only."""
    from evenhand.monitor import records

    monkeypatch.setattr(records, "KEPT_STATES", 2)
    plan, store = world
    for one in DAYS:
        monitor.add(plan, store, one)
    assert [row.number for row in rows(store, state)] == [2, 4, 6]
    write_day(plan.parent, DAYS[4], seed=9)
    monitor.correct(plan, store, DAYS[4], "late rows")
    assert [row.number for row in rows(store, state)] == [2, 4, 6]
    found = monitor.over_days(plan, store)
    audit = eh.opportunity.audit(*all_rows(plan, DAYS), label="liked", group="group", cluster="user_id")
    assert found.find("reo_penalty").interval == audit.find("reo_penalty").interval
    running = next(
        one for one in monitor.history(store, "feed").document.findings if one.measure == "running_penalty"
    )
    assert running.estimate == pytest.approx(audit.find("reo_penalty").estimate, abs=1e-9)


@both_kinds
def test_gaps_are_gaps_and_an_earlier_day_must_be_meant(world):
    plan, store = world
    for one in (DAYS[0], DAYS[1], DAYS[4]):
        monitor.add(plan, store, one)
    assert monitor.history(store, "feed").gaps == (DAYS[2], DAYS[3])
    with pytest.raises(eh.InputError, match=r"2026-01-03 is earlier than 2026-01-05.*--late"):
        monitor.add(plan, store, DAYS[2])
    monitor.add(plan, store, DAYS[2], late=True)
    found = monitor.history(store, "feed")
    assert found.gaps == (DAYS[3],)
    assert [one.day for one in found.days] == [DAYS[0], DAYS[1], DAYS[2], DAYS[4]]
    assert [row.number for row in rows(store, day)] == [1, 2, 3, 4]


@both_kinds
def test_a_day_that_comes_late_is_one_look_more_and_the_last_day_has_what_is_known_now(world, tmp_path):
    plan, store = world
    for one in (*DAYS[:2], DAYS[3]):
        monitor.add(plan, store, one)
    before = {one.id: one for one in monitor.history(store, "feed").document.findings}
    (looked,) = monitor.add(plan, store, DAYS[2], late=True).looked
    in_turn = monitor.open_store(str(tmp_path / "in_turn.db"))
    for one in DAYS[:4]:
        monitor.add(plan, in_turn, one)
    now, theirs = (
        {one.id: one for one in monitor.history(each, "feed").document.findings} for each in (store, in_turn)
    )
    in_turn.close()
    running = "series.running_penalty/by:creators=group"
    assert now[running].estimate == pytest.approx(theirs[running].estimate, abs=1e-12)
    assert now[running].interval.low == pytest.approx(theirs[running].interval.low, abs=1e-12)
    assert now[running].details["day"] == DAYS[3]
    # What was said of the last day by itself stays, and what is of all days is of no day before.
    penalty = "series.daily_penalty/by:creators=group"
    assert (now[penalty].estimate, now[penalty].interval) == (
        before[penalty].estimate,
        before[penalty].interval,
    )
    shown = {row.day: read_document(row.document) for row in rows(store, look) if row.current}
    assert running not in {one.id for one in shown[DAYS[2]].findings}
    assert running in {one.id for one in looked.found.findings}
    assert shown[DAYS[3]].questions == eh.AuditResult(shown[DAYS[3]].findings).questions
    # Each of four days is one look: none is made again.
    assert sorted(row.number for row in rows(store, look) if row.current) == [1, 2, 3, 4]


def test_a_day_that_comes_late_when_all_are_forgotten_is_what_is_known_now(world):
    plan, store = world
    for one in (DAYS[0], DAYS[3]):
        monitor.add(plan, store, one)
    monitor.forget(plan, store, DAYS[5])
    (looked,) = monitor.add(plan, store, DAYS[2], late=True).looked
    said = {one.id: one.estimate for one in looked.found.findings if one.id in looked.of_all_days}
    now = {one.id: one.estimate for one in monitor.history(store, "feed").document.findings}
    assert said
    assert {name: now[name] for name in said} == said


def test_another_label_definition_is_a_new_regime_or_nothing(world):
    plan, store = world
    for one in DAYS[:2]:
        monitor.add(plan, store, one)
    plan.write_text(
        PLAN.replace('"liked"', '"liked or shared"', 2).replace(
            'label = "liked or shared"', 'label = "liked"'
        )
    )
    with pytest.raises(eh.InputError, match=r'default.label_definition was "liked" and is "liked or shared"'):
        monitor.add(plan, store, DAYS[2])
    monitor.add(plan, store, DAYS[2], new_regime="shares count now")
    monitor.add(plan, store, DAYS[3])
    found = monitor.history(store, "feed")
    assert [(one.number, one.first_day, one.reason) for one in found.regimes] == [
        (1, DAYS[0], "the first day"),
        (2, DAYS[2], "shares count now"),
    ]
    penalty = next(one for one in found.document.findings if one.measure == "daily_penalty")
    assert [one.day for one in penalty.series.days] == [DAYS[2], DAYS[3]]
    write_day(plan.parent, "2025-12-31")
    with pytest.raises(eh.InputError, match="when the regime that counts began"):
        monitor.add(plan, store, "2025-12-31", late=True)


@both_kinds
def test_other_groups_are_a_new_regime_or_nothing(world):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    before = content(store)
    write_day(plan.parent, DAYS[1], groups="abX")
    with pytest.raises(eh.InputError, match=r"no longer has group = c, and has group = X.*--new-regime"):
        monitor.add(plan, store, DAYS[1])
    assert content(store) == before
    monitor.add(plan, store, DAYS[1], new_regime="c is called X")


def test_a_correction_to_other_groups_says_what_can_be_done(world):
    plan, store = world
    for one in DAYS[:2]:
        monitor.add(plan, store, one)
    before = content(store)
    write_day(plan.parent, DAYS[0], groups="abX")
    with pytest.raises(eh.InputError, match=r"So 2026-01-01 stays as it was: .* under another --name"):
        monitor.correct(plan, store, DAYS[0], "late rows")
    assert content(store) == before


def test_days_can_be_forgotten_whatever_that_makes_of_the_others(world):
    """A group that is rare at first, absent by chance and then frequent would be refused as new."""
    plan, store = world
    for one, (rows, rare) in zip(DAYS[:3], [(1_000, 20), (2_000, 0), (1_000, 100)], strict=True):
        group = ["a"] * (rows // 2) + ["b"] * (rows - rows // 2 - rare) + ["c"] * rare
        log = pd.DataFrame({"user_id": range(rows), "group": group, "liked": [0, 0, 1, 1] * (rows // 4)})
        for name in ("default", "random"):
            log.to_parquet(plan.parent / f"{name}-{one}.parquet")
        monitor.add(plan, store, one)
    assert monitor.forget(plan, store, DAYS[1]).days == 1
    assert monitor.add(plan, store, DAYS[2]).what == "there already"


def test_another_tolerance_is_no_new_regime(world):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    plan.write_text(PLAN + "tolerance = 0.3\n")
    found = monitor.add(plan, store, DAYS[1]).looked[0].found.findings
    assert next(one for one in found if one.measure == "daily_penalty").tolerance == 0.3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("2026-11-02", "is not over anywhere"),
        ("2062-01-01", "is not over anywhere"),
        ("yesterday", "is not a day"),
        ("2025-01-01", "there is no file .*-2025-01-01.parquet"),
    ],
)
def test_days_that_cannot_be_added(world, given, said):
    plan, store = world
    with pytest.raises(eh.InputError, match=said):
        monitor.add(plan, store, given)
    assert rows(store, day) == []


def test_a_clock_at_the_end_of_the_calendar_is_a_clock(monkeypatch):
    monkeypatch.setattr(dates, "now", lambda: datetime.max.replace(tzinfo=UTC))
    assert str(dates.whole_period("9999-12-30", "day")) == "9999-12-30"
    with pytest.raises(eh.InputError, match="is not over anywhere"):
        dates.whole_period("9999-12-31", "day")


def test_a_clock_that_jumps_back_changes_no_order(world, monkeypatch):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    monkeypatch.setattr(dates, "now", lambda: datetime(2026, 2, 1, tzinfo=UTC))
    monitor.add(plan, store, DAYS[1])
    added = [(row.day, row.number, row.added_at[:7]) for row in rows(store, day)]
    assert added[1] == (DAYS[1], 2, "2026-02")
    assert [one.day for one in monitor.history(store, "feed").days] == DAYS[:2]


def test_rows_of_a_day_in_one_file(tmp_path):
    """The column of the day chooses the rows; a random log without it is shared by all days."""
    for one in DAYS[:3]:
        write_day(tmp_path, one)
    for name in ("default", "random"):
        parts = [pd.read_parquet(tmp_path / f"{name}-{one}.parquet").assign(day=one) for one in DAYS[:3]]
        pd.concat(parts).to_parquet(tmp_path / f"{name}.parquet")
    text = PLAN.replace("-{day}", "") + '[monitoring]\nday = "day"\n'
    plan, store = write_plan(tmp_path, text), monitor.open_store(str(tmp_path / "one.db"))
    files = write_plan(tmp_path / ".." / tmp_path.name, PLAN).rename(tmp_path / "files.toml")
    plan = write_plan(tmp_path, text)
    for one in DAYS[:3]:
        monitor.add(plan, store, one)
        monitor.add(files, store, one)
    ours, theirs = (monitor.history(store, name).document.findings for name in ("feed", "files"))
    assert [one.estimate for one in ours] == [one.estimate for one in theirs]
    with pytest.raises(eh.InputError, match="no row has 'day' = 2026-01-20"):
        monitor.add(plan, store, "2026-01-20")


@both_kinds
def test_forgotten_days_are_gone_from_all_sums(world, tmp_path):
    plan, store = world
    for one in DAYS[:5]:
        monitor.add(plan, store, one)
    looks = rows(store, look)
    assert monitor.forget(plan, store, DAYS[2]).days == 2
    assert rows(store, look) == looks
    assert [bool(row.forgotten_at) for row in rows(store, day)] == [True, True, False, False, False]
    monitor.add(plan, store, DAYS[5])
    audit = eh.opportunity.audit(*all_rows(plan, DAYS[2:]), label="liked", group="group", cluster="user_id")
    running = next(
        one for one in monitor.history(store, "feed").document.findings if one.measure == "running_penalty"
    )
    assert running.estimate == pytest.approx(audit.find("reo_penalty").estimate, abs=1e-9)
    # What was seen of these days before is not forgotten: they are looked at again, as another sample.
    new = monitor.open_store(str(tmp_path / "new.db"))
    for one in DAYS[2:6]:
        monitor.add(plan, new, one)
    anew = next(
        one for one in monitor.history(new, "feed").document.findings if one.measure == "running_penalty"
    )
    assert running.interval.high > anew.interval.high
    with pytest.raises(eh.InputError, match="was forgotten"):
        monitor.over_days(plan, store, DAYS[0], DAYS[1])
    write_day(plan.parent, DAYS[0], seed=9)
    with pytest.raises(eh.InputError, match="was forgotten, so it cannot be corrected"):
        monitor.correct(plan, store, DAYS[0], "late rows")


def test_looks_are_documents_without_small_cells(world):
    plan, store = world
    frame = pd.read_parquet(plan.parent / f"default-{DAYS[0]}.parquet")
    frame.loc[frame.user_id < 3, "group"] = "few"
    frame[(frame.group != "few") | (frame.user_id < 3)].to_parquet(plan.parent / f"default-{DAYS[0]}.parquet")
    monitor.add(plan, store, DAYS[0])
    (found,) = rows(store, look)
    document = read_document(found.document)
    assert all(
        one.excluded == () or one.excluded[0].count is None for one in document.findings if one.excluded
    )


def test_a_plan_that_nothing_of_can_be_followed(tmp_path):
    text = PLAN.replace("-{day}", "")
    write_day(tmp_path, DAYS[0])
    for name in ("default", "random"):
        (tmp_path / f"{name}-{DAYS[0]}.parquet").rename(tmp_path / f"{name}.parquet")
    store = monitor.open_store(str(tmp_path / "m.db"))
    with pytest.raises(eh.InputError, match="Nothing of this plan is of one day"):
        monitor.add(write_plan(tmp_path, text), store, DAYS[0])
    boost = text.replace('audit = "opportunity"', 'audit = "boost"\nweights = "search"')
    with pytest.raises(eh.InputError, match="can be followed from day to day"):
        monitor.add(write_plan(tmp_path, boost), store, DAYS[0])


def _called(plan, system, title="Feed"):
    text = plan.read_text().replace("[scope]\n", "")
    plan.write_text(f'[scope]\nsystem = "{system}"\ntitle = "{title}"\n{text}')


def test_a_plan_of_another_system_is_no_day_of_this_monitor(world):
    plan, store = world
    before = plan.read_text()
    _called(plan, "the shop")
    monitor.add(plan, store, DAYS[0])
    plan.write_text(before)
    _called(plan, "the radio")
    was = content(store)
    with pytest.raises(eh.InputError, match="'feed' follows 'the shop', and this plan is of 'the radio'"):
        monitor.add(plan, store, DAYS[1])
    with pytest.raises(eh.InputError, match="'feed' follows 'the shop'"):
        monitor.correct(plan, store, DAYS[0], "slip")
    assert content(store) == was
    assert monitor.add(plan, store, DAYS[1], name="radio").what == "added"
    assert monitor.add(plan, store, DAYS[1], new_regime="it is called so now").what == "added"
    assert monitor.add(plan, store, DAYS[2]).remarks == ()


def test_another_title_alone_is_remarked_on_once(world):
    plan, store = world
    before = plan.read_text()
    _called(plan, "the shop", "Spring")
    monitor.add(plan, store, DAYS[0])
    plan.write_text(before)
    _called(plan, "the shop", "Summer")
    (said,) = monitor.add(plan, store, DAYS[1]).remarks
    assert said.startswith("The plan's title was 'Spring' when the last day was added, and is 'Summer'.")
    assert monitor.add(plan, store, DAYS[2]).remarks == ()
