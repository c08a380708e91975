"""States in memory, brought up to what the store has, and what a batch of requests adds to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, text, update

from evenhand.service.log.answers import DamagedError, sound
from evenhand.service.log.chain import head_of
from evenhand.service.log.folded import Auditors
from evenhand.service.log.streams import SNAPSHOT_EVERY, AuditStream, PersonStream, Stream
from evenhand.store import audit_tables as tables
from evenhand.store.service_tables import published

# So many states are kept in memory; who is not among them is read again.
MOST_STATES = 20_000
MOST_PUBLISHED = 100  # results that are kept under one name
AT_ONCE = 5_000  # rows that are written with one question, which a database must answer soon


# Made once: to put a statement together takes longer than to execute it.
_S = tables.stream
_AUDIT = select(_S.c.audit, _S.c.number, _S.c.seq, _S.c.head).where(
    _S.c.audit == bindparam("of"), _S.c.number == 0
)
_LOCKED_AUDIT, _SHARED_AUDIT = _AUDIT.with_for_update(), _AUDIT.with_for_update(read=True)
_PEOPLE = (
    select(_S.c.audit, _S.c.number, _S.c.seq, _S.c.head)
    .where(_S.c.audit == bindparam("of"), _S.c.number.in_(bindparam("numbers", expanding=True)))
    .order_by(_S.c.number)
)
_LOCKED_PEOPLE = _PEOPLE.with_for_update()
_INTO = {
    table.name: insert(table)
    for table in (tables.audit, tables.stream, tables.event, tables.late_reward, tables.answered)
}
_TAKES_LONG = text("SET LOCAL idle_in_transaction_session_timeout = 0")
_GROWN = update(_S).where(_S.c.audit == bindparam("of"), _S.c.number == bindparam("n"))


class Where(NamedTuple):
    audit: str
    number: int


class Row(NamedTuple):
    audit: str
    number: int
    seq: int
    head: bytes


class States:
    """Of one thread. `connection` is that of the transaction under way."""

    def __init__(self, auditors: Auditors) -> None:
        self.auditors = auditors
        self.kept: dict[Where, Stream] = {}
        self.connection: Connection
        self.trusted = True  # whether the clock may be believed, so that things may expire
        self._start()

    def _start(self) -> None:
        self.made: list[dict[str, Any]] = []  # rows of new audits
        self.late: list[dict[str, Any]] = []
        self.published: list[dict[str, Any]] = []
        self.erased: list[Where] = []
        self.damaged: dict[Where, DamagedError] = {}  # what nobody can read, by which no other is kept back
        self._seen: set[Where] = set()

    # Reading

    def begin(self, connection: Connection, where: Sequence[Where], lock: bool = True) -> None:
        """Lock these streams, and bring their states up to the store; of their audits, too."""
        self.connection = connection
        self._start()
        self._catch_up(self._rows(where, lock))

    def _rows(self, where: Sequence[Where], lock: bool) -> list[Row]:
        """Audits come first, in order, then people in order: so nobody waits for one who waits for them. An
        audit that is only looked at is shared."""
        by_audit: dict[str, list[int]] = {}
        for one in sorted(set(where)):
            by_audit.setdefault(one.audit, []).append(one.number)
        audits, people = (_LOCKED_AUDIT, _LOCKED_PEOPLE) if lock else (_AUDIT, _PEOPLE)
        found: list[Row] = []
        for audit, numbers in by_audit.items():
            looked_at = lock and numbers[0] != 0
            chosen = _SHARED_AUDIT if looked_at else audits
            found += [Row(*row) for row in self.connection.execute(chosen, {"of": audit})]
        for audit, numbers in by_audit.items():
            some = {"of": audit, "numbers": [number for number in numbers if number]}
            if some["numbers"]:
                found += [Row(*row) for row in self.connection.execute(people, some)]
        return found

    def _catch_up(self, rows: Iterable[Row]) -> None:
        for row in rows:
            where = Where(row.audit, row.number)
            self._seen.add(where)
            try:
                with sound(*where):
                    self.kept[where] = self._caught_up(where, row)
            except DamagedError as error:
                self.kept.pop(where, None)
                self.damaged[where] = error
        while len(self.kept) > MOST_STATES:
            oldest = next((each for each in self.kept if each.number and each not in self._seen), None)
            if oldest is None:
                break
            del self.kept[oldest]

    def _caught_up(self, where: Where, row: Row) -> Stream:
        known = self.kept.get(where)
        if isinstance(known, PersonStream) and self._was_deleted(known):
            known = None  # by another server, which left the number and the head as they were
        if known is not None and known.seq == row.seq and known.head == row.head:
            return known
        if known is None or known.seq > row.seq:
            known = self._from_snapshot(where)
        for event, seq, at, head in self._events(known):
            known.apply(event, seq, at, head)
        if known.seq != row.seq or known.head != row.head:
            raise DamagedError(*where, f"does not have the {row.seq:,} events that it says")
        return known

    def refuse_damaged(self, where: Iterable[Where]) -> None:
        for one in where:
            if one in self.damaged:
                raise self.damaged[one]

    def _was_deleted(self, known: PersonStream) -> bool:
        return not known.deleted and known.number in self.audit(known.audit).deleted

    def _from_snapshot(self, where: Where) -> Stream:
        s = tables.snapshot
        chosen = select(s.c.seq, s.c.state).where(s.c.audit == where.audit, s.c.stream == where.number)
        found = self.connection.execute(chosen).first()
        made = self.new(where, None if found is None else json.loads(found.state))
        if found is not None:
            made.seq = found.seq
            e = tables.event
            last = select(e.c.at).where(
                e.c.audit == where.audit, e.c.stream == where.number, e.c.seq == found.seq
            )
            made.at = self.connection.execute(last).scalar_one()
            made.head = bytes.fromhex(json.loads(found.state)["head"])
        return made

    def new(self, where: Where, state: dict[str, Any] | None = None) -> Stream:
        if where.number == 0:
            return AuditStream(where.audit, state)
        return PersonStream(self.audit(where.audit), where.number, self.auditors, state)

    def _events(self, known: Stream) -> Iterable[tuple[list[Any], int, float, bytes]]:
        e = tables.event
        chosen = (
            select(e.c.seq, e.c.at, e.c.payload, e.c.leaf)
            .where(e.c.audit == known.audit, e.c.stream == known.number, e.c.seq > known.seq)
            .order_by(e.c.seq)
        )
        head = known.head
        for row in self.connection.execute(chosen):
            head = head_of(head, row.leaf)
            event = ["deleted"] if row.payload is None else json.loads(row.payload)
            yield event, row.seq, row.at, head

    def audit(self, audit: str) -> AuditStream:
        self.refuse_damaged([Where(audit, 0)])
        found = self.kept.get(Where(audit, 0))
        if not isinstance(found, AuditStream):
            raise DamagedError(audit, 0, "is not there")  # whoever asks found it among the audits
        return found

    def person(self, audit: str, number: int) -> PersonStream:
        self.refuse_damaged([Where(audit, number)])
        found = self.kept.get(Where(audit, number))
        if not isinstance(found, PersonStream):
            raise DamagedError(audit, number, "is not there")  # whoever is asked for was drawn and named
        return found

    def settled_as(self, where: Where, assignment: int) -> list[Any] | None:
        """The event that settled an assignment; None where it was never made."""
        fresh = [
            json.loads(row["payload"]) for row in self.kept[where].fresh if row["assignment"] == assignment
        ]
        e = tables.event
        chosen = select(e.c.payload).where(
            e.c.audit == where.audit, e.c.stream == where.number, e.c.assignment == assignment,
            e.c.kind.in_(("deliver", "withdraw")),
        )  # fmt: skip
        there = self.connection.execute(chosen).scalars().all()
        settled = [json.loads(text) for text in there] + [
            one for one in fresh if one[0] in ("deliver", "withdraw")
        ]
        return settled[-1] if settled else None

    def late_as(self, where: Where, assignment: int) -> float | None:
        """The reward that came too late for this assignment, if one did."""
        for row in self.late:
            if (row["audit"], row["stream"], row["assignment"]) == (*where, assignment):
                return float(row["reward"])
        r = tables.late_reward
        chosen = select(r.c.reward).where(
            r.c.audit == where.audit, r.c.stream == where.number, r.c.assignment == assignment
        )
        return self.connection.execute(chosen).scalar()

    # Writing

    def record(self, where: Where, event: list[Any], now: float) -> None:
        self.kept[where].record(event, now)

    def begin_stream(self, where: Where) -> Stream:
        """A stream that was not there."""
        made = self.kept[where] = self.new(where)
        self._seen.add(where)
        return made

    def take_long(self) -> None:
        """Very many people are thought over for long: the database is not to end it meanwhile."""
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(_TAKES_LONG)

    def pending(self, where: Iterable[Where]) -> int:
        """How much would be written now of these streams, and of what is in no stream: grows by whatever a
        request of these streams records."""
        events = sum(len(self.kept[one].fresh) for one in where if one in self.kept)
        return events + len(self.made) + len(self.late) + len(self.erased) + len(self.published)

    @property
    def _changed(self) -> list[Stream]:
        there = (where for where in sorted(self._seen) if where not in self.damaged)
        return [self.kept[where] for where in there if self.kept[where].fresh]

    def flush(self, answers: list[dict[str, Any]]) -> bool:
        """Write what was added, and what will be answered, within the transaction. Whether that is
        anything."""
        changed = self._changed
        if not (changed or answers or self.pending(())):
            return False
        fresh = [row for one in changed for row in one.fresh]
        begun = [one for one in changed if one.fresh[0]["seq"] == 1]
        older = [one for one in changed if one.fresh[0]["seq"] > 1]
        self._insert(tables.audit, self.made)
        self._insert(tables.stream, [_stream_row(one) for one in begun])
        self._insert(tables.event, fresh)
        if older:
            heads = [
                {"of": one.audit, "n": one.number, "seq": one.seq, "head": one.head, "at": one.at}
                for one in older
            ]
            self.connection.execute(_GROWN, heads)
        self._insert(tables.late_reward, self.late)
        self._insert(tables.answered, answers)
        for row in self.published:
            self._publish(row)
        self._snapshots(changed)
        for where in self.erased:
            self._erase(where)
        return True

    def _insert(self, table: Any, rows: list[dict[str, Any]]) -> None:
        for start in range(0, len(rows), AT_ONCE):
            self.connection.execute(_INTO[table.name], rows[start : start + AT_ONCE])

    def _publish(self, row: dict[str, Any]) -> None:
        """The same document again is the latest again; of a name the last are kept."""
        p = published
        self.connection.execute(delete(p).where(p.c.name == row["name"], p.c.digest == row["digest"]))
        self.connection.execute(insert(p), [row])
        kept = select(p.c.digest).where(p.c.name == row["name"]).order_by(p.c.at.desc()).limit(MOST_PUBLISHED)
        digests = list(self.connection.execute(kept).scalars())
        self.connection.execute(delete(p).where(p.c.name == row["name"], p.c.digest.not_in(digests)))

    def _snapshots(self, changed: list[Stream]) -> None:
        s = tables.snapshot
        for one in changed:
            if one.seq // SNAPSHOT_EVERY > (one.fresh[0]["seq"] - 1) // SNAPSHOT_EVERY:
                self.connection.execute(delete(s).where(s.c.audit == one.audit, s.c.stream == one.number))
                state = json.dumps(one.state() | {"head": one.head.hex()}, allow_nan=False)
                row = {"audit": one.audit, "stream": one.number, "seq": one.seq, "state": state}
                self.connection.execute(insert(s), [row])

    def _erase(self, where: Where) -> None:
        """What a person did, said and was called is gone; the leaves, and so the chain, stay."""
        e, s = tables.event, tables.stream
        for table in (tables.snapshot, tables.answered, tables.late_reward):
            gone = (table.c.audit == where.audit, table.c.stream == where.number)
            self.connection.execute(delete(table).where(*gone))
        a = tables.answered
        batches = (a.c.stream == tables.OF_A_BATCH, or_(a.c.audit == where.audit, a.c.audit.is_(None)))
        self.connection.execute(update(a).where(*batches).values(fingerprint=tables.FORGOTTEN))
        nothing = {"payload": None, "salt": None, "assignment": None, "kind": "deleted", "at": 0.0}
        events = (e.c.audit == where.audit, e.c.stream == where.number)
        self.connection.execute(update(e).where(*events).values(**nothing))
        row = (s.c.audit == where.audit, s.c.number == where.number)
        self.connection.execute(update(s).where(*row).values(user=None, at=0.0))

    def committed(self) -> None:
        for one in self._changed:
            one.fresh.clear()
        for where in self.erased:
            self.kept.pop(where, None)
        self._start()

    def drop(self) -> None:
        """Forget what a transaction touched that failed, or of which nobody knows."""
        for where in self._seen:
            self.kept.pop(where, None)
        self._start()


def _stream_row(one: Stream) -> dict[str, Any]:
    user = one.user if isinstance(one, PersonStream) else None
    return {
        "audit": one.audit, "number": one.number, "user": user, "seq": one.seq, "head": one.head, "at": one.at
    }  # fmt: skip
