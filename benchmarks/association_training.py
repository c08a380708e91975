"""Vectors for the association tables on MovieLens-1M: retrained, fed back to themselves, and mitigated.

    python benchmarks/association_training.py prepare /path/to/ml-1m --out build/association
    python benchmarks/association_training.py train build/association --family bpr dmf --out build/association
    python benchmarks/association_movielens.py /path/to/ml-1m build/association

`train` is meant for a GPU and needs of Evenhand's dependencies torch, pandas and SciPy alone. A family is
written as one file of vectors in half precision, which changes a cosine by less than 0.001; a family that is
there is not trained again.

Models are trained as Beattie (2023, Sec. 4.2.3) names it: 64 dimensions, Adam at 0.001, batches of 2,048 and
no decay of weights; 50 epochs, of which the one that ranks the validation part best is kept.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from evenhand.recommenders import Factors, Interactions

SOURCE = Path(__file__).resolve().parents[1] / "src" / "evenhand"
DATA = "ml-1m.npz"
SPLIT_SEED = 0
# Far apart, as a feedback loop has the next seed in every round.
SEEDS = (0, 100, 200, 300, 400)
LOOPS = SEEDS[:3]
ROUNDS = 5
EPOCHS, EVERY = 50, 5
REDRAWS = 6
RESAMPLED = ("under", "over")
# What leaving the adversary in the dark is worth beside ranking.
ADVERSARIES = {"adversarial-1": 1.0, "adversarial-10": 10.0}
HIDDEN = 64
HELD_OUT = 0.25

Arrays = dict[str, np.ndarray]


def prepare(folder: str, out: Path) -> None:
    """The split, and what the tables and the trainings need to know of users and items, as arrays."""
    from evenhand.datasets import load
    from evenhand.mitigate import resample
    from evenhand.mitigate.vectors.erase import split_users
    from evenhand.recommenders import Interactions
    from evenhand.recommenders.taken.splits import random_split

    data = load(folder)
    interactions = Interactions.from_frame(data.interactions)
    split = random_split(interactions, np.random.default_rng(SPLIT_SEED))
    parts = (split.train, split.valid, split.test)
    gender = data.users.set_index("user_id")["gender"].loc[interactions.user_ids]
    female = (gender == "F").to_numpy()
    mitigated = {}
    for seed in LOOPS:
        for how in RESAMPLED:
            rows = resample(split.train, gender, how, rng=seed)
            mitigated[f"{how}/{seed}/user"] = rows.user.astype(np.int16)
            mitigated[f"{how}/{seed}/item"] = rows.item.astype(np.int16)
        told = female.astype(np.int8)
        told[split_users(female.astype(np.int64), HELD_OUT, seed)[1]] = -1
        mitigated[f"told/{seed}"] = told
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out / DATA,
        user_ids=interactions.user_ids,
        item_ids=interactions.item_ids,
        user=np.concatenate([part.user for part in parts]).astype(np.int16),
        item=np.concatenate([part.item for part in parts]).astype(np.int16),
        part=np.repeat(np.arange(3, dtype=np.uint8), [len(part) for part in parts]),
        female=female,
        **mitigated,
    )


@dataclass(frozen=True)
class Data:
    """The parts of the split, who is a woman, the training part resampled by its name, and by the seed whose
    gender an adversary is told (1 women, 0 men, -1 held out)."""

    train: Interactions
    valid: Interactions
    test: Interactions
    female: np.ndarray
    resampled: dict[str, Interactions]
    told: dict[int, np.ndarray]


def read(folder: Path) -> Data:
    with np.load(folder / DATA) as stored:
        arrays = dict(stored)
    everything = _interactions(arrays, "")
    train, valid, test = (everything.rows(arrays["part"] == part) for part in range(3))
    names = [name.removesuffix("user") for name in arrays if name.endswith("/user")]
    resampled = {name: _interactions(arrays, name) for name in names}
    told = {seed: arrays[f"told/{seed}"].astype(np.int64) for seed in LOOPS}
    return Data(train, valid, test, arrays["female"], resampled, told)


def _interactions(arrays: Arrays, prefix: str) -> Interactions:
    from evenhand.recommenders.taken.interactions import Interactions

    user, item = (arrays[f"{prefix}{side}"].astype(np.int64) for side in ("user", "item"))
    unknown = np.full(len(user), np.nan)
    return Interactions(arrays["user_ids"], arrays["item_ids"], user, item, unknown, unknown)


def without_tables() -> None:
    """Make the models importable where the libraries that read tables are not installed."""
    if find_spec("ibis") is not None:
        return
    inputs = types.ModuleType("evenhand.inputs")
    inputs.numbers_of = None  # type: ignore[attr-defined]
    room = types.ModuleType("evenhand.recommenders")
    room.__path__ = [str(SOURCE / "recommenders")]
    sys.modules |= {"evenhand.inputs": inputs, "evenhand.recommenders": room}


def fit(
    kind: str, train: Interactions, seed: int, *, data: Data, keep: str = "best", epochs: int = EPOCHS
) -> Factors:
    """The model of this kind, trained on a GPU if there is one; its best epoch is kept, or its last."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    model, settings = _built(kind, train, data.told.get(seed))
    model.to(device)
    if kind == "dmf":  # a dense product is far quicker on a GPU than a sparse one, and there is room
        model.rows, model.columns = model.rows.to_dense().to(device), model.columns.to_dense().to(device)
    optimizer = torch.optim.Adam(
        [one for one in model.parameters() if one.requires_grad],
        settings.learning_rate,
        fused=device == "cuda" or None,
    )
    shape = len(train.user_ids), len(train.item_ids)
    user, item = (torch.from_numpy(side).to(device) for side in (train.user, train.item))
    taken = torch.zeros(shape, dtype=torch.bool, device=device)
    taken[user, item] = True
    # What a loop accepted of the validation part is no longer there to be ranked.
    wanted = torch.zeros_like(taken)
    wanted[torch.from_numpy(data.valid.user).to(device), torch.from_numpy(data.valid.item).to(device)] = True
    wanted &= ~taken
    best, kept = -1.0, model.state_dict()
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(user), device=device)
        users, items = user[order], item[order]
        others = torch.randint(shape[1], (len(user),), device=device)
        for _ in range(REDRAWS):
            redrawn = torch.randint(shape[1], (len(user),), device=device)
            others = torch.where(taken[users, others], redrawn, others)
        batches = (side.split(settings.batch) for side in (users, items, others))
        for batch in zip(*batches, strict=True):
            loss = model.loss(*batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % EVERY == 0:
            with torch.no_grad():
                value = _ndcg(_scores(model).masked_fill_(taken, -torch.inf), wanted)
            # The weights that rank best are those that mind an adversary least: of these the last are kept.
            if value > best or keep == "last" or kind in ADVERSARIES:
                best, kept = value, {key: weight.clone() for key, weight in model.state_dict().items()}
    model.load_state_dict(kept)
    model.cpu()
    if kind == "dmf":
        model.rows, model.columns = model.rows.cpu(), model.columns.cpu()
    found: Factors = model.recommender(train)
    return found


def _built(kind: str, train: Interactions, told: np.ndarray | None) -> tuple[Any, Any]:
    from torch import nn

    from evenhand.recommenders.models import bpr, dmf
    from evenhand.recommenders.training import TrainingSettings

    if kind == "library":  # as `evenhand train bpr` has it
        return bpr.BPR(train, bpr.DEFAULTS), bpr.DEFAULTS
    settings = TrainingSettings(learning_rate=0.001, regularisation=0.0, batch=2048)
    if kind == "dmf":
        return dmf.DMF(train, settings), settings
    if kind in ADVERSARIES:
        from evenhand.recommenders.models.adversarial import AdversarialBPR

        model = AdversarialBPR(train, settings, told, ADVERSARIES[kind], HIDDEN)
    else:
        model = bpr.BPR(train, settings)
    # RecBole's, which Beattie used, has no term of the item alone, and starts from small weights.
    model.bias.requires_grad_(False)
    for weight in (model.users, model.items):
        nn.init.xavier_normal_(weight)
    return model, settings


def _scores(model: Any) -> Any:
    if hasattr(model, "bias"):
        return model.users @ model.items.T + model.bias
    users, items = model._vectors()
    return users @ items.T


def _ndcg(shown: Any, relevant: Any, k: int = 10) -> float:
    """As `evenhand.recommenders.evaluation`, on the device."""
    import torch

    counts = relevant.sum(dim=1)
    hits = relevant.gather(1, shown.topk(k, dim=1).indices).double()
    discount = 1 / torch.log2(torch.arange(2, k + 2, device=shown.device, dtype=torch.float64))
    ideal = discount.cumsum(0)[counts.clamp(1, k) - 1]
    return float(((hits @ discount) / ideal)[counts > 0].mean())


def halves(name: str, model: Factors) -> Arrays:
    """The vectors of a model, in half precision, as they are written."""
    vectors = {"users": model.user_vectors, "items": model.item_vectors}
    rounded = {f"{name}/{side}": values.astype(np.float16) for side, values in vectors.items()}
    return rounded | {f"{name}/bias": model.item_bias}


def again(kind: str, seed: int, data: Data) -> Arrays:
    """The model on the original data, or on those resampled."""
    train = data.resampled.get(f"{kind}/{seed}/", data.train)
    return halves(f"{kind}/{seed}/0", fit(kind, train, seed, data=data))


def loop(kind: str, seed: int, data: Data) -> Arrays:
    """The feedback loop: vectors of its first and last round; of the first seed those of every round, and
    what was accepted."""
    from evenhand.recommenders.feedback import feedback_loop

    found: Arrays = {}

    def keep(state: Any) -> None:
        if state.number in (0, ROUNDS) or seed == LOOPS[0]:
            found.update(halves(f"{kind}/{seed}/{state.number}", state.model))
        if state.number == ROUNDS and seed == LOOPS[0]:
            for side in ("user", "item"):
                accepted = getattr(state.interactions, side)[len(data.train) :]
                found[f"{kind}/{seed}/accepted_{side}"] = accepted.astype(np.int16)

    feedback_loop(partial(fit, kind, data=data), data.train, rounds=ROUNDS, seed=seed, after=keep)
    return found


Job = tuple[Callable[[str, int, Data], Arrays], str, int]
FAMILIES: dict[str, list[Job]] = {
    "bpr": [(loop if seed in LOOPS else again, "bpr", seed) for seed in SEEDS],
    "dmf": [(loop if seed in LOOPS else again, "dmf", seed) for seed in SEEDS],
    "library": [(again, "library", seed) for seed in LOOPS],
    "resampled": [(again, how, seed) for how in RESAMPLED for seed in LOOPS],
    "adversarial": [(again, kind, seed) for kind in ADVERSARIES for seed in LOOPS],
}


def _run(folder: Path, job: Job) -> tuple[Arrays, str]:
    import torch

    torch.set_num_threads(1)
    how, kind, seed = job
    started = time.perf_counter()
    found = how(kind, seed, read(folder))
    return found, f"{how.__name__} {kind} {seed}: {time.perf_counter() - started:.0f} s"


def train(folder: Path, families: list[str], out: Path, workers: int, seeds: tuple[int, ...] = SEEDS) -> None:
    """Each training is kept as it ends, and a family is written when all of its trainings are there."""
    parts = out / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    missing = [family for family in families if not (out / f"{family}.npz").exists()]
    jobs = {
        parts / f"{family}-{job[0].__name__}-{job[1]}-{job[2]}.npz": (family, job)
        for family in missing
        for job in FAMILIES[family]
        if job[2] in seeds
    }
    # The loops first: they take longest.
    left = sorted((one for one in jobs if not one.exists()), key=lambda one: jobs[one][1][0] is not loop)
    with get_context("spawn").Pool(workers, without_tables) as pool:
        waiting = [(one, pool.apply_async(_run, (folder, jobs[one][1]))) for one in left]
        for one, result in waiting:
            arrays, said = result.get()
            print(said, flush=True)
            np.savez(one.with_suffix(".new.npz"), **arrays)
            one.with_suffix(".new.npz").replace(one)
    for family in missing:
        found: Arrays = {}
        for one in (one for one, (of, _) in jobs.items() if of == family):
            with np.load(one) as stored:
                found |= dict(stored)
        np.savez(out / f"{family}.npz", **found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="split MovieLens-1M and write it as arrays")
    first.add_argument("data")
    first.add_argument("--out", type=Path, required=True)
    second = commands.add_parser("train", help="train families of models and write their vectors")
    second.add_argument("folder", type=Path)
    second.add_argument("--family", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    second.add_argument("--out", type=Path, required=True)
    second.add_argument("--workers", type=int, default=6)
    given = parser.parse_args()
    if given.command == "prepare":
        prepare(given.data, given.out)
    else:
        train(given.folder, given.family, given.out, given.workers)


if __name__ == "__main__":
    main()
