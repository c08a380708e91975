"""Requests to an endpoint: few at once, each within a time, and again where that may help."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.adapters.endpoints.answers import (
    FEW,
    Pair,
    Question,
    UnreadableError,
    WrongAnswerError,
)

if TYPE_CHECKING:
    import httpx

FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 30.0
# An endpoint may ask to be left alone for so long; beyond that somebody should look.
LONGEST_ASKED_WAIT_S = 120.0
# Of an answer: a number and two ids a pair, if it sends these back, and some more.
_BYTES_A_PAIR, _BYTES_BESIDES = 64, 1 << 16


class _PassingError(Exception):
    """What may be better the next time, and how long the endpoint asks to wait."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


class Endpoint:
    """Asks for scores; `where` is the address in messages. The token is in no message."""

    def __init__(
        self,
        url: str,
        where: str,
        *,
        batch: int,
        concurrency: int,
        timeout: float,
        retries: int,
        token: str | None,
    ) -> None:
        self._url, self._where = url, where
        self._batch, self._concurrency, self._timeout, self._retries = batch, concurrency, timeout, retries
        self._headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"
        # Pairs of every question, and their scores in the first answer: a model that is changed while it is
        # asked, or one of several that are not alike, gives each answer without a fault.
        self._always: list[Pair] = []
        self._said: dict[Pair, float] = {}

    def scores(self, users: list[Any], items: list[Any]) -> NDArray[np.float64]:
        """One score a pair, in the order of the pairs."""
        from anyio.from_thread import start_blocking_portal

        # In a thread of its own, as whoever calls may have a loop that runs (a notebook has).
        with start_blocking_portal() as portal:
            found = portal.call(self._all, users, items)
        if isinstance(found, InputError):
            raise found
        return found

    async def _all(self, users: list[Any], items: list[Any]) -> NDArray[np.float64] | InputError:
        import anyio
        import httpx

        for place in random.sample(range(len(users)), min(FEW - len(self._always), len(users))):
            self._always.append((users[place], items[place]))
        scores = np.empty(len(users))
        starts = iter(range(0, len(users), self._batch))
        failures: list[InputError] = []

        async def work(client: httpx.AsyncClient, stop: Callable[[], None]) -> None:
            for start in starts:  # one iterator of all workers
                part = slice(start, start + self._batch)
                try:
                    scores[part] = await self._answered(client, users[part], items[part])
                except InputError as error:
                    failures.append(error)
                    stop()
                    break

        no_proxy = on_this_machine(self._where)
        async with (
            httpx.AsyncClient(timeout=None, trust_env=not no_proxy) as client,
            anyio.create_task_group() as group,
        ):
            for _ in range(self._concurrency):
                group.start_soon(work, client, group.cancel_scope.cancel)
        return failures[0] if failures else scores

    async def _answered(
        self, client: httpx.AsyncClient, users: list[Any], items: list[Any]
    ) -> NDArray[np.float64]:
        import anyio

        question = Question.about(users, items, self._always)
        for tried in range(self._retries + 1):
            try:
                return question.scores_in(await self._asked(client, question.body()), self._said)
            except WrongAnswerError as error:
                self._said.clear()  # who begins again may ask another model
                raise InputError(
                    f"{self._where} {error}; no score of it is used: mend the endpoint."
                ) from None
            except (UnreadableError, _PassingError) as error:
                last = error
            wait = getattr(last, "wait", 0.0)
            if wait > LONGEST_ASKED_WAIT_S:
                raise InputError(
                    f"{self._where} asks to wait {wait:,.0f} seconds ({last}), and {LONGEST_ASKED_WAIT_S:g} "
                    "are the most that are waited; ask it later, or fewer pairs at once (batch, concurrency)."
                )
            if tried < self._retries:
                # Any part of the time, so that requests that failed together do not come again together.
                longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**tried)
                await anyio.sleep(wait + random.uniform(0, longest))
        times = f"{self._retries + 1} times in a row" if self._retries else "once"
        raise InputError(
            f"{self._where} was asked {times} for {len(users):,} scores and gave none (the last time: {last})"
            "; see that it runs, or give it more time (timeout), fewer pairs (batch), more tries (retries)."
        )

    async def _asked(self, client: httpx.AsyncClient, body: bytes) -> bytes:
        """The content of an answer that says 200, read no further than an answer can be long."""
        import anyio
        import httpx

        most = _BYTES_BESIDES + 4 * len(body) + _BYTES_A_PAIR * self._batch
        try:
            # One time for all of it: one that sends a byte now and then would hold us for ever.
            with anyio.fail_after(self._timeout):
                async with client.stream("POST", self._url, content=body, headers=self._headers) as answer:
                    self._refuse(answer)
                    packed = answer.headers.get("content-encoding", "identity").strip().lower()
                    if packed not in ("", "identity"):
                        raise WrongAnswerError(
                            f"sent its answer packed ({packed[:20]}), and was asked for plain text "
                            "(accept-encoding: identity)"
                        )
                    content = bytearray()
                    async for part in answer.aiter_raw():
                        content += part
                        if len(content) > most:
                            raise WrongAnswerError(f"sent more than {most:,} bytes for {len(body):,}")
                    return bytes(content)
        except TimeoutError:
            raise _PassingError(f"no answer within {self._timeout:g} seconds") from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise InputError(f"{self._where} is not an address that can be asked; look at url.") from None
        except httpx.HTTPError as error:
            if "CERTIFICATE" in str(error):
                raise InputError(
                    f"{self._where} has a certificate that this computer does not trust; name its authority "
                    "in SSL_CERT_FILE."
                ) from None
            away = isinstance(error, httpx.ConnectError)
            said = "it cannot be reached" if away else "the connection broke"
            raise _PassingError(f"{said}, {type(error).__name__}") from None

    def _refuse(self, answer: httpx.Response) -> None:
        """Raise unless it says 200."""
        status = answer.status_code
        if status == 200:
            return
        if status == 429 or status >= 500:
            raise _PassingError(f"it answered {status}", _asked_wait(answer.headers.get("retry-after", "")))
        advice = "look at its address"
        if status in (401, 403):
            advice = "it wants a token: put it into an environment variable and name that (token_env)"
            if "authorization" in self._headers:
                advice = "it does not take the token in the variable that token_env names"
        elif status in (400, 413, 422):
            advice = (
                "it does not take what it is asked; ask fewer pairs at a time (batch), or look at its log"
            )
        elif 300 <= status < 400:
            advice = "it sends us elsewhere, which is not followed: give the address where it is now"
        raise InputError(f"{self._where} answered {status}; {advice}.")


def on_this_machine(where: str) -> bool:
    host = urlsplit(where).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _asked_wait(after: str) -> float:
    """Seconds that a Retry-After asks for; it is a number of seconds or a date."""
    if after.strip().isdecimal():
        return float(after) if len(after) < 10 else math.inf
    try:
        when = parsedate_to_datetime(after)
    except ValueError:
        return 0.0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
