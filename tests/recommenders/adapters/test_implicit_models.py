"""Models of implicit: the scores and lists of the adapter are the library's own."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender, from_implicit

pytestmark = [
    pytest.mark.slow,  # the library is in the extra `models`, which `make test` does not install
    pytest.mark.filterwarnings("ignore:OpenBLAS is configured:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Intel MKL BLAS is configured:RuntimeWarning"),
    # implicit's own item-item fit passes itself a matrix of another format
    pytest.mark.filterwarnings("ignore:Method expects CSR input"),
]

# The adapter sorts ids, the library has them in the order of its matrix: these are shuffled.
USERS = np.random.default_rng(1).permutation([f"u{n:02}" for n in range(40)])
ITEMS = np.random.default_rng(2).permutation(np.arange(25) * 10)

FACTORS = [
    "als.AlternatingLeastSquares",
    "bpr.BayesianPersonalizedRanking",
    "lmf.LogisticMatrixFactorization",
]
SIMILARITIES = ["CosineRecommender", "TFIDFRecommender", "BM25Recommender", "ItemItemRecommender"]


@pytest.fixture
def implicit() -> Any:
    return pytest.importorskip("implicit")


@pytest.fixture
def taken() -> sparse.csr_matrix:
    """Counts of 40 users and 25 items; one user and one item without any."""
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 5, (40, 25)) * (rng.random((40, 25)) < 0.2)
    counts[7], counts[:, 4] = 0, 0
    return sparse.csr_matrix(counts.astype(np.float32))


def fitted(name: str, taken: sparse.csr_matrix, **options: Any) -> Any:
    module, kind = name.split(".")
    model = getattr(pytest.importorskip(f"implicit.{module}"), kind)(num_threads=1, **options)
    model.fit(taken, show_progress=False)
    return model


@pytest.mark.parametrize("name", FACTORS)
def test_scores_and_lists_of_factor_models(implicit: Any, taken: sparse.csr_matrix, name: str) -> None:
    theirs = fitted(name, taken, factors=6, iterations=20, random_state=1)
    ours = from_implicit(theirs, USERS, ITEMS)
    everyone = np.arange(40)
    ids, scores = theirs.recommend(everyone, taken, N=25, filter_already_liked_items=False)
    pairs = np.repeat(USERS, 25), ITEMS[ids.ravel()]
    assert np.allclose(ours.score(*pairs), scores.ravel(), atol=1e-5)

    # The best ten without what the user has, but for places where two scores are as good as equal.
    places = np.argsort(USERS), np.argsort(ITEMS)
    exclude = sparse.csr_array(taken)[places[0]][:, places[1]]
    ids, scores = theirs.recommend(everyone, taken, N=10)
    table = ours.rank(USERS, k=10, exclude=exclude)
    assert np.allclose(table["score"], scores.ravel(), atol=1e-5)
    distinct = np.abs(np.diff(scores, axis=1, prepend=np.inf, append=-np.inf)) > 1e-4
    clear = (distinct[:, 1:] & distinct[:, :-1]).ravel()
    assert clear.mean() > 0.9
    assert (table["item_id"].to_numpy() == ITEMS[ids.ravel()])[clear].all()


@pytest.mark.parametrize("name", FACTORS)
def test_biases_are_no_part_of_the_vectors(implicit: Any, taken: sparse.csr_matrix, name: str) -> None:
    ours = from_implicit(fitted(name, taken, factors=6, iterations=5, random_state=1), USERS, ITEMS)
    vectors = ours.embeddings
    assert vectors is not None
    assert vectors.shared_space
    assert vectors.users.shape == (40, 6)
    assert vectors.items.shape == (25, 6)
    # Scores are the product of vectors and, whatever the pair, a term of the user and one of the item.
    rest = ours.score_block(np.arange(40)) - vectors.users @ vectors.items.T
    centred = rest - rest.mean(axis=0) - rest.mean(axis=1, keepdims=True) + rest.mean()
    assert np.abs(centred).max() < 1e-5


@pytest.mark.parametrize("name", SIMILARITIES)
def test_scores_and_lists_of_item_item_models(implicit: Any, taken: sparse.csr_matrix, name: str) -> None:
    taken = taken.astype(np.float64)  # the plain one takes nothing else
    theirs = fitted(f"nearest_neighbours.{name}", taken, K=6)
    ours = as_recommender(theirs, user_ids=USERS, item_ids=ITEMS, user_items=taken)
    listed = 0
    for place, user in enumerate(USERS):
        ids, scores = theirs.recommend(place, taken[place], N=25, filter_already_liked_items=False)
        assert np.allclose(ours.score(np.repeat(user, len(ids)), ITEMS[ids]), scores, rtol=1e-5)
        table = ours.rank([user], k=25)
        assert np.allclose(table["score"][: len(ids)], scores, rtol=1e-5)
        assert (table["score"][len(ids) :] == 0).all()  # what implicit does not list
        listed += len(ids)
    assert listed > 300


def test_what_cannot_be_read_is_refused(implicit: Any, taken: sparse.csr_matrix) -> None:
    cosine = fitted("nearest_neighbours.CosineRecommender", taken)
    with pytest.raises(InputError, match="pass that matrix as user_items"):
        from_implicit(cosine, USERS, ITEMS)
    with pytest.raises(InputError, match="the model has 25 items, but there are 40 user ids and 24 item ids"):
        from_implicit(cosine, USERS, ITEMS[:24], taken)
    bpr = fitted("bpr.BayesianPersonalizedRanking", taken, factors=6, iterations=1)
    with pytest.raises(InputError, match=r"user vectors have the shape \(40, 6\), but there are 39 user ids"):
        from_implicit(bpr, USERS[:39], ITEMS)
    bpr.user_factors[3, 6] = 2
    with pytest.raises(InputError, match="7 columns for 6 factors, and they are not biases"):
        from_implicit(bpr, USERS, ITEMS)
    for kind in (type(bpr), type(cosine)):
        with pytest.raises(InputError, match="is not fitted yet"):
            from_implicit(kind(), USERS, ITEMS, taken)
