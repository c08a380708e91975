"""Whatever is sent: one sentence, never a fault of ours, and nothing of what was sent in it."""

import json

import pytest

from service.http.served import ASKED

MARK = "zz-somebody-zz"  # is sent wherever text can be, and never comes back
DEEP = "[" * 100_000 + "]" * 100_000


def refused(found, status):
    assert found.status_code == status, found.text
    assert list(found.json()) == ["error"]
    said = found.json()["error"]
    assert (
        said[:1].isupper() or said.split(":")[0].replace(".", "").replace("_", "").replace("-", "").isalnum()
    )
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 300
    assert MARK not in found.text
    assert found.headers["content-type"] == "application/json"
    return said


def sent(served, path, text, key=None, **headers):
    raw = text if isinstance(text, bytes) else text.encode()
    told = {"content-type": "application/json"} | {
        name.replace("_", "-"): each for name, each in headers.items()
    }
    return served.post(path, key=key, headers=told, content=raw)


NOT_JSON = {
    "nothing": "",
    "words": MARK,
    "half": '{"user": "zz-somebody-zz"',
    "two": '{"user": "a"} {"user": "b"}',
    "single quotes": "{'user': 'a'}",
    "not UTF-8": b'{"user": "\xff"}',
    "UTF-16": '{"user": "a"}'.encode("utf-16"),
    "with a mark of order": b'\xef\xbb\xbf{"user": "a"}',
    "deep": DEEP,
    "deep in a field": '{"user": ' + DEEP + "}",
    "digits without an end": '{"user": ' + "1" * 10_000 + "}",
    "a form": "user=a",
}
NOT_A_VISIT = {
    "null": "null",
    "a list": '["a"]',
    "text": '"a"',
    "a number": "1",
    "true": "true",
    "no field": "{}",
    "a field that is not known": '{"user": "a", "zz-somebody-zz": 1}',
    "only such": '{"zz-somebody-zz": 1}',
    "a field twice": '{"user": "a", "user": "b"}',
    "empty": '{"user": ""}',
    "no text": '{"user": 1}',
    "a list of text": '{"user": ["a"]}',
    "a boolean": '{"user": true}',
    "none": '{"user": null}',
    "NUL": '{"user": "zz-somebody-zz\\u0000"}',
    "half a character": '{"user": "zz-somebody-zz\\ud800"}',
    "the other half": '{"user": "\\udc00a"}',
    "half a character in a name": '{"user": "a", "\\ud800": 1}',
    "long": json.dumps({"user": MARK * 1000}),
    "a megabyte": json.dumps({"user": "x" * 1_000_000}),
    "a version that is no text": '{"user": "a", "version": 1}',
    "a version with NUL": '{"user": "a", "version": "\\u0000"}',
}


@pytest.mark.parametrize("name", [*NOT_JSON, *NOT_A_VISIT])
def test_what_is_no_visit(served, audit, name):
    said = (NOT_JSON | NOT_A_VISIT)[name]
    refused(sent(served, f"/api/audits/{audit}/assignments", said), 422)


REWARDS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-1e-9",
    "1.0000001",
    "true",
    "false",
    '"1"',
    '"0.5"',
    "null",
    "[]",
    "{}",
    "[0.5]",
    "1" + "0" * 400,
    "1" * 5000,
    "-1",
]
TIMES = ["NaN", "Infinity", "true", '"now"', "-1", "1e12", "1" + "0" * 400, "[]"]


@pytest.fixture(scope="module")
def assignment(served, audit):
    return served.post(f"/api/audits/{audit}/assignments", {"user": "ann"}).json()["id"]


@pytest.mark.parametrize("value", REWARDS)
def test_what_is_no_reward(served, assignment, value):
    refused(sent(served, f"/api/assignments/{assignment}/reward", f'{{"reward": {value}}}'), 422)
    item = f'[{{"assignment": "{assignment}", "reward": {value}}}]'
    refused(sent(served, "/api/rewards", item), 422)


