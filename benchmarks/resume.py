"""Is an audit that is interrupted and resumed the same as one that was not?

The plan of the demo, on a smaller marketplace, is run as a process of its own, stopped at random moments by
SIGINT and SIGKILL in turn, and run again with the same folder: findings.json, and every other file but
run.log, must be the same byte for byte, and nothing that was kept may be left.

    python benchmarks/resume.py [STOPS, 20 unless told]
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.datasets import marketplace
from evenhand.plan.demo import PLAN


def started(plan: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "evenhand", "audit", str(plan), "--out", str(out), "--quiet"]
    # In the background of a shell, interrupts are ignored, and so they would be here.
    return subprocess.Popen(
        command, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.log"
    }


def main(stops: int) -> int:
    draw = random.Random(19)
    wrong = 0
    with tempfile.TemporaryDirectory() as there:
        home = Path(there)
        marketplace(users=400, items=80, default_rows=8_000, random_rows=4_000).save(home / "data")
        plan = home / "audit.toml"
        plan.write_text(PLAN.format(seed=0), encoding="utf-8")
        for name in ("first", "whole"):  # the first compiles
            began = time.monotonic()
            started(plan, home / name).wait()
            whole = time.monotonic() - began
        expected = files(home / "whole")
        print(f"undisturbed: {whole:.1f} s, {len(expected)} files")
        number, hit = 0, 0
        while hit < stops:
            number += 1
            out = home / f"out{number}"
            by = signal.SIGINT if number % 2 == 0 else signal.SIGKILL
            process = started(plan, out)
            at = draw.uniform(0.1, 1.0) * whole
            time.sleep(at)
            process.send_signal(by)
            code = process.wait()
            if code == 0:  # it was over before: no interruption
                continue
            hit += 1
            kept = len(list((out / ".unfinished").glob("[0-9a-f]*"))) if out.exists() else 0
            began = time.monotonic()
            again = started(plan, out).wait()
            took = time.monotonic() - began
            same = again == 0 and files(out) == expected
            left = [path.name for path in out.iterdir() if path.name.startswith(".")]
            wrong += not same or ".unfinished" in left
            print(
                f"{by.name} after {at:5.1f} s (exit {code}): {kept} steps kept, resumed in {took:5.1f} s, "
                f"{'the same' if same else 'DIFFERENT'}"
                f"{', left ' + ', '.join(left) if left else ''}",
                flush=True,
            )
    print(f"{stops - wrong} of {stops} are the same byte for byte")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
