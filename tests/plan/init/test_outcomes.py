"""Labels that are no 0 and 1: words for how a visit ended, times and ids that only some rows have."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.plan.init.asking import answers
from evenhand.plan.init.command import run
from evenhand.plan.init.labelling.labels import PLAUSIBLE, label_candidates
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.tables.opening import opened
from evenhand.plan.init.tables.profiling import profile
from plan.init.folders import log

NAMES = {"user": "user_id", "item": "item_id", "maker": "creator_gender"}
WORDS = np.array(["ignorato", "aperto", "preferito"])


def written(home, name="esito", words=WORDS, **more):
    """A log with its random rows, in which `name` says in words how each ended."""
    for seed, rows, uniform, file in ((1, 6000, False, "default"), (2, 4000, True, "random")):
        frame = log(rows, seed, uniform).rename(columns=NAMES)
        frame[name] = words[np.where(frame.liked == 1, 1 + frame.index % (len(words) - 1), 0)]
        frame.drop(columns="liked").assign(**more).to_parquet(home / f"{file}.parquet", index=False)


def test_words_are_offered_and_never_taken(tmp_path):
    written(tmp_path)
    seen = see(look([tmp_path]))
    draft = propose(seen)
    assert not [step for step in draft.steps if step.keys["audit"] in ("opportunity", "user_precision")]
    (said,) = [one for one in draft.first if "--columns label=NAME" in one]
    assert "esito (words: ignorato (" in said
    assert "all but ignorato would be positive" in said


def test_words_that_somebody_names_make_a_plan_whose_guess_is_seen(tmp_path):
    written(tmp_path)
    outcome = run([str(tmp_path)], tmp_path / "audit.toml", columns={"label": ["esito"]})
    assert outcome.written
    text = (tmp_path / "audit.toml").read_text()
    made = tomllib.loads(text)["inputs"]["default"]["made"]["positive"]
    assert made == {"column": "esito", "among": ["aperto", "preferito"]}
    assert "# CHECK: esito is one of ignorato (" in text
    assert "# CHECK: Of the values of esito, aperto, preferito are taken to say" in text
    assert any("and ignorato not: that is a guess" in line for line in outcome.lines)


def test_words_are_made_a_label_if_named_also_where_they_would_not_be_offered(tmp_path):
    """A kind of things by its name, beside a column that has the name of what is made."""
    written(tmp_path, "kind", positive=7)
    draft = propose(see(look([tmp_path]), named={"label": ["kind"]}))
    assert draft.inputs["default"].made == {
        "is_positive": {"column": "kind", "among": ["aperto", "preferito"]}
    }
    assert any("that is a guess" in mark for mark in draft.marks)


def test_on_a_terminal_words_are_among_the_labels_and_stay_a_guess(tmp_path):
    written(tmp_path)
    seen, said = see(look([tmp_path])), []
    answers(seen, lambda prompt, default: default, said.append)
    assert any("esito is aperto or preferito" in line for line in said)
    draft = propose(seen)
    assert "Label: esito is aperto or preferito." in draft.agreed
    assert any("that is a guess" in mark for mark in draft.marks)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("warehouse", np.array(["7.1.0", "7.1.2", "7.2.0"])),  # versions
        ("lingua", np.array(["it", "de", "fr"])),  # a language is protected
    ],
)
def test_codes_and_what_people_are_protected_by_are_no_outcomes(tmp_path, name, words):
    written(tmp_path, name, words)
    (table, *_) = see(look([tmp_path])).tables()
    assert name not in [label.column for label in table.labels]


def test_where_no_value_is_what_happens_else_words_are_refused(tmp_path):
    shown = log(3000, 1).rename(columns=NAMES).drop(columns="liked")
    shown["fine"] = np.array(["uno", "due", "tre"])[np.arange(3000) % 3]
    shown.to_parquet(tmp_path / "default.parquet")
    with pytest.raises(InputError, match=r"Only you know which .* made.liked"):
        see(look([tmp_path]), named={"label": ["fine"]})


def test_times_and_ids_that_some_rows_have_are_possible_labels_of_a_log(tmp_path):
    """Places and times, and nothing else that says what users liked: a log, and no lists."""
    shown = log(6000, 1).rename(columns=NAMES)
    shown["slot"] = 1 + np.arange(6000) % 8
    shown["ts"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(6000), unit="min")
    shown["add_ts"] = shown.ts.where(shown.liked == 1)
    shown["ord_no"] = ("SO" + shown.index.astype(str).to_series(index=shown.index)).where(
        (shown.liked == 1) & (shown.index % 3 == 0)
    )
    shown["timestamp"] = shown.ts.where(shown.index % 2 == 0)  # when it was, where somebody noted it
    shown.drop(columns="liked").to_parquet(tmp_path / "imp.parquet")
    seen = see(look([tmp_path]))
    (imp,) = seen.tables()
    assert imp.role == "log"
    assert [label.column for label in imp.labels] == ["add_ts", "ord_no"]
    assert any("add_ts (a time that" in one and "ord_no (an id that" in one for one in propose(seen).first)


@pytest.mark.parametrize(
    ("name", "liked"),
    [("thumb_up", True), ("thumbs_up", True), ("ThumbsUp", True), ("upvote", True), ("fav", True),
     ("piaciuto", True), ("thumbs_down", False), ("thumb_down", False)],
)  # fmt: skip
def test_likes_by_other_names(tmp_path, name, liked):
    pd.DataFrame({name: np.arange(200) % 3 // 2}).to_parquet(tmp_path / "x.parquet")
    found, notes = label_candidates(profile(opened(look([tmp_path]).tables[0], tmp_path)), set())
    assert [one.strength >= PLAUSIBLE for one in found] == ([True] if liked else [])
    assert any("did not like" in note for note in notes) is not liked


def test_flags_of_tests_and_staff_come_last(tmp_path):
    frame = pd.DataFrame({"is_test": np.arange(200) % 2, "zz": np.arange(200) // 2 % 2})
    frame.to_parquet(tmp_path / "x.parquet")
    found, _ = label_candidates(profile(opened(look([tmp_path]).tables[0], tmp_path)), set())
    assert [one.column for one in found] == ["zz", "is_test"]


def test_places_with_days_and_a_flag_that_says_nothing_are_lists(tmp_path):
    shown = pd.DataFrame({"user_id": np.repeat(np.arange(200), 10), "item_id": np.arange(2000) * 7 % 90})
    shown["rank"], shown["is_ad"] = np.tile(np.arange(1, 11), 200), (np.arange(2000) % 9 == 0).astype(int)
    shown["date"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(shown.user_id % 5, unit="D")
    shown.to_parquet(tmp_path / "shown.parquet")
    (table,) = see(look([tmp_path])).tables()
    assert table.role == "lists"
