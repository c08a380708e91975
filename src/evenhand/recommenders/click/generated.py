"""FGCNN: features that a convolution over the fields makes, beside those that there are."""

from __future__ import annotations

import numpy as np

from evenhand.recommenders.click.scores import Array, ClickScores, Half


class FGCNNScores(ClickScores):
    """score = layers([x, products of every two of x]), x the vectors of all features, given and generated.

    The vectors for generating are others than those of x. A step of generating is a convolution over fields
    that are neighbours (tanh), the larger of every two neighbours, and a layer (tanh) that makes `generated`
    vectors of each place that is left. The first convolution acts on user and item apart.
    """

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

    def _half(self, of: str) -> Half:
        vectors = self._looked_up(of, self.weights["vectors"])
        others = self._looked_up(of, self.weights["generating"])
        before = 0 if of == "user" else len(self.features.users)
        after = len(self.features.fields) - before - others.shape[1]
        padded = np.pad(others, ((0, 0), (before, after), (0, 0)))[:, None]
        convolved = _convolved(padded, self.weights["convolve.0.weight"])
        if of == "user":
            convolved += self.weights["convolve.0.bias"][:, None, None]
        return self._first(of, vectors), vectors, convolved

    def _meet(self, user: Half, item: Half) -> Array:
        rows, k = max(len(user[0]), len(item[0])), self.factors
        given = [np.broadcast_to(half[1], (rows, *half[1].shape[1:])) for half in (user, item)]
        maps, generated = np.tanh(user[2] + item[2]), []
        for step in range(len(self.architecture["maps"])):
            if step:
                maps = _convolved(maps, self.weights[f"convolve.{step}.weight"])
                maps = np.tanh(maps + self.weights[f"convolve.{step}.bias"][:, None, None])
            maps = _larger(maps)
            made = maps.reshape(rows, -1) @ self.weights[f"recombine.{step}.weight"].T
            made = np.tanh(made + self.weights[f"recombine.{step}.bias"])
            generated.append(made.reshape(rows, -1, k))
        x = np.concatenate([*given, *generated], axis=1)
        first, second = np.triu_indices(x.shape[1], 1)
        products = (x @ x.transpose(0, 2, 1))[:, first, second]
        weight, start = self.weights["deep.0.weight"], len(self.features.fields) * k
        rest = np.concatenate([x.reshape(rows, -1)[:, start:], products], axis=1)
        hidden = user[0] + item[0]
        hidden += rest @ weight[:, start:].T
        return self._deep(hidden)[:, 0]


def _convolved(maps: Array, weight: Array) -> Array:
    """(rows, maps, fields, factors), convolved over fields, with nothing beyond the first and the last."""
    height, fields = weight.shape[2], maps.shape[2]
    padded = np.pad(maps, ((0, 0), (0, 0), (height // 2, height // 2), (0, 0)))
    total = np.zeros((len(maps), len(weight), fields, maps.shape[3]), dtype=np.float32)
    for place in range(height):
        shifted = padded[:, :, place : place + fields]
        total += np.tensordot(shifted, weight[:, :, place, 0], axes=(1, 1)).transpose(0, 3, 1, 2)
    return total


def _larger(maps: Array) -> Array:
    """The larger of every two neighbours among fields; the last may be alone."""
    if maps.shape[2] % 2:
        maps = np.pad(maps, ((0, 0), (0, 0), (0, 1), (0, 0)), constant_values=-np.inf)
    return np.maximum(maps[:, :, ::2], maps[:, :, 1::2])
