"""One user's audit: what it returns, what it protects, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envy.online.driver import immediate, saved_and_loaded
from envy.online.published import ocef
from evenhand.envy import Auditor
from evenhand.envy.online.designs.draws import Draws
from evenhand.stats.many_looks.sequences import mixture_lower, mixture_upper

PATIENT = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize(
    ("means", "outcome"),
    [
        ((0.6, 0.3, 0.3), "no_envy"),
        ((0.3, 0.3, 0.8), "envy"),
        ((0.5, 0.52, 0.1), None),  # better, but by less than epsilon: both outcomes are right
        ((1.0, 0.0), "no_envy"),
        ((0.0, 1.0), "envy"),
        ((0.0, 0.0), "no_envy"),
    ],
)
@pytest.mark.parametrize("bound", ["mixture", "lil"])
@pytest.mark.parametrize("choice", ["adaptive", "uniform"])
def test_clear_cases_end_as_they_must(means, outcome, bound, choice):
    auditor = Auditor(len(means) - 1, epsilon=0.3, alpha=0.5, bound=bound, choice=choice, rng=0)
    seen = immediate(auditor, means, seed=1)
    assert auditor.outcome == outcome or (outcome is None and auditor.outcome in ("envy", "no_envy"))
    assert auditor.step == len(seen)
    assert auditor.reason is None
    assert auditor.needs is None


def test_the_first_recommendation_is_the_users_own():
    assert Auditor(3, rng=0).next() == 0
    assert Auditor(3, alpha=1.0, bound="lil", rng=0).next() in (0, 1, 2, 3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("means", [(0.6, 0.2, 0.3), (0.3, 0.3, 0.8)])
def test_lil_with_uniform_choice_is_the_published_algorithm(means, seed):
    auditor = Auditor(2, epsilon=0.3, delta=0.1, alpha=0.4, bound="lil", choice="uniform", rng=seed, drift=0)
    seen = immediate(auditor, means, seed)
    outcome, shown = ocef(means, 0.3, 0.1, 0.4, Draws(seed).alone, np.random.default_rng(seed))
    assert [arm for arm, _ in seen] == shown
    assert auditor.outcome == outcome


def test_intervals_are_the_mixtures_at_the_stated_errors():
    auditor = Auditor(4, delta=0.1, alpha=0.5, epsilon=0.01, budget=60, design="unpaired", rng=0)
    seen = immediate(auditor, (0.5, 0.5, 0.5, 0.5, 0.5), seed=2)
    for arm in range(5):
        rewards = [reward for k, reward in seen if k == arm]
        assert len(rewards) < 32  # computed for every number of pulls
        sums = np.cumsum(rewards).tolist()
        upper, lower = (0.01, 0.01) if arm == 0 else (0.06, 0.07 / 4)
        highs = [mixture_upper(n, total, upper) for n, total in enumerate(sums, 1)]
        lows = [mixture_lower(n, total, lower) for n, total in enumerate(sums, 1)]
        assert auditor.intervals[arm] == pytest.approx((max(lows, default=0), min(highs, default=1)))


@PATIENT
@given(st.data())
def test_the_order_of_delivery_does_not_change_the_intervals(data):
    """The same rewards of the same pulls, all settled in the end."""
    seed = data.draw(st.integers(0, 100))
    rng = np.random.default_rng(seed)
    options = {"epsilon": 0.05, "alpha": 0.6, "budget": 60, "rng": seed}
    first, second = Auditor(3, **options), Auditor(3, **options)
    pulls = []
    for _ in range(40):
        one, other = first.assign(deadline=9), second.assign(deadline=9)
        assert one == other
        pulls.append(one.id)
    rewards = {i: float(rng.random()) for i in pulls}
    for i in pulls:
        first.report(i, rewards[i])
    for i in data.draw(st.permutations(pulls)):
        second.report(i, rewards[i])
    assert second.intervals == first.intervals
    assert second.margin == first.margin
    assert second.next() == first.next()


def test_a_reward_waits_for_the_earlier_pulls_of_its_arm():
    auditor = Auditor(1, alpha=0.1, design="unpaired", rng=0)
    first, second = auditor.assign(deadline=9), auditor.assign(deadline=9)
    assert (first.arm, second.arm) == (0, 0)
    auditor.report(second.id, 1.0)
    assert auditor.intervals[0] == (0, 1)
    assert auditor.design.arms[0].count == 0
    auditor.report(first.id, 0.0)
    assert (auditor.design.arms[0].count, auditor.design.arms[0].total) == (2, 1)


def test_what_is_reported_in_order_of_arrival_would_mislead():
    """Ones come at once and zeros never: entered as they arrive, the arm would look perfect."""
    auditor = Auditor(1, alpha=1.0, epsilon=0.2, design="unpaired", rng=0)
    rng = np.random.default_rng(0)
    for _ in range(100):
        assignment = auditor.assign(deadline=9)
        if rng.random() < 0.5:
            auditor.report(assignment.id, 1.0)
    assert auditor.design.arms[0].low < 0.5
    assert auditor.outcome is None


def test_an_unsettled_pull_counts_nothing_in_the_constraint():
    auditor, told = (Auditor(2, alpha=0.2, epsilon=0.001, design="unpaired", rng=0) for _ in range(2))
    for _ in range(200):
        one, other = auditor.assign(deadline=9), told.assign(deadline=9)
        told.report(other.id, 1.0)
        if one.arm == 0:
            auditor.report(one.id, 1.0)
    assert auditor.design.explored.means == 0
    assert sum(told.assigned[1:]) > sum(auditor.assigned[1:]) > 0
    assert auditor.margin >= 0


def test_a_reward_after_its_deadline_counts_zero():
    auditor = Auditor(1, alpha=0.1, design="unpaired", rng=0)
    late, never, soon = (auditor.assign(deadline=d) for d in (10, 11, 12))
    assert auditor.report(soon.id, 1.0, now=12)
    assert not auditor.report(late.id, 1.0, now=10.5)
    assert auditor.expire(now=11) == []  # the deadline itself is in time
    assert auditor.expire(now=11.5) == [never.id]
    assert (auditor.design.arms[0].count, auditor.design.arms[0].total) == (3, 1)
    assert auditor.outstanding == []
    assert never.deadline == 11


def test_a_report_of_what_is_settled_is_late_and_changes_nothing():
    auditor = Auditor(1, design="unpaired", rng=0)
    pull = auditor.assign(deadline=10)
    assert auditor.expire(now=11) == [pull.id]
    auditor = saved_and_loaded(auditor)
    before = auditor.to_dict()
    assert auditor.report(pull.id, 1.0, now=12) is False
    assert auditor.report(pull.id, 0.0, now=13) is False
    assert auditor.to_dict() == before


def test_constraint_holds_with_the_true_means_whatever_is_seen():
    means = (0.8, 0.0, 0.1)
    auditor = Auditor(2, alpha=0.1, epsilon=0.1, rng=0)
    gained = 0.0
    for step, (arm, _) in enumerate(immediate(auditor, means, seed=5), 1):
        gained += means[arm]
        assert gained >= 0.9 * step * 0.8 - 1e-9
    assert auditor.margin >= 0
    assert auditor.cost == pytest.approx(auditor.step * 0.8 - gained, rel=0.3)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("bound", ["mixture", "lil"])
def test_the_margin_is_never_more_than_the_true_one(alpha, bound):
    """Every reward is its mean, so all bounds hold."""
    means = (0.4, 0.3, 0.5)
    auditor = Auditor(2, alpha=alpha, epsilon=0.1, bound=bound, rng=0)
    gained = 0.0
    for step in range(1, 500):
        arm = auditor.next()
        gained += means[arm]
        auditor.observe(arm, means[arm])
        assert auditor.margin <= gained - (1 - alpha) * step * means[0] + 1e-9
        if auditor.outcome:
            break


def test_a_new_version_of_the_policies_ends_the_audit():
    auditor = Auditor(2, rng=0)
    auditor.assign(version="2026-01", deadline=9)
    auditor.assign(deadline=9)
    auditor.assign(version="2026-01", deadline=9)
    assert auditor.outcome is None
    last = auditor.assign(version="2026-02", deadline=9)
    assert last.arm == 0
    assert auditor.outcome == "inconclusive"
    assert "'2026-01' to '2026-02'" in auditor.reason


def test_drifting_rewards_end_the_audit():
    auditor = Auditor(1, epsilon=0.05, alpha=0.3, design="unpaired", rng=0)
    step = 0
    while auditor.outcome is None:
        arm = auditor.next()
        step += 1
        auditor.observe(arm, float((step % 10 < 6) if step < 300 else (step % 10 < 2)))
    assert auditor.outcome == "inconclusive"
    assert "drifted" in auditor.reason


def test_a_spent_budget_is_no_certificate():
    auditor = Auditor(2, budget=50, rng=0)
    immediate(auditor, (0.6, 0.3, 0.3), seed=0)
    assert auditor.outcome == "inconclusive"
    assert "50 steps was spent with 2 of 2 arms undecided" in auditor.reason
    needs = auditor.needs
    assert needs["arms"] == [1, 2]
    assert 62 < needs["steps"] < 20_000


def test_a_spent_budget_waits_for_outstanding_rewards():
    auditor = Auditor(1, budget=2, rng=0)
    one, two = auditor.assign(deadline=9), auditor.assign(deadline=9)
    auditor.report(two.id, 1.0)
    assert auditor.outcome is None
    assert auditor.spent
    auditor.report(one.id, 1.0)
    assert auditor.outcome == "inconclusive"


def test_rewards_after_the_end_change_nothing():
    auditor = Auditor(1, rng=0)
    pull = auditor.assign(version="a", deadline=9)
    auditor.assign(version="b", deadline=9)
    before = auditor.to_dict()
    assert auditor.report(pull.id, 1.0) is False
    auditor.observe(0, 1.0)
    assert auditor.expire(now=10**9) == []
    assert auditor.to_dict() == before
    assert auditor.outcome == "inconclusive"


@PATIENT
@given(seed=st.integers(0, 1000), choice=st.sampled_from(["adaptive", "uniform"]), at=st.integers(1, 50))
def test_replaying_the_observations_repeats_the_decisions(seed, choice, at):
    options = {"epsilon": 0.3, "alpha": 0.5, "choice": choice, "rng": seed, "budget": 80}
    auditor = Auditor(2, **options)
    seen = immediate(auditor, (0.5, 0.2, 0.6), seed)
    again = Auditor(2, **options)
    for step, (arm, reward) in enumerate(seen, 1):
        assert again.next() == arm
        again.observe(arm, reward)
        if step == at:
            again = saved_and_loaded(again)
    assert again.to_dict() == auditor.to_dict()


@pytest.mark.parametrize("kind", [bool, int, float, np.bool_, np.int64, np.float32])
def test_a_click_may_be_told_in_any_type(kind):
    for design in ("blocks", "unpaired"):
        auditor, log = Auditor(1, design=design, rng=0), []
        auditor.listener = log.append
        auditor.observe(auditor.next(), kind(1))
        assert log[1] == ["deliver", [[1, 1.0]]]
        assert type(log[1][1][0][1]) is float


def test_a_generator_gives_a_seed_that_is_kept():
    auditor = Auditor(3, choice="uniform", rng=np.random.default_rng(4))
    assert auditor.to_dict()["seed"] == Auditor(3, rng=np.random.default_rng(4)).seed
