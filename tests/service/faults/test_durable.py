"""What is acknowledged is on the disk: the system calls of a server are watched. Killing one shows nothing of
that, since what a process wrote outlives it. PostgreSQL syncs by itself; one that does not is refused."""

import re
import shutil
import subprocess
import time

import pytest

from service.faults.conftest import Desk

pytestmark = pytest.mark.slow
REQUESTS = 20
CALLS = "read,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync"
ASKED = re.compile(r'(read|recvfrom|recvmsg)\(.*"POST /api/')
ACKNOWLEDGED = re.compile(r'(write|writev|sendto|sendmsg)\(.*"HTTP/1\.1 20')
WRITTEN = re.compile(r"p?write(64)?\(\d+<[^>]*-wal>")
SYNCED = re.compile(r"f(data)?sync\(\d+<[^>]*-wal>")


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


@pytest.mark.parametrize("spoilt", [None, "syncs_nothing", "answers_before_the_commit"])
def test_synced_before_each_acknowledgement(nursery, tmp_path, spoilt):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    desk, calls = Desk(nursery, str(tmp_path / "s.db"), tmp_path, spoilt), tmp_path / "calls"
    watched = ["strace", "-f", "-y", "-e", f"trace={CALLS}", "-o", str(calls), "-p", str(desk.server.process)]
    with subprocess.Popen(watched, stderr=subprocess.PIPE, text=True) as strace:
        assert "attached" in strace.stderr.readline()
        assert {desk.assign()[0] for _ in range(REQUESTS)} == {201}
        time.sleep(0.2)
        desk.server.stop()
    synced = acknowledgements(calls.read_text().splitlines())
    assert len(synced) == REQUESTS
    if spoilt is None:
        assert all(synced)
    elif spoilt == "syncs_nothing":
        assert not any(synced)
    else:
        assert not all(synced)
