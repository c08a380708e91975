"""People of a system: whose ids are known, who opts out, and what is left when somebody is deleted."""

from __future__ import annotations

import json
import math
import secrets

import numpy as np
import pytest

from evenhand import InputError
from evenhand.envy import (
    SystemAudit,
    certificate,
    digest_of,
    drawn_places,
    not_checked,
    sample_sizes,
    verify,
)
from evenhand.envy.online.chains import grown, leaf_of, root_of
from evenhand.errors import ChangedError, UncheckableError

FEW = {"epsilon": 0.3, "alpha": 0.5, "gamma": 0.6, "lambda_": 0.9, "rng": 2}  # 5 users of 20, 7 policies each


def run(system: SystemAudit, seed: int = 0) -> list:
    """Everybody likes their own policy more; the log."""
    rng, log = np.random.default_rng(seed), []
    system.listener = lambda user, event: log.append([user, event])
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, float(rng.random() < (0.8 if policy_of == user else 0.2)))
            if system.outcome is not None:
                break
    return json.loads(json.dumps(log))


def test_only_the_ids_of_those_drawn_are_needed_and_kept():
    ids = [f"user-{i:03}" for i in range(500)]
    places = drawn_places(500, 7, gamma=0.6, lambda_=0.9)
    assert 5 < len(places) < 60
    options = {**FEW, "rng": 7}
    all_told, some_told = (
        SystemAudit(ids, **options),
        SystemAudit(
            population=500, digest=digest_of(ids), ids={place: ids[place] for place in places}, **options
        ),
    )
    assert some_told.to_dict() == all_told.to_dict()
    state = json.dumps(all_told.to_dict())
    assert sum(name in state for name in ids) == len(places)
    assert json.dumps(certificate(some_told)) == json.dumps(certificate(all_told))


def test_ids_that_are_not_those_of_the_drawn_are_refused():
    names = {place: f"u{place}" for place in drawn_places(20, 2, gamma=0.6, lambda_=0.9)}
    given = {"population": 20, "digest": "0" * 64, **FEW}
    for ids in ({}, dict(list(names.items())[1:]), {**names, 999: "x"}):
        with pytest.raises(InputError, match=r"^ids has .* but must have the .* who were drawn"):
            SystemAudit(ids=ids, **given)
    with pytest.raises(InputError, match="same user more than once"):
        SystemAudit(ids=dict.fromkeys(names, "ann"), **given)
    with pytest.raises(InputError, match=r"^ids is None, but must be the id of each user drawn"):
        SystemAudit(**given)
    for both in ({}, {"users": ["a", "b"], "population": 2}):
        with pytest.raises(InputError, match=r"^Give either users, or a population"):
            SystemAudit(**both)


def test_who_opts_out_is_never_replaced_and_keeps_the_system_from_passing():
    system = SystemAudit(range(20), **FEW)
    leaves = system.waiting[0]
    system.next(leaves)
    system.opt_out(leaves)
    log = run(system)
    assert (system.outcome, len(system.audits)) == ("inconclusive", 5)
    assert leaves not in system.waiting
    assert system.audits[leaves].reason == "The user opted out."
    assert [event[0] for user, event in log if user == leaves] == []  # nothing after they left
    with pytest.raises(InputError, match=r"^The audit is over \(inconclusive\)"):
        system.assign(leaves, deadline=3) if system.outcome is None else system.audits[leaves].next()


def test_dropouts_that_were_planned_for_do_not():
    system = SystemAudit(range(200), **{**FEW, "dropouts": 1})
    assert len(system.audits) == sample_sizes(0.05, 0.6, 0.9, 1)[0]
    log: list = []
    system.listener = lambda user, event: log.append([user, event])
    system.opt_out(system.waiting[2])
    log += run(system)
    assert system.outcome == "no_envy"
    document = json.loads(json.dumps(certificate(system)))
    assert "The audit of 1 user ended without a decision, as was planned for." in document["meaning"]
    assert verify(document, log).outcome == "no_envy"
    earlier = document["meaning"].replace("The audit of 1 user ", "The audits of 1 users ")
    assert verify({**document, "meaning": earlier}, log).outcome == "no_envy"
    with pytest.raises(ChangedError, match="disagree about meaning"):
        verify({**document, "meaning": earlier.replace("1 users", "2 users")}, log)
    with pytest.raises(ChangedError, match="disagree about meaning"):
        verify({name: value for name, value in document.items() if name != "meaning"}, log)
    assert SystemAudit.from_dict(json.loads(json.dumps(system.to_dict()))).outcome == "no_envy"
    system = SystemAudit(range(200), **{**FEW, "dropouts": 1})
    for user in system.waiting[:2]:
        system.opt_out(user)
    run(system)
    assert system.outcome == "inconclusive"


