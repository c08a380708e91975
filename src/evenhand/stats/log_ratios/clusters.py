"""Errors of log ratios whose rows go together in clusters: of users, or of users and of items at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.stats.normal import Array

# E z^4 = 3 (E z^2)^2 for a normal score.
_FOURTH_OF_NORMAL = 3.0


@dataclass(frozen=True)
class Errors:
    """The covariance of several logarithms and, where it is taken over clusters, how well it is known.

    `sides` are what each cluster adds to the logarithms (clusters x logarithms), an array for each kind of
    cluster; none for independent rows. `most` is the number of clusters in the log with the fewest, less
    one.
    """

    covariance: Array
    sides: tuple[Array, ...] = ()
    most: int | None = None

    def variances(self, contrasts: Array) -> Array:
        """Variance of each contrast, a row of `contrasts`."""
        squared = np.einsum("ij,jk,ik->i", contrasts, self.covariance, contrasts)
        return np.asarray(np.maximum(0.0, squared))

    def degrees(self, contrasts: Array) -> Array | None:
        """Degrees of freedom of each of those variances (Satterthwaite 1946); None for independent rows.

        V = sum z_c^2 over clusters, with variances v_c, is like a chi-square with (sum v_c)^2 / sum v_c^2
        degrees. Each v_c^2 is estimated by z_c^4/3, as z_c is nearly normal: so 3 V^2 / sum z_c^4, which is
        the number of clusters where all are alike and 3 where one decides alone; never more than `most`.
        """
        if self.most is None:
            return None
        fourth = sum(((side @ contrasts.T) ** 4).sum(axis=0) for side in self.sides)
        variances = self.variances(contrasts)
        known = np.asarray(fourth > 0)
        counted = np.divide(
            _FOURTH_OF_NORMAL * variances**2, fourth, out=np.full(len(contrasts), np.inf), where=known
        )
        return np.asarray(np.clip(counted, 1.0, float(self.most)))

    @cached_property
    def degrees_together(self) -> float | None:
        """The same for the covariance of all differences between the logarithms, as in Hotelling's T^2.

        With scores y_c that are scaled to sum y_c y_c' = I in q dimensions: q (q + 2) / sum |y_c|^4. A
        Wishart matrix with so many degrees has the same total variance (Pustejovsky and Tipton 2018), where
        E |y_c|^4 is that of a normal score.
        """
        if self.most is None:
            return None
        columns = len(self.covariance)
        contrasts = np.eye(columns)[1:] - np.eye(columns)[0]
        values, axes = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        used = values > 1e-12 * max(values[-1], 0.0)
        scale = contrasts.T @ (axes[:, used] / np.sqrt(values[used]))
        fourth = sum(float((((side @ scale) ** 2).sum(axis=1) ** 2).sum()) for side in self.sides)
        dimensions = int(used.sum())
        return (
            min(float(self.most), dimensions * (dimensions + 2) / fourth) if fourth > 0 else float(self.most)
        )


def over_two(first: Array, second: Array, rows: Array) -> Array:
    """Covariance where rows go together in clusters of two kinds: V = V_first + V_second - V_rows.

    Rows of a user depend on each other, and rows of an item do; what is counted by both, a row with
    itself, is subtracted once (Cameron, Gelbach and Miller 2011). With few clusters that difference may be
    too small, or negative. So it is taken in the axes in which `first` and `second` are both diagonal,
    once their sum is scaled to 1, and along each axis the largest of the three stands: V, the one and the
    other. The result is never smaller than either of them, in any direction.
    """
    squares, axes = np.linalg.eigh(first + second)
    used = squares > 1e-12 * max(squares[-1], 0.0)
    length = np.sqrt(squares[used])
    share, turned = np.linalg.eigh((axes[:, used] / length).T @ first @ (axes[:, used] / length))
    across = (axes[:, used] / length) @ turned
    both = np.einsum("ij,ik,kj->j", across, rows, across)
    along = (axes[:, used] * length) @ turned
    less = np.clip(np.minimum.reduce([share, 1 - share, both]), 0.0, None)
    return np.asarray((along * (1 - less)) @ along.T)
