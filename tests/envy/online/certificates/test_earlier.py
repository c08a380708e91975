"""Certificates and states that earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import InputError
from evenhand.envy import Auditor, verify
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
