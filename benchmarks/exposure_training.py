"""Fine-tuning a recommender for fair exposure: what is won, what it costs, and what the loss itself did.

    python benchmarks/exposure_training.py prepare /path/to/ml-1m --seed 0 --out build/training/ml-1m-0.npz
    python benchmarks/exposure_training.py tune build/training/ml-1m-?.npz --out build/training/ml-1m.json
    python benchmarks/exposure_training.py table build/training/ml-1m.json

A BPR that learnt from the training rows is fine-tuned so that the relevance of the validation rows gets the
exposure that it should, and is judged by test rows. How (beta, rate, steps, weight of the loss) is chosen by
a rehearsal without the test rows: a BPR that learnt from a part of the training rows is fine-tuned for the
rest of them and judged by the validation rows, all for each seed anew. Beside the result stand the same
fine-tuning with the weight of fairness at 0 (the control), and the policies that other betas make of the BPR
and of the control.

`tune` needs of Evenhand's dependencies torch alone and is meant for a GPU: MovieLens-1M would take days on a
CPU.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from torch import Tensor

from evenhand.exposure.training.differentiable import plackett_luce
from evenhand.exposure.training.loss import MEASURES, JMELoss

FACTORS = 32
# Training, validation, test. In the rehearsal the target takes as large a share of each user's rows as
# validation and test have: equal exposure of few relevant items and of many are different targets.
SHARES = (0.7, 0.15, 0.15)
TARGET_SHARE = SHARES[2] / SHARES[0]
LEARNT, WANTED, VALID, TEST = range(4)

PATIENCE = 0.8
RANKING_BATCH = 20_000
REGULARISATION = 0.002  # that of the BPR
TUNING_ACCURACY = 1e-4  # half the nodes; what is judged has them all
# What is chosen among.
BETAS = (1.0, 0.5, 0.25)
RATES = (0.002, 0.005)
WEIGHTS = (0.01, 0.04, 0.15, 0.6, 2.5, 10.0)
STEPS = (10, 20, 40, 80)
TARGETS = {"GG + AG": ("GG", "AG"), **{name: (name,) for name in MEASURES}, "all six": MEASURES}
FIRST = "GG + AG"
# In the rehearsal, so that less than 5% are lost on test rows, which differ by chance.
ALLOWED_LOSS = 0.02
OTHER_BETAS = tuple(float(beta) for beta in np.geomspace(4, 1 / 16, 25))

Model = tuple[Tensor, Tensor, Tensor]
Outcome = dict[str, float]


def prepare(folder: str, seed: int, out: Path) -> None:
    """Split the data, train the BPRs of both tasks, and keep all that fine-tuning needs."""
    from evenhand.datasets import load
    from evenhand.recommenders import Factors, Interactions, fit
    from evenhand.recommenders.taken.splits import random_split

    data = load(folder)
    interactions = Interactions.from_frame(data.interactions)
    rng = np.random.default_rng(seed)
    split = random_split(interactions, rng, SHARES)
    chosen = _share_of_each_user(split.train.user, TARGET_SHARE, rng)
    parts = (split.train.rows(~chosen), split.train.rows(chosen), split.valid, split.test)
    vectors: dict[str, Any] = {}
    for prefix, rows in (("", parts[LEARNT]), ("all_", split.train)):
        model, _ = fit("bpr", rows, split.valid, seed, factors=FACTORS)
        assert isinstance(model, Factors)
        vectors[f"{prefix}users"], vectors[f"{prefix}items"] = model.user_vectors, model.item_vectors
        vectors[f"{prefix}bias"] = model.item_bias
    user, item = (np.concatenate([getattr(part, side) for part in parts]) for side in ("user", "item"))
    part = np.repeat(np.arange(4, dtype=np.uint8), [len(rows) for rows in parts])
    order = np.lexsort((item, user))  # compresses better
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out,
        name=Path(folder).name,
        seed=seed,
        **vectors,
        user=user[order].astype(np.int16),
        item=item[order].astype(np.int16),
        part=part[order],
        user_groups=_gender(data.users, interactions.user_ids).astype(np.uint8),
        item_groups=_genres(data.items, interactions.item_ids).astype(np.uint8),
    )


def _share_of_each_user(user: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A random share of each user's rows, at least one."""
    order = np.lexsort((rng.random(len(user)), user))
    counts = np.bincount(user)
    place = np.arange(len(user)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = np.empty(len(user), dtype=bool)
    chosen[order] = place < np.maximum(1, np.round(share * np.repeat(counts, counts)))
    return chosen


def _gender(users, ids: np.ndarray) -> np.ndarray:
    of_user = users.set_index("user_id")["gender"].loc[ids]
    return np.unique(of_user.to_numpy().astype(str), return_inverse=True)[1]


def _genres(items, ids: np.ndarray) -> np.ndarray:
    of_item = items.set_index("item_id")["genres"].loc[ids]
    names = sorted({genre for genres in of_item for genre in genres})
    return np.array([[name in genres for name in names] for genres in of_item])


@dataclass(frozen=True)
class Setting:
    """How to fine-tune. Beta is the policy: scores / beta are the log weights of Plackett-Luce."""

    target: str
    beta: float
    rate: float
    weight: float
    steps: int


@dataclass(frozen=True)
class Tried:
    """A setting with what came of it."""

    setting: Setting
    outcome: Outcome


class Task:
    """A model to start from, rows that it learnt from, rows to expose, and rows to judge by."""

    def __init__(
        self, stored: Any, device: str, model: str, past: list[int], wanted: int, judged: int
    ) -> None:
        self.device, self.seed = device, int(stored["seed"])
        users, items, bias = (
            torch.from_numpy(stored[model + name].astype(np.float32)).to(device)
            for name in ("users", "items", "bias")
        )
        self.start: Model = (users, items, bias)
        self.user_groups = stored["user_groups"].astype(int)
        self.item_groups = stored["item_groups"].astype(int)
        self.learnt = _rows(stored, past, device)
        self.past, self.wanted, self.judged = (
            _mask((len(users), len(items)), _rows(stored, parts, device))
            for parts in (past, [wanted], [judged])
        )

    def loss(self, weights: dict[str, float], beta: float, **options: Any) -> JMELoss:
        loss = JMELoss(self.user_groups, self.item_groups, weights, beta, PATIENCE, **options)
        return loss.to(self.device)

    @torch.no_grad()
    def judge(self, model: Model, beta: float) -> Outcome:
        """The six measures, the exposure of a user's relevant items, and NDCG@10 of the static list."""
        hidden = self.past | self.wanted
        scores = _scores(model)
        found = self.loss({"GG": 1.0}, beta).measures(scores, self.judged, history=hidden)
        shown = scores.masked_fill(hidden, -torch.inf)
        exposed = (plackett_luce(shown, beta, PATIENCE) * self.judged).sum(dim=1).mean()
        values = {**found, "relevant": exposed, "ndcg": ndcg(shown, self.judged)}
        return {name: float(value) for name, value in values.items()}


def rehearsal(stored: Any, device: str) -> Task:
    return Task(stored, device, "", [LEARNT], WANTED, VALID)


def performance(stored: Any, device: str) -> Task:
    return Task(stored, device, "all_", [LEARNT, WANTED], VALID, TEST)


def _rows(stored: Any, parts: list[int], device: str) -> tuple[Tensor, Tensor]:
    chosen = np.isin(stored["part"], parts)
    user, item = (
        torch.from_numpy(stored[side][chosen].astype(np.int64)).to(device) for side in ("user", "item")
    )
    return user, item


def _mask(shape: tuple[int, int], rows: tuple[Tensor, Tensor]) -> Tensor:
    mask = torch.zeros(shape, dtype=torch.bool, device=rows[0].device)
    mask[rows] = True
    return mask


def _scores(model: Model) -> Tensor:
    users, items, bias = model
    return users @ items.T + bias


def ndcg(shown: Tensor, relevant: Tensor, k: int = 10) -> Tensor:
    """Mean over users with a relevant item; the ideal list holds min(k, relevant) of them."""
    counts = relevant.sum(dim=1)
    hits = relevant.gather(1, shown.topk(k, dim=1).indices).double()
    discount = 1 / torch.log2(torch.arange(2, k + 2, device=shown.device, dtype=torch.float64))
    ideal = discount.cumsum(0)[counts.clamp(1, k) - 1]
    return ((hits @ discount) / ideal)[counts > 0].mean()


def fine_tune(
    task: Task, target: str, beta: float, rate: float, weight: float, steps: Iterable[int]
) -> Iterator[tuple[int, Model]]:
    """The model after so many full-batch steps of Adam on

        ranking loss - exposure of relevant items + weight * sum of the target's measures,

    where exposure and measures are divided by their values at the start. With weight 0 it is the control.
    """
    users, items, bias = (values.clone().requires_grad_() for values in task.start)
    model = users, items, bias
    weights = dict.fromkeys(TARGETS[target], weight)
    fairness = task.loss(weights, beta, accuracy=TUNING_ACCURACY, relevant=1.0)
    optimizer = torch.optim.Adam(model, lr=rate)
    draw = torch.Generator(task.device).manual_seed(task.seed)
    for step in range(1, max(steps) + 1):
        loss = _ranking_loss(task, model, draw) + fairness(_scores(model), task.wanted, history=task.past)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in steps:
            yield step, (users.detach().clone(), items.detach().clone(), bias.detach().clone())


def _ranking_loss(task: Task, model: Model, draw: torch.Generator) -> Tensor:
    """BPR of random rows against random items."""
    users, items, bias = model
    rows = torch.randint(len(task.learnt[0]), (RANKING_BATCH,), generator=draw, device=task.device)
    negative = torch.randint(len(items), (RANKING_BATCH,), generator=draw, device=task.device)
    user, positive = task.learnt[0][rows], task.learnt[1][rows]
    p, q, r = users[user], items[positive], items[negative]
    gap = (p * (q - r)).sum(dim=1) + bias[positive] - bias[negative]
    size = (p.square() + q.square() + r.square()).sum() / RANKING_BATCH
    return -torch.nn.functional.logsigmoid(gap).mean() + REGULARISATION * size


def tried(
    task: Task, target: str, beta: float, rate: float, weights: Iterable[float], steps: Iterable[int]
) -> list[Tried]:
    return [
        Tried(Setting(target, beta, rate, weight, step), task.judge(model, beta))
        for weight in weights
        for step, model in fine_tune(task, target, beta, rate, weight, steps)
    ]


def tune(paths: list[str], out: Path, grid: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    out.parent.mkdir(parents=True, exist_ok=True)
    seeds: list[dict[str, Any]] = []
    began = time.perf_counter()
    for path in paths:
        with np.load(path) as stored:
            choice = _rehearse(rehearsal(stored, device), grid)
            print(f"{time.perf_counter() - began:6.0f} s  {path}: chose {choice[FIRST]}", flush=True)
            seed = {"name": str(stored["name"]), "seed": int(stored["seed"])}
            seeds.append(seed | _perform(performance(stored, device), choice, grid))
        out.write_text(json.dumps(seeds))
        print(f"{time.perf_counter() - began:6.0f} s  {path}: {_headline(seeds[-1])}", flush=True)


def _rehearse(task: Task, grid: argparse.Namespace) -> dict[str, Setting]:
    """The setting for the first target with each beta and the best of these, then with its beta and rate the
    settings for the other targets."""
    start = {beta: task.judge(task.start, beta) for beta in grid.betas}
    runs = [
        run
        for beta in grid.betas
        for rate in grid.rates
        for run in tried(task, FIRST, beta, rate, grid.weights, grid.steps)
    ]

    def before(setting: Setting) -> Outcome:
        return start[setting.beta]

    choice = {
        f"{FIRST}, beta {beta:g}": best([run for run in runs if run.setting.beta == beta], before)
        for beta in grid.betas
    }
    first = choice[FIRST] = best(list(choice.values()), before)
    for target in grid.targets:
        if target != FIRST:
            found = tried(task, target, first.setting.beta, first.setting.rate, grid.weights, grid.steps)
            choice[target] = best(found, before)
    return {name: run.setting for name, run in choice.items()}


def best(runs: list[Tried], against: Callable[[Setting], Outcome]) -> Tried:
    """The lowest target among runs that lose little accuracy; if all lose more, the run that loses least."""

    def left(run: Tried, names: Iterable[str]) -> list[float]:
        before = against(run.setting)
        return [run.outcome[name] / before[name] for name in names]

    def kept(run: Tried) -> float:
        return min(left(run, ("relevant", "ndcg")))

    good = [run for run in runs if kept(run) >= 1 - ALLOWED_LOSS]
    if not good:
        return max(runs, key=kept)
    return min(good, key=lambda run: fmean(left(run, TARGETS[run.setting.target])))


def _perform(task: Task, choice: dict[str, Setting], grid: argparse.Namespace) -> dict[str, Any]:
    """For each chosen setting the start, the result and the control; for the first target all weights, and
    other betas instead."""
    models: dict[Setting, Model] = {}

    def model(setting: Setting, weight: float) -> Model:
        wanted = replace(setting, weight=weight) if weight else _control(setting)
        if wanted not in models:
            made = fine_tune(task, wanted.target, wanted.beta, wanted.rate, weight, (wanted.steps,))
            models[wanted] = next(tuned for _, tuned in made)
        return models[wanted]

    results = {
        name: {
            "setting": asdict(setting),
            "before": task.judge(task.start, setting.beta),
            "after": task.judge(model(setting, setting.weight), setting.beta),
            "control": task.judge(model(setting, 0.0), setting.beta),
        }
        for name, setting in choice.items()
    }
    first = choice[FIRST]
    frontier = {weight: task.judge(model(first, weight), first.beta) for weight in (0.0, *grid.weights)}
    instead = {
        name: [task.judge(other, beta) for beta in grid.other_betas]
        for name, other in (("before", task.start), ("control", model(first, 0.0)))
    }
    return {"results": results, "frontier": frontier, "instead": instead}


def _control(setting: Setting) -> Setting:
    """Without fairness all targets are the same."""
    return replace(setting, target=FIRST, weight=0.0)


# What is printed.

COLUMNS = ("GG", "AG", "relevant", "ndcg")
TITLES = {"relevant": "exposure of relevant items", "ndcg": "NDCG@10 of the static list"}


def _change(after: Outcome, before: Outcome, name: str) -> float:
    return 100 * (after[name] / before[name] - 1)


def _headline(seed: dict[str, Any]) -> str:
    result = seed["results"][FIRST]
    return ", ".join(f"{name} {_change(result['after'], result['before'], name):+.1f}%" for name in COLUMNS)


def tables(paths: list[Path]) -> None:
    everything = [seed for path in paths for seed in json.loads(path.read_text())]
    for name in dict.fromkeys(seed["name"] for seed in everything):
        seeds = [seed for seed in everything if seed["name"] == name]
        print(f"\n## {name}, {len(seeds)} seeds: mean (range) on test rows")
        _levels(seeds)
        for after, before in (("after", "before"), ("after", "control"), ("control", "before")):
            title = f"Target {FIRST}, change from '{before}' to '{after}':"
            _changes(
                title, COLUMNS, seeds, [key for key in seeds[0]["results"] if FIRST in key], after, before
            )
        others = [key for key in TARGETS if key in seeds[0]["results"]]
        columns = (*MEASURES, "relevant", "ndcg")
        _changes("Each target, change from 'before' to 'after':", columns, seeds, others, "after", "before")
        _changes("Each target, change from 'control' to 'after':", columns, seeds, others, "after", "control")
        _frontier(seeds)
        _instead(seeds)
        _settings(seeds)


def _table(title: str, columns: Iterable[str], rows: Iterable[tuple[str, Iterable[str]]]) -> None:
    names = [TITLES.get(name, name) for name in columns]
    print(f"\n{title}\n\n| | {' | '.join(names)} |\n| --- |{' ---: |' * len(names)}")
    for label, cells in rows:
        print(f"| {label} | {' | '.join(cells)} |")


def _spread(values: list[float], form: str = "+.1f", unit: str = "%") -> str:
    return f"{fmean(values):{form}}{unit} ({min(values):{form}} to {max(values):{form}})"


def _levels(seeds: list[dict[str, Any]]) -> None:
    rows = []
    for key in seeds[0]["results"]:
        if key.startswith(f"{FIRST}, beta "):
            before = [seed["results"][key]["before"] for seed in seeds]
            cells = [_spread([outcome[name] for outcome in before], ".3g", "") for name in COLUMNS]
            rows.append((key.removeprefix(f"{FIRST}, "), cells))
    _table("Before:", COLUMNS, rows)


def _changes(
    title: str, columns: Iterable[str], seeds: list[dict[str, Any]], keys: list[str], after: str, before: str
) -> None:
    def cell(key: str, name: str) -> str:
        results = [seed["results"][key] for seed in seeds]
        return _spread([_change(result[after], result[before], name) for result in results])

    rows = [(key, [cell(key, name) for name in columns]) for key in keys]
    _table(title, columns, rows)


def _frontier(seeds: list[dict[str, Any]]) -> None:
    def cell(weight: str, name: str) -> str:
        return _spread(
            [_change(seed["frontier"][weight], seed["results"][FIRST]["before"], name) for seed in seeds]
        )

    rows = [(f"weight {weight}", [cell(weight, name) for name in COLUMNS]) for weight in seeds[0]["frontier"]]
    _table(f"Other weights of {FIRST}, all else as chosen, change from 'before':", COLUMNS, rows)


def _instead(seeds: list[dict[str, Any]]) -> None:
    """What changing beta alone reaches: the most exposure of relevant items with a measure as low as after
    fine-tuning, the lowest measure with as much of it, and how many points of the frontier it beats."""
    questions: dict[str, Callable[[Outcome, list[Outcome], str], float | None]] = {
        "most exposure of relevant items if {} is as low": _if_as_fair,
        "lowest {} if relevant items are exposed as much": _if_as_relevant,
    }
    columns = [question.format(name) for name in ("GG", "AG") for question in questions]
    rows = []
    for model in ("before", "control"):
        cells = []
        for name in ("GG", "AG"):
            for ask in questions.values():
                answers = [
                    ask(seed["results"][FIRST]["after"], seed["instead"][model], name) for seed in seeds
                ]
                there = [answer for answer in answers if answer is not None]
                never = f"; no beta in {len(seeds) - len(there)} seeds" if len(there) < len(seeds) else ""
                cells.append((_spread(there) if there else "-") + never)
        rows.append((f"betas of '{model}'", cells))
    _table("Merely changing beta, against 'after':", columns, rows)
    for model in ("before", "control"):
        points = [
            (seed, point) for seed in seeds for weight, point in seed["frontier"].items() if float(weight) > 0
        ]
        gg, ag = (
            sum(_beaten(point, seed["instead"][model], name) for seed, point in points)
            for name in ("GG", "AG")
        )
        print(
            f"\nOf {len(points)} fine-tuned models (weights above 0), {gg} have some beta of '{model}' with "
            f"lower GG and more exposure of relevant items, {ag} with lower AG and more."
        )


def _if_as_fair(tuned: Outcome, points: list[Outcome], name: str) -> float | None:
    found = [point["relevant"] for point in points if point[name] <= tuned[name]]
    return 100 * (max(found) / tuned["relevant"] - 1) if found else None


def _if_as_relevant(tuned: Outcome, points: list[Outcome], name: str) -> float | None:
    found = [point[name] for point in points if point["relevant"] >= tuned["relevant"]]
    return 100 * (min(found) / tuned[name] - 1) if found else None


def _beaten(tuned: Outcome, points: list[Outcome], name: str) -> bool:
    return any(point[name] < tuned[name] and point["relevant"] > tuned["relevant"] for point in points)


def _settings(seeds: list[dict[str, Any]]) -> None:
    columns = ("beta", "rate", "weight", "steps")
    rows = []
    for key in seeds[0]["results"]:
        settings = [seed["results"][key]["setting"] for seed in seeds]
        rows.append((key, [", ".join(f"{setting[name]:g}" for setting in settings) for name in columns]))
    _table("Settings that the rehearsal chose, seed by seed:", columns, rows)


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(value) for value in text.split(","))


def _counts(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in text.split(","))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="split the data and train the models to start from")
    first.add_argument("folder")
    first.add_argument("--seed", type=int, required=True)
    first.add_argument("--out", type=Path, required=True)
    second = commands.add_parser("tune", help="choose settings in the rehearsal, fine-tune, and judge")
    second.add_argument("files", nargs="+")
    second.add_argument("--out", type=Path, required=True)
    second.add_argument("--betas", type=_numbers, default=BETAS)
    second.add_argument("--other-betas", type=_numbers, default=OTHER_BETAS)
    second.add_argument("--rates", type=_numbers, default=RATES)
    second.add_argument("--weights", type=_numbers, default=WEIGHTS)
    second.add_argument("--steps", type=_counts, default=STEPS)
    second.add_argument("--targets", type=lambda text: text.split(","), default=list(TARGETS))
    third = commands.add_parser("table", help="print what was found as Markdown")
    third.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "prepare":
        prepare(given.folder, given.seed, given.out)
    elif given.command == "tune":
        tune(given.files, given.out, given)
    else:
        tables(given.files)


if __name__ == "__main__":
    main()
