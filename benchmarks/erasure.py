"""What do mitigations of attribute association leave, and what do they cost?

    .venv/bin/python benchmarks/erasure.py               what an erasure leaves, simulated
    .venv/bin/python benchmarks/erasure.py FOLDER        every mitigation of gender in a BPR model

FOLDER holds MovieLens-100k or MovieLens-1M. Held-out users (a quarter) are the same for all mitigations;
"took part" are the others. Accuracies are balanced, of fresh classifiers in five folds, and chance is .5;
"length alone" is that of a classifier that sees the lengths of all users' vectors and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import evenhand as eh
from calibration.mitigation_worlds import covers, erased, expected_residue
from evenhand.datasets import load
from evenhand.mitigate import EmbeddingComparison
from evenhand.mitigate.vectors.findings import TOOK_PART
from evenhand.mitigate.vectors.probing import probe
from evenhand.recommenders import Interactions
from evenhand.recommenders.taken.splits import Split, random_split

WORLDS = ((1_200, 12, 0.25), (4_000, 64, 0.25), (4_000, 64, 0.1))
METHODS = ("leace", "projection", "nullspace")
GENRES = ("Action", "Sci-Fi", "Romance", "Drama")
WEIGHTS = (0.1, 1.0)


def simulated(runs: int) -> Iterator[str]:
    yield "| users | dimensions | held out | method | held-out | expected | covers .5 | took part | rank |"
    yield "| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
    for users, dimensions, share in WORLDS:
        for method in METHODS:
            found = [erased(users, dimensions, share, method, run) for run in range(runs)]
            held, made = (
                np.mean([getattr(one, who).balanced for one in found]) for who in ("held_out", "took_part")
            )
            covered = np.mean([covers(one.held_out) for one in found])
            expected = 0.5 + expected_residue(users, dimensions, share)
            yield (
                f"| {users:,} | {dimensions} | {share:.0%} | {method} | {held:.3f} | {expected:.3f} | "
                f"{covered:.0%} | {made:.3f} | {np.mean([one.rank for one in found]):.1f} |"
            )


def mitigated(base: Any, parts: Split, gender: Any, seed: int, settings: dict[str, Any]) -> Iterator[Any]:
    """A name and what each mitigation gives back."""
    for name, method, more in (
        ("projection (svc)", "projection", {}),
        ("projection (centroid)", "projection", {"direction": "centroid"}),
        ("nullspace", "nullspace", {}),
        ("LEACE", "leace", {}),
    ):
        done = eh.mitigate.erase(base, None, gender, method, rng=seed, **more)
        yield f"{name}, {done.rank} removed", done
    for how in ("over", "under"):
        train = eh.mitigate.resample(parts.train, gender, how, rng=seed)
        yield f"{how}-sampling", eh.recommenders.fit("bpr", train, parts.valid, seed, **settings)[0]
    for weight in WEIGHTS:
        done = eh.mitigate.adversarial_bpr(parts.train, gender, weight=weight, rng=seed, **settings)
        yield f"adversarial, weight {weight:g}", done


def row(name: str, found: EmbeddingComparison) -> str:
    table = found.table.set_index(["measure", "how", "about"])
    told = {
        (one.subject["who"] == TOOK_PART, one.subject["classifier"]): one
        for one in found.result.findings
        if one.measure == "attribute_accuracy" and one.subject["when"] == "after"
    }
    cells = []
    for took_part in (False, True):
        for classifier in ("linear", "non-linear"):
            one = told.get((took_part, classifier))
            limits = "" if one is None else f" ({one.interval.low:.2f} to {one.interval.high:.2f})"
            cells.append("" if one is None else f"{one.estimate:.2f}{limits}")
    cells += [f"{table.loc[('geaa', '', genre), 'after']:+.3f}" for genre in GENRES]
    cells += [f"{table.loc[('ranking', f'{metric}@10', ''), 'after']:.3f}" for metric in ("recall", "ndcg")]
    return f"| {name} | {' | '.join(cells)} |"


def real(folder: str, seed: int, settings: dict[str, Any]) -> Iterator[str]:
    data = load(folder)
    parts = random_split(Interactions.from_frame(data.interactions), np.random.default_rng(seed))
    gender = data.users.set_index("user_id")["gender"]
    genres = data.items.set_index("item_id")["genres"]
    base, _ = eh.recommenders.fit("bpr", parts.train, parts.valid, seed, **settings)
    held_out = eh.mitigate.erase(base, None, gender, rng=seed).held_out
    who = "held out: linear | non-linear | took part: linear | non-linear"
    yield f"| BPR | {who} | {' | '.join(GENRES)} | recall@10 | ndcg@10 | length alone |"
    for name, after in [("as it was", base), *mitigated(base, parts, gender, seed, settings)]:
        found = eh.mitigate.compare_embeddings(
            base, after, gender, genres, train=parts.train, test=parts.test, rng=seed, permutations=199,
            held_out=None if hasattr(after, "held_out") else held_out,
        )  # fmt: skip
        vectors = getattr(after, "recommender", after).user_vectors
        codes = (gender.reindex(base.user_ids) == "M").to_numpy().astype(np.int64)
        by_length = probe(np.linalg.norm(vectors, axis=1)[:, None], codes, 2, "linear", 0.95, seed)
        yield f"{row(name, found)} {by_length.balanced:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--factors", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch", type=int, default=1024)
    given = parser.parse_args()
    settings = {"factors": given.factors, "epochs": given.epochs, "batch": given.batch}
    lines = simulated(given.runs) if given.folder is None else real(given.folder, given.seed, settings)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
