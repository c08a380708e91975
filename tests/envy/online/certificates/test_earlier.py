"""Certificates and states that earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from envy.online.driver import follow
from evenhand import InputError
from evenhand.envy import Auditor, SystemAudit, certificate, verify
from evenhand.envy.online.assumptions import DOUBTED_AT_FIRST
from evenhand.envy.online.certificates.earlier import EarlierReplay, assumed_before
from evenhand.envy.online.chains import grown, leaf_of
from evenhand.envy.online.simulated.worlds import World
from evenhand.errors import ChangedError

DATA = Path(__file__).parent / "data"
THIRD = json.loads((DATA / "third_schema.json").read_text())
FOURTH = json.loads((DATA / "fourth_schema.json").read_text())


def kept(name):
    return json.loads((DATA / f"{name}_schema.json").read_text())


def test_certificates_of_the_first_schema_still_hold():
    first = kept("first")
    audit = verify(first["certificate"], first["events"])
    assert (audit.outcome, audit.settings.design) == ("no_envy", "unpaired")


@pytest.mark.parametrize("choice", ["blocks, uniform", "unpaired"])
def test_certificates_of_the_second_schema_hold_where_nothing_chooses_otherwise(choice):
    second = kept("second")[choice]
    document, events = second["certificate"], second["events"]
    assert verify(document, events).outcome == document["outcome"] == "no_envy"
    with pytest.raises(ChangedError, match="disagree about duration"):
        verify({**document, "duration": 1}, events)


def test_audits_that_another_rule_chose_for_are_refused_and_not_called_changed():
    second = kept("second")["blocks"]
    with pytest.raises(InputError, match="chose policies by an earlier rule") as refused:
        verify(second["certificate"], second["events"])
    assert not isinstance(refused.value, ChangedError)


@pytest.mark.parametrize("name", THIRD)
def test_certificates_of_the_third_schema_still_hold(name):
    document, events = THIRD[name]
    assert document["schema"] == 3
    assert verify(document, events).outcome == document["outcome"]


@pytest.mark.parametrize("name", THIRD)
def test_a_changed_certificate_or_log_of_the_third_schema_is_found_out(name):
    document, events = THIRD[name]
    count = {**document["events"], "sha256": "0" * 64}
    with pytest.raises(ChangedError, match="disagree about events"):
        verify({**document, "events": count}, events)
    with pytest.raises(ChangedError, match="disagree about"):
        verify(document, events[:-1])
    changed = json.loads(json.dumps(events))
    first = changed[0][1] if name.startswith("system") else changed[0]
    first[2] = 1
    with pytest.raises(ChangedError, match=r"^Event 1 of the log assigns arm 1"):
        verify(document, changed)


@pytest.mark.parametrize("name", FOURTH)
def test_certificates_of_the_fourth_schema_still_hold(name):
    """Also of an audit that was decided in doubt."""
    document, events = FOURTH[name]
    assert document["schema"] == 4
    assert verify(document, events).outcome == document["outcome"] == "no_envy"
    assert bool(document.get("warnings")) == ("in doubt" in name)
    with pytest.raises(ChangedError, match="disagree about cost"):
        verify({**document, "cost": 1.0}, events)


def test_states_of_earlier_versions_are_refused_in_a_sentence():
    states = [kept("first")["state_after_four_steps"]]
    states += [one["state_after_six_steps"] for one in kept("second").values()]
    for state in states:
        with pytest.raises(InputError, match=r"was begun by an earlier version of evenhand, .* of its own"):
            Auditor.from_dict(state)


def missing_unequally():
    """A certificate whose reason has advice, and its events."""
    auditor, events = Auditor(2, epsilon=0.3, alpha=0.5, rng=4), []
    auditor.listener = events.append
    follow(
        auditor, (0.5, 0.5, 0.4), World(delay=1, longest=9, lost=0.02, own_lost=0.4), np.random.default_rng(0)
    )
    return json.loads(json.dumps([certificate(auditor), events]))


def in_earlier_words(
    document, events, advice="report them, or start again with unreported='worst' (--unreported)."
):
    end = [*events[-1][:2], events[-1][2].partition("; ")[0] + "; " + advice]
    said = [*events[:-1], end]
    chain = ""
    for event in said:
        chain = grown(chain, leaf_of(event))
    return {**document, "reason": end[2], "events": {"count": len(said), "sha256": chain}}, said


def test_a_reason_gives_advice_that_can_be_followed_wherever_the_audit_runs():
    document, events = missing_unequally()
    assert document["reason"].endswith("; report all of them, also those that are 0, and start again.")
    verify(document, events)


def test_a_log_with_the_advice_of_before_still_holds_and_other_words_do_not():
    document, events = in_earlier_words(*missing_unequally())
    assert verify(document, events).reason == document["reason"]
    with pytest.raises(ChangedError, match="disagree about reason"):
        verify({**document, "reason": missing_unequally()[0]["reason"]}, events)
    with pytest.raises(ChangedError, match="is not written as an audit writes it"):
        verify(*in_earlier_words(*missing_unequally(), "do what you like."))


@pytest.mark.parametrize("kind", ["user", "system"])
def test_certificates_that_did_not_speak_of_what_is_not_shown_still_hold_and_other_words_do_not(kind):
    log = []
    if kind == "user":
        audit = Auditor(1, rng=0, unshown="again")
        audit.listener = log.append
    else:
        audit = SystemAudit(["ann", "bob"], rng=0, unshown="again")
        audit.listener = lambda user, event: log.append([user, event])
    document = json.loads(json.dumps(certificate(audit)))
    before = assumed_before(document["assumptions"])
    assert len(before) == len(document["assumptions"]) - 1
    verify({**document, "assumptions": before}, log)
    with pytest.raises(ChangedError, match="disagree about assumptions"):
        verify({**document, "assumptions": before[1:]}, log)


def test_a_certificate_with_the_first_words_about_what_was_withdrawn_still_holds_if_nothing_was():
    auditor = Auditor(1, rng=0)
    document = json.loads(json.dumps(certificate(auditor)))
    before = assumed_before(document["assumptions"])
    assert DOUBTED_AT_FIRST in before
    assert DOUBTED_AT_FIRST not in document["assumptions"]
    verify({**document, "assumptions": before}, [])
    with pytest.raises(ChangedError, match="disagree about assumptions"):
        verify({**document, "assumptions": before[1:]}, [])


def test_a_system_of_the_third_schema_that_quotes_the_advice_of_before_still_holds():
    asked = {"users": ["ann", "bob"], "epsilon": 0.3, "alpha": 0.5, "choice": "uniform", "rng": 4}
    system, log = SystemAudit(**asked), []
    EarlierReplay(system)  # lets it draw as it did then
    system.listener = lambda user, event: log.append([user, event[:5]])
    shares = np.random.default_rng(0)
    while system.outcome is None:
        for user in system.waiting:
            number = system.assign(user, deadline=1.0)[0]
            if number.arm == 0 and shares.random() < 0.5:
                system.expire(2.0)  # of the own policy half gets lost
            else:
                system.deliver(user, {number.id: 0.5})
    log = json.loads(json.dumps([logged for logged in log if logged[1][0] != "end"]))
    replay = EarlierReplay(SystemAudit(**asked))
    for place, logged in enumerate(log, 1):
        replay.take(logged, place)
    document = replay.as_written(certificate(replay.audit, replay.chains), {"schema": 3})
    document = json.loads(json.dumps(document))
    now = "report all of them, also those that are 0, and start again."
    before = "report them, or start again with unreported='worst' (--unreported)."
    assert now in system.reason
    document["reason"] = system.reason.replace(now, before)
    assert verify(document, log).outcome == "inconclusive"
    with pytest.raises(ChangedError, match="disagree about reason"):
        verify({**document, "reason": system.reason}, log)