@pytest.mark.parametrize("value", TIMES)
def test_what_is_no_time(served, assignment, value):
    said = f'{{"reward": 1.0, "observed_at": {value}}}'
    refused(sent(served, f"/api/assignments/{assignment}/reward", said), 422)


BATCHES = [
    "[]",
    "{}",
    "null",
    "[[]]",
    "[null]",
    '[{"assignment": "a"}]',
    '[{"reward": 1}]',
    "[" + "{}," * 50_000 + "{}]",
    "[" + ",".join(['{"assignment": "a", "reward": 1}'] * 1001) + "]",
    '[{"assignment": "", "reward": 1}]',
    '[{"assignment": "' + "a" * 300 + '", "reward": 1}]',
]


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[:30])
def test_what_is_no_batch(served, batch):
    refused(sent(served, "/api/rewards", batch), 422)
    refused(sent(served, "/api/shown", batch), 422)


AUDITS = {
    "no users": {"users": None},
    "one user": {"users": ["a"]},
    "nobody": {"users": []},
    "the same user twice": {"users": ["a", "b", "a"]},
    "numbers": {"users": [1, 2]},
    "no list": {"users": "abc"},
    "an object": {"users": {"a": 1}},
    "an empty user": {"users": ["a", ""]},
    "NUL in a user": {"users": ["a", MARK + "\0"]},
    "half a character in a user": {"users": ["a", "\ud800"]},
    "a long user": {"users": ["a", MARK * 100]},
    "users and population": {"population": 5, "digest": "0" * 64},
    "population alone": {"users": None, "population": 5},
    "digest alone": {"users": None, "digest": "0" * 64},
    "digest that is none": {"users": None, "population": 5, "digest": MARK},
    "a population of one": {"users": None, "population": 1, "digest": "0" * 64},
    "a boolean population": {"users": None, "population": True, "digest": "0" * 64},
    "half a population": {"users": None, "population": 2.5, "digest": "0" * 64},
    "exact with many": {"users": [str(i) for i in range(1001)]},
    "no deadline": {"deadline_s": None},
    "a deadline of 0": {"deadline_s": 0},
    "a deadline before": {"deadline_s": -1},
    "a deadline in words": {"deadline_s": "1 hour"},
    "a boolean deadline": {"deadline_s": True},
    "a deadline of years": {"deadline_s": 1e9},
    "no reward": {"reward": None},
    "an empty reward": {"reward": ""},
    "a reward with NUL": {"reward": "\0"},
    "delta of a half": {"delta": 0.5},
    "delta of 0": {"delta": 0},
    "delta of next to nothing": {"delta": 1e-300},
    "epsilon of 1": {"epsilon": 1},
    "epsilon in words": {"epsilon": "0.1"},
    "alpha of 0": {"alpha": 0},
    "an activation that is none": {"activation": MARK},
    "a criterion that is none": {"criterion": MARK},
    "half a budget": {"budget": 1.5},
    "no budget at all": {"budget": 0},
    "dropouts below 0": {"dropouts": -1},
    "more dropouts than people": {"dropouts": 3},
    "dropouts of all": {"dropouts": 10**6},
    "a window without need": {"window_s": 5.0},
    "a window beyond the deadline": {"activation": "on_shown", "window_s": 101.0},
    "a series with NUL": {"series": "a\0"},
    "a field that is not known": {MARK: 1},
    "millions of targets": {
        "users": None,
        "population": 10**12,
        "digest": "0" * 64,
        "criterion": "probabilistic",
        "lambda": 1e-9,
    },
    "millions of policies": {
        "users": None,
        "population": 10**12,
        "digest": "0" * 64,
        "criterion": "probabilistic",
        "gamma": 1e-7,
    },
    "shares of nobody": {
        "users": None,
        "population": 10**12,
        "digest": "0" * 64,
        "criterion": "probabilistic",
        "lambda": 1e-13,
    },
}


@pytest.mark.parametrize("name", AUDITS)
def test_what_is_no_audit(served, name):
    asked = {field: value for field, value in (ASKED | AUDITS[name]).items() if value is not None}
    refused(sent(served, "/api/audits", json.dumps(asked)), 422)


