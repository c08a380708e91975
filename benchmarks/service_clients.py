"""Clients of servers that may be killed at any moment: they write down what was acknowledged, and send again,
with the same Idempotency-Key, what was not."""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from service_servers import Server, headers_of

REPEATED = 0.08  # of the requests are sent twice at the same time
NEVER = 0.1  # of the visits are never shown, and of those that are never reported
_AT_ONCE = 12  # people who are asked for at a time
_PATIENCE_S = 40.0


class World(NamedTuple):
    """An audit, and what its users think of policies: rewards by whose policy it is."""

    audit: str
    users: tuple[str, ...]
    on_shown: bool
    means: dict[tuple[str, str], float]  # (user, policy of)


class Asked(NamedTuple):
    key: str
    path: str
    body: dict[str, Any] | None


class Acknowledged(NamedTuple):
    """What a client heard: `kind` is a (assigned), s (shown) or r (reward)."""

    kind: str
    asked: Asked
    status: int
    body: dict[str, Any]
    server: str


class Notes:
    """What all clients write down."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.twice: set[str] = set()  # keys of what was sent to two at once
        self.cut_off: Counter[int] = Counter()  # requests whose answer never came, by process
        self.cut_at: dict[str, float] = {}  # by key
        self.at_work: Counter[int] = Counter()  # answers by process
        self.unavailable: Counter[str] = Counter()  # sentences of 503
        self.reasons: Counter[str] = Counter()
        self.when_acknowledged: Callable[[Server], None] | None = None
        self._open = deque((world, user) for world in worlds for user in world.users)
        self._lock = threading.Lock()

    def take(self, kind: str, asked: Asked, status: int, body: dict[str, Any], server: Server) -> None:
        if self.when_acknowledged is not None:
            self.when_acknowledged(server)
        with self._lock:
            self.acknowledged.append(Acknowledged(kind, asked, status, body, server.name))
            self.at_work[server.process] += 1

    def visitor(self, drawn: float) -> tuple[World, str] | None:
        with self._lock:
            some = min(_AT_ONCE, len(self._open))
            return self._open[int(drawn * some)] if some else None

    def served(self, visitor: tuple[World, str], reason: str) -> None:
        """This user's audit takes no more visits."""
        with self._lock:
            self.reasons[reason] += 1
            if visitor in self._open:
                self._open.remove(visitor)

    def cut(self, key: str, process: int) -> None:
        with self._lock:
            self.cut_off[process] += 1
            self.cut_at.setdefault(key, time.time())

    def unanswered(self, body: dict[str, Any]) -> None:
        with self._lock:
            self.unavailable[str(body.get("error"))] += 1


class Line:
    """A connection to a server. One that is cut off is made again at the next request."""

    def __init__(self, server: Server, token: str) -> None:
        self.server, self.process, self._token = server, 0, token
        self._line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE_S)

    def send(self, asked: Asked) -> bool:
        """Whether it went out."""
        try:
            if self._line.sock is None:
                self.process = self.server.process
                self._line.connect()
            body = None if asked.body is None else json.dumps(asked.body)
            self._line.request("POST", asked.path, body, headers_of(self._token, asked.key))
        except (OSError, http.client.HTTPException):
            self.close()
            return False
        return True

    def answer(self) -> tuple[int, dict[str, Any]] | None:
        """None where it was cut off."""
        try:
            answer = self._line.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException):
            self.close()
            return None

    def close(self) -> None:
        self._line.close()


class Client(threading.Thread):
    """Asks and reports without a pause, until it is stopped and its last visit is done."""

    def __init__(
        self, number: int, servers: Sequence[Server], token: str, notes: Notes, stop: threading.Event
    ) -> None:
        super().__init__(name=f"client-{number}", daemon=True)
        self._number, self._servers, self._token, self._notes, self._stop_ = (
            number,
            servers,
            token,
            notes,
            stop,
        )
        self._lines = deque(Line(server, token) for server in servers)
        self._lines.rotate(number)
        self._home = self._lines[0]
        self._last: tuple[str, Asked] | None = None

    def run(self) -> None:
        visit = 0
        while not self._stop_.is_set():
            visitor = self._notes.visitor(chance(self._number, visit))
            if visitor is None:
                return
            self._serve(*visitor, f"{self._number}.{visit}")
            visit += 1
        for line in self._lines:
            line.close()

    def _serve(self, world: World, user: str, name: str) -> None:
        while self._lines[0] is not self._home:  # where it was before a kill
            self._lines.rotate(1)
        made = self._ask("a", Asked(f"{name}.a", f"/api/audits/{world.audit}/assignments", {"user": user}))
        if made["id"] is None:
            self._notes.served((world, user), made["reason"])
            return
        path = f"/api/assignments/{made['id']}"
        if world.on_shown:
            if chance(name, "shown") < NEVER:
                return
            self._ask("s", Asked(f"{name}.s", f"{path}/shown", None))
        if chance(name, "reported") >= NEVER:
            liked = world.means[user, made["policy_of"]] + 0.2 * (chance(name, "liked") - 0.5)
            self._ask("r", Asked(f"{name}.r", f"{path}/reward", {"reward": round(liked, 3)}))

    def _ask(self, kind: str, asked: Asked) -> dict[str, Any]:
        """What is answered to it, once it is; some are sent to another server at the same time."""
        lines = [self._lines[0]]
        if chance(asked.key, "twice") < REPEATED:
            lines.append(Line(self._lines[-1].server, self._token))
            self._notes.twice.add(asked.key)
        sent = [line.send(asked) for line in lines]
        answers = [
            self._heard(kind, asked, line if out else None) for line, out in zip(lines, sent, strict=True)
        ]
        for line in lines[1:]:
            line.close()
        self._last = kind, asked
        # One of two may say that nothing is done any more, after the other did it.
        return next((body for body in answers if body.get("id")), answers[0])

    def _heard(self, kind: str, asked: Asked, line: Line | None) -> dict[str, Any]:
        again = False
        while True:
            if line is not None:
                answer = line.answer()
                if answer is None:
                    self._notes.cut(asked.key, line.process)
                elif answer[0] != 503:
                    self._notes.take(kind, asked, *answer, line.server)
                    if again and self._last is not None:  # what was acknowledged before is still known
                        (kind_, last), self._last = self._last, None
                        self._heard(kind_, last, line if line.send(last) else None)
                    return answer[1]
                else:
                    self._notes.unanswered(answer[1])
            again = True
            time.sleep(0.02)
            self._lines.rotate(1)
            line = self._lines[0] if self._lines[0].send(asked) else None


def chance(*of: Any) -> float:
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:6], "big") / 2**48
