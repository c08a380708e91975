"""Why do figures of Beattie (2023) differ from ours? Several readings of what her text leaves open, run.

    python benchmarks/association_causes.py prepare /path/to/ml-1m --out build/association
    python benchmarks/association_causes.py train build/association --out build/association
    python benchmarks/association_causes.py show /path/to/ml-1m build/association

Three questions: accuracy that rises by a mitigation (Table 9.1), associations that grow in a feedback loop
(Tables 8.1 and 8.2), and the order of ages without bins (Table 6.7). The folder is the one that
association_training.py writes; `train` is meant for a GPU, and what is there is not trained again. On
MovieLens-100k, with --epochs 200, a loop takes about 95 seconds of one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import association_published as published
import numpy as np
from association_training import (
    EPOCHS,
    HELD_OUT,
    LOOPS,
    RESAMPLED,
    ROUNDS,
    Arrays,
    Data,
    fit,
    halves,
    read,
    without_tables,
)

if TYPE_CHECKING:
    from association_movielens import World

    from evenhand.recommenders import Factors, Interactions

SPLITS = "causes.npz"
SEEDS = LOOPS[:2]
SHOWN, ACCEPTED, ALPHA = 10, 5, 0.1
# What a loop can mean. As here: of items new to the user, added to all that was added before.
READINGS: dict[str, dict[str, Any]] = {
    "as here": {},
    "the last epoch is kept": {"keep": "last"},
    "steep acceptance (alpha 1)": {"alpha": 1.0},
    "only what the last round added": {"cumulative": False},
    "what users took already is shown again": {"new": False},
    "split again in every round": {"split": True},
}
LOOP, SPLIT_FIRST = "loop", "split-first"


def prepare(folder: str, out: Path) -> None:
    """Interactions resampled before the split, as the sizes that are published ask for, and then split."""
    from evenhand.datasets import load
    from evenhand.mitigate import resample
    from evenhand.recommenders import Interactions
    from evenhand.recommenders.taken.splits import random_split

    data = load(folder)
    whole = Interactions.from_frame(data.interactions)
    gender = data.users.set_index("user_id")["gender"].loc[whole.user_ids]
    arrays: Arrays = {}
    for how in RESAMPLED:
        for seed in SEEDS:
            rows = resample(whole, gender, how, rng=seed)
            split = random_split(rows, np.random.default_rng(seed))
            for part in ("train", "valid", "test"):
                for side in ("user", "item"):
                    codes = getattr(getattr(split, part), side).astype(np.int16)
                    arrays[f"{how}/{seed}/{part}/{side}"] = codes
    np.savez_compressed(out / SPLITS, **arrays)


def resampled(folder: Path, how: str, seed: int, data: Data) -> Data:
    """The split of what was resampled first."""
    parts = {}
    with np.load(folder / SPLITS) as stored:
        for part in ("train", "valid", "test"):
            user, item = (stored[f"{how}/{seed}/{part}/{side}"].astype(np.int64) for side in ("user", "item"))
            parts[part] = _rows(data.train, user, item)
    return replace(data, **parts)


def _rows(like: Interactions, user: np.ndarray, item: np.ndarray) -> Interactions:
    unknown = np.full(len(user), np.nan)
    return replace(like, user=user, item=item, rating=unknown, time=unknown)


def _joined(*parts: Interactions) -> Interactions:
    user, item = (np.concatenate([getattr(part, side) for part in parts]) for side in ("user", "item"))
    return _rows(parts[0], user, item)


def accepted(
    model: Factors, known: Interactions, alpha: float, rng: np.random.Generator, new: bool
) -> Interactions:
    """What users take of their lists; of items that they know already too, unless only `new` ones are shown.

    The draw is that of the package's loop."""
    from evenhand.recommenders.feedback import _accept

    before = known if new else _rows(known, *(np.zeros(0, dtype=np.int64) for _ in range(2)))
    found = _accept(model, before, SHOWN, ACCEPTED, alpha, rng)
    return _rows(known, found.user[len(before) :], found.item[len(before) :])


def loop(
    seed: int,
    data: Data,
    fit: Callable[..., Factors] = fit,
    *,
    keep: str = "best",
    alpha: float = ALPHA,
    cumulative: bool = True,
    new: bool = True,
    split: bool = False,
) -> Iterator[Factors]:
    """The model of every round, the first included."""
    whole = _joined(data.train, data.valid, data.test)
    added: list[Interactions] = []
    for round_ in range(ROUNDS + 1):
        rng = np.random.default_rng([seed, round_])
        parts = data
        if split and round_:
            everything = _joined(whole, *added)
            part = rng.choice(3, len(everything.user), p=(0.8, 0.1, 0.1))
            parts = replace(
                data, train=everything.rows(part == 0), valid=everything.rows(part == 1),
                test=everything.rows(part == 2),
            )  # fmt: skip
        else:
            parts = replace(data, train=_joined(data.train, *added))
        model = fit("bpr", parts.train, seed + round_, data=parts, keep=keep)
        yield model
        known = _joined(whole, *added) if split else parts.train
        more = accepted(model, known, alpha, rng, new)
        added = [*added, more] if cumulative else [more]


