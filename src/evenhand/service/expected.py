"""How long an audit will take, computed in a process of its own: it simulates for seconds."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.service.log.streams import AuditStream

_SOON_S = 20.0  # how long whoever begins an audit waits for it
_LONGEST_S = 120.0
_MOST_KNOWN = 1_000  # settings; the oldest are computed again when somebody asks
_BASELINE = 0.5  # rewards vary most there, so that nothing takes longer


class Expectations:
    """What was computed, by what it depends on: the settings of a user's audit."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any] | None] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._one_at_a_time = asyncio.Semaphore(1)  # however many audits are begun or looked at

    def known(self, about: AuditStream) -> dict[str, Any] | None:
        """What is known now; what is not begins to be computed."""
        key = json.dumps(about.of_a_user, sort_keys=True)
        if key not in self._known and key not in self._running:
            self._running[key] = asyncio.create_task(self._compute(key))
        return _in_days(self._known.get(key), about.settings.get("daily"))

    async def soon(self, about: AuditStream) -> dict[str, Any] | None:
        """Wait for it a while; None where it takes longer."""
        self.known(about)
        task = self._running.get(json.dumps(about.of_a_user, sort_keys=True))
        if task is not None:
            await asyncio.wait([task], timeout=_SOON_S)
        return self.known(about)

    async def _compute(self, key: str) -> None:
        try:
            async with self._one_at_a_time:
                self._known[key] = await _in_a_process(key)
            if len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]
        except OSError:
            pass  # no process could be made now; whoever asks next tries again
        finally:
            del self._running[key]


async def _in_a_process(key: str) -> dict[str, Any] | None:
    """None where it takes too long, or fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        told, _ = await asyncio.wait_for(process.communicate(key.encode()), _LONGEST_S)
        found: dict[str, Any] = json.loads(told)
        return found
    except (TimeoutError, ValueError):
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _in_days(steps: Mapping[str, Any] | None, daily: int | None) -> dict[str, Any] | None:
    if steps is None:
        return None
    days = {name: None if each is None or daily is None else each / daily for name, each in steps.items()}
    return {"steps_a_user": dict(steps), "days": days}


def steps(of_a_user: Mapping[str, Any]) -> dict[str, int | None]:
    """Typical steps until a user's audit ends: where nobody is better off, where another's policy is better
    by twice epsilon, and where the own is better by that. None where it is more than 20 million."""
    from evenhand.envy.online.auditor import Auditor
    from evenhand.envy.online.simulated.planning import typical_duration

    settings = Auditor(**of_a_user, rng=0).settings
    gap = min(2 * of_a_user["epsilon"], 0.4)
    others = of_a_user["arms"]
    worlds = {
        "nobody_better_off": [_BASELINE] * (others + 1),
        "another_is_better": [_BASELINE, _BASELINE + gap, *[_BASELINE] * (others - 1)],
        "own_is_better": [_BASELINE + gap, *[_BASELINE] * others],
    }
    return {name: typical_duration(means, settings) for name, means in worlds.items()}


def main(longest_s: float = _LONGEST_S) -> None:
    signal.setitimer(signal.ITIMER_REAL, longest_s)  # also where the server was killed that would end it
    os.nice(19)  # whoever visits meanwhile comes first
    print(json.dumps(steps(json.load(sys.stdin))))


if __name__ == "__main__":
    main()
