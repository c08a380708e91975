"""Days that are kept as evidence say what the audit and the series say over all rows at once."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.asked.declared.opportunity import OpportunityStep, SeriesStep
from evenhand.following import UnlikeError
from evenhand.inputs.columns.buckets import sign_of
from evenhand.opportunity import followed
from evenhand.opportunity.followed_days import counting

DAYS = [f"2026-01-{day:02}" for day in range(1, 13)]
GROUPS = ["a", "b", "c"]


@dataclass
class Kept:
    """Days in memory."""

    evidence: dict = field(default_factory=dict)
    state: bytes | None = None
    period: str = "day"

    @property
    def labels(self):
        return list(self.evidence)

    @property
    def numbers(self):
        return range(1, len(self.evidence) + 1)

    @property
    def number(self):
        return len(self.evidence)

    def content(self, label, kind):
        return self.evidence[label][kind]

    were_together = False

    def contents(self, kind):
        return [one[kind] for one in self.evidence.values()]


def logs(days=DAYS, rows=2_000, seed=1, groups=GROUPS, unfair=1.4):
    rng = np.random.default_rng(seed)
    made = {}
    for name, share in (("default", [unfair, 1.0, 0.8]), ("random", [1.0, 1.0, 1.0])):
        parts = []
        for day in days:
            n = rows if name == "default" else rows // 2
            user = rng.integers(0, 300, n)
            group = rng.choice(3, n, p=np.array(share) / sum(share))
            liked = rng.random(n) < 0.1 + 0.1 * (user % 3 == 0) + 0.03 * group
            chance = rng.choice([0.1, 0.2], n)
            parts.append(
                pd.DataFrame(
                    {
                        "day": day,
                        "user_id": user,
                        "creator_id": rng.integers(0, 90, n) * 3 + group,
                        "group": np.array(groups)[group],
                        "liked": liked.astype(int),
                        "p": chance,
                    }
                )
            )
        made[name] = pd.concat(parts, ignore_index=True)
    return made["default"], made["random"]


def asked_of(step, default, random):
    return step.given({"default": default, "random": random})


def told(step):
    return {key: getattr(step, key) for key in type(step).model_fields if key != "audit"}


def added(kept, step, default, random, day, shared=False):
    """The look at a day that is added to those that are kept."""
    own = default[default.day == day], random if shared else random[random.day == day]
    daily = {"default"} if shared else {"default", "random"}
    counted = followed.count(asked_of(step, *own), daily, lambda message: None, b"")
    kept.evidence[day] = dict(counted.evidence)
    look = followed.look(told(step), kept, 0)
    kept.state = look.state
    return (*look.so_far, *look.findings)


def near(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        assert one == pytest.approx(other, abs=1e-9, rel=1e-9)


def same_interval(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        near(one.low, other.low)
        near(one.high, other.high)


def test_that_nobody_looks_whether_random_traffic_is_random_is_said_where_its_items_are_named():
    default, random = logs(DAYS[:2])
    of_logs = {"default": "default", "random": "random", "label": "liked", "group": "group"}
    for item in (None, "creator_id"):
        step = OpportunityStep(**of_logs, cluster="user_id", item=item)
        kept = Kept()
        found = [one for day in DAYS[:2] for one in added(kept, step, default, random, day)]
        found += followed.together(told(step), list(kept.evidence.values()), 0)
        said = ["not looked at from day to day" in " ".join(each.warnings) for each in found]
        assert set(said) == {item is not None}


CASES = {
    "users": {"cluster": "user_id"},
    "rows": {},
    "two ways": {"cluster": ["user_id", "creator_id"]},
    "weights": {"cluster": "user_id", "probability": "p"},
    "window": {"cluster": "user_id", "window": 3},
    "weekday": {"cluster": "user_id", "window": "weekday"},
    "shared": {"cluster": "user_id"},
    "baseline": {"cluster": "user_id", "window": 2, "baseline": 4},
}


@pytest.mark.parametrize("case", CASES)
def test_looks_are_the_series_of_all_days(case):
    """Every look has the entry that the series has of its day: estimate, the interval of that day alone and
    the one that holds on every day at once."""
    shared = case == "shared"
    default, random = logs()
    if shared:
        random = random.drop(columns="day")
    more = CASES[case]
    step = SeriesStep(default="default", random="random", label="liked", group="group", day="day", **more)
    kept = Kept()
    looks = [{one.id: one for one in added(kept, step, default, random, day, shared)} for day in DAYS]
    series = eh.opportunity.series(
        default, random, label="liked", group="group", day="day", judge="any", **more
    )
    compared = 0
    for finding in series.findings:
        for entry in finding.series.days:
            one = looks[DAYS.index(entry.day)][finding.id]
            (own,) = one.series.days
            assert own.n == entry.n
            near(own.estimate, entry.estimate)
            for ours, theirs in ((own, entry), (own.fixed, entry.fixed)):
                near(ours.low, theirs.low)
                near(ours.high, theirs.high)
            assert own.verdict == entry.verdict
            # Of several days as one, people are counted over all of them.
            assert own.people >= entry.people
            compared += 1
    assert compared >= 6 * len(DAYS)


@pytest.mark.parametrize("case", ["users", "rows", "two ways", "weights", "shared"])
@pytest.mark.parametrize("chosen", [DAYS, DAYS[3:7], DAYS[:1], DAYS[::3]], ids=len)
def test_days_together_are_the_audit_of_their_rows(case, chosen):
    shared = case == "shared"
    default, random = logs()
    more = CASES[case]
    step = OpportunityStep(default="default", random="random", label="liked", group="group", **more)
    kept = []
    for day in chosen:
        own = default[default.day == day], random if shared else random[random.day == day]
        daily = {"default"} if shared else {"default", "random"}
        kept.append(followed.count(asked_of(step, *own), daily, lambda message: None, b"").evidence)
    own = random if shared else random[random.day.isin(chosen)]
    audit = eh.opportunity.audit(default[default.day.isin(chosen)], own, label="liked", group="group", **more)
    found = followed.together(told(step), kept, 0)
    assert [one.id for one in found] == [one.id for one in audit.findings]
    for one, other in zip(found, audit.findings, strict=True):
        near(one.estimate, other.estimate)
        same_interval(one.interval, other.interval)
        near(one.p_value, other.p_value)
        assert (one.verdict, one.n, one.excluded) == (other.verdict, other.n, other.excluded)
        assert one.assumptions == other.assumptions
        assert one.warnings == other.warnings


def test_rows_that_were_chosen_are_told_of():
    default, random = logs(DAYS[:2])
    where = {"creator_id": [*range(200)]}
    more = {"cluster": "user_id", "where": where}
    step = OpportunityStep(default="default", random="random", label="liked", group="group", **more)
    kept = [
        followed.count(
            asked_of(step, default[default.day == day], random[random.day == day]),
            {"default", "random"},
            lambda message: None,
            b"",
        ).evidence
        for day in DAYS[:2]
    ]
    audit = eh.opportunity.audit(default, random, label="liked", group="group", **more)
    for one, other in zip(followed.together(told(step), kept, 0), audit.findings, strict=True):
        assert (one.id, one.excluded[-1].count) == (other.id, other.excluded[-1].count)


def step_of(**more):
    return OpportunityStep(
        default="default", random="random", label="liked", group="group", cluster="user_id", **more
    )


def test_a_group_that_is_called_otherwise_is_refused():
    kept, step = Kept(), step_of()
    default, random = logs(DAYS[:3])
    added(kept, step, default, random, DAYS[0])
    renamed = logs(DAYS[:3], groups=["a", "b", "C"])
    with pytest.raises(UnlikeError, match=r"no longer has group = c, and has group = C, which no day before"):
        added(kept, step, *renamed, DAYS[1])


def test_text_is_hashed_alike_on_all_days_or_refused(monkeypatch):
    """Another version of an engine may hash text otherwise, and then a user of two days would be two."""
    kept, step = Kept(), step_of()
    default, random = (log.assign(user_id="u" + log.user_id.astype(str)) for log in logs(DAYS[:3]))
    added(kept, step, default, random, DAYS[0])
    added(kept, step, default, random, DAYS[1])

    def otherwise(rows):
        return sign_of(rows).mutate(sign=lambda told: told.sign + 1)

    monkeypatch.setattr(counting, "sign_of", otherwise)
    with pytest.raises(UnlikeError, match="hashes text otherwise than on the days before"):
        added(kept, step, default, random, DAYS[2])


def test_a_rare_group_may_stay_away():
    kept, step = Kept(), step_of()
    default, random = logs(DAYS[:3])
    rare = pd.concat([default, default.head(5).assign(group="rare")])
    added(kept, step, rare, random, DAYS[0])
    added(kept, step, rare, random, DAYS[1])


def test_a_shared_random_log_may_not_change():
    kept, step = Kept(), step_of()
    default, random = logs(DAYS[:3])
    added(kept, step, default, random, DAYS[0], shared=True)
    with pytest.raises(UnlikeError, match="The random log is not the one"):
        added(kept, step, default, random.iloc[:-50], DAYS[1], shared=True)


@pytest.mark.parametrize(("rows", "groups", "most"), [(1_000_000, 5, 200_000)])
def test_a_day_of_a_million_rows_is_small(rows, groups, most):
    import zlib

    rng = np.random.default_rng(0)
    frames = []
    for n in (rows, rows // 10):
        group = rng.integers(0, groups, n)
        frames.append(
            pd.DataFrame(
                {"user_id": rng.integers(0, 100_000, n), "group": group, "liked": rng.random(n) < 0.1}
            )
        )
    counted = followed.count(asked_of(step_of(), *frames), {"default", "random"}, lambda message: None, b"")
    assert sum(len(zlib.compress(one)) for one in counted.evidence.values()) < most


def test_equal_days_have_equal_bytes():
    default, random = logs(DAYS[:1])
    daily = {"default", "random"}
    evidence = [
        followed.count(asked_of(step_of(), frame, random), daily, lambda message: None, b"").evidence
        for frame in (default, default.sample(frac=1, random_state=3), default.iloc[1:])
    ]
    assert evidence[0] == evidence[1] != evidence[2]


@pytest.mark.parametrize(
    ("daily", "more", "said"),
    [
        ({"random"}, {}, "The default log is the same on every day"),
        ({"default", "random"}, {"window": "all"}, "window is 'all'"),
    ],
)
def test_what_cannot_be_followed(daily, more, said):
    default, random = logs(DAYS[:1])
    step = SeriesStep(default="default", random="random", label="liked", group="group", day="day", **more)
    with pytest.raises(eh.InputError, match=said):
        followed.count(asked_of(step, default, random), daily, lambda message: None, b"")
