"""Visits: what is answered, what is not asked, and that a visit never waits for a server."""

import gc
import hashlib
import hmac
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from evenhand.errors import InputError
from evenhand.service import Assignment, hashed_user
from evenhand.service.client import targets
from evenhand.service.client.spool import Spool
from service.client.fake import AUDIT, TOKEN, Fake

QUICK = 0.05


def test_an_assignment_is_what_the_server_said(fake, client):
    found = client(version="v1").assign("ann")
    assert found == Assignment(found.id, "ben", 2e9, "assigned")
    ((key, body, headers),) = fake.said("/assignments")
    assert body == {"user": "ann", "version": "v1"}
    assert len(key) == 32
    assert headers["authorization"] == f"Bearer {TOKEN}"
    with pytest.raises(AttributeError):
        found.id = "other"


def test_every_visit_has_a_key_of_its_own(fake, client):
    one = client()
    ids = {one.assign("ann").id for _ in range(5)}
    assert len(ids) == len({key for key, *_ in fake.said("/assignments")}) == 5
    assert (one.stats().asked, one.stats().assigned) == (5, 5)


def test_who_is_no_target_is_never_asked_for(fake, client):
    one = client()
    assert one.assign("zoe") == Assignment(None, "zoe", None, "not_target")
    assert fake.said("/assignments") == []
    assert one.stats().own == {"not_target": 1}
    assert one.stats().fallbacks == {}
    assert not one.stats().ended


def test_an_audit_that_is_over_is_said_to_be(fake, client):
    fake.ended = True
    one = client()
    one.opt_out("ben")
    assert [one.assign(user).reason for user in ("ann", "zoe", "ben")] == ["ended", "ended", "opted_out"]
    assert fake.said("/assignments") == []
    assert one.stats().ended
    assert one.stats().own == {"ended": 2, "opted_out": 1}


def test_before_the_targets_are_known_visits_fall_back(fake, client):
    fake.how = {"/targets": "hang"}
    one = client(ready=False)
    assert one.assign("ann") == Assignment(None, "ann", None, "targets_unknown")
    assert not one.ready(0)
    assert one.stats().fallbacks == {"targets_unknown": 1}


def test_targets_are_looked_at_again_and_not_sent_again(fake, client, monkeypatch):
    monkeypatch.setattr(targets, "REFRESH_S", 0.01)
    one = client()
    fake.wait_for("/targets", 5)
    assert fake.said("/targets")[-1][2]["if-none-match"] == '"ann-ben"'
    fake.users.append("cem")
    fake.wait_for("/targets", len(fake.said("/targets")) + 3)
    assert one.assign("cem").reason == "assigned"
    fake.how = {"/targets": "fail"}
    fake.wait_for("/targets", len(fake.said("/targets")) + 2)
    assert one.assign("cem").reason == "assigned"  # what is known stays known


HOW = {
    "close": "wrong_answer",
    "fail": "server_error",
    "forbid": "refused",
    "garbage": "wrong_answer",
    "not_json": "wrong_answer",
    "other_json": "wrong_answer",
    "huge": "wrong_answer",
}


@pytest.mark.parametrize("how", HOW)
def test_a_server_that_is_wrong(fake, client, how):
    one = client()
    fake.how = {"/assignments": how}
    assert one.assign("ann") == Assignment(None, "ann", None, HOW[how])
    assert one.stats().fallbacks == {HOW[how]: 1}
    assert one.stats().trouble.startswith("A visit was served without asking: The server")
    fake.how = {}
    assert one.assign("ann").reason == "assigned"


# These requests last until the test is over: that `assign` returns at all is the bound.


@pytest.mark.parametrize("how", ["hang", "drip"])
def test_a_server_that_never_comes_to_an_end(fake, client, how):
    one = client(timeout=QUICK)
    fake.how = {"/assignments": how}
    assert [one.assign("ann").reason for _ in range(3)] == ["timeout"] * 3
    fake.how = {}
    one._timeout = 20.0
    assert one.assign("ann").reason == "assigned"


def test_a_server_that_takes_no_connection(client):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        full = []
        for _ in range(4):  # until the queue is full, and more are neither taken nor refused
            full.append(socket.socket())
            full[-1].setblocking(False)
            full[-1].connect_ex(deaf.getsockname())
        one = client(url=url, ready=False, timeout=QUICK)
        one._targets.known = frozenset({"ann"})
        assert one.assign("ann").reason == "timeout"
        for each in full:
            each.close()


