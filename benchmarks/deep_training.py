"""The deep models of the tables on MovieLens-1M, trained on a GPU: click models, two towers, BERT4Rec.

    python benchmarks/deep_training.py prepare ../shared/data/ml-1m --out build/deep
    python benchmarks/deep_training.py train build/deep --out build/deep/trained --workers 6
    python benchmarks/deep_training.py finish ../shared/data/ml-1m build/deep/trained --out build/deep/models

Each is what `evenhand train NAME DATA --split SPLIT --seed SEED` makes where there is a GPU: the splits, the
settings and the training are those of the package. `train` alone needs the GPU, and of Evenhand's
dependencies torch, pandas, SciPy and threadpoolctl. It writes a file for each model; one that is there is
not trained again. With one worker nothing else is on the GPU, for times that can be stated. `finish` judges
them on the test part, writes the folders that audits take, and prints the tables of accuracy and time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from association_training import without_tables

if TYPE_CHECKING:
    from evenhand.recommenders import Features, Interactions, Recommender
    from evenhand.recommenders.taken.splits import Split

DATA = "deep.npz"
CLICK = ("widedeep", "deepfm", "dcn", "fgcnn")
ATTRIBUTES = {"with": ["gender"], "without": []}  # of the two towers

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Job:
    """One training. `rows` are all interactions, with all the movies there are or those that anybody took;
    or those of the users whose times are known."""

    family: str
    name: str
    seed: int
    split: str
    rows: str = "taken"
    told: str = ""  # the features, as they were prepared

    @property
    def called(self) -> str:
        more = {"towers": [self.told], "taken": ["taken"]}.get(self.family, [])
        return "-".join([self.name, *more, str(self.seed)])


JOBS = [
    # Negatives are drawn from all 3,883 movies, which the source counts; or from the 3,706 that anybody took.
    *(
        Job(family, name, seed, "leave-one-out", rows=rows, told="few")
        for family, rows in (("click", "movies"), ("taken", "taken"))
        for seed in (1, 2, 3)
        for name in CLICK
    ),
    *(
        Job("sequences", name, seed, "leave-one-out", rows="timed")
        for seed in (1, 2, 3)
        for name in ("bert4rec", "bpr", "popularity")
    ),
    *(Job("towers", "two-tower", seed, "random", told=told) for seed in range(1, 6) for told in ATTRIBUTES),
]


def prepare(data: str, out: Path) -> None:
    """Interactions, the part of each split that a row is in, and the codes of features, as arrays."""
    arrays: Arrays = {}
    dataset, rows = _rows(data)
    for name, interactions in rows.items():
        arrays |= {
            f"{name}/user_ids": interactions.user_ids,
            f"{name}/item_ids": interactions.item_ids,
            f"{name}/user": interactions.user.astype(np.int16),
            f"{name}/item": interactions.item.astype(np.int16),
            f"{name}/time": interactions.time,
        }
    for name, split, seed in sorted({(job.rows, job.split, job.seed) for job in JOBS}):
        parts = _split(rows[name], split, seed)
        arrays[f"{name}/{split}/{seed}"] = _part_of(rows[name], parts)
    for name, told in sorted({(job.rows, job.told) for job in JOBS if job.told}):
        for place, field in enumerate(_features(dataset, rows[name], told).fields):
            if field.values:
                key = f"told/{name}/{told}/{place}/{field.of}/{field.name}"
                arrays[f"{key}/codes"] = field.codes.astype(np.int16)
                arrays[f"{key}/values"] = np.array(field.values)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / DATA, **arrays)


def _rows(data: str) -> tuple[Any, dict[str, Interactions]]:
    from evenhand.datasets import load
    from evenhand.recommenders import Interactions
    from evenhand.recommenders.taken.sequences import with_times

    dataset = load(data)
    every = Interactions.from_frame(dataset.interactions)
    movies = np.unique(dataset.items["item_id"].to_numpy())
    item = np.searchsorted(movies, every.item_ids)[every.item]
    return dataset, {
        "movies": replace(every, item_ids=movies, item=item),
        "taken": every,
        "timed": with_times(every, "bert4rec")[0],
    }


def _split(interactions: Interactions, split: str, seed: int) -> Split:
    from evenhand.recommenders.fitting.train import SPLITS

    return SPLITS[split](interactions, np.random.default_rng(seed))


def _features(dataset: Any, interactions: Interactions, told: str) -> Features:
    from evenhand.recommenders import Features

    columns = ATTRIBUTES.get(told)
    if columns == []:
        return Features.ids(interactions)
    return Features.of(interactions, dataset.users, dataset.items, columns)


def _part_of(interactions: Interactions, split: Split) -> np.ndarray:
    """0 in training, 1 in validation, 2 in the test, a number a row."""
    width = len(interactions.item_ids)
    part = np.full(len(interactions), 255, dtype=np.uint8)
    order = np.argsort(interactions.user * width + interactions.item)
    keys = (interactions.user * width + interactions.item)[order]
    for number, rows in enumerate((split.train, split.valid, split.test)):
        part[order[np.searchsorted(keys, rows.user * width + rows.item)]] = number
    assert (part < 3).all()
    return part


def read(folder: Path, job: Job) -> tuple[Interactions, Interactions, Features | None]:
    """Training and validation part, and the features of a job, from what was prepared."""
    from evenhand.recommenders.taken.features import Features, Field, id_field
    from evenhand.recommenders.taken.interactions import Interactions

    with np.load(folder / DATA) as stored:
        user, item = (stored[f"{job.rows}/{side}"].astype(np.int64) for side in ("user", "item"))
        every = Interactions(
            stored[f"{job.rows}/user_ids"], stored[f"{job.rows}/item_ids"], user, item,
            np.full(len(user), np.nan), stored[f"{job.rows}/time"],
        )  # fmt: skip
        part = stored[f"{job.rows}/{job.split}/{job.seed}"]
        sides = {
            "user": [id_field("user", len(every.user_ids))],
            "item": [id_field("item", len(every.item_ids))],
        }
        for key in stored:
            if key.startswith(f"told/{job.rows}/{job.told}/") and key.endswith("/codes"):
                *_, of, name, _ = key.split("/")
                values = tuple(stored[key.removesuffix("codes") + "values"].tolist())
                sides[of].append(Field(name, of, values, stored[key].astype(np.int32), len(values) + 1))
    features = Features(tuple(sides["user"]), tuple(sides["item"])) if job.told else None
    return every.rows(part == 0), every.rows(part == 1), features


def fitted(folder: Path, job: Job, out: Path, settings: dict[str, Any]) -> str:
    """Train, and write the arrays of the model with what is to be known of its training."""
    import torch

    from evenhand.recommenders.fitting.fit import fit
    from evenhand.recommenders.stored.kinds import architecture_of, arrays_of

    train, valid, features = read(folder, job)
    if torch.cuda.is_available():
        torch.zeros(1, device="cuda")  # wakes the device
    said: list[str] = []
    started = time.perf_counter()
    model, used = fit(
        job.name, train, valid, job.seed, features=features, progress=said.append,
        **(settings if job.name != "popularity" else {}),
    )  # fmt: skip
    seconds = time.perf_counter() - started
    told = {
        "kind": type(model).__name__,
        "settings": used,
        "architecture": architecture_of(model),
        "seconds": seconds,
        "said": [text for text in said if text.startswith("epoch")],
        "device": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "cpu",
    }
    arrays = arrays_of(model, train.matrix())
    np.savez(out / f"{job.called}.npz", told=np.array(json.dumps(told)), **arrays)
    return f"{job.called}: {seconds:.0f} s, {len(told['said'])} epochs"


def _run(given: tuple[Path, Job, Path, dict[str, Any]]) -> str:
    import torch

    torch.set_num_threads(1)
    return fitted(*given)


def train(folder: Path, jobs: list[Job], out: Path, workers: int, settings: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    missing = [job for job in jobs if not (out / f"{job.called}.npz").exists()]
    with get_context("spawn").Pool(workers, without_tables, maxtasksperchild=8) as pool:
        started = time.perf_counter()
        asked = [(folder, job, out, settings) for job in missing]
        for said in pool.imap_unordered(_run, asked):
            print(f"{time.perf_counter() - started:5.0f} s: {said}", flush=True)


@dataclass(frozen=True)
class Made:
    """A model that was trained, on its split."""

    job: Job
    model: Recommender
    split: Split
    told: dict[str, Any]

    @property
    def epochs(self) -> int:
        return len(self.told["said"])

    @property
    def kept(self) -> int:
        """The epoch whose weights are kept: the first that is judged best on the validation part."""
        judged = [
            (float(text.rsplit(" ", 1)[1]), place)
            for place, text in enumerate(self.told["said"], 1)
            if "validation" in text
        ]
        return max(judged, key=lambda one: (one[0], -one[1]))[1] if judged else 0


def made(data: str, trained: Path, families: list[str]) -> Iterator[Made]:
    """Every model there is, in the order of its family, name and seed."""
    from evenhand.inputs.arrays import load_arrays
    from evenhand.recommenders.stored.kinds import Stored, model_of

    _, rows = _rows(data)
    for job in JOBS:
        path = trained / f"{job.called}.npz"
        if job.family not in families or not path.exists():
            continue
        arrays = load_arrays(path)
        told = json.loads(str(arrays.pop("told")))
        split = _split(rows[job.rows], job.split, job.seed)
        history = split.train.matrix()
        stored = Stored(split.train.user_ids, split.train.item_ids, history, arrays, told["architecture"])
        model = model_of(told["kind"], stored)
        model.history = history
        yield Made(job, model, split, told)


def finish(data: str, trained: Path, families: list[str], out: Path) -> None:
    from evenhand.recommenders.fitting.train import judged_and_saved

    figures: list[tuple[Made, dict[str, float]]] = []
    for one in made(data, trained, families):
        found, _ = judged_and_saved(
            one.model, one.split, out / one.job.called, name=one.job.name, seed=one.job.seed,
            used=one.told["settings"], split=one.job.split, notes=one.split.notes, data=data,
        )  # fmt: skip
        figures.append((one, found | _more(one)))
        print(f"{one.job.called}: {found}", file=sys.stderr)
    for family, rows in groupby(figures, key=lambda one: one[0].job.family):
        _table(family, list(rows))


def _more(one: Made) -> dict[str, float]:
    """Of a click model: AUC of the users whose last item is known, of the others, and of popularity."""
    if one.job.family not in ("click", "taken"):
        return {}
    from evenhand.recommenders import fit
    from evenhand.recommenders.evaluation import area_by_user

    areas = area_by_user(one.model, one.split)
    popular, _ = fit("popularity", one.split.train, one.split.valid, 0)
    popularity = area_by_user(popular, one.split)
    known = ~np.isnan(one.split.test.time)
    return {
        "with times": float(areas[known].mean()),
        "without": float(areas[~known].mean()),
        "popularity": float(popularity.mean()),
        "popularity, with times": float(popularity[known].mean()),
        "popularity, without": float(popularity[~known].mean()),
    }


def _table(family: str, figures: list[tuple[Made, dict[str, float]]]) -> None:
    said_twice = {"recall@5", "precision@5"}  # of one item held out: the hit, and a fifth of it
    measures = [name for name in figures[0][1] if name not in said_twice]
    print(f"\n#### {family}\n\n| model | seed | {' | '.join(measures)} | epochs | kept | training, s |")
    print("|---" * (len(measures) + 5) + "|")

    def named(one: tuple[Made, dict[str, float]]) -> str:
        return one[0].job.called.rsplit("-", 1)[0]

    for name, rows in groupby(sorted(figures, key=named), key=named):
        rows = list(rows)
        for one, found in rows:
            cells = [f"{found[measure]:.4f}" for measure in measures]
            cells += [str(one.epochs), str(one.kept), f"{one.told['seconds']:.0f}"]
            print(f"| {name} | {one.job.seed} | {' | '.join(cells)} |")
        means = [f"{np.mean([found[measure] for _, found in rows]):.4f}" for measure in measures]
        print(f"| {name} | mean | {' | '.join(means)} | | | |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="split MovieLens-1M and write it as arrays")
    first.add_argument("data")
    second = commands.add_parser("train", help="train the models and write their arrays")
    second.add_argument("folder", type=Path)
    second.add_argument("--workers", type=int, default=6)
    second.add_argument("--epochs", type=int, help="at most; that of the model by default")
    third = commands.add_parser("finish", help="judge the models and write their folders")
    third.add_argument("data")
    third.add_argument("trained", type=Path)
    families = list(dict.fromkeys(job.family for job in JOBS))
    for command in (second, third):
        command.add_argument("--family", nargs="+", choices=families, default=families)
    second.add_argument("--seeds", nargs="+", type=int, help="these alone")
    second.add_argument("--models", nargs="+", help="these alone")
    for command in (first, second, third):
        command.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "prepare":
        prepare(given.data, given.out)
    elif given.command == "train":
        jobs = [
            job
            for family in given.family
            for job in JOBS
            if job.family == family
            and (given.seeds is None or job.seed in given.seeds)
            and (given.models is None or job.name in given.models)
        ]
        train(
            given.folder,
            jobs,
            given.out,
            given.workers,
            {} if given.epochs is None else {"epochs": given.epochs},
        )
    else:
        finish(given.data, given.trained, given.family, given.out)


if __name__ == "__main__":
    main()
