"""The association audit on MovieLens-1M beside the published tables: existence and significance.

    python benchmarks/association_movielens.py /path/to/ml-1m build/association

The folder is the one that association_training.py writes. Numbers are means over seeds of training, with the
standard deviation between seeds after +-; tests and intervals are those of the first seed.
association_change.py has the tables on the feedback loop and leakage, association_mitigated.py those on
mitigation.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import association_published as published
import numpy as np
import pandas as pd
from association_published import FEMALE, GENRES, MALE
from association_training import Data, read

from evenhand import association
from evenhand.association.measures import effect_size
from evenhand.association.vectors.checks import cosines
from evenhand.datasets import load
from evenhand.findings import Finding
from evenhand.recommenders import Factors
from evenhand.recommenders.evaluation import full_ranking
from evenhand.stats.means.two_samples import welch

METHODS = ("svc", "centroid")
MEASURES = (*METHODS, "geaa")
WAYS = ("svc", "centroid", "most_biased_svc", "pca")
BINS = {"Under 18": "17", "50-55": "50 and over", "56+": "50 and over"}
SOURCE_COST = 1.0  # of an error of the SVC, the default of Beattie's library
PAIRS = tuple((one, other) for one in MALE for other in FEMALE)

Key = tuple[str, int, int]  # kind, seed, round
Models = dict[Key, Factors]


@dataclass(frozen=True)
class World:
    """Who the users are and what the films are about, in the order of the codes."""

    data: Data
    gender: np.ndarray
    age: np.ndarray
    genres: list[set[str]]

    @cached_property
    def groups(self) -> dict[str, np.ndarray]:
        """A genre without the films that are also in one of the other side's, as published."""
        found = {}
        for name in GENRES:
            opposite = set(FEMALE if name in MALE else MALE)
            found[name] = np.array([name in mine and not mine & opposite for mine in self.genres])
        return found


def world(data: str, folder: Path) -> World:
    loaded, parts = load(data), read(folder)
    users = loaded.users.set_index("user_id").loc[parts.train.user_ids]
    genres = loaded.items.set_index("item_id")["genres"].loc[parts.train.item_ids]
    return World(
        parts, users["gender"].to_numpy(), users["age_band"].to_numpy(), [set(one) for one in genres]
    )


def models(folder: Path, family: str, data: Data) -> Models:
    found: Models = {}
    with np.load(folder / f"{family}.npz") as stored:
        for name in stored:
            if name.endswith("/users"):
                key = name.removesuffix("/users")
                kind, seed, round_ = key.split("/")
                arrays = (stored[f"{key}/{side}"].astype(np.float32) for side in ("users", "items", "bias"))
                model = Factors(data.train.user_ids, data.train.item_ids, *arrays)
                found[kind, int(seed), int(round_)] = model
    return found


def first_rounds(trained: Models, kind: str) -> list[Factors]:
    return [model for (name, _, round_), model in sorted(trained.items()) if name == kind and round_ == 0]


def line_of(model: Factors, here: World, method: str, cost: float | None = None) -> np.ndarray:
    """From women to men: positive numbers are men's, as in Beattie."""
    men = here.gender == "M"
    return association.direction(model.user_vectors[men], model.user_vectors[~men], method, cost=cost)


def by_genre(model: Factors, here: World) -> pd.DataFrame:
    """R-RIPA along both directions and the sum of EAA of each genre."""
    men = here.gender == "M"
    scores = {method: cosines(model.item_vectors, line_of(model, here, method)) for method in METHODS}
    scores["geaa"] = association.eaa(model.item_vectors, model.user_vectors[men], model.user_vectors[~men])
    rows = {
        name: [scores[one][chosen].mean() for one in METHODS] + [scores["geaa"][chosen].sum()]
        for name, chosen in here.groups.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(MEASURES))


def accuracy_at_10(model: Factors, here: World, *, left_out: str = "training and validation") -> list[float]:
    """On the test part, of lists without what was learnt from, and without the validation part or with it."""
    seen = here.data.train.matrix()
    if left_out != "training":
        seen += here.data.valid.matrix()
    found = full_ranking(model, here.data.test, seen)
    return [found[measure] for measure in published.MEASURES]


def spread(values: list[float], digits: int = 3) -> str:
    """Mean and standard deviation over seeds."""
    said = f"{np.mean(values):.{digits}f}"
    return said if len(values) == 1 else f"{said} ± {np.std(values, ddof=1):.{digits}f}"


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n#### {title}\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def accuracies(trained: Models, here: World) -> None:
    rows = []
    for kind in ("bpr", "dmf", "library"):
        if kind in published.ACCURACY:
            rows.append([f"{kind}, published", *(f"{value:.3f}" for value in published.ACCURACY[kind])])
        values = [accuracy_at_10(model, here) for model in first_rounds(trained, kind)]
        rows.append(
            [f"{kind}, {len(values)} seeds", *(spread(list(one)) for one in zip(*values, strict=True))]
        )
    table("Accuracy at 10 (Table 6.3)", ["", *published.MEASURES], rows)


