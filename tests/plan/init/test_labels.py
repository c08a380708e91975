"""What could be a label, what cannot, and that nothing is taken in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.labelling.labels import PLAUSIBLE, label_candidates
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.tables.opening import opened
from evenhand.plan.init.tables.profiling import profile
from plan.init.folders import log

RNG = np.random.default_rng(0)
BITS = RNG.integers(0, 2, 200)


def candidates(tmp_path, **columns):
    pd.DataFrame(columns).to_parquet(tmp_path / "x.parquet")
    return label_candidates(profile(opened(look([tmp_path]).tables[0], tmp_path)), set())


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        ("clicked", BITS, {}),
        ("gekauft", BITS.astype(bool), {}),
        ("rating", RNG.integers(1, 6, 200), {"at_least": 4}),
        ("stars", RNG.integers(1, 11, 200) / 2, {"at_least": 4}),
        ("voto", RNG.integers(1, 11, 200), {"at_least": 8}),
        ("dwell_seconds", RNG.integers(0, 300, 200), {"at_least": 30}),
        ("event_type", np.where(BITS, "click", "impression"), {"among": ["click"]}),
        ("n_likes", RNG.integers(0, 5, 200), {"at_least": 1}),
        ("applied", np.where(BITS, "Y", "N"), {"among": ["Y"]}),
        ("reacao", BITS * 2 - 1, {"at_least": 1}),
        ("fav_flg", BITS, {}),
        ("finished", np.where(BITS, "ja", "nein"), {"among": ["ja"]}),
        ("listened_s", RNG.integers(0, 3600, 200), {"at_least": 30}),
        ("clicked_at", pd.to_datetime(np.where(BITS, "2026-01-01", None)), {"known": True}),
    ],
)
def test_what_is_plausible(tmp_path, name, values, rule):
    (label, *_), _ = candidates(tmp_path, **{name: values})
    assert (label.column, label.rule) == (name, rule)
    assert label.strength >= PLAUSIBLE


def test_when_a_row_was_written_is_no_act_although_some_rows_do_not_say(tmp_path):
    """As of MovieLens-1M, where half of the users have ratings without a time."""
    when = pd.to_datetime(np.where(BITS, "2026-01-01", None))
    for name in ("timestamp", "Created_At", "datum"):
        assert candidates(tmp_path, **{name: when}) == ([], [])
    ((of_xq,), _) = candidates(tmp_path, xq_at=when)
    assert of_xq.strength < PLAUSIBLE  # and is listed


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("flag_7", BITS),  # its name says nothing
        ("hidden", BITS),  # not liked
        ("liked", np.ones(200, int)),  # always
        ("is_random", BITS),
        ("date", RNG.integers(20260101, 20260129, 200)),
        ("time", 1_767_000_000 + RNG.integers(0, 10**6, 200)),
        ("age", RNG.integers(18, 80, 200)),
        ("click_id", np.arange(200)),
        ("impressions", BITS),
        ("xq", BITS * 2 - 1),  # is listed, with a rule
        ("clicked", np.where(BITS, 1.0, np.nan)),  # empty where nobody knows
    ],
)
def test_what_is_not(tmp_path, name, values):
    found, _ = candidates(tmp_path, **{name: values})
    assert all(label.strength < PLAUSIBLE for label in found)


def test_what_looks_like_a_label_and_is_none_is_said(tmp_path):
    _, notes = candidates(tmp_path, liked=np.ones(200, int), hidden=BITS)
    assert "'liked' is called like a label, but is 1 in all rows" in notes[0]
    assert "did not like" in notes[1]


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("likes", np.arange(200) % 40, "1 or more in 97.5% of rows"),
        ("likes", np.arange(2_000) % 1_500, "nothing says where to cut it"),
    ],
)
def test_a_count_that_nearly_all_rows_have_or_that_is_no_count_is_not_chosen(tmp_path, name, values, said):
    found, notes = candidates(tmp_path, **{name: values})
    assert not found
    assert any(said in note for note in notes)


@pytest.mark.parametrize(
    "name", ["dismissed", "pulou", "descartado", "odrzucone", "is_skipped", "weggeklikt"]
)
def test_what_users_turned_down_is_no_label(tmp_path, name):
    found, notes = candidates(tmp_path, **{"opened": BITS, name: BITS[::-1].astype(bool)})
    assert [one.column for one in found] == ["opened"]
    assert any(f"'{name}' says what users did not like" in note for note in notes)


def test_two_that_are_as_plausible_are_said_to_be(tmp_path):
    """A number and a truth, both of what users do."""
    frame = log(3000, 1).rename(columns={"user": "user_id", "item": "item_id", "liked": "opened"})
    frame["shortlisted"] = frame.opened.astype(bool) & (frame.item_id % 2 == 0)
    frame["dismissed"] = ~frame.shortlisted
    frame.to_parquet(tmp_path / "default.parquet")
    log(2000, 2, uniform=True).rename(
        columns={"user": "user_id", "item": "item_id", "liked": "opened"}
    ).assign(shortlisted=lambda one: one.opened.astype(bool)).to_parquet(tmp_path / "random.parquet")
    (said,) = [mark for mark in propose(see(look([tmp_path]))).marks if mark.startswith("Label")]
    assert "opened is 1" in said
    assert "As plausible: shortlisted; only you know" in said
    assert "dismissed" not in said


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("abgebrochen", BITS),
        ("cancelled", BITS),
        ("storniert", np.where(BITS, "ja", "nein")),
        ("order_cancelled", np.where(BITS, "Y", "N")),  # an order says liked, and that it was cancelled not
        ("not_interested", BITS),
        ("denunciou", BITS),
        ("order_cancelled_at", pd.to_datetime(np.where(BITS, "2026-01-01", None))),
    ],
)
def test_what_was_cancelled_or_not_done_is_not_even_offered(tmp_path, name, values):
    found, notes = candidates(tmp_path, **{name: values})
    assert found == []
    (note,) = notes
    assert f"{name!r} says what users did not like, and is no label of what they liked." in note


@pytest.mark.parametrize("name", ["bought_next_week", "clicked_within_day", "ordered_this_month"])
def test_yes_or_no_within_a_time_is_no_time(tmp_path, name):
    """Candidates without a time are lists; with one they would be a log."""
    pairs = pd.DataFrame({"user_id": np.repeat(np.arange(20), 10), "item_id": np.arange(200) % 60})
    pairs.assign(model_score=RNG.normal(size=200), **{name: BITS}).to_parquet(tmp_path / "dump.parquet")
    (table,) = see(look([tmp_path])).tables()
    assert (table.role, table.score, table.chosen_label.column) == ("candidates", "model_score", name)


@pytest.mark.parametrize("name", ["postcode", "post_code", "PostCode"])
def test_where_users_live_is_no_item(tmp_path, name):
    users = pd.DataFrame({"user_id": np.arange(200), name: [f"{x:05d}" for x in 7000 + np.arange(200)]})
    users.assign(newsletter=BITS).to_parquet(tmp_path / "people.parquet")
    (table,) = see(look([tmp_path])).tables()
    assert (table.role, table.item) == ("users", None)


@pytest.mark.parametrize("unit", [1_000, 1_000_000, 1])
def test_a_number_that_is_a_time_is_a_time_whatever_it_is_called(tmp_path, unit):
    """Whoever has one did it; what all rows have is when they were written, and no amount to cut."""
    when = (1_790_000_000 + np.arange(200) * 60) * unit
    done = pd.Series(when).where(pd.Series(BITS) == 1).astype("Int64")
    ((label,), _) = candidates(tmp_path, t_done=done, t0=when)
    assert (label.column, label.rule) == ("t_done", {"known": True})


@pytest.mark.parametrize("unit", [1_000, 1])
def test_times_and_ids_of_requests_are_no_amounts(tmp_path, unit):
    """Nor is what is named cut at a number of thirteen figures."""
    for name, (seed, uniform) in {"default": (1, False), "random": (2, True)}.items():
        shown = log(4000, seed, uniform).rename(columns={"user": "user_id", "item": "item_id"})
        shown["t0"] = (1_790_000_000 + np.arange(4000) * 60) * unit
        shown["t_done"] = shown.t0.where(shown.pop("liked") == 1).astype("Int64")
        shown["rq"] = RNG.integers(1, 2**40, 800).repeat(5)
        shown["dur"] = np.linspace(0, 400, 4000)
        shown.to_parquet(tmp_path / f"{name}.parquet")
    for table in see(look([tmp_path])).tables():
        assert [label.column for label in table.labels] == ["t_done", "dur"]
    draft = propose(see(look([tmp_path]), named={"label": ["t_done"]}))
    assert draft.inputs["default"].made == {"positive": {"column": "t_done", "known": True}}
    assert not [mark for mark in draft.marks if "where to cut it" in mark]
