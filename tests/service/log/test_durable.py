"""What is acknowledged is on the disk: the system calls of a server are watched. Killing one shows nothing of
that, since what a process wrote outlives it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = """
import os, sys
from evenhand.store.connecting import open_store
from evenhand.service.log import AskedLiveAudit, Key, Log
from sqlalchemy import event
sys.path.append(sys.argv[3])
from service.log.standin import COINS

store = open_store(sys.argv[1])
if sys.argv[2] == "OFF":
    event.listen(store.engine, "checkout", lambda one, *_: one.execute("PRAGMA synchronous = OFF"))
log = Log(store, auditors=COINS, sweep_s=None)
told = {"users": ["a", "b"], "criterion": "exact", "deadline_s": 100.0, "reward": "clicks"}
asked = AskedLiveAudit.of(told | {"activation": "on_assign"})
audit = log.create_audit(Key("made", "t", ""), asked).result().body["id"]
acknowledged = os.open(sys.argv[1] + ".acknowledged", os.O_WRONLY | os.O_CREAT)
for i in range(40):
    assert log.assign(Key(f"k{i}", "t", ""), audit, "ab"[i % 2]).result().status == 201
    os.write(acknowledged, b"one")
log.close()
"""


def unsynced_acknowledgements(calls):
    """How many there are, and how many of them came before what was written last was synced."""
    dirty, seen, unsynced = True, 0, 0
    for line in calls:
        if re.search(r"p?write(64)?\(\d+<[^>]*\.acknowledged>", line):
            seen += 1
            unsynced += dirty
            dirty = True  # each has a commit of its own to wait for
        elif re.search(r"f(data)?sync\(\d+<[^>]*-wal>", line):
            dirty = False
        elif re.search(r"p?write(64)?\(\d+<[^>]*-wal>", line):
            dirty = True
    return seen, unsynced


@pytest.mark.slow
@pytest.mark.parametrize("synchronous", ["FULL", "OFF"])
def test_synced_before_each_acknowledgement(tmp_path, synchronous):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    traced = tmp_path / "calls"
    watched = ["strace", "-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", str(traced)]
    server = [
        sys.executable,
        "-c",
        SERVER,
        str(tmp_path / "s.db"),
        synchronous,
        str(Path(__file__).parents[2]),
    ]
    subprocess.run([*watched, *server], check=True, timeout=120)
    seen, unsynced = unsynced_acknowledgements(traced.read_text().splitlines())
    assert seen == 40
    assert unsynced == (0 if synchronous == "FULL" else 40)
