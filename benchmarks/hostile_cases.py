"""Every hostile case of tests/hostile: how many of each kind, which ended badly, and the memory they took.

    .venv/bin/python benchmarks/hostile_cases.py [--only "csv"] [--limit 2]

A good end is the numbers of the plain world, to the last digit, or one sentence. Exits with 1 if there is any
other, or if this process took more than `--limit` gigabytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from hostile import all_cases
from hostile.doors import peak_memory


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--only", default="", help="cases whose kind, name or audit has this in it")
    options.add_argument("--limit", type=float, default=2.0, help="gigabytes of memory")
    asked = options.parse_args()
    counted: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    start = time.monotonic()
    for case in all_cases():
        if asked.only not in str(case):
            continue
        counted[case.kind] += 1
        with tempfile.TemporaryDirectory() as folder:
            fault = case.fault(Path(folder))
        if fault:
            bad[case.kind] += 1
            print(f"{case}: {fault}", flush=True)
    for kind, count in counted.items():
        print(f"{count:5,}  {kind}" + (f", {bad[kind]:,} bad" if bad[kind] else ""))
    taken = peak_memory()
    print(
        f"{counted.total():5,}  cases, {bad.total():,} bad, {taken:.2f} GB, {time.monotonic() - start:.0f} s"
    )
    sys.exit(bool(bad) or taken > asked.limit)


if __name__ == "__main__":
    main()