def directions(trained: Models, here: World) -> None:
    rows, tests, tops, alike = [], [], [], []
    for kind in ("bpr", "dmf", "library"):
        for method in METHODS:
            name = f"{kind}, {method}"
            held = [direction_of(model, here, method) for model in first_rounds(trained, kind)]
            inside = [direction_of(model, here, method, "insample") for model in first_rounds(trained, kind)]
            details = [one.details for one in held]
            if method == "svc" and kind in published.SVC_ACCURACY:
                shares = (f"{value:.3f}" for value in published.SVC_ACCURACY[kind])
                rows.append([f"{name}, published", *shares, "-", "-", "-", "-"])
            rows.append([name, *_existence(held)])
            told = published.T_VALUES.get((kind, method))
            if told is not None:
                tests.append([f"{name}, published", *(f"{value:.1f}" for value in told), "", "", "", ""])
            drawn = [_beside_drawn_users(model, here, method) for model in first_rounds(trained, kind)]
            beside = [spread(list(one), 1) for one in zip(*drawn, strict=True)]
            tests.append([name, *_statistics(inside), *beside, *_statistics(held)])
            right = published.MOST_BIASED.get((kind, method))
            tops.append([
                name,
                *(spread([one["most_biased"][side] for one in details], 2) for side in ("M", "F")),
                *(("-", "-") if right is None else (f"{value:.2f}" for value in right)),
            ])  # fmt: skip
            alike.append([name, *(spread([one["cosines"][way] for one in details], 2) for way in WAYS)])
    columns = ["accuracy, learnt", "held out", "majority", "balanced", "effect, first seed", "pass"]
    table("Directions of gender (Table 6.4)", ["", *columns], rows)
    columns = [f"in-sample: {row['test']}" for row in inside[0].details["tests"]]
    columns += [f"in-sample: {side}, against users drawn at random" for side in ("M", "F")]
    columns += [f"cross-fitted: {row['test']}" for row in held[0].details["tests"]]
    table("Tests of the directions, absolute values (Table 6.4)", ["", *columns], tests)
    columns = ["men", "women", "men, published", "women, published"]
    table("Of the 100 users furthest to a side, how many are of it (Table 6.5)", ["", *columns], tops)
    table("Cosine between ways to make the direction", ["", *WAYS], alike)


def direction_of(model: Factors, here: World, method: str, test: str = "crossfit") -> Finding:
    """The direction of gender, tested on others than made it, or on the same (as published)."""
    return association.audit(model, None, here.gender, method=method, test=test, toward="M").findings[0]


def _existence(found: list[Finding]) -> list[str]:
    shares = [one.details["accuracy"] for one in found]
    limits = found[0].interval
    assert limits is not None
    return [
        spread([one["train"] for one in shares]),
        spread([one["test"] for one in shares]),
        f"{shares[0]['majority']:.3f}",
        spread([one["balanced"] for one in shares]),
        f"{found[0].estimate:.2f} [{limits.low:.2f}, {limits.high:.2f}]",
        f"{sum(one.details['passes'] for one in found)} of {len(found)}",
    ]


def _statistics(found: list[Finding]) -> list[str]:
    values = [[abs(row["statistic"]) for row in one.details["tests"]] for one in found]
    return [spread(list(one), 1) for one in zip(*values, strict=True)]


def _beside_drawn_users(model: Factors, here: World, method: str) -> list[float]:
    """t of men and of women against as many users drawn at random, along the direction that they made."""
    along = cosines(model.user_vectors, line_of(model, here, method))
    rng = np.random.default_rng(0)
    sides = (along[here.gender == value] for value in ("M", "F"))
    return [abs(welch(side, rng.choice(along, len(side), replace=False))[0]) for side in sides]


def genres(trained: Models, here: World) -> None:
    for kind in ("bpr", "dmf", "library"):
        chosen = first_rounds(trained, kind)
        measured = [by_genre(model, here) for model in chosen]
        costly = [cosines(model.item_vectors, line_of(model, here, "svc", SOURCE_COST)) for model in chosen]
        rows = []
        for name in GENRES:
            cells = []
            for measure in MEASURES:
                values = [one.loc[name, measure] for one in measured]
                digits = 2 if measure == "geaa" else 3
                said = published.BY_GENRE.get((kind, measure))
                cells += [spread(values, digits), "-" if said is None else f"{said[name]:.{digits}f}"]
                if said is not None:
                    agree = sum(np.sign(value) == np.sign(said[name]) for value in values)
                    cells[-1] += "" if agree == len(values) else f" (sign agrees in {agree} of {len(values)})"
            means = [one.loc[name, "geaa"] / here.groups[name].sum() for one in measured]
            at_cost = spread([along[here.groups[name]].mean() for along in costly])
            rows.append([f"{name} ({here.groups[name].sum()})", at_cost, *cells, spread(means)])
        columns = ["genre (films)", "R-RIPA, SVC at Beattie's cost"]
        for measure in ("R-RIPA, SVC", "R-RIPA, centroid", "GEAA, sum"):
            columns += [measure, "published"]
        table(f"{kind}: genres (Table 7.2)", [*columns, "GEAA, mean"], rows)
    for kind in ("bpr", "dmf"):
        _pairs(kind, first_rounds(trained, kind), here)


