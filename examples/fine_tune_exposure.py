"""Fine-tune a recommender so that its exposure is fairer, and see what it costs.

    python examples/fine_tune_exposure.py /path/to/ml-100k                    one seed: before and after
    python examples/fine_tune_exposure.py /path/to/ml-100k --seeds 5 --frontier

A BPR matrix factorisation learns from 70% of the training rows. Then a few full-batch steps of its ranking
loss plus JMELoss (GG + AG, each divided by its starting value; gender x genres) change its vectors. The
target of exposure is the relevance of the other 30%, and the 70% are masked as history. Two things matter:
what is in the history cannot be shown, so it must not be in the target; and what the model has learnt by
heart it ranks unlike what is new, so that must not be in the target either. Everything is measured on test
rows that no training has seen, with all training rows masked.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from evenhand.datasets import Dataset, load
from evenhand.exposure.differentiable import plackett_luce
from evenhand.exposure.loss import JMELoss
from evenhand.recommenders import Factors, Interactions, fit
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.models.bpr import BPR
from evenhand.recommenders.splits import Split, random_split
from evenhand.recommenders.training import Settings

FACTORS = 32
PATIENCE = 0.8
# About as many test rows a user as there are in the target: equal exposure of few relevant items and of many
# are different targets.
SHARES = (0.7, 0.1, 0.2)
TARGET_SHARE = 0.3
RANKING_BATCH = 20_000
WEIGHTS = (0.001, 0.01, 0.1, 1.0)
BETAS = (4.0, 2.0, 1.5, 1.0, 0.75, 0.5, 0.375, 0.25)


@dataclass(frozen=True)
class Outcome:
    """On test relevance: two measures, exposure of a user's relevant items, and NDCG of the static list."""

    gg: float
    ag: float
    relevant: float
    ndcg: float

    def against(self, before: Outcome) -> str:
        changes = ", ".join(
            f"{name} {100 * (getattr(self, field) / getattr(before, field) - 1):+.1f}%"
            for name, field in (("GG-F", "gg"), ("AG-F", "ag"), ("relevant", "relevant"), ("NDCG@10", "ndcg"))
        )
        return f"{self}   {changes}"

    def __str__(self) -> str:
        return (
            f"GG-F {self.gg:.3e}  AG-F {self.ag:.3e}  relevant {self.relevant:.4f}  NDCG@10 {self.ndcg:.4f}"
        )


