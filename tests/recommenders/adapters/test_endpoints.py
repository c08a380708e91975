"""Endpoints against a real server that does everything wrong: right scores or one sentence."""

import gzip
import json
import logging
import random
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender, from_http
from evenhand.recommenders.adapters.endpoints import asking
from evenhand.recommenders.adapters.endpoints.answers import Question, WrongAnswerError

USERS, ITEMS = [f"u{n}" for n in range(40)], list(range(50))


def truth(users: Any, items: Any) -> list[float]:
    return [int(str(user)[1:]) + item / 100 for user, item in zip(users, items, strict=True)]


Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Server(ThreadingHTTPServer):
    """Answers by `behaviour`, and keeps what it was asked and how many requests it had at once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviour: Behaviour = lambda handler, asked: send(handler, right(asked))
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.now = self.most = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/score"

    def handle_error(self, *_: Any) -> None:
        """A client that gave up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.asked.append(asked)
            self.server.headers.append({key.lower(): value for key, value in self.headers.items()})
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        try:
            self.server.behaviour(self, asked)
        finally:
            with self.server.lock:
                self.server.now -= 1

    def log_message(self, *_: Any) -> None:
        pass


def right(asked: dict[str, Any]) -> dict[str, Any]:
    return {"scores": truth(asked["users"], asked["items"])}