def _pairs(kind: str, chosen: list[Factors], here: World) -> None:
    """Intervals and p-values of the first seed, effects of all."""
    audits = {}
    for method in METHODS:
        audits[method] = association.audit(
            chosen[0], None, here.gender, here.groups, method, toward="M", pairs=PAIRS
        )
    rows = []
    for name in GENRES:
        cells = [name]
        for measure, method in (("r_ripa", "svc"), ("r_ripa", "centroid"), ("geaa", "svc")):
            found = audits[method].find(measure, group=name)
            limits = (
                "none" if found.interval is None else f"[{found.interval.low:.3f}, {found.interval.high:.3f}]"
            )
            estimate = "not applicable" if found.estimate is None else f"{found.estimate:.3f}"
            cells.append(
                f"{estimate} {limits}, p {found.p_value:.1g}" if found.p_value is not None else estimate
            )
        rows.append(cells)
    table(
        f"{kind}, first seed: intervals that hold at once, and p-values",
        ["genre", "R-RIPA, SVC", "R-RIPA, centroid", "GEAA, mean"], rows,
    )  # fmt: skip
    lines = {method: [line_of(model, here, method) for model in chosen] for method in METHODS}
    rows = []
    for pair in PAIRS:
        cells = [" against ".join(pair)]
        for place, method in enumerate(METHODS):
            effects = []
            for model, line in zip(chosen, lines[method], strict=True):
                effects.append(effect_of(model, here, line, pair))
            found = audits[method].find("r_ripa", first=pair[0], second=pair[1])
            p_value = "-" if found.p_value is None else f"{found.details['adjusted_p_value']:.1g}"
            cells += [
                spread([float(one or 0) for one in effects], 2),
                f"{published.EFFECTS[kind][pair][place]:.2f}",
                p_value,
            ]
        rows.append(cells)
    table(
        f"{kind}: effect sizes of pairs of genres (Table 7.3); p-values of the first seed, corrected for 15",
        ["pair", "SVC", "published", "p", "centroid", "published", "p"],
        rows,
    )


def age_attributes(here: World) -> dict[str, np.ndarray]:
    """In bins and without; names that sort by age, so that the direction points to the youngest."""
    binned = np.array([BINS.get(age, "18-49") for age in here.age])
    return {"binned": binned, "unbinned": np.where(here.age == "Under 18", "17", here.age)}


def by_age(model: Factors, here: World, attribute: np.ndarray) -> list[float]:
    """The mean cosine of the users of each age with the holistic direction."""
    (line,) = association.directions(model.user_vectors, attribute, "svc", scheme="holistic").values()
    along = cosines(model.user_vectors, line)
    return [float(along[here.age == band].mean()) for band in published.AGES]


def effect_of(model: Factors, here: World, line: np.ndarray, pair: tuple[str, str]) -> float | None:
    """Not by `r_ripa`, which refuses sets with a vector in common: films that hardly anybody took can have
    the same vector in DMF."""
    along = cosines(model.item_vectors, line)
    return effect_size(*(along[here.groups[name]] for name in pair))


def ages(trained: Models, here: World) -> None:
    ways = age_attributes(here)
    for kind in ("bpr", "dmf"):
        rows, notes = [], []
        for way, attribute in ways.items():
            means = [by_age(model, here, attribute) for model in first_rounds(trained, kind)]
            for model in first_rounds(trained, kind):
                gender = line_of(model, here, "svc")
                found = association.audit(
                    model, None, attribute, scheme="holistic", against=gender, toward=min(attribute)
                ).findings[0]
                named = association.directions(model.user_vectors, attribute, "svc", scheme="holistic")
                (line,) = named.values()
                passes = "passes" if found.details["passes"] else "fails"
                notes.append(
                    f"{way}: {passes}, p {found.p_value:.1g}, cosine with gender {line @ gender:+.2f}"
                )
            rows.append([way, *(spread(list(one)) for one in zip(*means, strict=True))])
            rows.append([f"{way}, published", *(f"{value:.3f}" for value in published.AGE[kind, way])])
        title = f"{kind}: mean cosine with the holistic direction of age (Tables 6.6, 6.7)"
        table(title, ["", *published.AGES], rows)
        print("\n" + "\n".join(f"- {note}" for note in notes))


def main() -> None:
    data, folder = sys.argv[1], Path(sys.argv[2])
    here = world(data, folder)
    trained: Models = {}
    for family in ("bpr", "dmf", "library"):
        trained |= models(folder, family, here.data)
    accuracies(trained, here)
    directions(trained, here)
    genres(trained, here)
    ages(trained, here)


if __name__ == "__main__":
    main()