class World:
    """One split of the data with its groups, and a model trained on it."""

    def __init__(self, data: Dataset, seed: int) -> None:
        rng = np.random.default_rng(seed)
        interactions = Interactions.from_frame(data.interactions)
        self.seed = seed
        self.split: Split = random_split(interactions, rng, SHARES)
        self.user_groups = _gender(data, interactions)
        self.item_groups = _genres(data, interactions)
        chosen = _share_of_each_user(self.split.train, TARGET_SHARE, rng)
        self.wanted = _mask(self.split.train.rows(chosen))
        self.learnt = self.split.train.rows(~chosen)
        self.past = _mask(self.learnt)
        self.seen = self.split.train.matrix() + self.split.valid.matrix()
        self.hidden = _mask(self.split.train) | _mask(self.split.valid)
        self.test = _mask(self.split.test)
        model, _ = fit("bpr", self.learnt, self.split.valid, seed, factors=FACTORS)
        assert isinstance(model, Factors)
        self.model = model

    def loss(self, weights: dict[str, float], beta: float, accuracy: float = 1e-6) -> JMELoss:
        return JMELoss(self.user_groups, self.item_groups, weights, beta, PATIENCE, accuracy=accuracy)

    @torch.no_grad()
    def judge(self, model: Factors, beta: float) -> Outcome:
        scores = torch.from_numpy(model.score_block(np.arange(len(model.user_ids))))
        found = self.loss({"GG": 1.0}, beta).measures(scores, self.test, history=self.hidden)
        shown = scores.masked_fill(self.hidden, -torch.inf)
        exposure = plackett_luce(shown, beta, PATIENCE)
        ndcg = full_ranking(model, self.split.test, self.seen)["ndcg"]
        relevant = float((exposure * self.test).sum(dim=1).mean())
        return Outcome(float(found["GG"]), float(found["AG"]), relevant, ndcg)

    def fine_tune(
        self, weights: dict[str, float], beta: float, strength: float, steps: int, rate: float
    ) -> Factors:
        """`steps` of Adam on the ranking loss plus `strength` times the fairness loss."""
        train = self.learnt
        bpr = BPR(train, Settings(factors=FACTORS))
        with torch.no_grad():
            bpr.users.copy_(torch.from_numpy(self.model.user_vectors))
            bpr.items.copy_(torch.from_numpy(self.model.item_vectors))
            bpr.bias.copy_(torch.from_numpy(self.model.item_bias))
        fairness = self.loss(weights, beta, accuracy=1e-4)  # half the nodes; what is judged has them all
        optimizer = torch.optim.Adam(bpr.parameters(), lr=rate)
        draw = torch.Generator().manual_seed(self.seed)
        for _ in range(steps):
            scores = bpr.users @ bpr.items.T + bpr.bias
            loss = bpr.loss(*_triples(train, draw)) + strength * fairness(
                scores, self.wanted, history=self.past
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return bpr.recommender(train)


def _triples(train: Interactions, draw: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    rows = torch.randint(len(train), (RANKING_BATCH,), generator=draw)
    negative = torch.randint(len(train.item_ids), (RANKING_BATCH,), generator=draw)
    return torch.from_numpy(train.user)[rows], torch.from_numpy(train.item)[rows], negative


def _mask(rows: Interactions) -> Tensor:
    return torch.from_numpy(rows.matrix().toarray() > 0)


def _share_of_each_user(train: Interactions, share: float, rng: np.random.Generator) -> np.ndarray:
    """A random share of each user's rows, at least one."""
    order = np.lexsort((rng.random(len(train)), train.user))
    counts = np.bincount(train.user, minlength=len(train.user_ids))
    place = np.arange(len(train)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = np.empty(len(train), dtype=bool)
    chosen[order] = place < np.maximum(1, np.round(share * np.repeat(counts, counts)))
    return chosen


def _gender(data: Dataset, interactions: Interactions) -> np.ndarray:
    of_user = data.users.set_index("user_id")["gender"].loc[interactions.user_ids]
    return np.unique(of_user.to_numpy().astype(str), return_inverse=True)[1]


def _genres(data: Dataset, interactions: Interactions) -> np.ndarray:
    of_item = data.items.set_index("item_id")["genres"].loc[interactions.item_ids]
    names = sorted({genre for genres in of_item for genre in genres})
    return np.array([[name in genres for name in names] for genres in of_item], dtype=int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--beta", type=float, default=1.0, help="temperature of the policy")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.005)
    parser.add_argument("--strength", type=float, default=1.0)
    parser.add_argument("--measures", default="GG,AG", help="measures in the loss, for example GG,AG or II")
    parser.add_argument(
        "--frontier", action="store_true", help="several strengths, and several betas instead"
    )
    chosen = parser.parse_args()
    data = load(chosen.folder)
    weights = dict.fromkeys(chosen.measures.split(","), 1.0)
    after: list[tuple[Outcome, Outcome]] = []
    for seed in range(chosen.seeds):
        world = World(data, seed)
        before = world.judge(world.model, chosen.beta)
        print(f"seed {seed}, before            {before}", flush=True)
        for strength in WEIGHTS if chosen.frontier else (chosen.strength,):
            model = world.fine_tune(weights, chosen.beta, strength, chosen.steps, chosen.rate)
            tuned = world.judge(model, chosen.beta)
            print(f"  loss weight {strength:<8g}      {tuned.against(before)}", flush=True)
            if strength == chosen.strength:
                after.append((before, tuned))
        for beta in BETAS if chosen.frontier else ():
            print(
                f"  beta {beta:<8g}             {world.judge(world.model, beta).against(before)}", flush=True
            )
    for field in ("gg", "ag", "relevant", "ndcg"):
        changes = [100 * (getattr(new, field) / getattr(old, field) - 1) for old, new in after]
        if changes:
            spread = f"from {min(changes):+.1f}% to {max(changes):+.1f}%" if len(changes) > 1 else ""
            print(f"weight {chosen.strength:g}: {field:<9} {np.mean(changes):+.1f}% {spread}")


if __name__ == "__main__":
    main()
