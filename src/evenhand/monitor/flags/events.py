"""What happened to a flag, written down: the flag as it is now, and a message for each of its channels."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import func, insert, select, update

from evenhand.findings import Finding
from evenhand.monitor.flags import words
from evenhand.monitor.flags.changes import Change, Moved
from evenhand.monitor.flags.debounce import Episode
from evenhand.monitor.flags.looks import Looks
from evenhand.monitor.flags.rules import condition
from evenhand.plan.watched.monitoring import Monitoring
from evenhand.store.flag_tables import flag, flag_event, outbox
from evenhand.store.tables import monitor


class Events:
    """Writes the changes of one call, in the transaction of its looks."""

    def __init__(self, looks: Looks, monitoring: Monitoring) -> None:
        self.looks, self.monitoring = looks, monitoring
        self.connection, self.monitor_id = looks.connection, looks.monitor_id
        self.rules = {rule.name: rule for rule in monitoring.flags}
        named = select(monitor.c.name).where(monitor.c.id == self.monitor_id)
        self.monitor = str(self.connection.execute(named).scalar_one())
        scope = {} if looks.last is None else looks.last.scope
        self.called = scope.get("system") or scope.get("title") or self.monitor
        self.now = datetime.now(UTC).isoformat(timespec="seconds")
        self._new: dict[tuple[str, str, str], int] = {}

    def write(self, change: Change) -> str:
        """One change; what to say of it to whoever is there."""
        day = self._day(change)
        finding, said = self._found(day, change)
        paragraphs = self._paragraphs(change, finding, said)
        flag_id = self._flag(change, paragraphs[0])
        self._tell(change, flag_id, day, paragraphs, finding)
        return " ".join(paragraphs[:2]) if change.kind in ("opened", "closed") else paragraphs[0]

    def move(self, moved: Moved) -> None:
        """The days of a flag as they are after a correction, and what the look that opens it says now; of a
        look before these ones nothing changed."""
        opened, closed = moved.episode.opened, moved.episode.closed
        values = {"opened": opened, "closed": closed, "state": "closed" if closed else "open"}
        document = self.looks.document(opened) if opened >= self.looks.since else None
        if document is not None:
            values["said"] = words.said_of(document, moved.episode)
        self.connection.execute(update(flag).where(flag.c.id == moved.told.id).values(**values))

    def _day(self, change: Change) -> str:
        """The day of the look that made the change; of a correction, the day that was corrected."""
        episode = change.episode
        if episode is None or change.kind in ("reopened", "moved"):
            return self.looks.since
        return str(episode.closed) if change.kind == "closed" else episode.opened

    def _found(self, day: str, change: Change) -> tuple[Finding | None, str]:
        """The finding of a flag on a day, and what it says."""
        of = change.episode.opened if change.kind == "moved" and change.episode is not None else day
        document = None if change.episode is None else self.looks.document(of)
        if change.episode is None or document is None:
            return None, ""
        finding_id = change.episode.finding
        found = next((one for one in document.findings if one.id == finding_id), None)
        return found, words.said_of(document, change.episode)

    def _paragraphs(self, change: Change, finding: Finding | None, said: str) -> list[str]:
        episode, told, since = change.episode, change.told, self.looks.since
        if change.kind == "withdrawn":
            assert told is not None
            return words.withdrawn(told, change.why, since)
        assert episode is not None
        if change.kind == "reopened":
            assert told is not None
            return words.reopened(episode, told, since)
        if change.kind == "moved":
            assert told is not None
            return words.moved(episode, told, since, said)
        if change.kind == "closed":
            return words.closed(episode, said)
        document = self.looks.document(episode.opened)
        least = "" if document is None or finding is None else words.served_least(document, finding)
        return words.opened(episode, finding, said, least)

    def _flag(self, change: Change, said: str) -> int:
        """The row of the flag, made or changed; its number. `move` sets the days of one that is not new."""
        if change.told is not None:
            if change.kind == "withdrawn":
                this = flag.c.id == change.told.id
                self.connection.execute(update(flag).where(this).values(state="withdrawn"))
            return change.told.id
        assert change.episode is not None
        episode = change.episode
        key = (episode.rule.name, episode.finding, episode.opened)
        if change.kind == "opened":
            self._new[key] = self._added(episode, said)
        else:
            closed = {"state": "closed", "closed": episode.closed}
            self.connection.execute(update(flag).where(flag.c.id == self._new[key]).values(**closed))
        return self._new[key]

    def _added(self, episode: Episode, said: str) -> int:
        values = {
            "monitor_id": self.monitor_id,
            "name": self._unused_name(episode),
            "rule": episode.rule.name,
            "condition": condition(episode.rule),
            "finding": episode.finding,
            "state": "open",
            "opened": episode.opened,
            "said": said,
        }
        made = self.connection.execute(insert(flag).values(**values)).inserted_primary_key
        assert made is not None
        return int(made[0])

    def _unused_name(self, episode: Episode) -> str:
        """A name that follows from the flag alone, so that a store that is made again names it alike; one
        that was withdrawn and opens again on the same day is another flag."""
        taken = set(
            self.connection.execute(select(flag.c.name).where(flag.c.monitor_id == self.monitor_id)).scalars()
        )
        for number in range(len(taken) + 1):
            mark = [self.monitor, episode.rule.name, episode.finding, episode.opened, number]
            name = f"flag-{sha256(json.dumps(mark).encode()).hexdigest()[:12]}"
            if name not in taken:
                return name
        raise AssertionError("more names than flags")

    def _tell(
        self, change: Change, flag_id: int, day: str, paragraphs: list[str], finding: Finding | None
    ) -> None:
        name, rule_name = self.connection.execute(
            select(flag.c.name, flag.c.rule).where(flag.c.id == flag_id)
        ).one()
        rule = self.rules.get(rule_name)
        before = select(func.count()).select_from(flag_event).where(flag_event.c.flag_id == flag_id)
        number = 1 + self.connection.execute(before).scalar_one()
        follows = rule.then if rule is not None and change.kind in ("opened", "reopened") else None
        content = words.message(
            change.kind,
            finding,
            id=f"{name}-{number}",
            timestamp=self.now,
            subject=words.subject(change.kind, self.called, rule_name),
            text=words.text_of(paragraphs, follows, self.monitoring.page),
            monitor=self.monitor,
            flag=name,
            day=day,
        )
        values = {"number": number, "kind": change.kind, "day": day, "message": content, "made_at": self.now}
        made = self.connection.execute(insert(flag_event).values(flag_id=flag_id, **values))
        assert made.inserted_primary_key is not None
        event = {"monitor_id": self.monitor_id, "event_id": made.inserted_primary_key[0]}
        # Whoever was told that a flag opened is told what became of it, also where its rule has gone or tells
        # others now.
        channels = [] if rule is None else self.monitoring.channels_of(rule)
        for channel in dict.fromkeys([*channels, *self._told_before(flag_id)]):
            self.connection.execute(insert(outbox).values(**event, channel=channel, attempts=0, problem=""))

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
