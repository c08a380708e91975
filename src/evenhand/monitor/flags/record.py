"""After a look: flags that open, close or are withdrawn, stored with their messages in the transaction of the
look, so that there is never one without the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import Connection, delete, func, insert, select, update

from evenhand.documents import Document, read_document
from evenhand.findings import Finding
from evenhand.monitor.flags import words
from evenhand.monitor.flags.changes import Change, Kind, Moved, Told, compared
from evenhand.monitor.flags.debounce import Look, State, fold
from evenhand.monitor.flags.rules import condition, follows
from evenhand.monitor.store.flag_tables import flag, flag_event, flag_state, outbox
from evenhand.monitor.store.tables import look, monitor
from evenhand.plan.monitoring import FlagRule, Monitoring
from evenhand.report.words.legible import line


@dataclass(frozen=True)
class Raised:
    """What a look changed: sentences for whoever ran it, and names of rules that no finding of the last look
    fits, which are probably misspelt."""

    texts: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()


def after_looks(connection: Connection, monitor_id: int, monitoring: Monitoring | None, since: str) -> Raised:
    """Follow the current looks from the day `since` on, the first whose look is new or another than before.

    Told again of the same looks, it changes nothing.
    """
    rules = [] if monitoring is None else monitoring.flags
    recording = _Recording(connection, monitor_id, monitoring or Monitoring(), since)
    states, episodes = fold(rules, recording.state_before(), recording.looks())
    conditions = {rule.name: condition(rule) for rule in rules}
    changes, moved = compared(recording.told(), episodes, conditions)
    recording.keep(states)
    for change in changes:
        recording.write(change)
    for one in moved:
        recording.move(one)
    return Raised(tuple(recording.texts), recording.unmatched())


class _Recording:
    """The store as one call of `after_looks` sees and changes it."""

    def __init__(self, connection: Connection, monitor_id: int, monitoring: Monitoring, since: str) -> None:
        self.connection, self.monitor_id = connection, monitor_id
        self.monitoring, self.since = monitoring, since
        self.name = str(
            connection.execute(select(monitor.c.name).where(monitor.c.id == monitor_id)).scalar_one()
        )
        self.rules = {rule.name: rule for rule in monitoring.flags}
        self.now = datetime.now(UTC).isoformat(timespec="seconds")
        self.last: Document | None = None
        self.texts: list[str] = []
        self._new: dict[tuple[str, str, str], int] = {}

    def state_before(self) -> State:
        """Where the rules stood before the first of these looks."""
        mine = flag_state.c.monitor_id == self.monitor_id
        found = self.connection.execute(
            select(flag_state.c.content)
            .where(mine, flag_state.c.day < self.since)
            .order_by(flag_state.c.day.desc())
            .limit(1)
        ).scalar()
        return State() if found is None else State.read(json.loads(found))

    def looks(self) -> Iterator[Look]:
        """The current looks from `since` on, in the order of their days, one at a time."""
        mine = flag_state.c.monitor_id == self.monitor_id
        asked = {
            day: json.loads(content)["conditions"]
            for day, content in self.connection.execute(
                select(flag_state.c.day, flag_state.c.content).where(mine, flag_state.c.day >= self.since)
            )
        }
        days = self.connection.execute(
            select(look.c.day)
            .where(look.c.monitor_id == self.monitor_id, look.c.current == 1, look.c.day >= self.since)
            .order_by(look.c.day)
        ).scalars()
        for day in days.all():
            self.last = self.document(day)
            assert self.last is not None
            yield Look(day, self.last.findings, asked.get(day))

    def document(self, day: str) -> Document | None:
        """What was found on a day, as it counts now."""
        found = self.connection.execute(
            select(look.c.document).where(
                look.c.monitor_id == self.monitor_id, look.c.current == 1, look.c.day == day
            )
        ).scalar()
        return None if found is None else read_document(found)

    def told(self) -> list[Told]:
        """The flags that these looks can change."""
        columns = (flag.c.id, flag.c.rule, flag.c.condition, flag.c.finding, flag.c.opened, flag.c.closed)
        found = self.connection.execute(
            select(*columns)
            .where(flag.c.monitor_id == self.monitor_id, flag.c.state != "withdrawn")
            .where(flag.c.closed.is_(None) | (flag.c.closed >= self.since))
            .order_by(flag.c.opened, flag.c.id)
        )
        return [Told(*row) for row in found]

    def keep(self, states: list[tuple[str, State]]) -> None:
        """The state after each look, in place of those from `since` on."""
        self.connection.execute(
            delete(flag_state).where(
                flag_state.c.monitor_id == self.monitor_id, flag_state.c.day >= self.since
            )
        )
        for day, state in states:
            content = json.dumps(state.told(), ensure_ascii=False, separators=(",", ":"))
            self.connection.execute(
                insert(flag_state).values(monitor_id=self.monitor_id, day=day, content=content)
            )

    def write(self, change: Change) -> None:
        """The flag as it is now, what happened to it, and a message for each of its channels."""
        episode = change.episode
        if change.kind == "opened":
            assert episode is not None
            day = episode.opened
        elif change.kind == "closed":
            assert episode is not None
            assert episode.closed is not None
            day = episode.closed
        else:
            day = self.since
        finding, said = self._found(day, episode.finding if episode else "")
        paragraphs = self._paragraphs(change, finding, said)
        flag_id = self._flag(change, paragraphs[0])
        self._event(change, flag_id, day, paragraphs, finding)

    def move(self, moved: Moved) -> None:
        """The days of a flag as they are after a correction."""
        episode = moved.episode
        state = "open" if episode.closed is None else "closed"
        values = {"opened": episode.opened, "closed": episode.closed, "state": state}
        self.connection.execute(update(flag).where(flag.c.id == moved.told.id).values(**values))

    def unmatched(self) -> tuple[str, ...]:
        if self.last is None:
            return ()
        return tuple(
            rule.name
            for rule in self.monitoring.flags
            if not any(follows(rule, finding) for finding in self.last.findings)
        )

    def _found(self, day: str, finding_id: str) -> tuple[Finding | None, str]:
        """The finding of a flag on a day, and what it says."""
        document = self.document(day) if finding_id else None
        if document is None:
            return None, ""
        found = next((one for one in document.findings if one.id == finding_id), None)
        return found, words.said_of(document, finding_id)

    def _paragraphs(self, change: Change, finding: Finding | None, said: str) -> list[str]:
        episode, told = change.episode, change.told
        if change.kind == "withdrawn":
            assert told is not None
            return words.withdrawn(told.rule, told.opened, change.why, self.since)
        assert episode is not None
        if change.kind == "reopened":
            assert told is not None
            return words.reopened(episode, str(told.closed), self.since)
        return (words.opened if change.kind == "opened" else words.closed)(episode, finding, said)

    def _flag(self, change: Change, said: str) -> int:
        """The row of the flag, made or changed; its number."""
        episode = change.episode
        if change.told is not None:
            flag_id = change.told.id
            if change.kind == "withdrawn":
                self.connection.execute(update(flag).where(flag.c.id == flag_id).values(state="withdrawn"))
            return flag_id
        assert episode is not None
        key = (episode.rule.name, episode.finding, episode.opened)
        if change.kind == "opened":
            values = {
                "monitor_id": self.monitor_id,
                "name": self._unused_name(*key),
                "rule": episode.rule.name,
                "condition": condition(episode.rule),
                "finding": episode.finding,
                "state": "open",
                "opened": episode.opened,
                "said": said,
            }
            made = self.connection.execute(insert(flag).values(**values)).inserted_primary_key
            assert made is not None
            self._new[key] = int(made[0])
        else:
            closed = {"state": "closed", "closed": episode.closed}
            self.connection.execute(update(flag).where(flag.c.id == self._new[key]).values(**closed))
        return self._new[key]

    def _unused_name(self, rule: str, finding: str, opened: str) -> str:
        """A name that follows from the flag alone, so that a store that is made again names it alike; one
        that was withdrawn and opens again on the same day is another flag."""
        mine = (flag.c.monitor_id == self.monitor_id, flag.c.rule == rule, flag.c.finding == finding)
        before = self.connection.execute(select(func.count()).select_from(flag).where(*mine)).scalar_one()
        taken = set(self.connection.execute(select(flag.c.name).where(*mine)).scalars())
        while True:
            mark = json.dumps([self.name, rule, finding, opened, before])
            name = f"flag-{sha256(mark.encode()).hexdigest()[:12]}"
            if name not in taken:
                return name
            before += 1

    def _event(
        self, change: Change, flag_id: int, day: str, paragraphs: list[str], finding: Finding | None
    ) -> None:
        name, rule_name = self.connection.execute(
            select(flag.c.name, flag.c.rule).where(flag.c.id == flag_id)
        ).one()
        rule: FlagRule | None = self.rules.get(rule_name)
        number = (
            1
            + self.connection.execute(
                select(func.count()).select_from(flag_event).where(flag_event.c.flag_id == flag_id)
            ).scalar_one()
        )
        follows_now = rule if change.kind in ("opened", "reopened") else None
        text = words.text_of(paragraphs, follows_now, self.monitoring.page)
        self.texts.append(paragraphs[0] if change.kind != "opened" else " ".join(paragraphs[:2]))
        content = words.message(
            change,
            id=f"{name}-{number}",
            flag=name,
            monitor=self.name,
            day=day,
            made_at=self.now,
            text=text,
            subject=_subject(change.kind, self.name, rule_name),
            finding=finding,
        )
        values = {
            "flag_id": flag_id,
            "number": number,
            "kind": change.kind,
            "day": day,
            "message": content,
            "made_at": self.now,
        }
        made = self.connection.execute(insert(flag_event).values(**values)).inserted_primary_key
        assert made is not None
        # Whoever was told that a flag opened is told what became of it, also where its rule has gone.
        channels = self._told_before(flag_id) if rule is None else self.monitoring.channels_of(rule)
        for channel in channels:
            self.connection.execute(
                insert(outbox).values(
                    monitor_id=self.monitor_id, event_id=made[0], channel=channel, attempts=0, problem=""
                )
            )

    def _told_before(self, flag_id: int) -> list[str]:
        known = {one.name for one in self.monitoring.tell}
        before = self.connection.execute(
            select(outbox.c.channel)
            .join(flag_event, flag_event.c.id == outbox.c.event_id)
            .where(flag_event.c.flag_id == flag_id)
            .distinct()
            .order_by(outbox.c.channel)
        ).scalars()
        return [channel for channel in before if channel in known]


def _subject(kind: Kind, monitor_name: str, rule: str) -> str:
    happened = {"opened": "opened", "closed": "closed", "withdrawn": "withdrawn", "reopened": "open again"}
    return line(f"{monitor_name}: flag “{rule}” {happened[kind]}", 200)
