"""FGCNN (Liu and others 2019): a convolution over the fields generates features for a product network."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evenhand.recommenders.models import click
from evenhand.recommenders.scores.click.generated import FGCNNScores

DEFAULTS = click.DEFAULTS
MAPS = (4, 4)
HEIGHT = 3
GENERATED = 2


class FGCNN(click.ClickModel):
    scores = FGCNNScores

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.generating = nn.Parameter(torch.randn(self.features.size, self.factors) * 0.05)
        self.convolve, self.recombine = nn.ModuleList(), nn.ModuleList()
        before, left, count = 1, self.fields, self.fields
        for maps in MAPS:
            self.convolve.append(nn.Conv2d(before, maps, (HEIGHT, 1), padding=(HEIGHT // 2, 0)))
            before, left = maps, (left + 1) // 2
            made = left * GENERATED
            self.recombine.append(nn.Linear(left * maps * self.factors, made * self.factors))
            count += made
        self.deep = click.layers(count * self.factors + count * (count - 1) // 2)
        self.register_buffer("pairs", torch.triu_indices(count, count, 1), persistent=False)

    def score(self, vectors: Tensor, user: Tensor, item: Tensor) -> Tensor:
        maps, x = self._looked_up(user, item, self.generating)[:, None], [vectors]
        for convolve, recombine in zip(self.convolve, self.recombine, strict=True):
            maps = nn.functional.max_pool2d(torch.tanh(convolve(maps)), (2, 1), ceil_mode=True)
            x.append(torch.tanh(recombine(maps.flatten(1))).unflatten(1, (-1, self.factors)))
        every = torch.cat(x, dim=1)
        first, second = self.pairs
        products = (every @ every.transpose(1, 2))[:, first, second]
        return self.deep(torch.cat([every.flatten(1), products], dim=1)).squeeze(-1)

    def architecture(self) -> dict[str, Any]:
        return super().architecture() | {"maps": list(MAPS), "height": HEIGHT, "generated": GENERATED}
