"""While rewards seem to be missing unequally, or assignments to be withdrawn so, nothing is claimed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from envy.online.certificates.test_earlier import kept
from evenhand.envy import Auditor, SystemAudit, certificate, verify
from evenhand.envy.online.chains import leaf_of
from evenhand.errors import ChangedError

DOCUMENT, LOG = kept("fourth")["no envy, in doubt"]


def lived(seed: int) -> tuple[Auditor, list[list], list[str]]:
    """A user with three policies a little worse than the own; a tenth of rewards get lost, and a seventh of
    what is assigned is never shown. The audit, its events, and what arms were brought back for."""
    rng, log, back, due, now = np.random.default_rng(seed), [], [], [], 0
    auditor = Auditor(3, epsilon=0.4, delta=0.05, alpha=0.4, rng=seed, unshown="again")
    auditor.listener = log.append
    while auditor.outcome is None:
        now += 1
        one = auditor.assign(deadline=now + 40)
        if rng.random() < 0.15:
            due.append((now + 8, one.id, None))
        elif rng.random() > 0.1:
            when = now + 1 + int(rng.exponential(3))
            reward = round((0.6 if one.arm == 0 else 0.5) + rng.uniform(-0.3, 0.3), 2)
            due.append((when, one.id, reward))
        for _, number, reward in [each for each in due if each[0] <= now]:
            if auditor.outcome is None and reward is None:
                auditor.withdraw(number)
            elif auditor.outcome is None:
                auditor.report(number, reward, now=now)
        due = [each for each in due if each[0] > now]
        auditor.expire(now=now)
        if auditor.design.brought_back:
            back += auditor.design.in_doubt
    return auditor, log, back


def test_an_audit_goes_on_until_what_was_sure_before_is_in_no_doubt():
    """An earlier version ended this one at once; up to there it is the same."""
    auditor, log, back = lived(DOCUMENT["seed"])
    assert log[: len(LOG) - 1] == LOG[:-1]
    assert len(log) > len(LOG)
    assert back[0] == "missing"
    assert (auditor.outcome, auditor.design.in_doubt) == ("no_envy", [])
    document = json.loads(json.dumps(certificate(auditor)))
    assert document["warnings"] == []
    assert verify(document, log).outcome == "no_envy"


def test_what_an_earlier_version_decided_in_doubt_stays_and_is_warned_of():
    """Its log is folded, saved and certified; nobody can end another audit so."""
    folded = Auditor.fold(DOCUMENT["settings"], DOCUMENT["seed"], LOG)
    loaded = Auditor.from_dict(json.loads(json.dumps(folded.to_dict())))
    document = json.loads(json.dumps(certificate(loaded)))
    assert (document["outcome"], loaded.active) == ("no_envy", [])
    assert document["warnings"] == [
        "Rewards seem to be missing in other shares under different policies; an earlier version of evenhand "
        "decided all the same."
    ]
    assert verify(document, LOG).outcome == "no_envy"
    for cut in (LOG[:-2], LOG[:100]):
        with pytest.raises(ChangedError, match="do not make it 'no_envy'"):
            verify(document, [*cut, LOG[-1]])


def test_limits_do_not_rest_on_what_was_given_up_where_rewards_are_lost():
    """Neither those of a policy in doubt, nor of one that is clear of what is reported."""
    auditor = Auditor.fold(DOCUMENT["settings"], DOCUMENT["seed"], LOG[:-1])
    assert auditor.outcome is None
    assert auditor.design.brought_back
    assert auditor.design.something_lost
    given_up = [arm for arm in range(1, 4) if arm not in auditor.active]
    assert max(auditor.design.bounds(arm)[2] for arm in given_up) > auditor.settings.epsilon


def test_the_certificate_of_a_system_warns():
    system = SystemAudit(range(60), epsilon=0.6, delta=0.3, alpha=0.5, gamma=0.5, lambda_=0.5, rng=3)
    log, rng, now = [], np.random.default_rng(1), 0
    system.listener = lambda user, event: log.append([user, event])
    while not certificate(system)["warnings"]:
        now += 1
        for user in system.waiting:
            one, _ = system.assign(user, deadline=now)
            lost = one.arm > 0 and rng.random() < 0.5
            system.audits[user].deliver({one.id: None if lost else 0.5})
    document = json.loads(json.dumps(certificate(system)))
    doubtful = [row for row in document["users"] if row["warnings"]]
    assert document["warnings"] == [
        "Rewards seem to be missing in other shares under different policies for "
        f"{len(doubtful)} of {len(system.audits)} users; while that is so nothing is claimed of them."
    ]
    assert doubtful[0]["warnings"] == [
        "Rewards seem to be missing in other shares under different policies; while that is so nothing is "
        "claimed."
    ]
    assert verify(document, log).outcome is None
    with pytest.raises(ChangedError, match="disagree about warnings"):
        verify({**document, "warnings": []}, log)
    gone = doubtful[0]["user"]
    left = [[user, None, leaf_of(event)] if user == gone else [user, event] for user, event in log]
    assert verify(document, left).linked_only == {gone}