def test_a_name_that_is_never_found(fake, client, monkeypatch):
    """The thread that looks it up hangs, and is one thread; nobody else does."""
    over, hanging, known = threading.Event(), [], socket.getaddrinfo

    def look_up(host, *asked):
        if host != b"audit.test":
            return known(host, *asked)
        hanging.append(threading.current_thread())
        over.wait()
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    one = client(url=f"http://audit.test:{fake.port}", ready=False, timeout=QUICK)
    one._targets.known = frozenset({"ann"})
    assert [one.assign("ann").reason for _ in range(4)] == ["timeout"] * 4
    assert len(hanging) == 1
    assert hanging[0].daemon  # it keeps no process from ending
    over.set()


def test_the_thread_that_asks_hangs_itself(client):
    """Whatever that is: the thread that serves the user waits so long, and no longer."""
    one, over = client(timeout=QUICK), threading.Event()
    one._background.loop.call_soon_threadsafe(over.wait)
    assert one.assign("ann").reason == "timeout"
    over.set()


def test_a_server_that_is_not_there(fake, client):
    one = client()
    fake.close()
    one._background.call(one._server._http._transport.aclose()).result(5)  # connections that are kept
    assert one.assign("ann").reason == "unreachable"


def test_many_that_gave_up_leave_no_connection_taken(fake, client):
    one = client(timeout=0.01)
    fake.how = {"/assignments": "hang"}
    one._asking._breaker.may = lambda: True
    threads = [threading.Thread(target=lambda: [one.assign("ann") for _ in range(20)]) for _ in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert one.stats().fallbacks == {"timeout": 100}
    fake.how = {}
    one._timeout = 20.0
    assert [one.assign("ann").reason for _ in range(20)] == ["assigned"] * 20
    assert len(one._server._http._transport._pool.connections) <= 2


def test_after_failures_in_a_row_the_server_is_left_alone(fake, client):
    one = client()
    fake.how = {"/assignments": "fail"}
    reasons = [one.assign("ann").reason for _ in range(7)]
    assert reasons == ["server_error"] * 5 + ["resting"] * 2
    assert len(fake.said("/assignments")) == 5


def test_more_questions_than_can_be_under_way(client):
    one = client()
    one._asking._free = threading.Semaphore(0)
    assert one.assign("ann").reason == "busy"


def test_fallbacks_are_told_once_with_the_next_visit_that_is_answered(fake, client):
    one = client()
    fake.how = {"/assignments": "fail"}
    one.assign("ann"), one.assign("ann")
    fake.how = {}
    one.assign("ann"), one.assign("ann")
    told = [headers["evenhand-fallbacks"] for *_, headers in fake.said("/assignments")]
    assert told == ["0", "1", "2", "0"]


def test_a_connection_that_was_closed_meanwhile_is_no_fallback(fake, client, monkeypatch):
    one, lost = client(), []
    ask = one._server._once

    async def lose_first(*asked):
        if not lost:
            lost.append(True)
            fake.how = {"/assignments": "lose"}
            try:
                return await ask(*asked)
            finally:
                fake.how = {}
        return await ask(*asked)

    monkeypatch.setattr(one._server, "_once", lose_first)
    found = one.assign("ann")
    first, second = fake.said("/assignments")
    assert first[0] == second[0]  # the same key: it was done once
    assert found.reason == "assigned"
    assert len([path for path, *_ in fake.answers.values() if path[0].endswith("/assignments")]) == 1


# Ids that never leave


def test_ids_are_hashed_at_the_edge(client):
    key = os.urandom(32)
    expected = hmac.new(key, b"ann", hashlib.sha256).hexdigest()
    assert hashed_user(key, "ann") == expected
    fake = Fake([hashed_user(key, "ann"), hashed_user(key, "ben")])
    one = client(url=fake.url, hash_key=key)
    found = one.assign("ann")
    assert found.policy_of == one.hashed("ben") == hashed_user(key, "ben")
    assert one.assign("zoe") == Assignment(None, "zoe", None, "not_target")
    one.opt_out("ann")
    assert one.flush(30)
    assert "ann" not in str([fake.received, [p.read_text() for p in one._spool.folder.iterdir()]])
    fake.close()


def test_the_own_policy_comes_back_as_the_user(client):
    key = os.urandom(32)
    fake = Fake([hashed_user(key, "ann")])
    fake._answer = lambda path, body: (
        201,
        {"id": "i", "policy_of": body["user"], "deadline": 1, "reason": "assigned"},
    )
    assert client(url=fake.url, hash_key=key).assign("ann").policy_of == "ann"
    fake.close()


# What is refused


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"url": "ftp://a"}, "url is not the address of a server"),
        ({"url": "http://me:pw@host"}, "url is not the address of a server"),
        ({"url": 7}, "url is not the address of a server"),
        ({"token": "two words"}, "token is not a token"),
        ({"token": None}, "token is not a token"),
        ({"audit": "../x"}, "audit is not the id of an audit"),
        ({"timeout": 0}, "timeout is 0, but must be"),
        ({"timeout": float("nan")}, "timeout is nan, but must be"),
        ({"hash_key": b"short"}, "hash_key has 5 bytes"),
        ({"spool": "/proc/nothing"}, "The spool /proc/nothing cannot be used"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(client, wrong, said):
    with pytest.raises(InputError, match=said):
        client(ready=False, **wrong)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), True, "1", None])
