"""The client and the real server: what is reported is in the log, once, through kills of either."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import urllib.request

import pytest

from evenhand.service import Client, hashed_user
from service.client.running import RunningServer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = RunningServer(tmp_path_factory.mktemp("server"))
    yield made
    made.stop()


def visit(client, user):
    """Until it is answered: the machine may be busy, and a visit that fell back is no fault."""
    for _ in range(100):
        found = client.assign(user)
        if found.id is not None:
            return found
    raise AssertionError(client.stats())


def kinds(server, audit):
    return {stream: [event[0] for event in events] for stream, events in server.events(audit).items()}


def test_visits_and_what_came_of_them_are_in_the_log(server, tmp_path):
    audit = server.audit()
    with Client(server.url, server.token, audit, spool=tmp_path / "s", timeout=10.0) as client:
        assert client.ready(30)
        assert client.assign("zoe").reason == "not_target"
        for i in range(6):
            found = visit(client, "ann")
            assert found.policy_of in ("ann", "ben", "cem")
            client.shown(found)
            client.reward(found, i / 10)
        again = found
        client.opt_out("ben")
        assert client.flush(30)
        client.reward(again, 1.0)
        client.shown("nothing-of-yours")
        assert client.flush(30)
        assert (client.stats().sent, client.stats().uncounted) == (13, 0)
        assert client.stats().dropped == {
            "409: Another reward was reported for this assignment before.": 1,
            "404: There is no such assignment.": 1,
        }
    logged = kinds(server, audit)
    assert (logged[1].count("assign"), logged[1].count("shown")) == (6, 6)
    assert server.ask("GET", f"/api/audits/{audit}")["opted_out"] == 1
    targets = server.ask("GET", f"/api/audits/{audit}/targets")["targets"]
    assert sorted(targets) == ["ann", "cem"]


def test_fallbacks_are_on_the_page_of_metrics(server, tmp_path):
    def told():
        with urllib.request.urlopen(f"{server.url}/metrics") as page:
            text = page.read().decode()
        return float(text.partition("\nevenhand_client_fallbacks_total ")[2].split()[0])

    before, audit = told(), server.audit()
    with Client(server.url, server.token, audit, spool=tmp_path / "s", timeout=10.0) as client:
        count = 0
        while not client.ready():
            count += client.assign("ann").reason == "targets_unknown"
        visit(client, "ann")
        assert client.stats().fallbacks == ({"targets_unknown": count} if count else {})
    assert told() - before == count


def test_users_by_their_hashes_alone(server, tmp_path):
    key = os.urandom(32)
    names = {hashed_user(key, user): user for user in ("ann", "ben", "cem")}
    audit = server.audit(users=list(names))
    with Client(server.url, server.token, audit, spool=tmp_path / "s", timeout=10.0, hash_key=key) as client:
        assert client.ready(30)
        policies = {visit(client, "ann").policy_of for _ in range(12)}
    assert "ann" in policies
    assert policies - {"ann"} <= set(names) - {hashed_user(key, "ann")}


def test_the_server_is_killed_and_nothing_is_lost_or_doubled(server, tmp_path):
    audit = server.audit()
    with Client(server.url, server.token, audit, spool=tmp_path / "s", timeout=10.0) as client:
        assert client.ready(30)
        found = [visit(client, "ann") for _ in range(20)]
        for each in found[:10]:
            client.shown(each)
            client.reward(each, 0.5)
        client._wake(hurry=True)  # some of it is on its way
        server.kill()
        for each in found[10:]:
            client.shown(each)
            client.reward(each, 0.5)
        assert client.assign("ann").id is None
        server.start()
        assert client.flush(120)
        assert client.stats().dropped == {}
    events = server.events(audit)[1]
    shown = [event[1] for event in events if event[0] == "shown"]
    rewarded = [
        number for event in events if event[0] == "deliver" for number, reward in event[1] if reward == 0.5
    ]
    assert len(shown) == len(set(shown)) == 20
    assert len(rewarded) == len(set(rewarded)) == 20


KILLED = """
    import json, sys
    from evenhand.service import Client
    url, token, audit, spool = json.loads(sys.argv[1])
    client = Client(url, token, audit, spool=spool, timeout=10.0)
    assert client.ready(30)
    while True:
        found = client.assign("ann")
        if found.id is not None:
            client.shown(found)
            client.reward(found, 0.5)
            print(found.id, flush=True)
"""


def test_the_system_is_killed_while_it_serves_and_what_it_reported_arrives(server, tmp_path):
    audit, ids = server.audit(), []
    told = json.dumps([server.url, server.token, audit, str(tmp_path / "s")])
    for _ in range(2):
        command = [sys.executable, "-c", textwrap.dedent(KILLED), told]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            ids += [process.stdout.readline().strip() for _ in range(30)]
            process.send_signal(signal.SIGKILL)
            ids += process.stdout.read().split()
    with Client(server.url, server.token, audit, spool=tmp_path / "s", timeout=10.0) as client:
        assert client.flush(60)
        assert client.stats().dropped == {}
    events = server.events(audit)[1]
    shown = [event[1] for event in events if event[0] == "shown"]
    delivered = [number for event in events if event[0] == "deliver" for number, _ in event[1]]
    assert len(set(ids)) == len(ids) >= 60
    # What was reported just before a kill may not have been said aloud; nothing that was is missing.
    assert len(ids) <= len(set(shown)) == len(shown) <= len(ids) + 2
    assert len(ids) <= len(set(delivered)) == len(delivered) <= len(ids) + 2


def test_simulate_finds_what_was_planted(server):
    found = _simulate(server, "--better-by", "0.5", "--rate", "150", "--seconds", "90", "--json")
    assert found.returncode == 0, found.stderr
    said = json.loads(found.stdout)
    assert said["said"]["outcome"] == "envy", said
    assert said["planted"] == {"better_by": 0.5, "epsilon": 0.2}
    assert said["agrees"] is True
    assert server.token not in found.stdout + found.stderr


def test_simulate_ends_with_its_time_and_says_so(server):
    found = _simulate(server, "--seconds", "1", "--rate", "20")
    assert (found.returncode, found.stderr) == (0, "")
    first, planted, said = found.stdout.splitlines()
    assert first.startswith("Audit ")
    assert planted == "Planted: nobody is better off with the policy of another."
    assert said == "The server says: not decided yet, 0 of 3 users are; the audit is still there."


def test_simulate_can_be_interrupted(server):
    command, env = _command(server, "--seconds", "600", "--rate", "5")
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        before = len(server.ask("GET", "/api/audits"))
        while len(server.ask("GET", "/api/audits")) == before:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "Error: Interrupted.\n")


def test_simulate_with_a_token_that_is_not_known(server, tmp_path):
    path = tmp_path / "token"
    path.write_text("eh_00000000_" + "x" * 30)
    found = _simulate(server, "--token-file", str(path))
    assert found.returncode == 2
    assert found.stderr.startswith("Error: The server answered 401 to POST /api/audits: ")


def _command(server, *words):
    command = [sys.executable, "-m", "evenhand", "serve", "simulate", "--url", server.url, *words]
    return command, os.environ | {"EVENHAND_TOKEN": server.token}


def _simulate(server, *words):
    command, env = _command(server, *words)
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
