"""What users like where no column is a label: pairs that a table lists, never taken in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand import plan
from evenhand.plan.init.command import run
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.writing import plan_text
from evenhand.report.words.overall import scope
from plan.init.folders import GENDERS, ITEMS, USERS, log

EXPOSURE = "Who is shown to whom"
ITEM_IDS = np.arange(ITEMS)


def jobs(home, *tables, item_ids=ITEM_IDS, gender=GENDERS, **columns):
    """Lists that workers were shown, a log of what they applied to, and tables of pairs; these have further
    `columns`."""
    rng = np.random.default_rng(1)
    users = np.arange(USERS)
    people = {"user_id": users, "gender": gender[users % len(gender)]}
    pd.DataFrame(people).to_csv(home / "workers.csv", index=False)
    things = {"item_id": item_ids, "category": np.array(["a", "b", "b"])[ITEM_IDS % 3]}
    pd.DataFrame(things).to_csv(home / "jobs.csv", index=False)
    names = {"user": "user_id", "item": "item_id", "liked": "applied"}
    log(4000, 1).drop(columns="maker").rename(columns=names).to_csv(home / "log.csv", index=False)
    shown = np.concatenate([rng.permutation(ITEMS)[:10] for _ in users])
    lists = {"user_id": np.repeat(users, 10), "item_id": shown, "rank": np.tile(np.arange(1, 11), USERS)}
    pd.DataFrame(lists).to_csv(home / "top.csv", index=False)
    for name in tables:
        pairs = log(2000, 5, uniform=True)[["user", "item"]].drop_duplicates().rename(columns=names)
        for key, values in columns.items():
            pairs[key] = values[np.arange(len(pairs)) % len(values)]
        pairs.to_csv(home / f"{name}.csv", index=False)
    return propose(see(look([home])))


def asked(draft):
    return [step.keys["audit"] for step in draft.steps]


def lost(draft):
    (one,) = [one for one in draft.cannot if one.question.startswith(EXPOSURE)]
    return one


def test_pairs_and_lists_that_are_taken_are_marked(tmp_path):
    draft = jobs(tmp_path, "saved")
    assert "exposure" in asked(draft)
    text = plan_text(draft, tmp_path, "jobs")
    assert "# CHECK: Relevant are all pairs of saved" in text
    assert "# CHECK: What users were shown is taken to be the lists of top" in text
    assert 'label_definition = "a pair is in saved"' in text


@pytest.mark.parametrize("name", ["hidden", "complaints", "Abgebrochen", "reklamationen", "not_interested"])
def test_pairs_that_users_turned_down_are_not_what_they_like(tmp_path, name):
    draft = jobs(tmp_path, name)
    assert "exposure" not in asked(draft)
    assert f"{name.lower()} was left out, as {name.lower()!r} says what users did not like" in lost(draft).why
    assert lost(draft).log.startswith("relevance: user_id and item_id of pairs that users like")
    assert any("was left out" in note for note in draft.notes)


@pytest.mark.parametrize("words", [("", "x"), ("op", "neer"), ("S", "M", "L")])
def test_pairs_with_a_label_in_words_are_not_all_liked(tmp_path, words):
    draft = jobs(tmp_path, "shown", liked=np.array(words))
    assert "exposure" not in asked(draft)
    (said,) = [note for note in draft.notes if note.startswith("shown was left out")]
    assert "'liked' is called like a label and holds words: " in said
    assert all((repr(word) if word else "none (") in said for word in words)


def test_reasons_are_no_answers(tmp_path):
    reasons = np.array([f"because of {number}" for number in range(9)])
    assert "exposure" in asked(jobs(tmp_path, "saved", saved_for=reasons))


def test_a_column_says_it_as_well_as_a_name(tmp_path):
    draft = jobs(tmp_path, "feedback", skipped=np.array([0, 1]))
    assert "exposure" not in asked(draft)
    assert any("feedback was left out, as 'skipped' says" in note for note in draft.notes)


def test_of_pairs_that_are_liked_and_pairs_that_are_not_the_first_are_taken(tmp_path):
    draft = jobs(tmp_path, "saved", "hidden")
    assert "exposure" in asked(draft)
    assert draft.inputs["relevance"].files.name == "saved"


def test_whole_numbers_are_ids_also_where_they_are_written_as_floats(tmp_path):
    """pandas makes floats of whole numbers beside an empty cell."""
    draft = jobs(tmp_path, "saved", item_ids=ITEM_IDS.astype(float))
    assert asked(draft) == ["parity", "user_precision", "exposure"]
    assert not [note for note in draft.notes if "was left out" in note]
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    assert not [line for line in outcome.lines if "cannot use them yet" in line]
    assert [step.audit for step in plan.load(tmp_path / "audit.toml").audits] == asked(draft)


def test_what_counts_as_liked_is_told_by_question_where_it_differs(tmp_path):
    """The precision of lists rests on one label, and exposure on another."""
    jobs(tmp_path, "saved")
    said = []
    run([str(tmp_path)], tmp_path / "audit.toml", said.append)
    told = dict(scope(plan.run(tmp_path / "audit.toml").document))["What counts as liked"]
    assert "applied is 1 (how well users are served)" in told
    assert "a pair is in saved (who is shown to whom)" in told
    assert any("trying audit 3 of 3, exposure; the first on a machine is compiled" in one for one in said)


def test_a_table_that_was_left_out_is_not_to_be_logged(tmp_path):
    draft = jobs(tmp_path, "saved", item_ids=[f"i{item}" for item in ITEM_IDS])
    assert "The table jobs was left out: its item_id is text (i0)" in lost(draft).why
    assert lost(draft).log == ""
    assert "Mend that, and run init again" in lost(draft).told()


def test_codes_have_lines_for_what_the_report_should_call_them(tmp_path):
    draft = jobs(tmp_path, "saved", gender=np.array([1, 2, 9]))
    assert draft.codes == {"gender": ["1", "2", "9"]}
    assert any("say under [labels] in the plan" in note for note in draft.notes)
    lines = plan_text(draft, tmp_path, "jobs").splitlines()
    for line in ("# [labels]", '# gender.1 = "..."', '# gender.9 = "..."'):
        assert line in lines


def test_lengths_of_time_are_no_grades(tmp_path):
    """Of a column with so many values none is known by itself, and a plan can name only values."""
    rng = np.random.default_rng(2)
    names = {"user": "user_id", "item": "item_id", "liked": "listened_seconds"}
    heard = log(4000, 1).drop(columns="maker").rename(columns=names)
    heard["listened_seconds"] = rng.integers(0, 4000, len(heard))
    heard.to_csv(tmp_path / "log.csv", index=False)
    pd.DataFrame({"user_id": np.arange(USERS), "gender": GENDERS[np.arange(USERS) % 2]}).to_csv(
        tmp_path / "listeners.csv", index=False
    )
    pd.DataFrame({"item_id": ITEM_IDS, "category": np.array(["a", "b"])[ITEM_IDS % 2]}).to_csv(
        tmp_path / "songs.csv", index=False
    )
    scores = log(4000, 3).rename(columns=names)[["user_id", "item_id"]].drop_duplicates()
    scores["score"] = rng.normal(size=len(scores))
    scores.to_csv(tmp_path / "scores.csv", index=False)
    draft = propose(see(look([tmp_path])))
    assert "exposure" not in asked(draft)
    assert lost(draft).log.startswith("relevance: user_id and item_id of pairs that users like")
    assert not [mark for mark in draft.marks if mark.startswith("Relevant are")]
