"""Fine-tune a recommender so that its exposure is fairer, and see what it costs.

    python examples/fine_tune_exposure.py /path/to/ml-100k                  one seed: before and after
    python examples/fine_tune_exposure.py /path/to/ml-100k --weight 0       the control: without fairness

A BPR matrix factorisation learns from the training rows. Then a few full-batch steps of its ranking loss plus
JMELoss (GG + AG, each divided by its starting value; gender x genres), which also rewards the exposure of
relevant items, change its vectors. The target of exposure is the relevance of the validation rows. Two things
matter: what is in the history cannot be shown, so it must not be in the target; and what the model has learnt
by heart it ranks unlike what is new, so that must not be in the target either. Everything is measured on test
rows that no training has seen. `benchmarks/exposure_training.py` chooses the settings without the test rows,
and has more seeds, measures, weights and betas.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import Tensor

from evenhand.datasets import Dataset, load
from evenhand.exposure.training.differentiable import plackett_luce
from evenhand.exposure.training.loss import JMELoss
from evenhand.recommenders import Factors, Interactions, fit
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.models.bpr import BPR
from evenhand.recommenders.taken.splits import random_split
from evenhand.recommenders.training import TrainingSettings

FACTORS = 32
PATIENCE = 0.8
# As many rows a user in validation as in test: equal exposure of few relevant items and of many are different
# targets.
SHARES = (0.7, 0.15, 0.15)
RANKING_BATCH = 20_000


class World:
    """One split of the data with its groups, and a model trained on it."""

    def __init__(self, data: Dataset, seed: int, beta: float) -> None:
        interactions = Interactions.from_frame(data.interactions)
        self.seed, self.beta = seed, beta
        self.split = random_split(interactions, np.random.default_rng(seed), SHARES)
        self.user_groups = _gender(data, interactions)
        self.item_groups = _genres(data, interactions)
        self.past, self.wanted, self.test = map(_mask, (self.split.train, self.split.valid, self.split.test))
        model, _ = fit("bpr", self.split.train, self.split.valid, seed, factors=FACTORS)
        assert isinstance(model, Factors)
        self.model = model

    def fine_tune(self, measures: list[str], weight: float, steps: int, rate: float) -> Factors:
        """`steps` of Adam on the ranking loss plus the fairness loss."""
        train = self.split.train
        bpr = BPR(train, TrainingSettings(factors=FACTORS))
        with torch.no_grad():
            bpr.users.copy_(torch.from_numpy(self.model.user_vectors))
            bpr.items.copy_(torch.from_numpy(self.model.item_vectors))
            bpr.bias.copy_(torch.from_numpy(self.model.item_bias))
        # Half the nodes of the quadrature; what is judged has them all.
        fairness = self._loss(dict.fromkeys(measures, weight), accuracy=1e-4, relevant=1.0)
        optimizer = torch.optim.Adam(bpr.parameters(), lr=rate)
        draw = torch.Generator().manual_seed(self.seed)
        for _ in range(steps):
            scores = bpr.users @ bpr.items.T + bpr.bias
            loss = bpr.loss(*_triples(train, draw)) + fairness(scores, self.wanted, history=self.past)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return bpr.recommender(train)

    @torch.no_grad()
    def judge(self, model: Factors) -> dict[str, float]:
        """On test relevance: the measures, exposure of a user's relevant items, NDCG of the static list."""
        scores = torch.from_numpy(model.score_block(np.arange(len(model.user_ids))))
        hidden = self.past | self.wanted
        found = self._loss({"GG": 1.0}).measures(scores, self.test, history=hidden)
        exposure = plackett_luce(scores.masked_fill(hidden, -torch.inf), self.beta, PATIENCE)
        seen = self.split.train.matrix() + self.split.valid.matrix()
        return {f"{name}-F": float(value) for name, value in found.items()} | {
            "relevant": float((exposure * self.test).sum(dim=1).mean()),
            "NDCG@10": full_ranking(model, self.split.test, seen)["ndcg"],
        }

    def _loss(self, weights: dict[str, float], accuracy: float = 1e-6, relevant: float = 0.0) -> JMELoss:
        return JMELoss(
            self.user_groups, self.item_groups, weights, self.beta, PATIENCE,
            accuracy=accuracy, relevant=relevant,
        )  # fmt: skip


def _triples(train: Interactions, draw: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    rows = torch.randint(len(train), (RANKING_BATCH,), generator=draw)
    negative = torch.randint(len(train.item_ids), (RANKING_BATCH,), generator=draw)
    return torch.from_numpy(train.user)[rows], torch.from_numpy(train.item)[rows], negative


def _mask(rows: Interactions) -> Tensor:
    return torch.from_numpy(rows.matrix().toarray() > 0)


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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beta", type=float, default=0.5, help="temperature of the policy")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--weight", type=float, default=0.3, help="of each measure in the loss")
    parser.add_argument("--measures", default="GG,AG", help="measures in the loss, for example GG,AG or II")
    chosen = parser.parse_args()
    world = World(load(chosen.folder), chosen.seed, chosen.beta)
    before = world.judge(world.model)
    tuned = world.fine_tune(chosen.measures.split(","), chosen.weight, chosen.steps, chosen.rate)
    after = world.judge(tuned)
    for name, value in before.items():
        print(f"{name:<9} {value:9.3g} -> {after[name]:9.3g}   {100 * (after[name] / value - 1):+6.1f}%")


if __name__ == "__main__":
    main()
