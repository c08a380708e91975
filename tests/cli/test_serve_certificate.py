"""`evenhand serve certificate`: against a server, and what is refused before anything is asked of one."""

import json

import pytest

from service.client.running import RunningServer


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", "somewhere"), "--url is not the address of a server"),
        ((), "Say who you are: --token-file, or EVENHAND_TOKEN in the environment."),
        (("--token-file", "token", "--out", "token"), "it is a file"),
        (
            ("--token-file", "token", "--url", "http://127.0.0.1:9"),
            "There is no answer from http://127.0.0.1:9",
        ),
    ],
)
def test_what_is_refused(evenhand, monkeypatch, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_TOKEN", raising=False)
    (tmp_path / "token").write_text("eh_00000000_" + "x" * 30)
    ran = evenhand("serve", "certificate", "--audit", "a1", "--out", "out", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = RunningServer(tmp_path_factory.mktemp("server"))
    yield made
    made.stop()


def visits(server, audit, count, reward):
    for i in range(count):
        user = ("ann", "ben")[i % 2]  # cem never comes
        visit = server.ask("POST", f"/api/audits/{audit}/assignments", {"user": user})
        if visit["id"] is None:
            return
        server.ask(
            "POST", f"/api/assignments/{visit['id']}/reward", {"reward": reward(user, visit["policy_of"])}
        )


@pytest.mark.slow
def test_envy_is_fetched_and_holds_until_who_has_it_is_deleted(evenhand, server, tmp_path, monkeypatch):
    audit = server.audit(activation="on_assign", window_s=None)
    monkeypatch.setenv("EVENHAND_TOKEN", server.reader)
    out = tmp_path / "out"
    words = ("serve", "certificate", "--url", server.url, "--audit", audit, "--out", out)
    ran = evenhand(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "The audit is still running." in ran.err
    visits(server, audit, 4_000, lambda user, policy: float(user != "ann" or policy != "ann"))
    ran = evenhand(*words)
    assert (ran.code, ran.err) == (0, "")
    path = out / "certificate.json"
    document = json.loads(path.read_text())
    log = path.with_suffix(".events.jsonl").read_text()
    count = document["events"]["count"]
    assert count == len(log.splitlines()) > 0
    assert (
        f"The certificate holds: the {count:,} events of its log give the same audit of 3 users of" in ran.out
    )
    assert "with the outcome envy." in ran.out
    assert "deleted user" not in ran.out  # who never came was not deleted
    assert evenhand("envy", "verify", path).out == ran.out.partition("\n")[2]
    monkeypatch.setenv("EVENHAND_TOKEN", server.token)
    assert evenhand(*words, "--quiet").out == ""
    assert path.with_suffix(".events.jsonl").read_text() == log  # who may see ids does not hand them over
    server.ask("POST", f"/api/audits/{audit}/deletions", {"user": "ann"})
    ran = evenhand(*words)
    assert ran.code == 1
    assert "the outcome envy cannot be checked: it rests on 1 user who was deleted" in ran.err
    assert "certificate holds" not in ran.out


@pytest.mark.slow
def test_an_audit_that_is_not_there(evenhand, server, tmp_path, monkeypatch):
    monkeypatch.setenv("EVENHAND_TOKEN", server.reader)
    ran = evenhand("serve", "certificate", "--url", server.url, "--audit", "../x", "--out", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: The server answered 4")
