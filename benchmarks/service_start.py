"""How long a live service takes until it is ready, beside importing what it needs from others.

    python benchmarks/service_start.py                          # SQLite, an empty store
    python benchmarks/service_start.py --store live.db          # and one that has been in use

What it needs is what a running server has imported that is neither Evenhand nor Python's own. Seconds, and
seconds of processor time, which tell more on a machine that others use; medians of rounds in which all are
measured in turn. A first round, in which code is compiled and kept, does not count.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from service_http_server import Server

# Names and not statements: parts of a package that cannot be imported by themselves are left out.
_IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
"""


class Took(NamedTuple):
    seconds: float
    processor_s: float


def needed(address: str) -> list[str]:
    """Modules that a server imports until it is ready, but for Evenhand's own and Python's."""
    with tempfile.TemporaryFile("w+") as said:
        with Server(address, imports_to=said) as server:
            server.wait()
        said.seek(0)
        lines = [line.rpartition("|")[2].strip() for line in said if line.startswith("import time:")]
    own = {"evenhand", "imported package", *sys.stdlib_module_names}
    return list(dict.fromkeys(name for name in lines if name.partition(".")[0] not in own))


def importing(names: list[str]) -> Took:
    before, began = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-c", _IMPORTS, *names], check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(time.perf_counter() - began, used)


def starting(address: str) -> Took:
    with Server(address) as server:
        return Took(server.wait(), server.processor_s())


def measured(empty: str, used: str | None, rounds: int) -> dict[str, list[Took]]:
    names = needed(empty)
    found: dict[str, list[Took]] = {"imports": [], "empty store": []}
    if used is not None:
        found["used store"] = []
    for _ in range(rounds + 1):
        found["imports"].append(importing(names))
        found["empty store"].append(starting(empty))
        if used is not None:
            found["used store"].append(starting(used))
    return {name: took[1:] for name, took in found.items()}


def told(found: dict[str, list[Took]]) -> str:
    middle = {name: Took(*(median(each) for each in zip(*took, strict=True))) for name, took in found.items()}
    first = middle["imports"]
    lines = []
    for name, took in middle.items():
        times = took.seconds / first.seconds, took.processor_s / first.processor_s
        lines.append(
            f"{name:12}{took.seconds:7.2f} s ({times[0]:.2f} x imports), "
            f"{took.processor_s:.2f} s of processor ({times[1]:.2f} x)"
        )
    return "\n".join([*lines, f"load of the machine {os.getloadavg()[0]:.1f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--store", help="a store that has been in use; it gets a token")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-start-") as folder:
        print(told(measured(str(Path(folder) / "s.db"), asked.store, asked.rounds)))


if __name__ == "__main__":
    main()