def send(handler: BaseHTTPRequestHandler, answer: Any, status: int = 200, **headers: str) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    handler.send_response(status)
    for name, value in {"content-length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(asking, "FIRST_WAIT_S", 0.001)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


def asked_all(server: Server, **options: Any) -> np.ndarray:
    """Scores of all pairs, with batches of 300, so that the last is shorter."""
    settings = {"batch": 300, "trial": False, "timeout": 5.0, **options}
    model = from_http(server.url, USERS, ITEMS, **settings)
    return model.score_block(np.arange(len(USERS)))


def all_right(scores: np.ndarray) -> bool:
    ids = sorted(USERS)
    return scores.tolist() == [truth([user] * len(ITEMS), ITEMS) for user in ids]


def test_scores_are_those_of_the_endpoint(server: Server) -> None:
    model = as_recommender(server.url, user_ids=USERS, item_ids=ITEMS)
    assert len(server.asked) == 1  # the trial
    assert server.asked[0].keys() == {"id", "users", "items"}
    assert model.score(["u3", "u7", "u3"], [1, 2, 1]).tolist() == [3.01, 7.02, 3.01]
    assert model.rank(["u5"], k=2)["item_id"].tolist() == [49, 48]
    assert all_right(asked_all(server))
    assert max(len(one["users"]) for one in server.asked) <= 300 + 9 + 4


def test_few_requests_at_once(server: Server) -> None:
    def slow(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        time.sleep(0.02)
        send(handler, right(asked))

    server.behaviour = slow
    assert all_right(asked_all(server, batch=50, concurrency=3))
    assert 1 < server.most <= 3


def failing(*failures: Behaviour) -> Behaviour:
    """The first requests fail like this, one after the other; then all is well."""
    left = list(failures)

    def behave(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        (left.pop(0) if left else lambda h, a: send(h, right(a)))(handler, asked)

    return behave


def status(code: int, **headers: str) -> Behaviour:
    return lambda handler, asked: send(handler, {"error": "no"}, code, **headers)


def delay(seconds: float) -> Behaviour:
    return lambda handler, asked: time.sleep(seconds)


def cut_off(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    """Says that more comes, and hangs up."""
    body = json.dumps(right(asked)).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def cut_off_without_a_word(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.wfile.write(json.dumps(right(asked)).encode()[:50])
    handler.close_connection = True


def hang_up(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    handler.close_connection = True


def drip(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    """A byte now and then, each well within the time."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


PASSING = [
    status(500), status(502), status(503), status(429), status(503, retry_after="0"),
    status(429, retry_after=formatdate(0, usegmt=True)), cut_off, cut_off_without_a_word, hang_up,
]  # fmt: skip


@pytest.mark.parametrize("failure", PASSING)
def test_what_passes_is_asked_again(server: Server, failure: Behaviour) -> None:
    server.behaviour = failing(failure, failure)
    assert all_right(asked_all(server, retries=2))
    assert len(server.asked) == 7 + 2


@pytest.mark.parametrize("failure", [delay(3.0), drip])
def test_an_answer_that_takes_too_long_is_asked_again(server: Server, failure: Behaviour) -> None:
    server.behaviour = failing(failure)
    assert all_right(asked_all(server, timeout=1.0))
    server.behaviour = failure
    with pytest.raises(InputError, match=r"asked 2 times in a row .*no answer within 0.2 seconds"):
        asked_all(server, timeout=0.2, retries=1, concurrency=1)


def test_all_at_once_and_at_random(server: Server) -> None:
    rng = random.Random(3)

    def any_of_them(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        with server.lock:
            chosen = rng.choice([*PASSING, *[None] * len(PASSING)])
        (chosen or (lambda h, a: send(h, right(a))))(handler, asked)

    server.behaviour = any_of_them
    assert all_right(asked_all(server, batch=40, retries=20, concurrency=8))


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (status(503), r"was asked 3 times in a row for 300 scores and gave none .*it answered 503.*see that"),
        (hang_up, r"3 times in a row .*the connection broke"),
        (cut_off_without_a_word, r"3 times in a row .*what it sent is not JSON"),
    ],
)
def test_what_does_not_pass_is_said(server: Server, failure: Behaviour, message: str) -> None:
    server.behaviour = failure
    with pytest.raises(InputError, match=message):
        asked_all(server, retries=2, concurrency=1)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (400, "ask fewer pairs at a time"), (401, "it wants a token"), (403, "it wants a token"),
        (404, "look at its address"), (413, "ask fewer pairs"), (302, "sends us elsewhere"),
        (204, "look at its address"),
    ],
)  # fmt: skip
def test_other_statuses_are_not_asked_again(server: Server, code: int, message: str) -> None:
    server.behaviour = status(code, location="/elsewhere")
    with pytest.raises(InputError, match=rf"/score answered {code}; .*{message}"):
        asked_all(server, concurrency=1)
    assert len(server.asked) == 1


def test_a_wait_that_is_asked_for(server: Server) -> None:
    server.behaviour = failing(status(429, retry_after="1"))
    start = time.monotonic()
    assert all_right(asked_all(server, concurrency=1))
    assert time.monotonic() - start >= 1
    server.behaviour = status(503, retry_after="86400")
    with pytest.raises(InputError, match=r"asks to wait 86,400 seconds \(it answered 503\), and 120 are"):
        asked_all(server)


def test_nobody_there() -> None:
    gone = Server()
    gone.server_close()
    with pytest.raises(InputError, match=r"was asked once for 1 scores and gave none .*cannot be reached"):
        from_http(gone.url, USERS, ITEMS, retries=0)


def changed(change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> Behaviour:
    return lambda handler, asked: send(handler, change(right(asked), asked))


def with_score(score: str) -> Behaviour:
    def behave(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        scores = [repr(one) for one in right(asked)["scores"]]
        scores[7] = score
        send(handler, f'{{"scores": [{", ".join(scores)}]}}'.encode())

    return behave


def shuffled(right: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    order = random.Random(1).sample(range(len(asked["users"])), len(asked["users"]))
    every = {**right, "users": asked["users"], "items": asked["items"]}
    return {key: [values[place] for place in order] for key, values in every.items()}


NOT_FINITE = r"sent .* for user 'u\d+' and item \d+, which is not a finite number; no score of it is used"
ORDER = "gave two scores .* for one pair that was asked about twice"


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (changed(lambda r, a: {"scores": r["scores"][:-1]}), r"asked about 313 pairs and sent 312 scores"),
        (changed(lambda r, a: {"scores": r["scores"] * 2}), r"asked about 313 pairs and sent 626 scores"),
        (changed(lambda r, a: {"scores": []}), "sent 0 scores"),
        (changed(lambda r, a: {}), r'must answer {"scores": \[...\]}'),
        (changed(lambda r, a: r["scores"]), r'must answer {"scores"'),
        (changed(lambda r, a: {"scores": {"0": 1}}), r'must answer {"scores"'),
        (with_score("NaN"), NOT_FINITE),
        (with_score("Infinity"), NOT_FINITE),
        (with_score("1e999"), NOT_FINITE),
        (with_score("1" + "0" * 400), NOT_FINITE),
        (with_score("null"), NOT_FINITE),
        (with_score("true"), NOT_FINITE),
        (with_score('"1.5"'), NOT_FINITE),
        (with_score("[1.5]"), NOT_FINITE),
        (changed(lambda r, a: {**r, "id": "another"}), 'sent the "id" of another question back'),
        (changed(lambda r, a: {**r, "users": a["users"][::-1]}), 'sent other "users" or "items" back'),
        (changed(lambda r, a: {**r, "users": a["users"], "items": a["items"][1:]}), 'other "users" or "item'),
        (changed(lambda r, a: {**r, "users": a["users"], "items": [[1]] * 313}), "sent other pairs back"),
        (changed(lambda r, a: {**shuffled(r, a), "users": ["u1"] * 313}), "sent other pairs back"),
        (changed(lambda r, a: {"scores": shuffled(r, a)["scores"]}), ORDER),
        (changed(lambda r, a: {"scores": sorted(r["scores"], reverse=True)}), ORDER),
        (changed(lambda r, a: {"scores": r["scores"][::-1]}), ORDER),
        (changed(lambda r, a: {"scores": [random.random() for _ in r["scores"]]}), ORDER),
        (changed(lambda r, a: {**r, "more": "x" * 10_000_000}), "sent more than .* bytes"),
    ],
)  # fmt: skip
def test_a_lie_is_refused(server: Server, behaviour: Behaviour, message: str) -> None:
    server.behaviour = behaviour
    with pytest.raises(InputError, match=message) as refused:
        asked_all(server, concurrency=1)
    assert str(refused.value).startswith(server.url)
    assert len(server.asked) == 1  # a lie is not asked for again


def test_parts_of_an_answer_that_changed_places_are_noticed() -> None:
    """As where an endpoint shares a question out, and puts two of the ten parts together the wrong way."""
    pairs = [f"u{n}" for n in range(1000)], list(range(1000))
    noticed = 0
    for _ in range(50):
        question = Question.about(*pairs)
        scores = truth(question.users, question.items)
        tenth = len(scores) // 10
        exchanged = scores[tenth : 2 * tenth] + scores[:tenth] + scores[2 * tenth :]
        try:
            question.scores_in(json.dumps({"scores": exchanged}).encode())
        except WrongAnswerError:
            noticed += 1
    assert noticed >= 47  # one in a thousand is missed; by four pairs two in five were


def test_pairs_in_another_order_are_put_right_where_they_are_sent_back(server: Server) -> None:
    server.behaviour = changed(lambda r, a: {**shuffled(r, a), "id": a["id"]})
    assert all_right(asked_all(server))
    model = from_http(server.url, USERS, ITEMS)
    assert model.score(["u3"] * 5 + ["u4"], [1] * 5 + [2]).tolist() == [3.01] * 5 + [4.02]


def test_the_answer_to_another_question_is_not_taken(server: Server) -> None:
    first: list[dict[str, Any]] = []

    def stale(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        first.append(right(asked))
        send(handler, first[0])

    server.behaviour = stale
    with pytest.raises(InputError, match=ORDER):
        asked_all(server, batch=400, concurrency=1)  # all of one length


@pytest.mark.parametrize("other", [lambda score: score + 7, lambda score: -score, lambda score: 0.0])
def test_answers_of_two_models_are_not_mixed(server: Server, other: Callable[[float], float]) -> None:
    """Each answer is without a fault, and one of several workers has another model."""
    answers = iter([0, 0, 1, 0, 0, 1, 0])

    def one_of_two(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        scores = right(asked)["scores"]
        send(handler, {"scores": [other(one) for one in scores] if next(answers) else scores})

    server.behaviour = one_of_two
    with pytest.raises(InputError, match=r"and later .* one pair.*model was changed meanwhile") as refused:
        asked_all(server, concurrency=1)
    assert "no score of it is used" in str(refused.value)
    assert len(server.asked) == 3


def test_who_begins_again_may_ask_a_new_model(server: Server) -> None:
    model = from_http(server.url, USERS, ITEMS)
    assert model.score(["u1"] * 8, ITEMS[:8]).tolist() == truth(["u1"] * 8, ITEMS[:8])
    server.behaviour = changed(lambda r, a: {"scores": [one - 9 for one in r["scores"]]})
    with pytest.raises(InputError, match="begin again"):
        model.score(["u2", "u2"], [3, 4])
    assert model.score(["u2", "u2"], [3, 4]).tolist() == [2.03 - 9, 2.04 - 9]
    assert model.score(["u2"], [5]).tolist() == [2.05 - 9]
    assert len(server.asked[-1]["users"]) == 1  # as where no more are taken


def test_an_answer_that_is_packed_against_what_was_asked(server: Server) -> None:
    def packed(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        send(handler, gzip.compress(json.dumps(right(asked)).encode()), content_encoding="gzip")

    server.behaviour = packed
    with pytest.raises(InputError, match=r"sent its answer packed \(gzip\), and was asked for plain text"):
        asked_all(server, concurrency=1)
    assert len(server.asked) == 1


def test_the_token_is_sent_and_never_said(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MODEL_TOKEN", "geheim-123")
    caplog.set_level(logging.DEBUG)
    model = from_http(server.url + "?key=versteckt", USERS, ITEMS, token_env="MODEL_TOKEN")
    assert server.headers[0]["authorization"] == "Bearer geheim-123"
    server.behaviour = status(401)
    with pytest.raises(InputError, match="does not take the token in the variable that token_env") as refused:
        model.score(["u1"], [1])
    for said in (str(refused.value), repr(model), str(vars(model)), caplog.text):
        assert "geheim" not in said
    assert "versteckt" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("ftp://host/score", {}, "url is not an address to ask"),
        ("http:///score", {}, "url is not an address to ask"),
        ("http://host:port/", {}, "url is not an address to ask"),
        ("http://a b/", {}, "url is not an address to ask"),
        (7, {}, "url is 7, but must be text"),
        ("https://me:secret@host/", {}, "url has a name or a password in it"),
        ("http://host/", {"token_env": "NO_SUCH_VARIABLE"}, "that environment variable holds no token"),
        ("http://host/", {"token_env": "HOME"}, "has no encryption, so no token is sent there"),
        ("http://host/", {"batch": 0}, "batch is 0, but must be a whole number from 1 to 100,000"),
        ("http://host/", {"concurrency": 65}, "concurrency is 65"),
        ("http://host/", {"timeout": 0}, "timeout is 0"),
        ("http://host/", {"retries": -1}, "retries is -1"),
    ],
)
def test_what_cannot_be_asked(url: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_http(url, USERS, ITEMS, **options)


def test_audits_ask_an_endpoint_about_the_ids_of_their_tables(server: Server) -> None:
    users = pd.DataFrame({"user_id": USERS, "gender": ["f", "m"] * 20})
    items = pd.DataFrame({"item_id": ITEMS, "genre": ["a", "b"] * 25})
    pairs = pd.DataFrame([(user, item) for user in USERS for item in ITEMS], columns=["user_id", "item_id"])
    scored = pairs.assign(score=truth(pairs["user_id"], pairs["item_id"]))
    wanted = pairs[pairs.index % 7 == 0]

    def estimates(result: eh.AuditResult) -> dict[str, float | None]:
        return {one.id: one.estimate for one in result.findings}

    exposed = [estimates(eh.exposure.audit(scores, wanted, users, items)) for scores in (server.url, scored)]
    assert exposed[0] == exposed[1] != {}
    labelled = scored.assign(label=pairs.index % 7 == 0)
    served = [
        estimates(eh.groups.audit(candidates, users, attributes="gender", recommender=model, permutations=20))
        for candidates, model in ((labelled.drop(columns="score"), server.url), (labelled, None))
    ]
    assert served[0] == served[1] != {}


def test_an_address_needs_ids() -> None:
    with pytest.raises(InputError, match="an endpoint does not know the ids of its users and items"):
        as_recommender("http://127.0.0.1:1/score")


@pytest.mark.slow
def test_100_000_pairs_in_bounded_memory(server: Server) -> None:
    users, items = [f"u{n}" for n in range(400)], list(range(250))
    model = from_http(server.url, users, items, trial=False)
    server.behaviour = lambda handler, asked: (send(handler, right(asked)), server.asked.clear())[0]
    tracemalloc.start()
    scores = model.score_block(np.arange(400))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert scores.tolist() == [truth([user] * 250, items) for user in model.user_ids]
    # 0.8 MB are the scores; the server, which is counted too, holds some batches as well.
    assert peak < 40e6
