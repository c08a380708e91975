"""Steps whose results are kept: what is long is said beforehand, and a run that is stopped goes on."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One paper on one set of data: where they are, where results are kept, and how large it is."""

    data: Path
    work: Path
    quick: bool = False
    seeds: int = 3
    models: Path | None = None
    """Where models are that were trained elsewhere, by a GPU say."""
    leave_out: tuple[str, ...] = ()
    """Models that are not to be trained, as they take long."""

    def folder(self, name: str) -> Path | None:
        """The folder of a data set, if it is at hand."""
        return self.data / name if (self.data / name).is_dir() else None

    def step(self, name: str, make: Callable[[], Any], minutes: float = 0) -> Any:
        """What `make` gives (plain JSON), from the last run where it is there."""
        path = self.work / f"{name}.json"
        if path.exists():
            return json.loads(path.read_text())
        about = f", about {minutes:g} minutes on one core" if minutes >= 1 and not self.quick else ""
        say(f"{name}{about} ...")
        started = time.perf_counter()
        found = make()
        self.work.mkdir(parents=True, exist_ok=True)
        whole = path.with_suffix(".part")
        whole.write_text(json.dumps(found, default=float, indent=1))
        whole.replace(path)
        say(f"{name}: {time.perf_counter() - started:.0f} s")
        return json.loads(path.read_text())


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def first_say_what_is_long(run: Run, minutes: Mapping[str, float]) -> None:
    """Which steps are not done yet and take minutes."""
    left = {name: cost for name, cost in minutes.items() if not (run.work / f"{name}.json").exists()}
    if not run.quick and sum(left.values()) >= 1:
        listed = ", ".join(f"{name} {cost:g}" for name, cost in left.items())
        say(
            f"About {sum(left.values()):.0f} minutes on one core: {listed}. What is done is kept in {run.work}."
        )
