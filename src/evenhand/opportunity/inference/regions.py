"""All utilities that the data does not rule out, and what follows from them for every measure at once.

A region is an ellipsoid of log U around the estimate. Whatever holds for all of its points holds for the
truth whenever the truth is in it: for the penalty, every relative utility and the worst ratio together, and
at h = 0 too, where the penalty has no gradient. Arrays may hold many regions; their last axis is the groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.opportunity.measures import (
    Array,
    logit_share_gradients,
    penalty,
    relative_utilities,
    relative_utility_jacobian,
)
from evenhand.stats.log_ratios import ellipsoids

_ALONG_AXIS = np.linspace(-1, 1, 41)[:, None]


@dataclass(frozen=True)
class Region:
    """The log U whose error e keeps |w'e| <= sqrt(w' shape w) for every contrast w."""

    utilities: Array  # ... x groups
    shape: Array  # ... x groups x groups

    def reach(self, contrasts: Array) -> Array:
        """How far each contrast (a row) of log U may be from its estimate."""
        squared = np.einsum("...ij,...jk,...ik->...i", contrasts, self.shape, contrasts)
        return np.sqrt(np.maximum(0.0, squared))

    def penalties(self) -> tuple[Array, Array]:
        """Least and greatest h.

        h is the length of d over sqrt(K), so with d linear in log U its range over an ellipsoid is exact.
        Where the region is wide d is not linear, so three ways are combined: d linear around the estimate;
        d linear around equality, where it is log U less its mean, which reaches 0 just when equality is in
        the region; and a walk along the noisiest axis, with nothing taken as linear. Two groups have one
        ratio between them, and a closed form.
        """
        groups = self.utilities.shape[-1]
        if groups == 2:
            return self._penalties_of_two()
        jacobian = relative_utility_jacobian(self.utilities)
        shape = jacobian @ self.shape @ np.swapaxes(jacobian, -1, -2)
        low, high = ellipsoids.lengths(relative_utilities(self.utilities), shape)
        walked = penalty(self.utilities[..., None, :] * np.exp(_ALONG_AXIS * self._noisiest()[..., None, :]))
        low = np.minimum.reduce([low, self._least_spread(), walked.min(axis=-1) * np.sqrt(groups)])
        # Rounding must not make a fair system look clear of 0.
        low = np.where(low < 1e-9, 0.0, low) / np.sqrt(groups)
        high = np.maximum(high / np.sqrt(groups), walked.max(axis=-1))
        return low, np.minimum(high, np.sqrt(groups - 1.0))

    def _least_spread(self) -> Array:
        """The least length of log U less its mean; infinite where a utility is 0."""
        known = np.asarray((self.utilities > 0).all(axis=-1))
        logs = np.log(np.where(known[..., None], self.utilities, 1.0))
        centred = logs - logs.mean(axis=-1, keepdims=True)
        return np.where(known, ellipsoids.least_length(centred, self._contrasts()), np.inf)

    def _penalties_of_two(self) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            ratio = np.abs(np.log(self.utilities[..., 0]) - np.log(self.utilities[..., 1]))
        reach = self.reach(np.array([[1.0, -1.0]]))[..., 0]
        return np.tanh(np.maximum(0.0, ratio - reach) / 2), np.tanh((ratio + reach) / 2)

    def _noisiest(self) -> Array:
        """The longest half-axis of the region."""
        squares, axes = np.linalg.eigh(self._contrasts())
        return np.asarray(axes[..., -1] * np.sqrt(np.clip(squares[..., -1:], 0, None)))

    def _contrasts(self) -> Array:
        """The shape without a shift that is common to all groups, which changes nothing."""
        groups = self.utilities.shape[-1]
        centring = np.eye(groups) - 1 / groups
        return np.asarray(centring @ self.shape @ centring)

    def relative_utilities(self) -> tuple[Array, Array]:
        """Least and greatest d_k, on the scale of logit(U_k / sum U)."""
        reach = self.reach(logit_share_gradients(self.utilities))
        shares = self.utilities / self.utilities.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore"):
            logits = np.log(shares) - np.log1p(-shares)
        low, high = (shares.shape[-1] / (1 + np.exp(-(logits + sign * reach))) - 1 for sign in (-1, 1))
        return low, high

    def worst_ratios(self) -> tuple[Array, Array]:
        """Least and greatest min U / max U: the least of all ratios U_i/U_j, each in its range."""
        groups = self.utilities.shape[-1]
        first, second = np.triu_indices(groups, k=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.utilities)
            gaps = np.nan_to_num(np.abs(logs[..., first] - logs[..., second]), nan=0.0, posinf=np.inf)
        variances = np.diagonal(self.shape, axis1=-2, axis2=-1)
        squared = variances[..., first] + variances[..., second] - 2 * self.shape[..., first, second]
        reach = np.sqrt(np.maximum(0.0, squared))
        least = np.exp(-(gaps + reach).max(axis=-1))
        return least, np.minimum(1.0, np.exp(-(gaps - reach).max(axis=-1)))
