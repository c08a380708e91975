"""DeepFM (Guo and others 2017): Wide&Deep, and the products of the vectors of every two features."""

from __future__ import annotations

from torch import Tensor

from evenhand.recommenders.models import click
from evenhand.recommenders.models.widedeep import WideDeep
from evenhand.recommenders.scores.click.crossed import DeepFMScores

DEFAULTS = click.DEFAULTS


class DeepFM(WideDeep):
    scores = DeepFMScores

    def score(self, vectors: Tensor, user: Tensor, item: Tensor) -> Tensor:
        products = (vectors.sum(dim=1).square() - vectors.square().sum(dim=1)).sum(dim=1) / 2
        return super().score(vectors, user, item) + products
