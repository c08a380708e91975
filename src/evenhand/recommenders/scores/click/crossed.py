"""Wide&Deep, DeepFM and DCN: layers beside a part that crosses features by a formula."""

from __future__ import annotations

import numpy as np

from evenhand.recommenders.scores.click.scores import Array, ClickScores, Half


class WideDeepScores(ClickScores):
    """score = the weights of all features + layers(vectors of all features)."""

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return super()._shapes() | {"wide": (self.features.size,)}

    def _wide(self, of: str) -> Array:
        return self._looked_up(of, self.weights["wide"][:, None]).sum(axis=(1, 2))

    def _half(self, of: str) -> Half:
        return self._first(of, self._looked_up(of, self.weights["vectors"])), self._wide(of)

    def _meet(self, user: Half, item: Half) -> Array:
        return self._deep(user[0] + item[0])[:, 0] + (user[1] + item[1])


class DeepFMScores(WideDeepScores):
    """score = that of Wide&Deep + the products of the vectors of every two features.

    The products of a side with itself are terms of its own; those between sides are one, of the two sums.
    """

    def _half(self, of: str) -> Half:
        vectors = self._looked_up(of, self.weights["vectors"])
        total = vectors.sum(axis=1)
        within = (np.square(total).sum(axis=1) - np.square(vectors).sum(axis=(1, 2))) / 2
        return self._first(of, vectors), self._wide(of) + within, total

    def _meet(self, user: Half, item: Half) -> Array:
        return super()._meet(user[:2], item[:2]) + (user[2] * item[2]).sum(axis=1)


class DCNScores(ClickScores):
    """score = out . [crossed, layers(x)], with x the vectors of all features and
    crossed_0 = x, crossed_(l+1) = x (crossed_l . w_l) + b_l + crossed_l.

    crossed_l is a_l x + c_l with a number a_l for each pair and c_l the same for all: so crossing needs only
    the products of x with the w_l and with `out`, which are sums of a user's and an item's.
    """

    _deep_answers = False

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        crosses, wide = int(self.architecture["crosses"]), self._inputs()
        return super()._shapes() | {
            "cross_weight": (crosses, wide),
            "cross_bias": (crosses, wide),
            "out.weight": (1, wide + self.layers[-1]),
            "out.bias": (1,),
        }

    def _half(self, of: str) -> Half:
        vectors = self._looked_up(of, self.weights["vectors"])
        flat = vectors.reshape(len(vectors), -1)
        start = 0 if of == "user" else len(self.features.users) * self.factors
        by = np.vstack([self.weights["cross_weight"], self.weights["out.weight"][:, : self._inputs()]])
        return self._first(of, vectors), flat @ by[:, start : start + flat.shape[1]].T

    def _meet(self, user: Half, item: Half) -> Array:
        wide, products = self._inputs(), user[1] + item[1]
        out, weight = self.weights["out.weight"][0], self.weights["cross_weight"]
        size, constant = np.ones(len(products), dtype=np.float32), np.zeros(wide, dtype=np.float32)
        for place, bias in enumerate(self.weights["cross_bias"]):
            size = size * (1 + products[:, place]) + weight[place] @ constant
            constant = constant + bias
        crossed = size * products[:, -1] + out[:wide] @ constant
        return crossed + self._deep(user[0] + item[0]) @ out[wide:] + self.weights["out.bias"]
