"""One loop that trains every torch model: seeded, interruptible, resumable, with early stopping.

A model is a module with `loss(user, positive, negative)` and `recommender(train)`. The loop draws negatives
(a model that learns from other batches has a `sampler(draw)`, whose batches its `loss` takes), keeps the
weights that a judge finds best on the validation part (without one, the last), and writes a checkpoint after
every epoch, so that a run that is killed goes on as if it had not been.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.parameters import number, whole
from evenhand.recommenders.evaluation import RANKING, Judge
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.taken.interactions import Interactions

CHECKPOINT = "checkpoint.pt"
# A user who took nearly everything may keep a positive as a negative after so many draws.
REDRAWS = 8


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; every model has its own defaults."""

    factors: int = 64
    learning_rate: float = 0.002
    regularisation: float = 0.002
    batch: int = 4096
    epochs: int = 60
    patience: int = 3
    every: int = 5  # epochs between two looks at the validation part


class Trainable(Protocol):
    """What the loop needs of a model."""

    def loss(self, *batch: Tensor) -> Tensor: ...
    def recommender(self, train: Interactions) -> Recommender: ...
    def parameters(self) -> Any: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> Any: ...
    def to(self, device: str) -> Any: ...


class Sampler(Protocol):
    """What an epoch goes through."""

    def batches(self, size: int) -> Iterable[tuple[Tensor, ...]]: ...


@dataclass
class _State:
    epoch: int = 0
    best: float = -1.0
    best_weights: dict[str, Tensor] | None = None
    waited: int = 0


def best_device() -> str:
    """A GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(
    build: Callable[[], Trainable],
    train: Interactions,
    valid: Interactions | None,
    settings: TrainingSettings,
    seed: int,
    *,
    name: str,
    device: str = "cpu",
    checkpoint: Path | None = None,
    progress: Callable[[str], None] = lambda message: None,
    judge: Judge = RANKING,
) -> Recommender:
    """Train the model that `build` makes and give back its best state as a recommender.

    One thread does the arithmetic, whatever the machine has: sums in another order give other weights, and
    the same seed must give the same model everywhere; another `device` gives another one. `checkpoint` is a
    folder to resume from and write to. Without `valid`, all epochs are run.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        # A run that diverges is told so at its end, not by a warning for every overflow on the way.
        with threadpool_limits(1), np.errstate(over="ignore", invalid="ignore"):
            return _train(build, train, valid, settings, seed, name, device, checkpoint, progress, judge)
    finally:
        torch.set_num_threads(threads)


def _train(
    build: Callable[[], Trainable],
    train: Interactions,
    valid: Interactions | None,
    settings: TrainingSettings,
    seed: int,
    name: str,
    device: str,
    checkpoint: Path | None,
    progress: Callable[[str], None],
    judge: Judge,
) -> Recommender:
    torch.manual_seed(seed)
    model = build().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate)
    draw = torch.Generator(device).manual_seed(seed)
    state = _State()
    judged_by = None if valid is None else valid.digest()
    elsewhere = [] if device == "cpu" else [device]
    identity = json.dumps([name, asdict(settings), seed, train.digest(), judged_by, *elsewhere])
    if checkpoint is not None and (checkpoint / CHECKPOINT).exists():
        _resume(checkpoint / CHECKPOINT, identity, model, optimizer, draw, state)
        progress(f"resumed after epoch {state.epoch}")
    own = getattr(model, "sampler", None)
    sampler: Sampler = _Sampler(train, draw) if own is None else own(draw)
    seen = train.matrix()
    while state.epoch < settings.epochs and state.waited < settings.patience:
        # What a model draws itself (dropout) begins anew, so that a run that goes on draws the same.
        torch.manual_seed(seed + state.epoch)
        loss = _epoch(model, optimizer, sampler, settings, state.epoch + 1)
        state.epoch += 1
        message = f"epoch {state.epoch} of {settings.epochs}, loss {loss:.4f}"
        if valid is not None and (state.epoch % settings.every == 0 or state.epoch == settings.epochs):
            value = judge.value(_recommender(model, train, settings, state), valid, seen)
            message += f", validation {judge.name} {value:.4f}"
            state.waited += 1
            if value > state.best:
                state.best, state.waited = value, 0
                state.best_weights = {key: w.clone() for key, w in model.state_dict().items()}
        progress(message)
        if checkpoint is not None:
            _write(checkpoint / CHECKPOINT, identity, model, optimizer, draw, state)
    if state.best_weights is not None:
        model.load_state_dict(state.best_weights)
    recommender = _recommender(model, train, settings, state)
    scores = recommender.score_block(np.arange(min(64, len(train.user_ids))))
    if not np.isfinite(scores).all():
        raise _diverged(f"scores are not finite after epoch {state.epoch}", settings)
    return recommender


