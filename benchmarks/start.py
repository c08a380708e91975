"""How long a user waits before anything happens, beside what cannot be avoided: imports.

    .venv/bin/python benchmarks/start.py [--rounds 5]

`--help` beside importing the libraries that print it, and an audit of 10,000 rows from the command line, page
included, beside importing what it needs. Processor time of whole processes, the shortest of the rounds; a
first round, in which code is compiled and kept, does not count.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

AUDIT = "opportunity --default {0}/default.parquet --random {0}/random.parquet --label liked"
AUDIT += " --group creator_age --cluster user_id --quiet --out {0}/out"


def processor_time(*words: str) -> float:
    """Seconds of a Python process of its own."""
    before = os.times()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        made = (
            "import evenhand; evenhand.datasets.marketplace(default_rows=8_000, random_rows=2_000).save({!r})"
        )
        processor_time("-c", made.format(folder))
        audit = ["-m", "evenhand", *AUDIT.format(Path(folder)).split()]
        for name, asked, imports in (
            ("--help", ["-m", "evenhand", "--help"], "import typer, rich"),
            ("an audit of 10,000 rows", audit, "import evenhand.opportunity"),
        ):
            took = [(processor_time(*asked), processor_time("-c", imports)) for _ in range(rounds + 1)][1:]
            ours, theirs = (min(times) for times in zip(*took, strict=True))
            verdict = "reached" if ours <= 2.5 * theirs else "not reached"
            ratio = f"{ours / theirs:.2f} x `{imports}` ({theirs:.2f} s)"
            print(f"{name}: {ours:.2f} s, {ratio}; limit 2.5 x: {verdict}")


if __name__ == "__main__":
    main()
