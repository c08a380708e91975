"""Certificates: what they say, and that a changed log or document is found out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from envy.online.driver import follow, immediate, saved_and_loaded
from evenhand import InputError
from evenhand.envy import Auditor, certificate, verify
from evenhand.envy.online.certificates.certify import not_checked
from evenhand.envy.online.simulated.worlds import World


def audited(means=(0.6, 0.2, 0.3), world=None, **options):
    """A certificate and its events, both through JSON."""
    auditor = Auditor(len(means) - 1, epsilon=0.3, alpha=0.5, rng=4, **options)
    events: list = []
    auditor.listener = events.append
    if world is None:
        immediate(auditor, means, seed=1)
    else:
        follow(auditor, means, world, np.random.default_rng(1))
    return json.loads(json.dumps(certificate(auditor))), json.loads(json.dumps(events))


@pytest.mark.parametrize(
    "world", [None, World(delay=1, longest=9, lost=0.1)], ids=["at once", "late and missing"]
)
@pytest.mark.parametrize("choice", ["adaptive", "uniform"])
@pytest.mark.parametrize("bound", ["mixture", "lil"])
def test_a_certificate_can_be_checked_with_its_log(world, choice, bound):
    document, events = audited(world=world, choice=choice, bound=bound)
    assert document["outcome"] == "no_envy"
    assert document["events"]["count"] == len(events)
    assert verify(document, events).outcome == "no_envy"


def test_the_document_says_what_was_certified():
    document, _ = audited()
    assert document["meaning"].startswith("No other policy tried would give the user more than 0.3 above")
    assert document["duration"] == sum(arm["assigned"] for arm in document["arms"])
    assert document["constraint_margin"] >= 0
    assert document["software"].startswith("evenhand ")
    envy, _ = audited(means=(0.2, 0.8))
    assert envy["meaning"].startswith("The user would be better off with the policy of arm 1, by any amount")


def test_a_spent_budget_certifies_nothing():
    document, events = audited(means=(0.5, 0.5), budget=20)
    assert document["outcome"] == "inconclusive"
    assert document["meaning"].startswith("Nothing is certified")
    verify(document, events)


def test_a_running_audit_has_no_outcome():
    assert certificate(Auditor(2, rng=0))["outcome"] is None


def test_a_changed_reward_is_found_out():
    document, events = audited()
    delivered = next(event for event in events if event[0] == "deliver")
    delivered[1][0][1] = 1.0 - delivered[1][0][1]
    with pytest.raises(InputError):
        verify(document, events)


def test_a_changed_arm_is_found_out():
    document, events = audited()
    events[0][2] = 1
    with pytest.raises(
        InputError, match=r"^Event 1 of the log assigns arm 1, but these events make it arm 0"
    ):
        verify(document, events)


@pytest.mark.parametrize(("name", "value"), [("outcome", "envy"), ("duration", 3), ("cost", 0.0)])
def test_a_changed_document_is_found_out(name, value):
    document, events = audited()
    with pytest.raises(InputError, match=f"disagree about {name}"):
        verify({**document, name: value}, events)


def test_missing_events_are_found_out():
    document, events = audited()
    with pytest.raises(InputError, match="disagree about"):
        verify(document, events[:-2])


def test_rewards_after_the_outcome_leave_the_certificate_as_it_was():
    auditor = Auditor(1, epsilon=0.3, alpha=0.5, rng=0)
    events: list = []
    auditor.listener = events.append
    waits = auditor.assign(deadline=9)
    while auditor.outcome is None:
        pull = auditor.assign(version="1" if auditor.step < 5 else "2", deadline=9)
        auditor.report(pull.id, 1.0)
    document = certificate(auditor)
    auditor.report(waits.id, 1.0)
    assert certificate(auditor) == document
    verify(document, events)
    with pytest.raises(InputError, match=r"is not possible: The audit is over \(inconclusive\)"):
        verify(document, [*events, ["deliver", [[waits.id, 1.0]]]])


def test_fields_that_no_certificate_has_and_fields_that_are_missing():
    document, events = audited()
    with pytest.raises(InputError, match=r"has the field 'approved', which no certificate has"):
        verify({**document, "approved": True}, events)
    with pytest.raises(InputError, match="disagree about reason"):
        verify({name: value for name, value in document.items() if name != "reason"}, events)


@pytest.mark.parametrize(
    ("design", "choice", "names"),
    [
        ("unpaired", "adaptive", ["seed", "software"]),
        ("unpaired", "uniform", ["software"]),
        ("blocks", "adaptive", ["settings.drift", "software"]),
    ],
)
def test_fields_that_the_log_says_nothing_of_are_named(design, choice, names):
    document, events = audited(choice=choice, design=design)
    assert not_checked(verify(document, events)) == names
    if "seed" not in names:
        with pytest.raises(InputError):
            verify({**document, "seed": 5}, events)
    if "settings.drift" in names:
        verify({**document, "settings": {**document["settings"], "drift": 0.02}}, events)


def test_a_changed_number_is_called_that():
    document, events = audited()
    events[0][1] = 7
    with pytest.raises(InputError, match=r"^Event 1 of the log is assignment number 7, but .* number 1\.$"):
        verify(document, events)


def test_what_is_added_to_an_event_is_found_out():
    document, events = audited()
    delivered = next(event for event in events if event[0] == "deliver")
    delivered[1].insert(0, [delivered[1][0][0], 0.5])
    with pytest.raises(InputError, match=r"not written as an audit writes it|cannot be read"):
        verify(document, events)


@pytest.mark.parametrize("event", [["assign"], ["wait", 1], [], None, ["deliver"], ["deliver", [[1]]]])
def test_logs_that_are_none(event):
    document, _ = audited()
    with pytest.raises(InputError, match=r"^Event 1 of the log"):
        verify(document, [event])
    with pytest.raises(InputError, match="not a certificate"):
        verify({}, [])


def test_the_chain_of_hashes_survives_saving():
    one, two = Auditor(2, rng=0), Auditor(2, rng=0)
    for step in range(20):
        one.observe(one.next(), step % 2)
        two.observe(two.next(), step % 2)
        two = saved_and_loaded(two)
    assert two.digest == one.digest
    assert two.events == one.events == 40


def test_logs_that_mean_the_same_but_were_not_written_by_the_audit():
    document, events = audited()
    first = events[1][1][0]
    for changed in (
        [*events[:2], ["deliver", []], *events[2:]],
        [events[0], ["deliver", [[1, 1 - first[1]], first]], *events[2:]],
        [[*events[0][:2], False, *events[0][3:]], *events[1:]],
        [events[0], [*events[1], "more"], *events[2:]],
    ):
        with pytest.raises(InputError, match=r"not written as an audit writes it|cannot be read"):
            verify(document, changed)


def test_nothing_is_added_to_or_left_out_of_a_document():
    document, events = audited()
    with pytest.raises(InputError, match=r"the field .approved., which no certificate has"):
        verify({**document, "approved": True}, events)
    del document["reason"]
    with pytest.raises(InputError, match="reason is missing in the certificate, but null by the log"):
        verify(document, events)
