"""A trial: which steps are split how, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evenhand.findings import Verdict
from evenhand.plan.aa import Trial, told, try_gate
from evenhand.plan.aa.trial import Tried
from evenhand.plan.model import parse

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def users(tmp_path) -> Path:
    """400 users by text ids; those of group b have far lower numbers."""
    rng = np.random.default_rng(1)
    group = np.repeat(["a", "b"], 200)
    number = np.clip(rng.normal(np.where(group == "a", 0.7, 0.3), 0.1), 0, 1)
    ids = [f"user {number}" for number in range(400)]
    frame = pd.DataFrame({"user_id": ids, "group": group, "clicks": number})
    frame.to_parquet(tmp_path / "users.parquet")
    return tmp_path


def groups(**asked: object) -> dict[str, object]:
    step = {
        "audit": "groups",
        "users": "users",
        "attributes": "group",
        "metric": "clicks",
        "bounds": [0.0, 1.0],
    }
    return {**step, "permutations": 20, **asked}


def tried(folder: Path, *steps: dict[str, object], times: int = 3) -> Trial:
    content = {"inputs": {"users": {"path": "users.parquet"}}, "audits": list(steps)}
    return try_gate(parse(content, "plan"), Trial(times=times), base=folder)


def test_tables_are_read_again_for_each_half_where_no_counts_can_be_split(users):
    (one,) = tried(users, groups(tolerance=0.1)).audits
    assert (one.whole, one.of_a_change, one.why_not) == (Verdict.VIOLATION, False, "")
    assert one.verdicts == [(Verdict.VIOLATION, Verdict.VIOLATION)] * 3


def test_a_half_that_is_too_small_is_no_pass(users):
    """All users are enough for the least size of a group, and half of them are not."""
    (one,) = tried(users, groups(tolerance=0.1, min_size=150)).audits
    assert one.whole is Verdict.VIOLATION
    assert one.verdicts == [(Verdict.NOT_APPLICABLE, Verdict.NOT_APPLICABLE)] * 3
    trial = Trial(audits=[one])
    assert "6 could not be computed from a part of the users." in "\n".join(told.lines(trial, "violation"))


def test_what_has_no_limit_is_not_tried(users):
    (one,) = tried(users, groups()).audits
    assert one.why_not == "it has no limit (tolerance), so that nothing can alarm"
    assert one.verdicts == []


def test_whoever_stops_a_trial_has_what_was_done(users):
    asked = iter([False, False, True])
    content = {"inputs": {"users": {"path": "users.parquet"}}, "audits": [groups(tolerance=0.1)]}
    trial = try_gate(parse(content, "plan"), Trial(), base=users, stopped=lambda: next(asked))
    assert (len(trial.audits[0].verdicts), trial.audits[0].asked, trial.done) == (2, 40, False)
    assert "Stopped after 2 of 40 splits." in "\n".join(told.lines(trial, "violation"))


@pytest.mark.parametrize(
    ("pair", "times", "says"),
    [
        ((Verdict.VIOLATION, Verdict.VIOLATION), 1, "that is the system, not who happens to be in the log"),
        ((Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE), 1, "no sign of harm: half of the users are too few"),
        ((Verdict.WITHIN_TOLERANCE, Verdict.WITHIN_TOLERANCE), 1, "It alarms in no half"),
        ((Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE), 1, "has a say in the answer"),
        ((Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE), 1, "The two halves of a split are complements"),
        ((Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE), 0.01, "has little say in the answer"),
    ],
)
def test_what_the_answers_of_halves_mean(pair, times, says):
    """Alarms for want of data must not be called the system's."""
    rest = [(Verdict.WITHIN_TOLERANCE,) * 2] * round(200 * (1 - times))
    tried = Tried(1, "opportunity", False, 200, Verdict.VIOLATION, [pair] * round(200 * times) + rest)
    assert says in "\n".join(told.lines(Trial(audits=[tried]), "inconclusive"))


def changes(*verdicts: Verdict) -> Tried:
    return Tried(1, "compare", of_a_change=True, asked=len(verdicts), verdicts=[(one,) for one in verdicts])


def test_any_of_several_gates_on_changes_counts_once_a_split():
    harm, fine = Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE
    trial = Trial(audits=[changes(harm, harm, fine, fine), changes(harm, fine, harm, fine)])
    said = "\n".join(told.lines(trial, "violation"))
    assert "Any of these 2 alarmed for nothing in 3 of 4 splits: 75.0% (19.4 to 99.4%)." in said


def test_a_trial_that_hardly_began_says_so():
    assert list(told.lines(Trial(), "violation"))[-1] == "\nStopped before anything was tried."
    begun = Trial(audits=[Tried(1, "compare", True, 400), Tried(2, "compare", True, 400)])
    assert "Any of these 2: no split was tried yet." in "\n".join(told.lines(begun, "violation"))
    assert told.as_json(begun, "violation")["audits"][0]["splits"] == 0


def test_a_plan_that_asks_together_is_told_that_this_is_not_tried():
    trial = Trial(together=True, audits=[changes(Verdict.WITHIN_TOLERANCE)])
    assert "each audit was tried at its own level" in "\n".join(told.lines(trial, "violation"))


def test_the_page_shows_what_the_command_says():
    page = (DOCS / "howto" / "try-a-gate.md").read_text(encoding="utf-8")
    level = Tried(1, "opportunity", False, 400, Verdict.VIOLATION, [(Verdict.VIOLATION,) * 2] * 400)
    change = Tried(2, "compare", True, 400, None, [(Verdict.WITHIN_TOLERANCE,)] * 400)
    said = [
        line.strip()
        for text in told.lines(Trial(audits=[level, change]), "violation")
        for line in text.split("\n")
    ]
    for line in said[:-2]:
        assert line in page
