"""Wide&Deep (Cheng and others 2016): weights of features, and layers over their vectors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evenhand.recommenders.models import click
from evenhand.recommenders.scores.click.crossed import WideDeepScores

DEFAULTS = click.DEFAULTS


class WideDeep(click.ClickModel):
    scores = WideDeepScores

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.wide = nn.Parameter(torch.zeros(self.features.size))
        self.deep = click.layers(self.fields * self.factors)

    def score(self, vectors: Tensor, user: Tensor, item: Tensor) -> Tensor:
        wide = self._looked_up(user, item, self.wide[:, None]).sum(dim=(1, 2))
        return wide + self.deep(vectors.flatten(1)).squeeze(-1)
