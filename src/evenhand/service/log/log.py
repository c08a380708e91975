"""The log of live audits: what can be asked of it, from any thread."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from evenhand.envy.online.drawing import unforeseen_seed
from evenhand.service.log.answers import Answer, DamagedError, Key, RefusedError
from evenhand.service.log.asked import AskedLiveAudit
from evenhand.service.log.assignment_ids import Place, is_ours, read_id
from evenhand.service.log.clock import Clock
from evenhand.service.log.folded import Auditors, online_auditors
from evenhand.service.log.holding import Hold
from evenhand.service.log.people import People
from evenhand.service.log.reading import Reader
from evenhand.service.log.requests import managing, rewards, visits
from evenhand.service.log.states import States
from evenhand.service.log.sweeping import Sweeper
from evenhand.service.log.writer import Request, Writer
from evenhand.store.connecting import Store

_Asked = ParamSpec("_Asked")


def _answered(
    ask: Callable[Concatenate[Log, _Asked], Future[Answer]],
) -> Callable[Concatenate[Log, _Asked], Future[Answer]]:
    """A refusal is an answer, too."""

    @wraps(ask)
    def asked(self: Log, *values: _Asked.args, **named: _Asked.kwargs) -> Future[Answer]:
        try:
            return ask(self, *values, **named)
        except RefusedError as error:
            return _now(error.answer)

    return asked


class Log:
    """Every request is answered by a future: when it is done, what it says is on the disk."""

    def __init__(
        self,
        store: Store,
        *,
        auditors: Auditors | None = None,
        clock: Clock | None = None,
        wall: Callable[[], float] = time.time,
        sweep_s: float | None = 1.0,
    ) -> None:
        self.store = store
        self._hold = Hold(store)
        kinds = auditors or online_auditors()
        self.clock = clock or Clock()
        self.writer = Writer(store, States(kinds), self.clock, wall, self._hold)
        self.people = People(store)
        self.read = Reader(store, States(kinds))
        self.sweeper = Sweeper(self, sweep_s)

    # Visits

    @_answered
    def assign(self, key: Key, audit: str, user: str, version: str | None = None) -> Future[Answer]:
        known = self.people.of(audit)
        number = known.targets.get(user)
        if number is None:
            return _now(Answer(200, {"id": None, "policy_of": user, "reason": "not_target"}))
        if version is not None and known.version not in (None, version):
            # The audit ends by it; this visit is served by the own policy.
            self._submit(managing.NewVersion(None, audit, len(known.arms), version, key.token), audit)
        return self._submit(visits.Assign(key, audit, number, known.secret, version), audit, user)

    @_answered
    def shown(self, key: Key, assignment: str) -> Future[Answer]:
        place = self.place(assignment)
        return self._submit(visits.Shown(key, place), place.audit)

    @_answered
    def all_shown(self, key: Key, assignments: Sequence[str]) -> Future[Answer]:
        places = tuple(self._place_or_why_not(one) for one in assignments)
        return self.writer.submit(visits.AllShown(key, places))

    @_answered
    def reward(
        self, key: Key, assignment: str, reward: float, observed_at: float | None = None
    ) -> Future[Answer]:
        place = self.place(assignment)
        report = rewards.Report(place, reward, observed_at)
        return self._submit(rewards.Reward(key, report), place.audit)

    @_answered
    def rewards(self, key: Key, items: Sequence[tuple[str, float, float | None]]) -> Future[Answer]:
        """(assignment, reward, observed_at or None) each."""

        places = [self._place_or_why_not(one[0]) for one in items]
        reports = (
            place if isinstance(place, RefusedError) else rewards.Report(place, *item[1:])
            for place, item in zip(places, items, strict=True)
        )
        return self.writer.submit(rewards.Rewards(key, tuple(reports)))

    def place(self, assignment: str) -> Place:
        """Where an assignment is, by its public id; refused where that is not one of ours."""
        read = read_id(assignment)
        if read is None or not is_ours(*read, self.people.of(read[0].audit).secret):
            raise RefusedError(404, "There is no such assignment.")
        return read[0]

    def _place_or_why_not(self, assignment: str) -> Place | RefusedError:
        """Of many, one that is not there, or of an audit that is damaged, keeps no other back."""
        try:
            return self.place(assignment)
        except RefusedError as error:
            if error.answer.status != 404 and not isinstance(error, DamagedError):
                raise
            return error

    # Managing

    def publish(self, key: Key, name: str, document: str) -> Future[Answer]:
        """Keep a findings document under a name, to be shown."""
        return self.writer.submit(managing.Publish(key, name, document, key.token))

    def create_audit(self, key: Key, asked: AskedLiveAudit) -> Future[Answer]:
        seed = unforeseen_seed()
        audit, secret = secrets.token_hex(8), secrets.token_bytes(32)
        made = managing.CreateAudit(key, audit, secret, seed, asked.settings(), asked.users, key.token)
        return self.writer.submit(made)

    def tell_too(self, key: Key, answer: Answer, more: Mapping[str, Any]) -> Future[Answer]:
        """Add to what was answered to a key before anybody hears it: the same again hears the same."""
        return self.writer.submit(managing.TellToo(key, answer, more))

    @_answered
    def name_people(self, key: Key, audit: str, users: Sequence[str]) -> Future[Answer]:
        return self._submit(managing.NamePeople(key, audit, tuple(users)), audit)

    @_answered
    def pause(self, key: Key, audit: str) -> Future[Answer]:
        return self._submit(managing.Pause(key, audit, key.token), audit)

    @_answered
    def resume(self, key: Key, audit: str) -> Future[Answer]:
        return self._submit(managing.Pause(key, audit, key.token, paused=False), audit)

    @_answered
    def end(self, key: Key, audit: str, reason: str) -> Future[Answer]:
        return self._submit(
            managing.End(key, audit, len(self.people.of(audit).arms), key.token, reason), audit
        )

    @_answered
    def new_version(self, key: Key, audit: str, version: str) -> Future[Answer]:
        return self._submit(
            managing.NewVersion(key, audit, len(self.people.of(audit).arms), version, key.token), audit
        )

    @_answered
    def opt_out(self, key: Key, audit: str, user: str) -> Future[Answer]:
        known = self.people.of(audit)
        number = known.everybody.get(user)
        if number is None:
            self._refuse_unnamed(audit)
            return _now(Answer(200, {"opted_out": True, "known": False}))  # nobody asks them anything
        return self._submit(managing.OptOut(key, audit, number, key.token), audit)

    @_answered
    def delete_user(self, key: Key, audit: str, user: str) -> Future[Answer]:
        """Also from the files, where that is in our hands: once the answer is there."""
        known = self.people.of(audit)
        number = known.everybody.get(user)
        if number is None:
            return _now(Answer(200, {"deleted": True, "known": False, "ended": 0}))  # nothing is kept of them
        triers = tuple(n for n, arms in enumerate(known.arms, start=1) if number in arms)
        deleted = self._submit(managing.DeleteUser(key, audit, number, triers, key.token), audit)
        done: Future[Answer] = Future()

        def erased(answered: Future[Answer]) -> None:
            self.people.forget(audit)
            self.read.forget(audit)
            self.sweeper.erase_soon()
            if done.set_running_or_notify_cancel():  # nobody may wait any longer
                done.set_result(answered.result())

        deleted.add_done_callback(erased)
        return done

    def settle(self) -> list[Answer]:
        """Sweep now, and wait for it."""
        return self.sweeper.sweep()

    def close(self) -> None:
        self.sweeper.close()
        self.writer.close()
        self._hold.close()

    def _refuse_unnamed(self, audit: str) -> None:
        """Before people are named nobody knows who is among them: a wish that came then would be lost."""
        about = None if self.people.of(audit).everybody else self.read.audit(audit)
        if about is not None and not about.named:
            raise RefusedError(425, "The people of this audit have not been named yet; say it again then.")

    def _submit(self, request: Request, audit: str, user: str | None = None) -> Future[Answer]:
        """With the id of whose policy is answered put in, which no answer that is kept has."""
        self.people.of(audit)
        answered = self.writer.submit(request)
        if user is None:
            return answered
        done: Future[Answer] = Future()

        def name(inner: Future[Answer]) -> None:
            answer = inner.result()
            if answer.person is not None:
                answer = self._named(answer, audit, user)
            if done.set_running_or_notify_cancel():  # nobody may wait any longer
                done.set_result(answer)

        answered.add_done_callback(name)
        return done

    def _named(self, answer: Answer, audit: str, user: str) -> Answer:
        try:
            policy_of = self.people.name(audit, answer.person or 0) or user
        except RefusedError as error:  # it was forgotten meanwhile, and the store is away
            return error.answer
        return Answer(answer.status, {**answer.body, "policy_of": policy_of}, answer.person)


def _now(answer: Answer) -> Future[Answer]:
    done: Future[Answer] = Future()
    done.set_result(answer)
    return done
