"""The two-tower model with and without gender on MovieLens-1M: what its vectors know of it, and accuracy.

    python benchmarks/two_towers.py ../shared/data/ml-1m build/deep/trained

The folder is the one that `deep_training.py train` wrote. Both models of a seed have the same split. Numbers
are means over seeds, after +- the standard deviation between them; those of Beattie (2023, Sec. 6.1), of
podcasts and 12,000 users, beside them for the shape. "held out" is of users that the classifier did not
learn from; "from histories", of users told by the vectors of what they took.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from association_movielens import WAYS, spread, table
from deep_training import ATTRIBUTES, Made, made

from evenhand import association
from evenhand.datasets import load
from evenhand.findings import Finding
from evenhand.recommenders.evaluation import full_ranking

SOURCE = {"with": ("0.992", "0.993"), "without": ("0.829", "0.829")}  # Table 6.1, SVC
SOURCE_COSINES = {"with": ("1", "0.79", "0.71", "0.03"), "without": ("1", "0.89", "0.40", "0.03")}  # 6.2
MEASURES = ("recall", "ndcg", "hit")
PERMUTATIONS = 20  # its p-values are not shown


def told(one: Made, gender: np.ndarray) -> dict[str, Any]:
    """Everything that the tables need of a model."""
    train = one.split.train
    seen = train.matrix() + one.split.valid.matrix()
    direction = association.audit(one.model, None, gender, toward="M").findings[0]
    leak = association.leakage(
        one.model, None, gender, train.frame(), trainings=["unbalanced"], toward="F",
        permutations=PERMUTATIONS,
    )  # fmt: skip
    area = leak.find("leak_auc")
    return {
        "ranking": full_ranking(one.model, one.split.test, seen),
        "direction": direction,
        "own": area.details["auc_of_own_vector"],
        "history": area.estimate,
        "history, accuracy": leak.find("leak_accuracy").estimate,
    }


def accuracy(one: Finding, which: str) -> float:
    return float(one.details["accuracy"][which])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("trained", type=Path)
    given = parser.parse_args()
    users = load(given.data).users.set_index("user_id")["gender"]
    found: dict[str, list[dict[str, Any]]] = {how: [] for how in ATTRIBUTES}
    made_of: dict[str, list[Made]] = {how: [] for how in ATTRIBUTES}
    for one in made(given.data, given.trained, ["towers"]):
        found[one.job.told].append(told(one, users.loc[one.split.train.user_ids].to_numpy()))
        made_of[one.job.told].append(one)
        print(".", end="", flush=True)
    print(f"\n{', '.join(f'{how}: {len(rows)} seeds' for how, rows in found.items())}")

    table(
        "Accuracy at 10 of the recommender, and its training",
        ["gender", *MEASURES, "epochs", "kept", "seconds"],
        [
            [
                how,
                *(spread([row["ranking"][name] for row in rows], 4) for name in MEASURES),
                spread([float(one.epochs) for one in made_of[how]], 0),
                spread([float(one.kept) for one in made_of[how]], 0),
                spread([one.told["seconds"] for one in made_of[how]], 0),
            ]
            for how, rows in found.items()
        ],
    )

    ways = {
        "SVC, learnt": lambda row: accuracy(row["direction"], "train"),
        "held out": lambda row: accuracy(row["direction"], "test"),
        "balanced": lambda row: accuracy(row["direction"], "balanced"),
        "AUC, held out": lambda row: row["own"],
        "from histories, AUC": lambda row: row["history"],
        "accuracy": lambda row: row["history, accuracy"],
        "apart, in sd": lambda row: row["direction"].estimate,
    }
    values = {
        how: {name: [way(row) for row in rows] for name, way in ways.items()} for how, rows in found.items()
    }
    rows = []
    for how in ATTRIBUTES:
        rows.append([f"{how}, published", *SOURCE[how], *["-"] * 5])
        rows.append([how, *(spread(values[how][name]) for name in ways)])
    falls = {name: np.subtract(values["with"][name], values["without"][name]) for name in ways}
    rows.append(["it falls by", *(spread(list(one)) for one in falls.values())])
    majority = found["with"][0]["direction"].details["accuracy"]["majority"]
    chance = {"balanced": 0.5, "AUC, held out": 0.5, "from histories, AUC": 0.5, "apart, in sd": 0.0}
    rows.append(["chance, or the larger side", *(f"{chance.get(name, majority):.3f}" for name in ways)])
    table("Guessing gender", ["gender", *ways], rows)

    table(
        "Guessing gender, each seed: accuracy held out / AUC",
        ["gender", *(str(one.job.seed) for one in made_of["with"])],
        [
            [how, *(f"{a:.3f} / {b:.3f}" for a, b in zip(of["held out"], of["AUC, held out"], strict=True))]
            for how, of in values.items()
        ],
    )

    rows = []
    for how in ATTRIBUTES:
        rows.append([f"{how}, published", *SOURCE_COSINES[how], "-"])
        details = [row["direction"].details for row in found[how]]
        passed = f"{sum(one['passes'] for one in details)} of {len(details)}"
        rows.append([how, *(spread([one["cosines"][way] for one in details], 2) for way in WAYS), passed])
    table("Cosine of the direction of the SVC with other ways to make one (Table 6.2)",
          ["gender", *WAYS, "pass"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
