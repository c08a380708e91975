"""How far down a list people look: the weight of each position, and the same as a mixture of patiences.

The exposure of an item is the weight of its position. Rank-biased precision (RBP; Moffat and Zobel 2008)
gives position r the weight gamma^(r-1), where gamma is the patience: the chance that somebody looks one place
further. DCG gives 1 / log2(1 + r). Either may be cut at k: positions beyond it have no weight.

Exact exposure is easy for powers, so `mixture` writes the weights as sum_g c_g gamma_g^(r-1). A cut makes
that impossible, and those models give None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import nnls

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.parameters import choice, number, whole

# Steps of the grid of patiences, in log(-log gamma). Each reaches about the square of the last one's error.
GRIDS = (0.8, 0.6, 0.4, 0.3, 0.2, 0.1)


@dataclass(frozen=True)
class RBP:
    """Weight gamma^(r-1) of position r, 0 beyond k."""

    patience: float
    k: int | None = None

    @property
    def in_words(self) -> str:
        return f"Who looks at a place looks at the next with chance {self.patience:g}{_until(self.k)}."

    def weights(self, n: int) -> Floats:
        """The weights of positions 1 to n."""
        return _cut(self.patience ** np.arange(n, dtype=float), self.k)

    def mixture(self, n: int, accuracy: float = 1e-12) -> tuple[Floats, Floats] | None:
        """Patiences and coefficients whose mixture is within `accuracy` of the weights of n positions."""
        if self.k is not None and self.k < n:
            return None
        return np.array([self.patience]), np.array([1.0])


@dataclass(frozen=True)
class DCG:
    """Weight 1 / log2(1 + r) of position r, 0 beyond k."""

    k: int | None = None

    @property
    def in_words(self) -> str:
        return f"Place r is looked at in proportion to 1 / log2(1 + r){_until(self.k)}."

    def weights(self, n: int) -> Floats:
        """The weights of positions 1 to n."""
        return _cut(1 / np.log2(np.arange(n) + 2.0), self.k)

    def mixture(self, n: int, accuracy: float = 1e-12) -> tuple[Floats, Floats] | None:
        """Patiences and coefficients whose mixture is within `accuracy` of the weights of n positions."""
        if self.k is not None and self.k < n:
            return None
        # Ranks up to a power of two, so that catalogues of about the same size share a fit.
        patiences, coefficients = _mixture_of_dcg(1 << max(n - 1, 1).bit_length(), accuracy)
        return patiences.copy(), coefficients.copy()


@dataclass(frozen=True)
class Positions:
    """Weights of the caller's own, one a position from the first; 0 beyond them."""

    values: tuple[float, ...]

    @property
    def in_words(self) -> str:
        return f"Places are looked at by {len(self.values):,} given weights, and none beyond them."

    def weights(self, n: int) -> Floats:
        """The weights of positions 1 to n."""
        out = np.zeros(n)
        out[: len(self.values)] = self.values[:n]
        return out

    def mixture(self, n: int, accuracy: float = 1e-12) -> tuple[Floats, Floats] | None:
        """Only equal weights of all positions are a mixture for certain: of patience 1."""
        if len(self.values) < n or self.values[n - 1] < self.values[0]:
            return None
        return np.array([1.0]), np.array([self.values[0]])


Browsing = RBP | DCG | Positions


def rbp(patience: float = 0.8, k: int | None = None) -> RBP:
    """Rank-biased precision: position r has the weight patience^(r-1), cut at k if given."""
    gamma = number("patience", patience, 0, 1, above=True)
    if gamma == 1:
        raise InputError("patience is 1.0, but must be below 1: with it nobody ever stops looking.")
    return RBP(gamma, None if k is None else whole("k", k))


def dcg(k: int | None = None) -> DCG:
    """The discount of DCG: position r has the weight 1 / log2(1 + r), cut at k if given."""
    return DCG(None if k is None else whole("k", k))


def positions(weights: Any) -> Positions:
    """Position weights of your own: at least 0, and no position is seen more than the one above it."""
    try:
        values = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise InputError("The weights of positions must be a list of numbers.") from None
    if values.ndim != 1 or not len(values):
        raise InputError("The weights of positions must be a list of at least one number.")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise InputError(
            f"The weight of position {wrong[0] + 1:,} is {values[wrong[0]]:g}, but must be a finite number "
            "of at least 0."
        )
    rises = np.flatnonzero(np.diff(values) > 0)
    if len(rises):
        raise InputError(
            f"The weights of positions must not rise, but position {rises[0] + 2:,} has more than the one "
            "above it."
        )
    return Positions(tuple(values.tolist()))


def browsing_model(discount: str | Sequence[float] | Browsing, patience: float, k: int | None) -> Browsing:
    """The model that `discount` means: "rbp", "dcg", weights of positions, or a model itself."""
    if isinstance(discount, RBP | DCG | Positions):
        if k is not None:
            raise InputError("k belongs to the browsing model when discount is one; give it there.")
        return discount
    if isinstance(discount, str):
        if choice("discount", discount, ("rbp", "dcg")) == "dcg":
            return dcg(k)
        return rbp(patience, k)
    model = positions(discount)
    return model if k is None else Positions(model.values[: whole("k", k)])


def _until(k: int | None) -> str:
    return "" if k is None else f", and nobody looks beyond place {k:,}"


def _cut(weights: Floats, k: int | None) -> Floats:
    if k is not None:
        weights[k:] = 0
    return weights


@lru_cache(maxsize=64)
def _mixture_of_dcg(n: int, accuracy: float) -> tuple[Floats, Floats]:
    """1 / log(1 + r) is completely monotone: the integral of e^(-r tau) over a positive measure of tau.

    So few patiences e^(-tau), evenly spaced in log tau, and non-negative least squares are enough, and
    the coarsest grid that reaches the accuracy has the fewest. tau = 0 stands for all that is too small for
    n ranks to tell from it.
    """
    ranks = np.arange(1, n + 1)
    fitted = np.unique(np.concatenate([ranks[:200], np.geomspace(1, n, 400).round().astype(int)]))
    for step in GRIDS:
        tau = np.append(np.exp(np.arange(np.log(0.02 / n), np.log(40), step)), 0)
        coefficients, _ = nnls(np.exp(-np.outer(fitted - 1, tau)), 1 / np.log2(1 + fitted), maxiter=10_000)
        patiences, coefficients = np.exp(-tau[coefficients > 0]), coefficients[coefficients > 0]
        if misfit(patiences, coefficients, 1 / np.log2(1 + ranks)) <= accuracy:
            break
    return patiences, coefficients


def misfit(patiences: Floats, coefficients: Floats, weights: Floats) -> float:
    """The largest distance between the weights of positions and the mixture."""
    mixed = np.zeros(len(weights))
    for gamma, coefficient in zip(patiences, coefficients, strict=True):
        mixed += coefficient * gamma ** np.arange(len(weights))
    return float(np.abs(mixed - weights).max())