@pytest.mark.parametrize("dropouts", [0, 1, 3, 10])
@pytest.mark.parametrize(("delta", "lambda_"), [(0.05, 0.1), (0.2, 0.3), (0.01, 0.02)])
def test_more_envious_users_are_drawn_than_drop_out(dropouts, delta, lambda_):
    """Binomial tail, by exact sums: at most `dropouts` of the drawn are envious with at most delta/3."""
    users, _ = sample_sizes(delta, 0.1, lambda_, dropouts)
    tail = sum(math.comb(users, k) * lambda_**k * (1 - lambda_) ** (users - k) for k in range(dropouts + 1))
    assert tail <= delta / 3
    if dropouts:
        fewer = math.floor(users / 1.03) - 1
        enough = sum(
            math.comb(fewer, k) * lambda_**k * (1 - lambda_) ** (fewer - k) for k in range(dropouts + 1)
        )
        assert enough > delta / 3  # and not many more than that takes


def test_more_dropouts_than_a_small_system_can_bear():
    with pytest.raises(InputError, match="dropouts is 3, but with all of 20 users audited at most 2 may"):
        SystemAudit(range(20), dropouts=3)
    with pytest.raises(InputError, match="dropouts is 1, but with all of 20 users audited at most 0 may"):
        SystemAudit(range(20), criterion="exact", dropouts=1)
    SystemAudit(range(20), dropouts=2)


def salted(log):
    """The log with a salt an event, and the chain of each user."""
    lines, chains = [], {}
    for user, event in log:
        salt = secrets.token_bytes(16)
        count, head = chains.get(user, (0, ""))
        chains[user] = count + 1, grown(head, leaf_of(event, salt))
        lines.append([user, event, salt.hex()])
    return lines, chains


def test_salted_chains_and_their_root():
    system = SystemAudit(range(20), **FEW)
    lines, chains = salted(run(system))
    document = json.loads(json.dumps(certificate(system, chains)))
    assert document["events"] == {
        "count": len(lines),
        "root": root_of(chains[user][1] for user in system.arms),
    }
    assert verify(document, lines).outcome == "no_envy"
    other = [[user, event, "00" * 16] for user, event, _ in lines]
    with pytest.raises(ChangedError, match="disagree about users, events"):
        verify(document, other)
    first, _, *rest = lines[2]
    shown = [first, ["shown", 1], *rest]  # an event of the service is a leaf like all others
    with pytest.raises(ChangedError, match="disagree about users, events"):
        verify(document, [*lines[:2], shown, *lines[2:]])


def without(lines, *gone):
    """The log once these users were deleted."""
    return [
        [user, None, leaf_of(event, bytes.fromhex(salt))] if user in gone else [user, event, salt]
        for user, event, salt in lines
    ]


def certified(system, log):
    lines, chains = salted(log)
    return json.loads(json.dumps(certificate(system, chains))), lines


def test_a_deleted_user_is_linked_and_cannot_be_replayed():
    system = SystemAudit(range(20), dropouts=1, **FEW)
    document, lines = certified(system, run(system))
    gone, other = (row["user"] for row in document["users"][1:3])
    left = without(lines, gone)
    found = verify(document, left)
    assert found.outcome == "no_envy"
    said = "what 1 deleted user did and their outcome (linked, not replayable)"
    assert said in not_checked(found)
    with pytest.raises(UncheckableError, match="outcome no_envy cannot be checked: it rests on 2 users who"):
        verify(document, without(lines, gone, other))  # more than were planned for
    cut = [line for i, line in enumerate(left) if i != next(i for i, one in enumerate(left) if not one[1])]
    with pytest.raises(ChangedError, match="disagree about users, events"):
        verify(document, cut)
    for row in document["users"]:
        if row["user"] != gone:
            row["duration"] += 1
            break
    with pytest.raises(ChangedError, match="disagree about"):
        verify(document, left)


