"""The association audit on MovieLens-1M beside the published tables: feedback loop and leakage.

    python benchmarks/association_change.py /path/to/ml-1m build/association

The folder is the one that association_training.py writes. Numbers are means over seeds of training, with the
standard deviation between seeds after +-. "1" is the model as it was trained first, "5" the one after five
rounds of feedback. association_movielens.py has the tables on existence and significance, and
association_mitigated.py those on mitigation.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import association_published as published
import numpy as np
from association_movielens import (
    MEASURES,
    METHODS,
    SOURCE_COST,
    Models,
    World,
    by_genre,
    first_rounds,
    line_of,
    models,
    spread,
    table,
    world,
)
from association_published import FEMALE, GENRES, MALE
from association_training import LOOPS, ROUNDS
from scipy import stats

from evenhand import association
from evenhand.association.vectors.checks import cosines
from evenhand.findings import Finding
from evenhand.recommenders import Factors
from evenhand.results import AuditResult

PERMUTATIONS = 20  # its p-values are not shown
NONE = "-"


def last_rounds(trained: Models, kind: str) -> list[Factors]:
    return [
        model for (name, _, round_), model in sorted(trained.items()) if name == kind and round_ == ROUNDS
    ]


def loops(trained: Models, here: World) -> None:
    rows = []
    for kind in ("bpr", "dmf"):
        first, last = first_rounds(trained, kind), last_rounds(trained, kind)
        audits = {
            method: association.amplification(
                [first, last], here.gender, here.groups, method=method, toward="M"
            )
            for method in METHODS
        }
        for method in METHODS:
            rows += _people(kind, method, (first, last), audits[method], here)
        _growth_of_genres(kind, (first, last), audits, here)
    columns = ["men, 1", "men, 5", "women, 1", "women, 5", "gap, 1", "gap, 5"]
    table(
        "Mean cosine of users with the direction (Table 8.1); growth of the gap on users held out",
        ["", *columns, "growth of the gap"],
        rows,
    )
    rows = [[kind, *_noise_beside_loop(trained, kind, here)] for kind in ("bpr", "dmf")]
    columns = ["1 to 5, same seed", "1 to 1, another seed"]
    table(
        "The published test (Kolmogorov-Smirnov, two-sided, p below 0.05 / 24): tests that find a change",
        ["", *columns],
        rows,
    )


def _people(
    kind: str, method: str, states: tuple[list[Factors], list[Factors]], audit: AuditResult, here: World
) -> list[list[str]]:
    """Published and ours: of men and women the first state and the last, and their gap."""
    men = here.gender == "M"
    sides: list[list[float]] = [[], [], [], []]
    for place, state in enumerate(states):
        for model in state:
            along = cosines(model.user_vectors, line_of(model, here, method))
            sides[place].append(float(along[men].mean()))
            sides[2 + place].append(float(along[~men].mean()))
    gaps = [list(np.subtract(sides[place], sides[2 + place])) for place in (0, 1)]
    told = published.LOOP_COSINES[kind, method]
    theirs = [*told, told[0] - told[2], told[1] - told[3]]
    found = audit.find("gap_growth")
    return [
        [f"{kind}, {method}, published", *(f"{value:.3f}" for value in theirs), NONE],
        [f"{kind}, {method}", *(spread(one) for one in (*sides, *gaps)), _grown(found)],
    ]


def _grown(found: Finding) -> str:
    """Growth with its interval; the p-value only where it is not 1."""
    if found.estimate is None:
        return "not applicable"
    limits = "" if found.interval is None else f" [{found.interval.low:.3f}, {found.interval.high:.3f}]"
    p_value = found.details.get("adjusted_p_value", 1.0)
    return f"{found.estimate:.3f}{limits}" + (f", p {p_value:.2g}" if p_value < 1 else "")


def _growth_of_genres(
    kind: str, states: tuple[list[Factors], list[Factors]], audits: dict[str, AuditResult], here: World
) -> None:
    measured = [[by_genre(model, here) for model in state] for state in states]
    rows = []
    for name in GENRES:
        cells = [name]
        for measure in MEASURES:
            digits = 1 if measure == "geaa" else 3
            ours = [spread([one.loc[name, measure] for one in state], digits) for state in measured]
            of, method = ("geaa_growth", "svc") if measure == "geaa" else ("r_ripa_growth", measure)
            theirs = [
                f"{one[kind, measure][name]:.{digits}f}"
                for one in (published.BY_GENRE, published.LOOP_BY_GENRE)
            ]
            marked = name in published.LOOP_MARKED.get((kind, measure), ())
            cells += [
                " to ".join(ours), _grown(audits[method].find(of, group=name)),
                " to ".join(theirs) + (", marked" if marked else ""),
            ]  # fmt: skip
        rows.append(cells)
    columns = ["genre"]
    for measure in ("R-RIPA, SVC", "R-RIPA, centroid", "GEAA, sum"):
        columns += [measure, "growth of the mean", "published"]
    table(f"{kind}: genres from 1 to 5 (Table 8.2)", columns, rows)


def _noise_beside_loop(trained: Models, kind: str, here: World) -> list[str]:
    """How often the test finds a change after five rounds, and between two trainings on the same data."""
    men = here.gender == "M"

    def scores(model: Factors) -> list[np.ndarray]:
        along = [cosines(model.item_vectors, line_of(model, here, method)) for method in METHODS]
        return [
            *along,
            association.eaa(model.item_vectors, model.user_vectors[men], model.user_vectors[~men]),
        ]

    first = [scores(trained[kind, seed, 0]) for seed in LOOPS]
    last = [scores(trained[kind, seed, ROUNDS]) for seed in LOOPS]
    said = []
    for pairs in (list(zip(first, last, strict=True)), list(combinations(first, 2))):
        p_values = [
            stats.ks_2samp(one[chosen], other[chosen]).pvalue
            for before, after in pairs
            for one, other in zip(before, after, strict=True)
            for chosen in here.groups.values()
        ]
        tests = len(MEASURES) * len(GENRES)
        said.append(f"{int((np.array(p_values) < 0.05 / tests).sum())} of {len(p_values)}")
    return said


# The published threshold is that of the classifier; the other is set where histories are told apart best.
THRESHOLDS = {"classifier": ("unbalanced", "balanced"), "histories": ("balanced",)}
Leaks = dict[tuple[str, int, str], list[AuditResult]]


def leaks(trained: Models, here: World) -> None:
    found = leaks_of(trained, here)
    _by_audience(found)
    _by_side(found)
    _by_history(found)


def leaks_of(trained: Models, here: World) -> Leaks:
    """The audits of leakage of the first and the last round."""
    found: Leaks = {}
    for (kind, seed, round_), model in sorted(trained.items()):
        if seed in LOOPS and round_ in (0, ROUNDS):
            for threshold, trainings in THRESHOLDS.items():
                audit = association.leakage(
                    model, None, here.gender, here.data.train.frame(), _sides(here), trainings=trainings,
                    threshold=threshold, cost=SOURCE_COST, toward="F", permutations=PERMUTATIONS,
                )  # fmt: skip
                found.setdefault((kind, round_, threshold), []).append(audit)
    return found


def _sides(here: World) -> dict[str, np.ndarray]:
    """Films of the genres of one side and none of the other's, and films of neither."""
    male, female = (np.array([bool(mine & set(side)) for mine in here.genres]) for side in (MALE, FEMALE))
    return {"male": male & ~female, "female": female & ~male, "neutral": ~male & ~female}


