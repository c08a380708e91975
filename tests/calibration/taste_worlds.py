"""Days on which the system is fair and what users like changes, and how often the random log tells it."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from calibration.series_worlds import Days, counts_of, regions
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.random_log.tastes import TasteChange, change_of_shares

GROUPS = 4


def tilts(days: int, *, weekend=0.0, drift=0.0, holiday=0.0) -> np.ndarray:
    """By how much users like every other group more, and the others less, on each day."""
    day = np.arange(days)
    return weekend * (day % 7 >= 5) + drift * (2 * day / max(1, days - 1) - 1) + holiday * (day == days // 2)


def tastes(days: int, p=None, **changes) -> np.ndarray:
    """Shares of liked pairs of each group in random traffic, days x groups."""
    p = np.full(GROUPS, 0.03) if p is None else p
    leaning = np.where(np.arange(len(p)) % 2 == 0, 1, -1)
    return p * (1 + np.outer(tilts(days, **changes), leaning))


def fair(window, days=28, rows=20_000, random_rows=6_000, **changes) -> Days:
    """Every day is exactly fair, and what users like changes."""
    return Days(tastes(days, **changes), np.ones((days, GROUPS)), rows, random_rows, window)


def logs(rng: np.random.Generator, days=14, rows=40_000, random_rows=15_000, **changes):
    """The default and the random log of a fair system, a row each, as tables."""
    shares = tastes(days, **changes)
    made = []
    for lift, count in ((2.0, rows), (1.0, random_rows)):
        frames = []
        for day, share in enumerate(lift * shares):
            group = rng.choice(GROUPS + 1, size=count, p=[*share, 1 - share.sum()])
            frames.append(pd.DataFrame({"day": day, "group": group % GROUPS, "liked": group < GROUPS}))
        made.append(pd.concat(frames, ignore_index=True))
    return tuple(log.assign(liked=log.liked.astype(int)) for log in made)


def random_days(
    rng: np.random.Generator, days=28, positives=360, users=0, heavy=False, p=None, **changes
) -> list[LogCounts]:
    """Positives of each day of a random log. With users, each comes on three days of ten, has tastes of his
    own, and `heavy` ones are in most of the rows."""
    shares = tastes(days, p, **changes)
    shares = shares / shares.sum(axis=1, keepdims=True)
    if not users:
        drawn = [rng.multinomial(rng.poisson(positives), share)[None] for share in shares]
    else:
        often = rng.pareto(1.2, users) + 0.1 if heavy else np.ones(users)
        own = rng.dirichlet(5 * np.full(shares.shape[1], 1 / shares.shape[1]), users) * shares.shape[1]
        there = (rng.random((days, users)) < 0.3) / 0.3
        rates = positives * (often / often.sum())[:, None] * own
        drawn = list(rng.poisson(there[:, :, None] * rates * shares[:, None]))
    groups = tuple(str(k) for k in range(shares.shape[1]))
    return [LogCounts(groups, day.astype(np.int64), day.astype(np.int64)) for day in drawn]


ZIPF = 0.12 / np.arange(1, 31) / (1 / np.arange(1, 31)).sum()
STEADY = {
    "rows": {},
    "3 positives a cell": {"positives": 12},
    "users with tastes": {"users": 300},
    "users with tastes, 90 days": {"users": 300, "days": 90, "positives": 120},
    "heavy users": {"users": 300, "heavy": True},
    "30 users": {"users": 30},
    "30 groups by Zipf": {"p": ZIPF, "positives": 900},
}
CHANGING = {
    "weekends 30%": {"weekend": 0.3},
    "weekends 30%, users": {"weekend": 0.3, "users": 300},
    "weekends 15%": {"weekend": 0.15},
    "weekends 30%, 10 positives a cell": {"weekend": 0.3, "positives": 40},
    "a holiday, 40%": {"holiday": 0.4},
    "drift from -15 to 15%": {"drift": 0.15},
}


def looked_at(parts: list[LogCounts], window) -> TasteChange | None:
    days = np.arange(len(parts))
    within = Days(np.empty(0), np.ones((len(days), 1)), 0, 0, window).within
    within = within if window else np.ones((len(days), len(days)), dtype=bool)
    return change_of_shares(parts, days, within, days % 7)


def alarms(world: dict, window, runs: int, seed: int = 5) -> Iterator[tuple[bool, bool]]:
    """Whether the random log is said to change, and whether any of its groups is."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        change = looked_at(random_days(rng, **world), window)
        yield change.p_value <= 0.05, bool((change.of_groups <= 0.05).any())


def verdicts(world: Days, runs: int, seed: int = 11) -> dict[str, float]:
    """Percent of series with a day wholly beyond 1/9, with one that is said to be a violation, and of random
    logs that are said to change within their window, so that nothing is decided."""
    rng = np.random.default_rng(seed)
    groups = tuple(str(k) for k in range(world.p.shape[-1]))
    positives, random = world.draw(runs, rng)
    beyond = (regions(world, positives, random, running=False).penalties()[0] > 1 / 9).any(axis=1)
    doubted = np.zeros(runs, dtype=bool)
    for run, days in enumerate(random.sum(axis=-1)):
        change = looked_at([counts_of(groups, day[None], world.random_rows) for day in days], world.window)
        doubted[run] = change is not None and change.p_value <= 0.05
    found = {"beyond": beyond, "violation": beyond & ~doubted, "said to change": doubted}
    return {name: 100 * float(hits.mean()) for name, hits in found.items()}
