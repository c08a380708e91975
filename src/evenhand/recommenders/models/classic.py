"""Models without gradient descent: popularity, chance, PureSVD, EASE, and two from the implicit library."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import linalg, sparse

from evenhand.errors import InputError
from evenhand.parameters import number
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.scores.simple import ItemScores, ItemWeights, RandomScores
from evenhand.recommenders.taken.interactions import Interactions

PURESVD_FACTORS = 64


def popularity(train: Interactions, seed: int) -> ItemScores:
    """How many users took the item."""
    counts = np.bincount(train.item, minlength=len(train.item_ids))
    return ItemScores(train.user_ids, train.item_ids, counts)


def random(train: Interactions, seed: int) -> RandomScores:
    """Chance: the floor that every other model is held against."""
    return RandomScores(train.user_ids, train.item_ids, seed)


def largest_rank(train: Interactions) -> int:
    """The most factors that the solver of PureSVD finds."""
    return min(len(train.user_ids), len(train.item_ids)) - 1


def puresvd(train: Interactions, seed: int, factors: int = PURESVD_FACTORS) -> Factors:
    """The best approximation of rank `factors`, unknown taken as 0 (Cremonesi and others 2010)."""
    matrix = train.matrix().astype(np.float64)
    if factors > largest_rank(train):
        raise InputError(
            f"factors (--factors) is {factors}, but puresvd can have at most {largest_rank(train)} for "
            f"{matrix.shape[0]:,} users and {matrix.shape[1]:,} items: one less than the smaller of the two."
        )
    start = np.random.default_rng(seed).standard_normal(min(matrix.shape))
    u, s, vt = sparse.linalg.svds(matrix, k=factors, v0=start)
    # Signs of singular vectors are arbitrary; fixed, so that the same data give the same vectors.
    signs = np.sign(vt[np.arange(factors), np.abs(vt).argmax(axis=1)])
    return Factors(train.user_ids, train.item_ids, u * s * signs, (vt * signs[:, None]).T)


def ease(train: Interactions, seed: int, regularisation: float = 500.0) -> ItemWeights:
    """Embarrassingly shallow autoencoder (Steck 2019): B = I - P diag(1/diag(P)), P = (X'X + lambda I)^-1."""
    number("regularisation", regularisation, above=True)  # without any the matrix may be singular
    taken = train.matrix()
    gram = np.asarray((taken.T @ taken).todense(), dtype=np.float64)
    gram[np.diag_indices_from(gram)] += regularisation
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", linalg.LinAlgWarning)
            inverse = linalg.inv(gram, check_finite=False)
    except (linalg.LinAlgWarning, linalg.LinAlgError) as error:
        raise InputError(
            f"regularisation is {regularisation:g}, which is too small for ease on these data: its matrix "
            "cannot be inverted; use a larger one."
        ) from error
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    return ItemWeights(train.user_ids, train.item_ids, taken, weights.astype(np.float32))


def als(train: Interactions, seed: int, factors: int = 64, regularisation: float = 0.05) -> Factors:
    """Implicit alternating least squares (Hu and others 2008), by the implicit library."""
    from implicit.als import AlternatingLeastSquares
    from implicit.recommender_base import ModelFitError
    from threadpoolctl import threadpool_limits

    model = AlternatingLeastSquares(
        factors=factors, regularization=regularisation, alpha=2.0, iterations=20, random_state=seed
    )
    # The library has its own threads, and BLAS's would fight them.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        try:
            model.fit(sparse.csr_matrix(train.matrix()), show_progress=False)
        except ModelFitError as error:
            raise InputError(
                f"als gave no numbers with a regularisation of {regularisation:g}; use a smaller one."
            ) from error
    return Factors(train.user_ids, train.item_ids, model.user_factors, model.item_factors)


def knn(train: Interactions, seed: int, neighbours: int = 50) -> ItemWeights:
    """Item neighbours by cosine, by the implicit library."""
    from implicit.nearest_neighbours import CosineRecommender

    taken = train.matrix()
    model = CosineRecommender(K=neighbours)
    with warnings.catch_warnings():  # the library warns about a conversion of its own
        warnings.simplefilter("ignore")
        model.fit(sparse.csr_matrix(taken), show_progress=False)
    return ItemWeights(train.user_ids, train.item_ids, taken, sparse.csr_array(model.similarity))
