"""The client of the live service, for a system that serves users and must never wait for an audit."""

from __future__ import annotations

import os
import re
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from evenhand.errors import InputError
from evenhand.parameters import number
from evenhand.service.client.asking import Asking
from evenhand.service.client.assignment import Assignment, is_id
from evenhand.service.client.background import Background
from evenhand.service.client.counts import Counts, Dropped, Stats
from evenhand.service.client.hashing import hashed_user, key_bytes
from evenhand.service.client.sender import Sender, dropped
from evenhand.service.client.server import Server, UnansweredError
from evenhand.service.client.spool import Spool
from evenhand.service.client.targets import Targets

_LONGEST_S = 60.0
_LAST_MOMENT = 1e11  # seconds since 1970
_OTHER_PROCESS = "This client was made in another process; make one in each, with a spool of its own."
_UNREADABLE = "A line of the spool could not be read."
_IN_MEMORY = "The spool cannot be written to; what is reported is in memory alone until it is sent."
_OVERFLOWED = "The spool was full, and the oldest made place."


class Client:
    """Thread-safe; make one in each process, with a spool (a folder) of its own, and close it.

    `assign` waits `timeout` seconds at most, whatever the server does, and then serves the user by their own
    policy. `version` is that of your policies. With `hash_key` the server never sees an id.
    """

    def __init__(
        self,
        url: str,
        token: str,
        audit: str,
        *,
        spool: str | os.PathLike[str],
        timeout: float = 0.05,
        version: str | None = None,
        hash_key: bytes | str | None = None,
    ) -> None:
        if not isinstance(audit, str) or not re.fullmatch("[0-9a-f]{16}", audit):
            raise InputError("audit is not the id of an audit, which is what POST /api/audits answers.")
        self._timeout = number("timeout", timeout, 0, _LONGEST_S, above=True)
        self._server = Server(url, token)
        self._hash_key = None if hash_key is None else key_bytes(hash_key)
        self._audit = audit
        self._counts = Counts()
        self._targets = Targets(self._server, audit, self._counts)
        self._spool = Spool(Path(spool))
        for _ in range(self._spool.unreadable):
            self._counts.drop(Dropped("unknown", None, _UNREADABLE))
        self._left = {one.of for one in self._spool.waiting("opt_out") if one.audit == audit}
        self._process, self._closed = os.getpid(), False
        self._background = Background(self._server.close)
        self._asking = Asking(self._server, self._background, audit, version, self._counts)
        self._background.call(self._targets.keep_fresh())
        self._sender = Sender(self._server, self._spool, self._counts, self._targets)
        self._background.call(self._sender.work())
        if len(self._spool):
            self._wake()

    # Visits

    def assign(self, user: str) -> Assignment:
        """Whose policy serves this user now. It never raises for what the server does."""
        until = time.monotonic() + self._timeout
        name = self.hashed(user)
        targets = self._targets.known
        if os.getpid() != self._process:
            # Not counted: see `_refuse_other_process`.
            warnings.warn(_OTHER_PROCESS, RuntimeWarning, stacklevel=2)
            return Assignment(None, user, None, "other_process")
        if self._closed:
            return self._fall_back(user, "closed")
        if targets is None:
            return self._fall_back(user, "targets_unknown")
        if name in self._left or name not in targets:
            over = "ended" if self._targets.ended else "not_target"
            found = Assignment(None, user, None, "opted_out" if name in self._left else over)
        else:
            try:
                found = self._asking.ask(user, name, until)
            except UnansweredError as error:
                if error.why != "resting":
                    self._counts.trouble(f"A visit was served without asking: {error}")
                return self._fall_back(user, error.why)
        self._counts.visit(found)
        return found

    def shown(self, assignment: Assignment | str) -> None:
        """The user has seen it. Returns at once; what has no id is nobody's business."""
        self._report("shown", assignment, time.time(), None)

    def reward(self, assignment: Assignment | str, value: float, observed_at: float | None = None) -> None:
        """What came of it, from 0 to 1, observed now or at a time in seconds since 1970. Returns at once."""
        at = time.time() if observed_at is None else number("observed_at", observed_at, 0, _LAST_MOMENT)
        self._report("reward", assignment, at, number("value", value, 0, 1))

    def opt_out(self, user: str) -> None:
        """By their own policy from now on: here at once, everywhere when the server has heard of it."""
        name = self.hashed(user)
        if name not in self._left:
            self._add("opt_out", name, time.time())
            self._left.add(name)

    def hashed(self, user: str) -> str:
        """What the server knows this user as: itself where there is no hash_key."""
        if not isinstance(user, str) or not user:
            raise InputError(f"user is {type(user).__name__}; ids of users are text that is not empty.")
        return user if self._hash_key is None else hashed_user(self._hash_key, user)

    # How it goes

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether the targets are known; waits for that so long. Before it, all visits fall back."""
        self._refuse_other_process()
        return self._targets.are_known.wait(timeout)

    def stats(self) -> Stats:
        self._refuse_other_process()
        return self._counts.stats(len(self._spool), self._targets.ended)

    def dropped(self) -> list[Dropped]:
        """The last hundred reports that were given up, and why."""
        self._refuse_other_process()
        return self._counts.last_dropped()

    def flush(self, timeout: float = 5.0) -> bool:
        """Send now what is spooled; whether all of it was sent in time. What was not stays on the disk."""
        self._refuse_other_process()
        self._wake(hurry=True)
        return self._spool.wait_empty(timeout)

    def close(self, timeout: float = 5.0) -> None:
        """Flush and stop. What could not be sent waits on the disk for the next client."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._process:
            return  # what there is belongs to another
        self.flush(timeout)
        self._spool.close()
        self._background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fall_back(self, user: str, why: str) -> Assignment:
        self._counts.fell_back(why)
        return Assignment(None, user, None, why)

    def _report(self, kind: str, assignment: Assignment | str, at: float, reward: float | None) -> None:
        id_ = assignment.id if isinstance(assignment, Assignment) else assignment
        if id_ is None:
            return
        if not is_id(id_):
            raise InputError("assignment is neither what `assign` returned nor its id.")
        self._add(kind, id_, at, reward)

    def _add(self, kind: str, of: str, at: float, reward: float | None = None) -> None:
        self._refuse_other_process()
        gone = self._spool.add(kind, of, at, reward, self._audit if kind == "opt_out" else None)
        if gone is not None:
            self._counts.drop(dropped(gone, _OVERFLOWED))
        if self._spool.is_torn:
            self._counts.trouble(_IN_MEMORY)
        self._wake(hurry=kind == "opt_out")

    def _refuse_other_process(self) -> None:
        """A lock that somebody held when the process forked is never free again."""
        if os.getpid() != self._process:
            raise InputError(_OTHER_PROCESS)

    def _wake(self, hurry: bool = False) -> None:
        with suppress(RuntimeError):  # it is closed, and what is spooled stays
            self._background.loop.call_soon_threadsafe(self._sender.wake, hurry)
