"""Latent Dirichlet allocation (Blei and others 2003), fitted by scikit-learn's variational Bayes.

As in PLSA the score is p(i|u) = sum over topics z of p(z|u) p(i|z), but topics of users and items of topics
have Dirichlet priors with 1 / `factors` each, so that users with few items are not taken at their word.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.interactions import Interactions


def lda(train: Interactions, seed: int, factors: int = 32, epochs: int = 20) -> Factors:
    """`factors` topics, `epochs` passes over all users."""
    from sklearn.decomposition import LatentDirichletAllocation

    draws = np.random.RandomState(np.random.MT19937(seed))  # the library's seeds end at 32 bits
    model = LatentDirichletAllocation(factors, max_iter=epochs, learning_method="batch", random_state=draws)
    of_user = model.fit_transform(sparse.csr_matrix(train.matrix()))
    of_item = (model.components_ / model.components_.sum(axis=1, keepdims=True)).T
    return Factors(train.user_ids, train.item_ids, of_user, of_item)