def _jobs(seeds: tuple[int, ...] = SEEDS) -> list[tuple[str, str, int]]:
    jobs = [(LOOP, reading, seed) for seed in seeds for reading in READINGS]
    return [*((SPLIT_FIRST, how, seed) for seed in seeds for how in ("none", *RESAMPLED)), *jobs]


def _file(kind: str, name: str, seed: int) -> str:
    return f"causes-{kind}-{list(READINGS).index(name) if kind == LOOP else name}-{seed}.npz"


def _run(folder: Path, out: Path, epochs: int, job: tuple[str, str, int]) -> str:
    import torch

    torch.set_num_threads(1)
    kind, name, seed = job
    data, started = read(folder), time.perf_counter()
    trained = partial(fit, epochs=epochs)
    found: Arrays = {}
    if kind == LOOP:
        for round_, model in enumerate(loop(seed, data, trained, **READINGS[name])):
            if round_ in (0, ROUNDS):
                found |= halves(f"{round_}", model)
    else:
        parts = data if name == "none" else resampled(folder, name, seed, data)
        found |= halves("0", trained("bpr", parts.train, seed, data=parts))
    whole = out / _file(*job)
    np.savez(whole.with_suffix(".new.npz"), **found)
    whole.with_suffix(".new.npz").replace(whole)
    return f"{kind}, {name}, {seed}: {time.perf_counter() - started:.0f} s"


def train(folder: Path, out: Path, workers: int, epochs: int, seeds: tuple[int, ...] = SEEDS) -> None:
    jobs = [job for job in _jobs(seeds) if not (out / _file(*job)).exists()]
    with get_context("spawn").Pool(workers, without_tables) as pool:
        for said in pool.imap(partial(_run, folder, out, epochs), jobs):
            print(said, flush=True)


def _models(folder: Path, job: tuple[str, str, int], data: Data) -> list[Factors]:
    from evenhand.recommenders import Factors

    found = []
    with np.load(folder / _file(*job)) as stored:
        for round_ in ("0", f"{ROUNDS}"):
            if f"{round_}/users" in stored:
                arrays = (
                    stored[f"{round_}/{side}"].astype(np.float32) for side in ("users", "items", "bias")
                )
                found.append(Factors(data.train.user_ids, data.train.item_ids, *arrays))
    return found


def accuracy_as_recbole(model: Factors, parts: Data) -> list[float]:
    """Lists leave out what was learnt from, unless it is also in the test: that is how RecBole ranks."""
    from evenhand.recommenders.evaluation import MEASURES, full_ranking

    seen = (parts.train.matrix() + parts.valid.matrix()).astype(bool)
    wanted = parts.test.matrix().astype(bool)
    found = full_ranking(model, parts.test, (seen > wanted).astype(float).tocsr())
    return [found[name] for name in MEASURES]


def split_first_rows(folder: Path) -> dict[str, list[list[float]]]:
    """Accuracy at 10 of a BPR of interactions resampled before they were split, by how, a row a seed."""
    data = read(folder)
    rows: dict[str, list[list[float]]] = {}
    for kind, how, seed in _jobs():
        if kind == SPLIT_FIRST and (folder / _file(kind, how, seed)).exists():
            parts = data if how == "none" else resampled(folder, how, seed, data)
            (model,) = _models(folder, (kind, how, seed), data)
            rows.setdefault(how, []).append(accuracy_as_recbole(model, parts))
    return rows


def loop_rows(here: World, folder: Path) -> dict[str, list[dict[str, float]]]:
    """Growth of GEAA and of the gap of men and women from the first model to the last, by reading."""
    from association_movielens import by_genre, line_of

    from evenhand.association.vectors.checks import cosines

    men = here.gender == "M"
    rows: dict[str, list[dict[str, float]]] = {}
    for kind, reading, seed in _jobs():
        if kind != LOOP or not (folder / _file(kind, reading, seed)).exists():
            continue
        found: list[dict[str, float]] = []
        for model in _models(folder, (kind, reading, seed), here.data):
            measured = by_genre(model, here)
            one = {f"GEAA, {genre}": measured.loc[genre, "geaa"] for genre in ("Action", "Romance", "Drama")}
            for method in ("svc", "centroid"):
                along = cosines(model.user_vectors, line_of(model, here, method))
                one[f"gap, {method}"] = float(along[men].mean() - along[~men].mean())
            found.append(one)
        rows.setdefault(reading, []).append({name: found[1][name] / found[0][name] - 1 for name in found[0]})
    return rows


