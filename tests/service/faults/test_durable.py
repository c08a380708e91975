"""What is acknowledged is on the disk: the system calls of a server are watched, and those of PostgreSQL,
which writes for it. Killing one shows nothing of that, since what a process wrote outlives it."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from service.faults.conftest import Desk

pytestmark = pytest.mark.slow
REQUESTS = 20
CALLS = "read,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync"
ASKED = re.compile(r'(read|recvfrom|recvmsg)\(.*"POST /api/')
ACKNOWLEDGED = re.compile(r'(write|writev|sendto|sendmsg)\(.*"HTTP/1\.1 20')
JOURNAL = r"\(\d+<[^>]*(-wal|/pg_wal/[0-9A-F]{24})>"  # of SQLite, of PostgreSQL
WRITTEN = re.compile("p?write(64)?" + JOURNAL)
SYNCED = re.compile("f(data)?sync" + JOURNAL)


def acknowledgements(calls):
    """Of each, whether between the request and it something was written to the journal, and synced."""
    found, written, synced = [], False, False
    for line in calls:
        if ASKED.search(line):
            written = synced = False
        elif WRITTEN.search(line):
            written = True
        elif SYNCED.search(line):
            synced = synced or written
        elif ACKNOWLEDGED.search(line):
            found.append(synced)
    return found


def family(process):
    """A process and those that it began."""
    begun = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(one for child in begun for one in family(child))]


@pytest.mark.parametrize("spoilt", [None, "syncs_nothing", "answers_before_the_commit"])
def test_synced_before_each_acknowledgement(nursery, store, tmp_path, request, spoilt):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    desk, calls = Desk(nursery, store, tmp_path, spoilt), tmp_path / "calls"
    watched = [str(desk.server.process)]
    if "postgresql" in store:
        watched += family(request.getfixturevalue("synced_postgres").process)
    command = ["strace", "-f", "-y", "-e", f"trace={CALLS}", "-o", str(calls)]
    with subprocess.Popen(
        [*command, *(part for one in watched for part in ("-p", one))], stderr=subprocess.PIPE, text=True
    ) as strace:
        for _ in watched:
            assert "attached" in strace.stderr.readline()
        assert {desk.assign()[0] for _ in range(REQUESTS)} == {201}
        time.sleep(0.2)
        desk.server.stop()
        strace.terminate()  # where PostgreSQL is watched, too, it would go on
    synced = acknowledgements(calls.read_text().splitlines())
    assert len(synced) == REQUESTS
    if spoilt is None:
        assert all(synced)
    elif spoilt == "syncs_nothing" and "postgresql" not in store:
        assert not any(synced)
    else:  # PostgreSQL syncs now and then, whether or not somebody waits for it
        assert not all(synced)
