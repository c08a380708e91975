"""Do the checks of an opportunity audit's data keep their level, and what do they see?

    .venv/bin/python benchmarks/opportunity_checks.py [--runs 1000]

Prints the tables of docs/evidence/calibration/opportunity.md about tastes that change, random logs that
are not random and arms that do not have their users. The worlds are those of tests/calibration.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.ramp_worlds import LONG_RAMP, RAMP, THREE_ARMS, alarms_of, ramp_up
from calibration.ramp_worlds import tilted as tilted_by
from calibration.random_log_worlds import COLUMNS, KINDS, p_values, p_values_by
from calibration.series_worlds import holds_every_day, tilted
from calibration.taste_worlds import CHANGING, STEADY, alarms, fair, verdicts
from evenhand.stats.many_looks.sample_ratio import p_value

MATCHED = {"own day": 1, "weekday": "weekday", "7 days": 7, "all": None}
TASTES = {
    "what users like stays": {},
    "swings by 30% at weekends": {"weekend": 0.3},
    "drifts from -30 to 30% in four weeks": {"drift": 0.3},
    "one holiday, 40%": {"holiday": 0.4},
}
SPLITS = {
    "as planned, 50/50": ((0.5, 0.5), (0.5, 0.5)),
    "as planned, 90/10": ((0.9, 0.1), (0.9, 0.1)),
    "as planned, four arms": ((0.25,) * 4, (0.25,) * 4),
    "51.5% where 50% were planned": ((0.5, 0.5), (0.515, 0.485)),
}


BY = ("together", "a phase", "either", "product", "one split")
RAMPS = {
    "as planned, three phases": (RAMP, RAMP),
    "as planned, ten phases": (LONG_RAMP, LONG_RAMP),
    "as planned, three arms": (THREE_ARMS, THREE_ARMS),
    "1.5 points of 50% off in all of three phases": (RAMP, tilted_by(RAMP, 0.515 / 0.485)),
    "1.5 points of 50% off in all of ten phases": (LONG_RAMP, tilted_by(LONG_RAMP, 0.515 / 0.485)),
    "3 points of 50% off in the last of three phases": (RAMP, tilted_by(RAMP, 0.53 / 0.47, 2)),
    "6 points of 50% off in the last of ten phases": (LONG_RAMP, tilted_by(LONG_RAMP, 0.56 / 0.44, 9)),
}
FAIR = {
    "swings by 30% at weekends, own day": fair(1, weekend=0.3),
    "swings by 30% at weekends, 7 days": fair(7, weekend=0.3),
    "the same, 1,000 random rows a day": fair(7, weekend=0.3, random_rows=1_000),
    "the same, 400 random rows a day": fair(7, weekend=0.3, random_rows=400),
    "swings by 30% at weekends, weekday": fair("weekday", weekend=0.3),
    "drifts from -30 to 30%, weekday": fair("weekday", drift=0.3),
    "one holiday, 40%, 7 days": fair(7, holiday=0.4),
    "stays, 7 days": fair(7),
}
UNFAIR = {
    f"penalty .25 every day, {how}": replace(fair(window), utilities=np.tile(tilted(4, 0.25), (28, 1)))
    for how, window in (("own day", 1), ("7 days", 7))
}


def _table(title: str, *columns: str) -> None:
    print(f"\n### {title}\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated logs a setting")
    runs = parser.parse_args().runs
    _table(
        "Fair on each of 28 days: percent of series whose daily penalty holds on all",
        "",
        *MATCHED,
        "times as wide",
    )
    for name, changes in TASTES.items():
        worlds = {
            how: fair(window, random_rows=6_000 if window else 28 * 6_000, **changes)
            for how, window in MATCHED.items()
        }
        held = {how: holds_every_day(world, runs) for how, world in worlds.items()}
        wider = held["own day"]["width"] / held["7 days"]["width"]
        _row(name, *(f"{held[how]['penalty']:.1f}" for how in MATCHED), f"{wider:.2f}")
    _table("Series of 28 days: percent", "", "a day beyond 1/9", "violation", "said to change")
    for name, world in (FAIR | UNFAIR).items():
        _row(name, *(f"{rate:.1f}" for rate in verdicts(world, max(1, runs // 3)).values()))
    _table(
        "Random logs of 28 days: percent that are said to change", "", "window of 7", "any group named", "all"
    )
    for name, world in (STEADY | CHANGING).items():
        few = max(1, runs // (10 if "Zipf" in name else 3 if "users" in name else 1))
        said = np.array(list(alarms(world, 7, few))).mean(axis=0)
        whole = np.mean([alarm for alarm, _ in alarms(world, None, few)])
        _row(f"{name} ({few:,} logs)", *(f"{100 * rate:.1f}" for rate in (*said, whole)))
    _table(
        "Random logs of 200 users: percent said not to be random", "drawn by", "uniform", "items differ by .4"
    )
    for kind in KINDS:
        rates = [(p_values(kind, runs, spread) <= 0.05).mean() for spread in (0.0, 0.4)]
        _row(kind, *(f"{100 * rate:.1f}" for rate in rates))
    _table(
        "Random logs of 100 users: percent said to depend on a column",
        "column",
        "items alike",
        "items differ by .8, everywhere alike",
        "items differ between values",
    )
    for column in COLUMNS:
        settings = ((runs, 0.0, 0.0), (runs, 0.8, 0.0), (max(1, runs // 5), 0.0, 0.7))
        rates = [(p_values_by(column, *each) <= 0.05).mean() for each in settings]
        _row(column, *(f"{100 * rate:.1f}" for rate in rates))
    _table(
        "Users of arms looked at on 60 days: percent that ever alarm",
        "",
        "users a day",
        "e-process",
        "chi-square",
    )
    for name, (planned, truth) in SPLITS.items():
        for users in (20, 500):
            drawn = np.random.default_rng(3).multinomial(users, truth, size=(4 * runs, 60)).cumsum(axis=1)
            expected = drawn.sum(axis=-1, keepdims=True) * np.array(planned)
            chi = stats.chi2.sf(((drawn - expected) ** 2 / expected).sum(axis=-1), len(planned) - 1)
            ever = [
                (p <= 0.05).any(axis=1).mean() for p in (p_value(drawn.astype(float), np.array(planned)), chi)
            ]
            _row(name, f"{users:,}", *(f"{100 * rate:.1f}" for rate in ever))
    _table("The same where the planned split changes", "", "users a day", *BY)
    for name, (shares, truth) in RAMPS.items():
        for users in (20, 500):
            part = max(1, runs // 2)
            ever = [alarms_of(ramp_up(truth, users, part, seed), shares) for seed in range(6, 10)]
            _row(name, f"{users:,}", *(f"{25 * sum(each[by] for each in ever) / part:.1f}" for by in BY))


if __name__ == "__main__":
    main()