# Table 9.1: what the evaluations below are held against.
TOLD = {
    "BPR": published.ACCURACY["bpr"],
    "projection svc": published.MITIGATED_ACCURACY["projection svc"],
    "projection centroid": published.MITIGATED_ACCURACY["projection centroid"],
}


def accuracy_readings(
    models: dict[Any, Factors], here: World, seeds: int
) -> dict[str, dict[str, list[float]]]:
    """Measures at 10 of BPR before and after one projection, by what is wanted and what is left out."""
    from evenhand.mitigate import erase
    from evenhand.recommenders import Factors
    from evenhand.recommenders.evaluation import MEASURES, full_ranking

    parts = here.data
    nothing = _rows(parts.train, *(np.zeros(0, dtype=np.int64) for _ in range(2))).matrix()
    train, both = parts.train.matrix(), parts.train.matrix() + parts.valid.matrix()
    held = _joined(parts.valid, parts.test)
    readings = {
        "test, without training and validation (as here)": (parts.test, both),
        "test, without training": (parts.test, train),
        "test, nothing left out": (parts.test, nothing),
        "validation, without training": (parts.valid, train),
        "validation and test, without training": (held, train),
        "all that was taken, nothing left out": (_joined(parts.train, held), nothing),
    }

    def of_length_one(model: Factors) -> Factors:
        sides = (side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
                 for side in (model.user_vectors, model.item_vectors))  # fmt: skip
        return Factors(model.user_ids, model.item_ids, *sides, np.zeros(len(model.item_ids)))

    found: dict[str, dict[str, list[list[float]]]] = {}
    for seed in LOOPS[:seeds]:
        base = models["bpr", seed, 0]
        chosen = {"BPR": base}
        for direction in ("svc", "centroid"):
            erased = erase(base, None, parts.female.astype(int), "projection", direction=direction,
                           held_out=HELD_OUT,
                           rng=seed)  # fmt: skip
            chosen[f"projection {direction}"] = erased.recommender
        for name, model in chosen.items():
            for reading, (wanted, left_out) in readings.items():
                value = full_ranking(model, wanted, left_out)
                found.setdefault(reading, {}).setdefault(name, []).append([value[one] for one in MEASURES])
            value = full_ranking(of_length_one(model), parts.test, both)
            by_cosine = found.setdefault("test, by cosines instead of products", {})
            by_cosine.setdefault(name, []).append([value[one] for one in MEASURES])
    return {
        reading: {name: np.mean(values, axis=0).tolist() for name, values in by_name.items()}
        for reading, by_name in found.items()
    }


def age_readings(model: Factors, here: World, few: bool = False) -> dict[str, list[float]]:
    """The mean cosine of the users of each age with a direction of age, made in several ways.

    Signs are put so that they agree with the published ones as far as may be.
    """
    from itertools import combinations

    from sklearn.svm import LinearSVC

    users = np.asarray(model.user_vectors, dtype=float)
    ages = np.array([published.AGES.index(age) for age in here.age])
    unit = users / np.linalg.norm(users, axis=1, keepdims=True)
    some = np.random.default_rng(0).random(len(users)) < 0.8
    told = np.array(published.AGE["bpr", "unbinned"])

    def rest(
        vectors: np.ndarray, cost: float, chosen: Any = slice(None), weight: str | None = None
    ) -> np.ndarray:
        fitted = LinearSVC(dual=False, C=cost, class_weight=weight, max_iter=10_000)
        return np.asarray(fitted.fit(vectors[chosen], ages[chosen]).coef_)

    def pairs(vectors: np.ndarray, cost: float) -> np.ndarray:
        rows = []
        for one, other in combinations(range(len(published.AGES)), 2):
            both = np.isin(ages, (one, other))
            rows.append(LinearSVC(dual=False, C=cost).fit(vectors[both], ages[both] == one).coef_[0])
        return np.array(rows)

    low, high = 1 / len(users), 1.0
    planes = {
        "one against the rest, C = 1 / n (as here)": rest(users, low),
        "one against the rest, C = 1": rest(users, high),
    }
    if not few:
        planes |= {
            "one against the rest, C = 1, four fifths of the users": rest(users, high, some),
            "one against the rest, C = 1, vectors of length 1": rest(unit, high),
            "one against the rest, C = 1, ages weighed alike": rest(users, high, weight="balanced"),
            "one against one, C = 1": pairs(users, high),
            "one against one, C = 1, vectors of length 1": pairs(unit, high),
        }
    found = {}
    for name, rows in planes.items():
        alike = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        ways = {
            "not centred": rows,
            "centred": rows - rows.mean(axis=0),
            "of length 1, centred": alike - alike.mean(axis=0),
        }
        for way, table in ways.items():
            components = np.linalg.svd(table, full_matrices=False)[2]
            for place in range(1 if few else 2):
                along = unit @ components[place]
                means = np.array([along[ages == age].mean() for age in range(len(published.AGES))])
                said = f"{name}; planes {way}; {('first', 'second')[place]} component"
                found[said] = (means if means @ told >= 0 else -means).tolist()
    return found


