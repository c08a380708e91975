"""FGCNN: features that a convolution over the fields makes, beside those that there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.recommenders.scores.click.scores import Array, ClickScores, Half


class FGCNNScores(ClickScores):
    """score = layers([x, products of every two of x]), x the vectors of all features, given and generated.

    The vectors for generating are others than those of x. A step of generating is a convolution over fields
    that are neighbours (tanh), the larger of every two neighbours, and a layer (tanh) that makes `generated`
    vectors of each place that is left. The first convolution acts on user and item apart.
    """

    _at_a_time = 1024

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        built, k = self.architecture, self.factors
        height, before, left = int(built["height"]), 1, len(self.features.fields)
        shapes: dict[str, tuple[int, ...]] = {"generating": (self.features.size, k)}
        for step, maps in enumerate(built["maps"]):
            shapes[f"convolve.{step}.weight"] = (int(maps), before, height, 1)
            shapes[f"convolve.{step}.bias"] = (int(maps),)
            before, left = int(maps), (left + 1) // 2
            made = left * int(built["generated"]) * k
            shapes[f"recombine.{step}.weight"] = (made, left * before * k)
            shapes[f"recombine.{step}.bias"] = (made,)
        return super()._shapes() | shapes

    def _vectors(self) -> int:
        """How many vectors there are, given and generated."""
        total = left = len(self.features.fields)
        for _ in self.architecture["maps"]:
            left = (left + 1) // 2
            total += left * int(self.architecture["generated"])
        return total

    def _inputs(self) -> int:
        count = self._vectors()
        return count * self.factors + count * (count - 1) // 2

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        built, fields = self.architecture, len(self.features.fields)
        self._steps: list[_Step] = []
        for step, maps in enumerate(built["maps"]):
            weights = [self.weights[f"{part}.{step}.weight"] for part in ("convolve", "recombine")]
            biases = [self.weights[f"{part}.{step}.bias"] for part in ("convolve", "recombine")]
            left = (fields + 1) // 2
            # Rows are laid out as (factors, maps, fields), so that every part is one matrix product.
            made = weights[1].reshape(-1, int(maps), left, self.factors).transpose(3, 1, 2, 0)
            self._steps.append(
                _Step(
                    _banded(weights[0], fields),
                    np.repeat(biases[0], left),
                    np.ascontiguousarray(made.reshape(-1, made.shape[-1])),
                    biases[1],
                )
            )
            fields = left
        count, start = self._vectors(), self._vectors() * self.factors
        first = self.weights["deep.0.weight"]
        self._of_generated = first[:, len(self.features.fields) * self.factors : start].T
        # A product stands in the upper triangle of a square, the rest of which weighs nothing.
        square = np.zeros((count, count, len(first)), dtype=np.float32)
        square[np.triu_indices(count, 1)] = first[:, start:].T
        self._of_products = square.reshape(count * count, -1)

    def _half(self, of: str) -> Half:
        vectors = self._looked_up(of, self.weights["vectors"])
        others = self._looked_up(of, self.weights["generating"])
        start = 0 if of == "user" else len(self.features.users)
        band = _banded(self.weights["convolve.0.weight"], len(self.features.fields))
        convolved = others.transpose(0, 2, 1) @ band[start : start + others.shape[1]]
        return self._first(of, vectors), vectors, convolved

    def _meet(self, user: Half, item: Half) -> Array:
        rows, k = max(len(user[0]), len(item[0])), self.factors
        x = [np.broadcast_to(half[1], (rows, *half[1].shape[1:])) for half in (user, item)]
        maps = user[2] + item[2]
        hidden = user[0] + item[0]
        for place, step in enumerate(self._steps):
            if place:
                maps = (maps.reshape(rows * k, -1) @ step.band).reshape(rows, k, -1)
            maps = _larger(maps, len(self.weights[f"convolve.{place}.bias"]))
            # The larger first: tanh does not change which it is, and nor does a bias that both have.
            np.tanh(maps + step.bias, out=maps)
            made = np.tanh(maps.reshape(rows, -1) @ step.recombine + step.recombined_bias)
            x.append(made.reshape(rows, -1, k))
        given = len(self.features.fields)
        every = np.concatenate(x, axis=1)
        hidden += every[:, given:].reshape(rows, -1) @ self._of_generated
        hidden += (every @ every.transpose(0, 2, 1)).reshape(rows, -1) @ self._of_products
        return self._deep(hidden)[:, 0]


@dataclass(frozen=True)
class _Step:
    """One step of generating, as matrices."""

    band: Array
    bias: Array
    recombine: Array
    recombined_bias: Array


def _banded(weight: Array, fields: int) -> Array:
    """(maps x fields before, maps x fields after): the convolution over neighbours as one matrix.

    There is nothing beyond the first field and the last.
    """
    after, before, height, _ = weight.shape
    band = np.zeros((before, fields, after, fields), dtype=np.float32)
    for place in range(height):
        for field in range(fields):
            source = field + place - height // 2
            if 0 <= source < fields:
                band[:, source, :, field] = weight[:, :, place, 0].T
    return band.reshape(before * fields, after * fields)


def _larger(maps: Array, count: int) -> Array:
    """The larger of every two neighbours among the fields of each map; the last may be alone."""
    fields = maps.reshape(*maps.shape[:2], count, -1)
    pairs = fields.shape[3] // 2 * 2
    larger = np.maximum(fields[..., :pairs:2], fields[..., 1:pairs:2])
    if pairs < fields.shape[3]:
        larger = np.concatenate([larger, fields[..., pairs:]], axis=3)
    return larger.reshape(*maps.shape[:2], -1)