def _recommender(
    model: Trainable, train: Interactions, settings: TrainingSettings, state: _State
) -> Recommender:
    try:
        return model.recommender(train)
    except InputError as error:  # weights that are not finite
        raise _diverged(f"weights are not finite after epoch {state.epoch}", settings) from error


def _diverged(what: str, settings: TrainingSettings) -> InputError:
    return InputError(
        f"{what} with a learning rate of {settings.learning_rate:g} and a regularisation of "
        f"{settings.regularisation:g}: training has diverged; use a smaller learning rate or regularisation."
    )


class _Sampler:
    """Batches of (user, item that was taken, item that was not)."""

    def __init__(self, train: Interactions, draw: torch.Generator) -> None:
        self.user = torch.from_numpy(train.user).to(draw.device)
        self.item = torch.from_numpy(train.item).to(draw.device)
        self.items = len(train.item_ids)
        self.taken = torch.sort(self.user * self.items + self.item).values
        self.draw = draw

    def batches(self, size: int) -> Any:
        order = torch.randperm(len(self.user), generator=self.draw, device=self.draw.device)
        for rows in order.split(size):
            user = self.user[rows]
            yield user, self.item[rows], self._negatives(user)

    def _negatives(self, user: Tensor) -> Tensor:
        negative = self._items(len(user))
        for _ in range(REDRAWS):
            key = user * self.items + negative
            place = torch.searchsorted(self.taken, key).clamp_(max=len(self.taken) - 1)
            again = self.taken[place] == key
            if not again.any():
                break
            negative[again] = self._items(int(again.sum()))
        return negative

    def _items(self, count: int) -> Tensor:
        return torch.randint(self.items, (count,), generator=self.draw, device=self.draw.device)


def _epoch(
    model: Trainable,
    optimizer: torch.optim.Optimizer,
    sampler: Sampler,
    settings: TrainingSettings,
    epoch: int,
) -> float:
    total, count = 0.0, 0
    for batch in sampler.batches(settings.batch):
        loss = model.loss(*batch)
        value = float(loss.detach())
        if not np.isfinite(value):
            raise _diverged(f"the loss is {value} in epoch {epoch}", settings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + value * len(batch[0]), count + len(batch[0])
    return total / count


def _write(
    path: Path, identity: str, model: Trainable, optimizer: torch.optim.Optimizer, draw: torch.Generator,
    state: _State,
) -> None:  # fmt: skip
    content = {
        "identity": identity,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "draw": draw.get_state(),
        "state": {
            "epoch": state.epoch,
            "best": state.best,
            "best_weights": state.best_weights,
            "waited": state.waited,
        },
    }
    with filled(path.parent) as waiting:
        torch.save(content, waiting / path.name)


def _resume(
    path: Path, identity: str, model: Trainable, optimizer: torch.optim.Optimizer, draw: torch.Generator,
    state: _State,
) -> None:  # fmt: skip
    damaged = f"{path} is damaged; delete it to train anew."
    try:
        content = torch.load(path, weights_only=True)
        stored = content["identity"]
    except Exception as error:
        raise InputError(damaged) from error
    if stored != identity:
        raise InputError(
            f"{path} belongs to another run (other data, split, seed or settings): use another --out folder, "
            "or delete it to train anew."
        )
    try:
        stored_state = _State(**content["state"])
        for name in ("epoch", "waited"):
            whole(name, getattr(stored_state, name), 0)
        number("best", stored_state.best, -1)
        if stored_state.best_weights is not None:
            model.load_state_dict(stored_state.best_weights)  # refuses what does not fit
        model.load_state_dict(content["model"])
        optimizer.load_state_dict(content["optimizer"])
        for weight, moments in optimizer.state.items():
            if moments["exp_avg"].shape != weight.shape or moments["exp_avg_sq"].shape != weight.shape:
                raise ValueError("moments of another model")
        draw.set_state(content["draw"])
        vars(state).update(vars(stored_state))
    except Exception as error:  # there is no end to what torch trips over
        raise InputError(damaged) from error