def test_too_few_and_too_many_are_said_in_plain_words(served):
    one, many = json.dumps(ASKED | {"users": ["a"]}), json.dumps(["a"] * 1_001)
    assert refused(sent(served, "/api/audits", one), 422) == "users: it has 1, and 2 are the least."
    said = refused(sent(served, "/api/shown", many), 422)
    assert said == "The body: it has too many; 1,000 are the most."


@pytest.mark.parametrize("raw", ["[1," * 10 + "1" + "]" * 10, '{"users": [' + "1," * 1_000_000 + "1]}"])
def test_many_faults_are_one_sentence(served, raw):
    refused(sent(served, "/api/audits", raw), 422)


KEYS = ["", "a b", "é", "x" * 201, "a\tb", "\x7f"]


@pytest.mark.parametrize("key", KEYS)
def test_keys_that_cannot_be(served, audit, key):
    headers = {"authorization": f"Bearer {served.admin}", "idempotency-key": key.encode()}
    found = served.client.post(f"/api/audits/{audit}/pause", headers=headers)
    refused(found, 400)


def test_no_key_and_two_keys(served, audit):
    path, token = f"/api/audits/{audit}/assignments", ("authorization", f"Bearer {served.admin}")
    assert "Idempotency-Key" in refused(served.client.post(path, headers=[token], json={"user": "ann"}), 400)
    two = [token, ("idempotency-key", "a"), ("idempotency-key", "b")]
    refused(served.client.post(path, headers=two, json={"user": "ann"}), 400)


def test_a_key_with_another_body_or_address(served, audit):
    path = f"/api/audits/{audit}/assignments"
    assert served.post(path, {"user": "ann"}, key="once").status_code == 201
    refused(served.post(path, {"user": "ben"}, key="once"), 422)
    refused(served.post(f"/api/audits/{audit}/opt-outs", {"user": "ann"}, key="once"), 422)
    refused(sent(served, path, '{"user":  "ann"}', key="once"), 422)


KINDS = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "application/jsonx",
    "application/json; charset=latin-1",
    "",
    "é",
]


@pytest.mark.parametrize("kind", KINDS)
def test_what_says_that_it_is_no_json(served, audit, kind):
    path = f"/api/audits/{audit}/assignments"
    refused(sent(served, path, '{"user": "ann"}', content_type=kind.encode()), 415)
    refused(sent(served, "/api/audits", json.dumps(ASKED), content_type=kind.encode()), 415)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']
)
def test_what_says_that_it_is(served, audit, kind):
    found = sent(served, f"/api/audits/{audit}/assignments", '{"user": "nobody"}', content_type=kind)
    assert found.status_code == 200


PATHS = [
    "/api",
    "/api/",
    "//api/audits",
    "/api/audits/",
    "/API/audits",
    "/api/audits/%00",
    "/api/audits/x",
    "/api/audits/..",
    "/api/audits/%2e%2e/x",
    "/api/audits/" + "a" * 8000,
    "/api/audits/%ff%fe",
    "/api/audits/0123456789ABCDEF",
    "/api/audits/0123456789abcdef",
    "/api/audits/0123456789abcdef%0a",
    "/api/audits/a%2Fb",
    "/api/nothing",
    "/api/monitors/%00",
    "/api/monitors/%20",
    "/api/monitors/" + "n" * 201,
    "/api/monitors/a%0ab",
    "/static/../api/audits/x",
    "/api/audits/%ed%a0%80",
    "/api/audits/é",
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40])
def test_addresses_where_nothing_is(served, path):
    found = served.raw(
        f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
        f"authorization: Bearer {served.admin}\r\n\r\n".encode()
    )
    status = int(found.split()[1])
    assert status in (400, 404), found
    assert list(json.loads(found.partition(b"\r\n\r\n")[2])) == ["error"]


