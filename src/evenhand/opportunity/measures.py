"""The mathematics of equal opportunity, on counts.

    U_k = (A_k/n) / (B_k/m)      utility of group k, up to one factor common to all groups
    d_k = U_k / mean(U) - 1      relative utility                            (Dong and others 2024, Eq. 3)
    h   = sqrt(mean(d_k^2))      REO penalty, with 1/K                       (Dong and others 2024, Eq. 2)

`d` and `h` do not change when all U_k are scaled together, so every error is written in log U.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def relative_utilities(utilities: Array) -> Array:
    """d_k = U_k / mean(U) - 1, along the last axis."""
    return np.asarray(utilities / utilities.mean(axis=-1, keepdims=True) - 1)


def penalty(utilities: Array) -> Any:
    """h = sqrt(mean_k d_k^2), along the last axis."""
    return utilities.std(axis=-1) / utilities.mean(axis=-1)


def relative_utility_jacobian(utilities: Array) -> Array:
    """dd_k / dlogU_j = (1 + d_k) (delta_jk - (1 + d_j)/K), a row a group k; batches come first."""
    one_plus = 1 + relative_utilities(utilities)
    groups = utilities.shape[-1]
    return np.asarray(one_plus[..., :, None] * (np.eye(groups) - one_plus[..., None, :] / groups))


def penalty_gradient(utilities: Array) -> Array:
    """dh / dlogU_k = (1 + d_k) (d_k - h^2) / (K h); it sums to 0.

    Undefined at h = 0, where the penalty has a kink: the gradient is then given as 0, and only the
    inversion along the ray speaks.
    """
    d = relative_utilities(utilities)
    h = float(penalty(utilities))
    if h == 0:
        return np.zeros_like(d)
    return np.asarray((1 + d) * (d - h**2) / (len(d) * h))


def corrected_penalty(utilities: Array, covariance: Array) -> float:
    """sqrt(max(0, h^2 - sum_k Var(d_k)/K)): the penalty without what noise adds to it on average."""
    return float(np.sqrt(max(0.0, corrected_square(utilities, covariance))))


def corrected_square(utilities: Array, covariance: Array) -> float:
    """h^2 - sum_k Var(d_k)/K: without bias for h^2, and perhaps below 0."""
    jacobian = relative_utility_jacobian(utilities)
    noise = np.einsum("ij,jk,ik->", jacobian, covariance, jacobian) / len(utilities)
    return float(penalty(utilities) ** 2 - noise)


def logit_share_gradients(utilities: Array) -> Array:
    """Gradients, a row a group, of logit(U_k / sum U) = log U_k - log sum_{j != k} U_j in log U.

    The last axis is that of the groups; before it there may be others.
    """
    others = utilities.sum(axis=-1, keepdims=True) - utilities
    # A group may hold all the utility there is; its share is then 1 whatever the noise.
    weights = utilities[..., None, :] / np.where(others > 0, others, np.inf)[..., :, None]
    return np.where(np.eye(utilities.shape[-1], dtype=bool), 1.0, -weights)


def logit_shares(utilities: Array) -> tuple[Array, Array]:
    """logit(U_k / sum U), and its gradients in log U, a row a group.

    Utilities may be groups x groups: those at which each group is looked at.
    """
    own = np.diag(utilities) if utilities.ndim > 1 else utilities
    with np.errstate(divide="ignore"):
        logits = np.log(own) - np.log(utilities.sum(axis=-1) - own)
    return np.asarray(logits), own_rows(logit_share_gradients(utilities))


def own_rows(gradients: Array) -> Array:
    """Of gradients, a row a group, at several utilities those of group k at the k-th; else all of them."""
    return np.asarray(np.einsum("kkj->kj", gradients)) if gradients.ndim > 2 else gradients
