"""Sends what is spooled, in batches that keep their key until they are answered."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from evenhand.service.client.counts import Counts, Dropped
from evenhand.service.client.server import Said, Server, UnansweredError
from evenhand.service.client.spool import Batch, Item, Spool
from evenhand.service.client.targets import Targets

MOST_IN_A_BATCH = 500
_LINGER_S = 0.1  # so that there is a batch
_WITHIN_S = 30.0
_FIRST_S, _LONGEST_S = 0.2, 60.0  # between tries
_TOO_EARLY, _EARLY_S = 425, 2.0  # another process shows, and has not said so yet
_TOO_LARGE = 413  # which a proxy says, too, and then less of it is sent
_FOR_GOOD = (400, 404, 409, _TOO_LARGE, 422)


class Sender:
    """Of one event loop, but for `spool`."""

    def __init__(self, server: Server, spool: Spool, counts: Counts, targets: Targets) -> None:
        self._server, self._spool, self._counts, self._targets = server, spool, counts, targets
        self._some, self._hurry = asyncio.Event(), asyncio.Event()
        self._alone = 0  # so many more batches of one

    def wake(self, hurry: bool = False) -> None:
        self._some.set()
        if hurry:
            self._hurry.set()

    async def work(self) -> None:
        """Until it is cancelled."""
        failures = 0
        while True:
            await self._some.wait()
            if failures == 0 and len(self._spool) < MOST_IN_A_BATCH:
                await self._pause(_LINGER_S)
            try:
                while await self._send_next():
                    failures = 0
            except UnansweredError as error:
                self._counts.trouble(f"What was reported waits: {error}")
                longest = min(_FIRST_S * 2**failures, _LONGEST_S)
                failures = min(failures + 1, 20)
                await self._pause(max(longest * random.uniform(0.5, 1.0), min(error.wait_s, _LONGEST_S)))

    async def _pause(self, seconds: float) -> None:
        """Or until somebody is in a hurry."""
        try:
            async with asyncio.timeout(seconds):
                await self._hurry.wait()
        except TimeoutError:
            pass
        self._hurry.clear()

    async def _send_next(self) -> bool:
        """Whether there was something."""
        self._some.clear()
        batch = self._spool.next_batch(1 if self._alone else MOST_IN_A_BATCH)
        if batch is None:
            return False
        self._some.set()
        path, said = _request(batch)
        headers = {"idempotency-key": batch.key}
        answer = await self._server.ask("POST", path, _WITHIN_S, said=said, headers=headers)
        if answer.status in _FOR_GOOD and answer.status != _TOO_LARGE and not answer.is_refusal:
            raise UnansweredError("wrong_answer", f"The server answered {answer.sentence}")
        if answer.status in _FOR_GOOD and len(batch.items) > 1:
            # One that is wrong keeps no other back.
            self._alone = len(batch.items)
            self._spool.done(())
            return True
        self._alone = max(self._alone - 1, 0)
        if self._settle(batch, _results(batch, answer)):
            await self._pause(_EARLY_S)
        return True

    def _settle(self, batch: Batch, results: list[dict[str, Any]]) -> bool:
        """Whether something is asked again soon, as it came too early."""
        settled, left, early = [], [], False
        for item, result in zip(batch.items, results, strict=True):
            status = result["status"]
            if status == 200:
                self._counts.add("sent")
                self._counts.add("uncounted", result.get("counted") is False)
            elif status in _FOR_GOOD and (status != 404 or self._targets.sees):
                # What a token may not know of is "not there", too; with another token it is.
                self._counts.drop(dropped(item, f"{status}: {result.get('error', 'refused')}"))
            elif status == _TOO_EARLY:
                early = True
                continue
            else:
                left.append(Said(status, result, None))
                continue
            settled.append(item)
        self._spool.done(settled)
        if left:
            raise UnansweredError("server_error", f"The server answered {left[0].sentence}")
        return early


def dropped(item: Item, why: str) -> Dropped:
    """Without the id of who opted out."""
    return Dropped(item.kind, None if item.kind == "opt_out" else item.of, why)


def _request(batch: Batch) -> tuple[str, bytes]:
    """The same for the same batch, to the last byte."""
    kind = batch.items[0].kind
    if kind == "opt_out":
        leaves = batch.items[0]
        return f"/api/audits/{leaves.audit}/opt-outs", json.dumps({"user": leaves.of}).encode()
    if kind == "shown":
        return "/api/shown", json.dumps([one.of for one in batch.items]).encode()
    said = [{"assignment": one.of, "reward": one.reward, "observed_at": one.at} for one in batch.items]
    return "/api/rewards", json.dumps(said).encode()


def _results(batch: Batch, answer: Said) -> list[dict[str, Any]]:
    """One for each item; what is refused in one piece is one item here."""
    body = answer.body if isinstance(answer.body, dict) else {}
    if answer.status in _FOR_GOOD:
        return [{**body, "status": answer.status}]
    if answer.status != 200:
        raise UnansweredError("refused", f"The server answered {answer.sentence}")
    results = [{"status": 200}] if batch.items[0].kind == "opt_out" else body.get("results")
    if (
        not isinstance(results, list)
        or len(results) != len(batch.items)
        or not all(isinstance(one, dict) and isinstance(one.get("status"), int) for one in results)
    ):
        raise UnansweredError("wrong_answer", "The server's answer is none to what was sent.")
    return results
