"""Buckets that fill again with time."""

from evenhand.service.access import limits
from evenhand.service.access.limits import Rate


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_so_many_a_second_and_twice_at_once():
    clock = Clock()
    rate = Rate(10.0, clock)
    assert [rate.wait("a") for _ in range(20)] == [0.0] * 20
    assert rate.wait("a") == 0.1
    assert rate.wait("b") == 0.0
    clock.now = 0.05
    assert abs(rate.wait("a") - 0.05) < 1e-12
    clock.now = 0.1
    assert rate.wait("a") == 0.0
    assert rate.wait("a") > 0


def test_in_the_long_run_it_is_the_rate():
    clock = Clock()
    rate, allowed = Rate(10.0, clock), 0
    for _ in range(10_000):
        clock.now += 0.01
        allowed += rate.wait("a") == 0.0
    assert abs(allowed - 1020) <= 2  # 100 seconds, and what was there at first


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "_MOST_KEPT", 100)
    clock = Clock()
    rate = Rate(1.0, clock)
    for i in range(10_000):
        rate.wait(f"caller {i}")
        rate.wait("who asks all the time")
    assert len(rate._left) == 100
    assert rate.wait("who asks all the time") > 0  # and is not forgotten for others