@pytest.mark.parametrize(
    "after", ["", "1", "a:b", "1:-1", "1:1:1", "1:1\n", "٣:١", "9999999999:1", ":", "\0", "1" * 9999]
)
def test_cursors_that_are_none(served, audit, after):
    refused(served.get(f"/api/audits/{audit}/events", params={"after": after}), 422)


def test_cursors_beyond_the_end_are_empty_pages(served, audit):
    found = served.get(f"/api/audits/{audit}/events", params={"after": "999999999:999999999"})
    assert found.json()["events"] == []


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PATCH", "DELETE", "TRACE", "PUT", "PROPFIND"])
def test_other_methods(served, audit, method):
    for path in (f"/api/audits/{audit}/assignments", "/api/audits", f"/api/audits/{audit}"):
        found = served.ask(method, path)
        assert found.status_code == 405, (method, path)
        if method != "HEAD":
            refused(found, 405)
    assert served.ask(method, "/api/audits").headers["allow"] == "GET, POST"


@pytest.mark.parametrize("host", [b"[", b"", b"a b", b"\xff", b"x" * 5000, b"evil.example:99999999"])
def test_hosts_that_cannot_be(served, audit, host):
    said = b'{"user": "nobody"}'
    found = served.raw(
        b"POST /api/audits/%s/assignments HTTP/1.1\r\nhost: %s\r\nconnection: close\r\n"
        b"authorization: Bearer %s\r\nidempotency-key: h\r\n"
        b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
        % (audit.encode(), host, served.admin.encode(), len(said), said)
    )
    assert found.split()[1] == b"200", found


@pytest.mark.parametrize("fallbacks", ["-1", "x", "1e3", "1" * 5000, "", "١"])
def test_fallbacks_that_are_no_number(served, audit, fallbacks):
    headers = {"evenhand-fallbacks": fallbacks.encode()}
    refused(served.post(f"/api/audits/{audit}/assignments", {"user": "nobody"}, headers=headers), 422)


def test_ids_that_are_not_there(served, audit, assignment):
    said = {"reward": 1.0}
    for wrong in (
        "x",
        "A" * 43,
        assignment[:-1] + ("A" if assignment[-1] != "A" else "B"),
        assignment.lower(),
    ):
        refused(served.post(f"/api/assignments/{wrong}/reward", said), 404)
        refused(served.post(f"/api/assignments/{wrong}/shown"), 404)
    refused(served.post("/api/audits/0123456789abcdef/assignments", {"user": "ann"}), 404)
    assert served.post(f"/api/assignments/{'A' * 300}/reward", said).status_code == 422


def test_findings_that_are_none(served):
    for text in (
        "",
        "{}",
        "[]",
        "null",
        MARK,
        '{"schema": "evenhand.findings/1"}',
        DEEP,
        '{"findings": NaN}',
        b"\xff",
        '{"schema": "evenhand.findings/1", "findings": [1, {"about": 3}]}',
        '{"schema": "\\ud800"}',
    ):
        raw = text if isinstance(text, bytes) else text.encode()
        headers = {"content-type": "application/json"}
        refused(served.ask("PUT", "/api/monitors/x", headers=headers, content=raw), 422)
    assert served.get("/api/monitors").json() == []


LARGE = {"/api/rewards": 1 << 20, "/api/audits": 64 << 20, "/api/audits/{audit}/pause": 1 << 20}


@pytest.mark.parametrize("path", LARGE)
def test_bodies_that_are_too_large(served, audit, path):
    most, filled = LARGE[path], path.format(audit=audit)
    announced = (
        f"POST {filled} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {served.admin}\r\n"
        f"idempotency-key: l\r\ncontent-length: {most + 1}\r\n\r\n"
    )
    assert b" 413 " in served.raw(announced.encode())[:20]

    def pieces():
        for _ in range((most >> 16) + 1):
            yield b" " * (1 << 16)

    headers = {"content-type": "application/json"}
    said = refused(served.post(filled, headers=headers, content=pieces()), 413)  # chunked: no length is said
    assert f"{most:,}" in said