def opted_out(count):
    """A system that ended inconclusive, as so many users opted out, without envy."""
    system = SystemAudit(range(20), **FEW)
    log = []
    system.listener = lambda user, event: log.append([user, event])
    for user in system.waiting[:count]:
        system.next(user)
        system.opt_out(user)
    return system, json.loads(json.dumps(log)) + run(system)


def test_no_envy_that_needs_a_deleted_user_cannot_be_checked():
    system = SystemAudit(range(20), **FEW)
    document, lines = certified(system, run(system))
    with pytest.raises(UncheckableError, match="rests on 1 user who was deleted, of whom only hashes are"):
        verify(document, without(lines, document["users"][0]["user"]))


def test_envy_rests_on_those_who_had_it_and_not_on_all_who_are_gone():
    system = SystemAudit(range(20), **FEW)
    log = []
    system.listener = lambda user, event: log.append([user, event])
    envious = system.waiting[0]
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, float(user == envious and policy_of != user))
            if system.outcome is not None:
                break
    document, lines = certified(system, json.loads(json.dumps(log)))
    other = next(row["user"] for row in document["users"] if row["user"] != envious)
    with pytest.raises(UncheckableError, match="outcome envy cannot be checked: it rests on 1 user who was"):
        verify(document, without(lines, envious, other))


def test_an_outcome_cannot_be_forged_for_a_deleted_user():
    system, log = opted_out(2)
    document, lines = certified(system, log)
    gone = document["users"][0]["user"]
    left = without(lines, gone)
    assert verify(document, left).outcome == "inconclusive"  # by the other, too
    envious = SystemAudit(range(20), **FEW)
    envious.audits[gone].outcome = "envy"
    meaning = certificate(envious)["meaning"]
    document["users"][0] |= {"outcome": "envy", "reason": None}
    forged = document | {"outcome": "envy", "reason": None, "meaning": meaning}
    with pytest.raises(UncheckableError, match=r"the 4 of 5 users .* the outcome envy cannot be checked"):
        verify(forged, left)
    with pytest.raises(ChangedError, match="disagree about"):
        verify(forged, lines)


@pytest.mark.parametrize("field", ["user", "outcome"])
def test_a_user_of_whom_a_field_is_missing_makes_no_certificate(field):
    document, lines = certified(*opted_out(2))
    del document["users"][0][field]
    with pytest.raises(InputError, match="This is not a certificate of an audit"):
        verify(document, lines)


def test_a_user_who_is_a_list_makes_no_certificate():
    document, lines = certified(*opted_out(2))
    document["users"][0]["user"] = []
    with pytest.raises(InputError, match="This is not a certificate of an audit"):
        verify(document, lines)


def test_a_log_with_salts_is_none_of_an_earlier_schema():
    document, _ = certified(*opted_out(2))
    line = [document["users"][0]["user"], None, "00" * 32]  # the name, which a service does not tell
    with pytest.raises(ChangedError, match="has a salt"):
        verify(document | {"schema": 3}, [line])


def test_an_inconclusive_end_for_a_deleted_user_alone_cannot_be_checked():
    system, log = opted_out(1)
    document, lines = certified(system, log)
    gone = document["users"][0]["user"]
    assert verify(document, lines).outcome == "inconclusive"
    with pytest.raises(UncheckableError, match="outcome inconclusive cannot be checked"):
        verify(document, without(lines, gone))


def test_envy_of_somebody_who_is_there_holds_without_a_deleted_user():
    system, log = SystemAudit(range(20), **FEW), []
    system.listener = lambda user, event: log.append([user, event])
    envious, gone = list(system.arms)[:2]
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, float((policy_of == user) != (user == envious)))
            if system.outcome is not None:
                break
    document, lines = certified(system, json.loads(json.dumps(log)))
    assert verify(document, without(lines, gone)).outcome == "envy"
    with pytest.raises(UncheckableError, match="outcome envy cannot be checked"):
        verify(document, without(lines, envious))
