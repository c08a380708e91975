"""Deep & Cross Network (Wang and others 2017): layers that cross the features, beside plain ones."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evenhand.recommenders.models import click
from evenhand.recommenders.scores.click.crossed import DCNScores

DEFAULTS = click.DEFAULTS
CROSSES = 3


class DCN(click.ClickModel):
    scores = DCNScores

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        inputs = self.fields * self.factors
        self.cross_weight = nn.Parameter(torch.randn(CROSSES, inputs) * 0.1)
        self.cross_bias = nn.Parameter(torch.zeros(CROSSES, inputs))
        self.deep = click.layers(inputs, answer=False)
        self.out = nn.Linear(inputs + click.LAYERS[-1], 1)

    def score(self, vectors: Tensor, user: Tensor, item: Tensor) -> Tensor:
        x = crossed = vectors.flatten(1)
        for weight, bias in zip(self.cross_weight, self.cross_bias, strict=True):
            crossed = x * (crossed @ weight)[:, None] + bias + crossed
        return self.out(torch.cat([crossed, self.deep(x)], dim=1)).squeeze(-1)

    def architecture(self) -> dict[str, Any]:
        return super().architecture() | {"crosses": CROSSES}
