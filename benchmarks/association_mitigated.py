"""The association audit on MovieLens-1M beside the published tables: mitigation.

    python benchmarks/association_mitigated.py /path/to/ml-1m build/association

The folder is the one that association_training.py writes. Numbers are means over seeds of training, with the
standard deviation between seeds after +-. Whatever is said of held-out users is said of the quarter whose
gender no mitigation saw, the same for all mitigations of a seed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import association_published as published
import numpy as np
import pandas as pd
from association_movielens import MEASURES, METHODS, Models, World, by_genre, models, spread, table, world
from association_published import GENRES
from association_training import ADVERSARIES, HELD_OUT, LOOPS, RESAMPLED
from scipy import stats

from evenhand.mitigate import compare_embeddings, erase
from evenhand.mitigate.vectors.probing import probe
from evenhand.recommenders import Factors
from evenhand.results import AuditResult

PERMUTATIONS = 20  # p-values of pairs are not shown
ERASED: dict[str, dict[str, Any]] = {
    "projection svc": {"method": "projection", "direction": "svc"},
    "projection centroid": {"method": "projection", "direction": "centroid"},
    "nullspace, to chance": {"method": "nullspace"},
    "nullspace 200": {"method": "nullspace", "rounds": 200, "stop_at_chance": False},
    "nullspace 1000": {"method": "nullspace", "rounds": 1_000, "stop_at_chance": False},
    "leace": {"method": "leace"},
}
# Published under one name; here with two weights of the adversary.
PUBLISHED_AS = dict.fromkeys(ADVERSARIES, "adversarial")


def mitigations(trained: Models, here: World) -> None:
    seen = pd.concat([here.data.train.frame(), here.data.valid.frame()])
    compared: dict[str, list[AuditResult]] = {}
    genres: dict[str, list[pd.DataFrame]] = {}
    removed: dict[str, list[int]] = {}
    took_part: dict[str, list[float]] = {}
    for seed in LOOPS:
        base, told = trained["bpr", seed, 0], here.data.told[seed]
        after, ranks = mitigated(trained, seed, base, here)
        for name, model in {"none": base, **after}.items():
            audit = compare_embeddings(
                base, model, here.gender, here.groups, train=seen, test=here.data.test,
                held_out=base.user_ids[told < 0], permutations=PERMUTATIONS, toward="M",
            ).result  # fmt: skip
            compared.setdefault(name, []).append(audit)
            genres.setdefault(name, []).append(by_genre(model, here))
            removed.setdefault(name, []).append(ranks.get(name, 0))
            inside = probe(model.user_vectors[told >= 0], told[told >= 0], 2, "linear", 0.95, seed)
            took_part.setdefault(name, []).append(inside.balanced)
    _accuracy(compared)
    _still_told(compared, removed, took_part)
    _mitigated_genres(genres)


def mitigated(
    trained: Models, seed: int, base: Factors, here: World
) -> tuple[dict[str, Factors], dict[str, int]]:
    """Models by the name of the mitigation, and how many dimensions it took away."""
    found = {kind: trained[kind, seed, 0] for kind in (*RESAMPLED, *ADVERSARIES)}
    ranks = {}
    for name, how in ERASED.items():
        # 0 and 1 as the trainings with an adversary have it, so that the same users are held out.
        erased = erase(base, None, here.data.female.astype(int), held_out=HELD_OUT, rng=seed, **how)
        assert np.array_equal(np.isin(base.user_ids, erased.held_out), here.data.told[seed] < 0)
        found[name], ranks[name] = erased.recommender, erased.rank
    return found, ranks


def _published_name(name: str) -> str:
    return PUBLISHED_AS.get(name, name)


def _accuracy(compared: dict[str, list[AuditResult]]) -> None:
    rows = []
    for name, audits in compared.items():
        told = published.MITIGATED_ACCURACY.get(_published_name(name))
        if name == "none":
            told = published.ACCURACY["bpr"]
        cells = []
        for place, measure in enumerate(published.MEASURES):
            values = [one.find("ranking_change", metric=f"{measure}@10").details["after"] for one in audits]
            cells.append(spread(values) + ("" if told is None else f" ({told[place]:.3f})"))
        rows.append([name, *cells])
    table(
        "Accuracy at 10 after a mitigation (Table 9.1), published in brackets",
        ["", *published.MEASURES],
        rows,
    )


def _still_told(
    compared: dict[str, list[AuditResult]], removed: dict[str, list[int]], took_part: dict[str, list[float]]
) -> None:
    rows = []
    for name, audits in compared.items():
        cells = [", ".join(map(str, removed[name]))]
        for classifier in ("linear", "non-linear"):
            found = [one.find("attribute_accuracy", classifier=classifier, when="after") for one in audits]
            limits = found[0].interval
            assert limits is not None
            cells.append(spread([float(one.estimate or 0) for one in found]))
            cells.append(f"{found[0].estimate:.3f} [{limits.low:.3f}, {limits.high:.3f}]")
            if classifier == "linear":
                above = sum(one.interval.low > one.details["guessing"] for one in found if one.interval)
                cells.append(f"{above} of {len(found)}")
        passes = [
            sum(one.find("direction", method=method, when="after").details["passes"] for one in audits)
            for method in METHODS
        ]
        rows.append([name, *cells, spread(took_part[name]), *(f"{one} of {len(audits)}" for one in passes)])
    columns = [
        "dimensions removed", "linear", "linear, first seed", "above chance", "non-linear",
        "non-linear, first seed", "linear, users who took part", "SVC direction passes",
        "centroid direction passes",
    ]  # fmt: skip
    table(
        "Balanced accuracy of fresh classifiers of gender on held-out users (chance 0.5)",
        ["", *columns],
        rows,
    )


def _mitigated_genres(genres: dict[str, list[pd.DataFrame]]) -> None:
    for measure in MEASURES:
        digits = 1 if measure == "geaa" else 3
        rows = []
        for name, measured in genres.items():
            told = published.MITIGATED_BY_GENRE.get((_published_name(name), measure))
            if name == "none":
                told = published.BY_GENRE["bpr", measure]
            cells = []
            for genre in GENRES:
                values = [one.loc[genre, measure] for one in measured]
                said = spread(values, digits)
                cells.append(said + ("" if told is None else f" ({told[genre]:.{digits}f})"))
            rows.append([name, *cells])
        what = "GEAA, sum" if measure == "geaa" else f"R-RIPA, {measure}"
        table(f"{what}, after a mitigation (Tables 9.2, 9.3), published in brackets", ["", *GENRES], rows)


def lengths(trained: Models, here: World) -> None:
    """Do users' vectors tell women by their length alone, which no linear classifier sees?"""
    female = here.data.female
    rows = []
    for kind in ("bpr", *RESAMPLED, *ADVERSARIES):
        found = []
        for seed in LOOPS:
            length = np.linalg.norm(trained[kind, seed, 0].user_vectors, axis=1)
            above = stats.mannwhitneyu(length[female], length[~female]).statistic
            found.append(above / (female.sum() * (~female).sum()))
        rows.append(["none" if kind == "bpr" else kind, spread(found)])
    table("Women told from men by the length of their vectors alone", ["", "AUC"], rows)


def main() -> None:
    data, folder = sys.argv[1], Path(sys.argv[2])
    here = world(data, folder)
    trained: Models = {}
    for family in ("bpr", "resampled", "adversarial"):
        trained |= models(folder, family, here.data)
    mitigations(trained, here)
    lengths(trained, here)


if __name__ == "__main__":
    main()