def test_rewards_that_are_none(client, value):
    one = client()
    with pytest.raises(InputError, match=r"value is .*, but must be a finite number from 0 to 1"):
        one.reward("id-1", value)
    with pytest.raises(InputError, match="observed_at"):
        one.reward("id-1", 1, observed_at=-1)
    with pytest.raises(InputError, match="neither what `assign` returned nor its id"):
        one.shown("")
    with pytest.raises(InputError, match="ids of users are text"):
        one.assign(7)
    assert one.stats().spooled == 0


def test_a_client_that_is_closed(fake, client):
    one = client()
    with one:
        found = one.assign("ann")
    assert one.assign("ann").reason == "closed"
    with pytest.raises(InputError, match="This client is closed"):
        one.shown(found)
    one.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_client_of_another_process(client):
    one = client()
    child = os.fork()
    if child == 0:
        try:
            with pytest.warns(RuntimeWarning, match="made in another process"):
                assert one.assign("ann").reason == "other_process"
            for asked in (lambda: one.shown("id-1"), one.ready, one.stats, one.dropped, one.flush):
                with pytest.raises(InputError, match="made in another process"):
                    asked()  # a lock that it waits for may never be free again
            one.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert one.assign("ann").reason == "assigned"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("is_quick", [True, False])
def test_a_forked_process_does_not_keep_the_spool(client, monkeypatch, is_quick):
    """Workers that a server forks live longer than its own client, and may begin to work after its end."""
    if not is_quick:
        monkeypatch.setattr(Spool, "let_go", lambda _: None)
    one, (reading, writing) = client(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    folder = one._spool.folder
    one.close()
    Spool(folder).close()
    os.close(writing)
    assert os.waitpid(child, 0)[1] == 0


def test_importing_it_needs_httpx_and_not_the_server():
    asked = (
        "import sys; from evenhand.service import Client; "
        "print([m for m in ('fastapi', 'sqlalchemy', 'numpy', 'pydantic', 'uvicorn') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_without_httpx_it_says_what_to_install():
    asked = "import sys; sys.modules['httpx'] = None\nfrom evenhand.service import Client"
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert (
        "The client needs httpx, which is not installed: pip install 'evenhand[client]', or "
        "'.[client]' from its folder." in ran.stderr
    )


def test_closed_while_connections_are_made(client, tmp_path):
    """Over and over, a little later each time: what is left over is said at the end, and is an error here."""
    for i in range(40):
        one = client(ready=False, spool=tmp_path / str(i), timeout=0.02)
        one._targets.known = frozenset({"ann"})
        for _ in range(i):
            one._background.call(one._server.ask("GET", "/x", 5.0))
        time.sleep(i / 20_000)
        one.close(0)
    gc.collect()


def test_a_process_that_never_closes_its_client_ends(fake, tmp_path):
    fake.how = {"/assignments": "hang"}
    asked = (
        "import sys; from evenhand.service import Client\n"
        f"c = Client({fake.url!r}, {TOKEN!r}, {AUDIT!r}, spool={str(tmp_path / 's')!r}); c.ready(30)\n"
        "print(c.assign('ann').reason)"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (
        0,
        "timeout\n",
        "A visit was served without asking: The server did not answer in time.\n",
    )