def made_up(part: np.ndarray, female: np.ndarray) -> Data:
    """Interactions of a table, users by items, that says the part (-1 for none); of the first seed."""
    from evenhand.mitigate.vectors.erase import split_users
    from evenhand.recommenders import Interactions

    def rows(number: int) -> Interactions:
        user, item = np.nonzero(part == number)
        unknown = np.full(len(user), np.nan)
        return Interactions(np.arange(part.shape[0]), np.arange(part.shape[1]), user, item, unknown, unknown)

    told = female.astype(np.int64)
    told[split_users(female.astype(np.int64), HELD_OUT, LOOPS[0])[1]] = -1
    return Data(rows(0), rows(1), rows(2), female, {}, {LOOPS[0]: told})


def show(data: str, folder: Path) -> None:
    from association_movielens import models, world

    here = world(data, folder)
    measures = " | ".join(published.MEASURES)
    print("#### BPR of interactions resampled before the split; as RecBole ranks (Table 9.1)\n")
    print(f"| resampled | {measures} |\n{'|---' * 6}|")
    for how, rows in split_first_rows(folder).items():
        told = published.ACCURACY["bpr"] if how == "none" else published.MITIGATED_ACCURACY[how]
        print(f"| {how}, published | {' | '.join(f'{one:.3f}' for one in told)} |")
        print(f"| {how}, {len(rows)} seeds | {' | '.join(f'{one:.3f}' for one in np.mean(rows, axis=0))} |")
    print("\n#### From the first round to the last, relative change (Tables 8.1, 8.2)\n")
    names: list[str] = []
    for reading, rows in loop_rows(here, folder).items():
        if not names:
            names = list(rows[0])
            print(f"| the loop | {' | '.join(names)} |\n{'|---' * (len(names) + 1)}|")
            print(f"| published | {' | '.join(f'{growth_published(name):+.0%}' for name in names)} |")
        for row in rows:
            print(f"| {reading} | {' | '.join(f'{row[name]:+.0%}' for name in names)} |")
    if not (folder / "bpr.npz").exists():
        return
    trained = models(folder, "bpr", here.data)
    print(
        f"\n#### Readings of the evaluation (Table 9.1)\n\n| evaluation | model | {measures} |\n{'|---' * 7}|"
    )
    for name, told in TOLD.items():
        print(f"| published | {name} | {' | '.join(f'{one:.3f}' for one in told)} |")
    for reading, by_name in accuracy_readings(trained, here, 1).items():
        for name, values in by_name.items():
            print(f"| {reading} | {name} | {' | '.join(f'{one:.3f}' for one in values)} |", flush=True)
    print(
        "\n#### BPR: directions of age without bins (Table 6.7)\n\n"
        f"| direction | {' | '.join(published.AGES)} |"
    )
    print("|---" * 8 + "|")
    print(f"| published | {' | '.join(f'{one:.3f}' for one in published.AGE['bpr', 'unbinned'])} |")
    for name, values in age_readings(next(iter(trained.values())), here).items():
        print(f"| {name} | {' | '.join(f'{one:.3f}' for one in values)} |")


def growth_published(name: str) -> float:
    """The relative change of GEAA of a genre (Table 8.2), or of the gap of men and women (Table 8.1)."""
    what, which = name.split(", ")
    if what == "GEAA":
        first, last = (table["bpr", "geaa"][which] for table in (published.BY_GENRE, published.LOOP_BY_GENRE))
    else:
        told = published.LOOP_COSINES["bpr", which]
        first, last = told[0] - told[2], told[1] - told[3]
    return last / first - 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="resample, and split what was resampled")
    first.add_argument("data")
    second = commands.add_parser("train", help="train what the readings ask for")
    second.add_argument("folder", type=Path)
    second.add_argument("--workers", type=int, default=6)
    second.add_argument("--epochs", type=int, default=EPOCHS)
    for command in (first, second):
        command.add_argument("--out", type=Path, required=True)
    third = commands.add_parser("show", help="print what came of it")
    third.add_argument("data")
    third.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.command == "prepare":
        prepare(given.data, given.out)
    elif given.command == "train":
        train(given.folder, given.out, given.workers, given.epochs)
    else:
        show(given.data, given.folder)


if __name__ == "__main__":
    main()
