"""How honest are the figures of leakage? Coverage and false alarms in simulated worlds, and MovieLens.

    .venv/bin/python benchmarks/association_leakage.py [--runs 200] [--data ML-1M-FOLDER]

The worlds are those of tests/calibration. For each: the variance of the AUC over worlds beside DeLong's, and
coverage and alarms of the intervals as if users were independent, and as they are given. With --data, who is
predicted what from histories by PureSVD, with the threshold of the classifier and with that of histories.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.leak_worlds import (
    FOLDS,
    Listeners,
    audits,
    item_estimates,
    parts,
    teaching,
    truth,
    users_from_histories,
)
from evenhand.association.directions.fits import Classifying
from evenhand.association.leaking.classifier import THRESHOLDS, TRAININGS, Teaching, UserHistories
from evenhand.datasets import movielens
from evenhand.recommenders import Interactions, fit
from evenhand.stats.means.proportions import auc

WORLDS = [(0.0, 0.3, 200), (0.0, 0.5, 300), (0.1, 0.3, 300), (0.3, 0.3, 200), (0.1, 0.05, 400)]


def variance_beside_delong(world: Listeners, users: int, runs: int) -> float:
    areas, errors = [], []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 3]), seed=run)
        part = parts(has, FOLDS, np.random.default_rng([run, 6]))
        found = users_from_histories(sample, has, world.items, teaching("balanced"), part)
        area, error = auc(found.by_history, has, part)
        areas.append(area)
        errors.append(error)
    return float(np.var(areas, ddof=1) / np.mean(np.square(errors)))


def simulated(runs: int) -> None:
    for strength, share, users in WORLDS:
        world = Listeners(strength, share)
        true = truth(world, users, "balanced")
        times = variance_beside_delong(world, users, runs)
        print(
            f"strength {strength}, share {share}, {users} users: variance of the AUC {times:.2f} of DeLong's"
        )
        for refit in (False, True):
            found = audits(world, users, "balanced", runs, refit=refit)
            rows = [{one.measure: one for one in rates} for rates in found]
            held = {
                name: np.mean([row[name].interval[0] <= true[name] <= row[name].interval[1] for row in rows])
                for name in ("leak_accuracy", "leak_auc", "leak_parity")
            }
            beyond = np.mean([row["leak_accuracy"].interval[0] > max(share, 1 - share) for row in rows])
            alarms = np.mean([row["leak_auc"].p_value <= 0.05 for row in rows])
            told = ", ".join(f"{name} {100 * percent:.1f}%" for name, percent in held.items())
            print(f"  {'as given' if refit else 'as if independent'}: covers {told}; accuracy beyond the "
                  f"majority {100 * beyond:.1f}%, AUC p <= .05 {100 * alarms:.1f}%")  # fmt: skip
    apart, same = item_estimates(Listeners(0.0), 200, runs)
    print(f"items by audience on noise: {apart.mean():.3f} in halves, {same.mean():.3f} by the same users")


def movies(folder: Path) -> None:
    data = movielens(folder)
    interactions = Interactions.from_frame(data.interactions)
    model = fit("puresvd", interactions, interactions, 0, factors=64)[0]
    gender = data.users.set_index("user_id")["gender"].reindex(interactions.user_ids)
    has = (gender == "F").to_numpy()
    users = UserHistories.of(model.embeddings.users, interactions.matrix().astype(np.float64), 0)
    part = parts(has, FOLDS, np.random.default_rng([0, 41]))
    for threshold in THRESHOLDS:
        for training in TRAININGS:
            how = Teaching(training, threshold, Classifying())
            found = users_from_histories(users, has, model.embeddings.items, how, part)
            right = [100 * (found.said == has)[side].mean() for side in (has, ~has)]
            print(f"threshold {threshold}, {training}: AUC {auc(found.by_history, has, part)[0]:.3f}, told "
                  f"right {right[0]:.0f}% of women and {right[1]:.0f}% of men")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    if given.data:
        movies(given.data)
    if given.runs > 1:
        simulated(given.runs)


if __name__ == "__main__":
    main()