def _by_audience(found: Leaks) -> None:
    tenths = ("50-60%", "60-70%", "70-80%", "80-90%", "90-100%")
    rows = []
    for kind in ("bpr", "dmf"):
        for side, word in (("F", "women"), ("M", "men")):
            for place, round_ in enumerate((0, ROUNDS)):
                audits = found[kind, round_, "classifier"]
                shares = [tenths_of(audit, side) for audit in audits]
                name = f"{kind}, {word}, {'15'[place]}"
                told = published.DECILES[kind, side][place]
                rows.append([f"{name}, published", *(f"{value:.2f}" for value in told)])
                rows.append([name, *(_known(list(one), 2) for one in zip(*shares, strict=True))])
    title = "Films predicted to be a side's, by that side's share of the audience (Tables 8.5, 8.6)"
    table(title, ["", *tenths], rows)


def tenths_of(audit: AuditResult, side: str) -> list[float]:
    """The share predicted to be the side's of films whose audience is by 50 to 60% the side's, and so on."""
    rows = audit.find("leak_items", training="unbalanced", popularity="all").details["deciles"]
    shares = [row.get("predicted", np.nan) for row in rows]
    return shares[5:] if side == "F" else [1 - value for value in shares[4::-1]]


def _known(values: list[float], digits: int) -> str:
    known = [value for value in values if np.isfinite(value)]
    return spread(known, digits) if known else NONE


def _by_side(found: Leaks) -> None:
    rows = []
    for kind in ("bpr", "dmf"):
        for side, told in published.GENRE_SIDES[kind].items():
            cells = []
            for threshold, training in (("classifier", "unbalanced"), ("histories", "balanced")):
                for round_ in (0, ROUNDS):
                    audits = found[kind, round_, threshold]
                    shares = [
                        one.find("leak_group", training=training, group=side).estimate for one in audits
                    ]
                    cells.append(spread([float(one or 0) for one in shares], 2))
            rows.append([f"{kind}, {side}", *(f"{value:.2f}" for value in told), *cells])
    columns = ["published, 1", "published, 5", "1", "5", "threshold among histories, 1", "the same, 5"]
    table("Films predicted to be women's, by genre (Table 8.7)", ["", *columns], rows)


def _by_history(found: Leaks) -> None:
    rows = []
    for kind in ("bpr", "dmf"):
        for threshold, trainings in THRESHOLDS.items():
            for training in trainings:
                audits = [
                    [one.find("leak_auc", training=training) for one in found[kind, round_, threshold]]
                    for round_ in (0, ROUNDS)
                ]
                told = [NONE, NONE]
                if threshold == "classifier":
                    told = [f"{value:.3f}" for value in published.HISTORIES[kind][training]]
                shares = [spread([one.details["predicted"] for one in state]) for state in audits]
                areas = [spread([float(one.estimate or 0) for one in state]) for state in audits]
                name = f"{kind}, {training}, threshold of the {threshold}"
                rows.append([name, *told, *shares, *areas])
    columns = ["published, 1", "published, 5", "1", "5", "AUC, 1", "AUC, 5"]
    title = "Users predicted to be women by their history (Table 8.8; 28% are), and how well (AUC)"
    table(title, ["", *columns], rows)


def main() -> None:
    data, folder = sys.argv[1], Path(sys.argv[2])
    here = world(data, folder)
    trained: Models = {}
    for family in ("bpr", "dmf"):
        trained |= models(folder, family, here.data)
    loops(trained, here)
    leaks(trained, here)


if __name__ == "__main__":
    main()
