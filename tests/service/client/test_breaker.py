"""When a server is left alone, by a clock that is told."""

from evenhand.service.client.breaker import Breaker


class Now:
    def __init__(self):
        self.at = 100.0

    def __call__(self):
        return self.at


def fail(breaker, times):
    for _ in range(times):
        assert breaker.may()
        breaker.failed()


def test_failures_in_a_row_and_a_rest_that_grows():
    now = Now()
    breaker = Breaker(now)
    fail(breaker, 4)
    breaker.worked()
    fail(breaker, 5)  # only those in a row count
    assert not breaker.may()
    rests = []
    for _ in range(8):
        began = now.at
        while not breaker.may():
            now.at += 0.25
        rests.append(now.at - began)
        assert not breaker.may()  # one is asked, the others wait for what comes of it
        breaker.failed()
    assert rests == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_one_answer_and_all_is_well():
    now = Now()
    breaker = Breaker(now)
    fail(breaker, 5)
    now.at += 1
    assert breaker.may()
    breaker.worked()
    assert [breaker.may() for _ in range(3)] == [True] * 3
    fail(breaker, 5)
    now.at += 1
    assert breaker.may()  # the rest is a short one again


def test_one_who_was_asked_and_never_told_does_not_lock_it_for_good():
    now = Now()
    breaker = Breaker(now)
    fail(breaker, 5)
    now.at += 1
    assert breaker.may()
    now.at += 1
    assert breaker.may()
