"""Tokens: what is kept of them, who may what."""

import hmac
import json
import sqlite3

import pytest

from evenhand.errors import InputError
from evenhand.service.access import tokens
from evenhand.service.log.keeping.backups import backup
from evenhand.store.connecting import open_store


@pytest.fixture
def store(tmp_path):
    made = open_store(str(tmp_path / "s.db"))
    yield made
    made.close()


def test_a_token_is_kept_nowhere(store, tmp_path):
    import gzip

    made, text = tokens.make(store, "ann", ["read", "assign"], ["0123456789abcdef"])
    id_, secret = tokens.parts(text)
    assert id_ == made.id
    backup(store, tmp_path / "b.gz")
    files = [path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".gz"]
    files.append(gzip.decompress((tmp_path / "b.gz").read_bytes()))
    assert any(made.hash.encode() in each for each in files)  # it is looked for where it would be
    assert not any(secret.encode() in each or text.encode() in each for each in files)
    (told,) = [one.told() for one in tokens.listed(store)]
    assert made.hash not in json.dumps(told)
    assert told["scopes"] == ["assign", "read"]
    assert told["audits"] == ["0123456789abcdef"]


def test_comparison_takes_as_long_whatever_is_sent(store, monkeypatch):
    made, text = tokens.make(store, "ann", ["read"])
    compared = []
    plain = hmac.compare_digest
    monkeypatch.setattr(tokens.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or plain(a, b))
    assert tokens.is_it(made, tokens.parts(text)[1])
    assert not tokens.is_it(made, "x" * 43)
    assert [a for a, _ in compared] == [made.hash] * 2
    assert {len(b) for _, b in compared} == {64}  # hashes, of one length


def test_secrets_are_long_and_their_own(store):
    texts = [tokens.make(store, "ann", ["read"])[1] for _ in range(20)]
    assert len({text.split("_", 2)[2] for text in texts}) == 20
    assert all(len(text.split("_", 2)[2]) >= 43 for text in texts)


@pytest.mark.parametrize("scopes", [[], ["write"], ["read", "Read"], [""]])
def test_scopes_that_there_are_not(store, scopes):
    with pytest.raises(InputError):
        tokens.make(store, "ann", scopes)
    assert tokens.listed(store) == []


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\0"])
def test_names_that_cannot_be_shown(store, name):
    with pytest.raises(InputError):
        tokens.make(store, name, ["read"])


def test_revoking(store):
    made, _ = tokens.make(store, "ann", ["read"])
    tokens.revoke(store, made.id)
    (first,) = tokens.listed(store)
    assert first.revoked_at is not None
    tokens.revoke(store, made.id)
    assert tokens.listed(store) == [first]  # when it was revoked first
    with pytest.raises(InputError):
        tokens.revoke(store, "nothing")


def test_what_a_token_may():
    def token(*scopes, audits=None):
        return tokens.Token("i", "n", "h", frozenset(scopes), audits, 0.0, None)

    assert token("read").may("read", "assign")
    assert not token("read").may("assign")
    assert not token("read", "assign", "report").may("admin")
    assert token("admin").may("read")
    assert token("admin").sees("x")
    assert not token("admin", audits=frozenset({"y"})).sees("x")
    assert not token("admin", audits=frozenset()).sees("x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "evh",
        "evh_",
        "evh__",
        "evh_12345678_short",
        "EVH_12345678_" + "x" * 43,
        "evh_1234567_" + "x" * 43,
        "evh_12345678_" + "x" * 101,
        "evh_12345678" + "x" * 43,
    ],
)
def test_what_is_no_token(text):
    assert tokens.parts(text) is None


def test_the_store_says_who_and_not_what(store, tmp_path):
    tokens.make(store, "ann", ["read"])
    with sqlite3.connect(tmp_path / "s.db") as there:
        columns = {row[1] for row in there.execute("PRAGMA table_info(token)")}
    assert columns == {"id", "name", "hash", "scopes", "audits", "created_at", "revoked_at"}


def test_a_token_for_an_audit_that_is_not_there_is_refused(store):
    with store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO audit VALUES ('0123456789abcdef', x'00', NULL, NULL, 0)")
    tokens.refuse_unknown(store, ["0123456789abcdef"])
    with pytest.raises(InputError, match="There is no audit '0123456789abcdee'"):
        tokens.refuse_unknown(store, ["0123456789abcdef", "0123456789abcdee"])
