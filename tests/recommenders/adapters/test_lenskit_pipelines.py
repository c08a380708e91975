"""LensKit pipelines: the scores and lists of the adapter are the library's own."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender, from_lenskit

pytestmark = pytest.mark.slow  # the library is in the extra `models`, which `make test` does not install

SCORERS = {
    "implicit ALS": ("als", "ImplicitMFScorer", {"embedding_size": 5, "epochs": 3}),
    "explicit ALS": ("als", "BiasedMFScorer", {"embedding_size": 5, "epochs": 3}),
    "neighbours": ("knn", "ItemKNNScorer", {"feedback": "implicit", "max_nbrs": 3, "min_sim": 0.2}),
    "bias": ("basic", "BiasScorer", {}),
}


@pytest.fixture
def lenskit() -> Any:
    return pytest.importorskip("lenskit")


@pytest.fixture
def ratings() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    user, item = np.nonzero(rng.random((30, 40)) < 0.15)
    return pd.DataFrame(
        {
            "user_id": [f"u{n:02}" for n in user],
            "item_id": (item * 7) % 40 * 10,
            "rating": rng.integers(1, 6, len(user)).astype(float),
        }
    )


def trained(ratings: pd.DataFrame, scorer: str, **more: Any) -> Any:
    from lenskit.data import from_interactions_df
    from lenskit.pipeline import topn_pipeline

    module, kind, options = SCORERS[scorer]
    model = getattr(pytest.importorskip(f"lenskit.{module}"), kind)(**options, **more)
    pipeline = topn_pipeline(model)
    pipeline.train(from_interactions_df(ratings))
    return pipeline


@pytest.mark.parametrize("scorer", SCORERS)
def test_lists_are_those_of_the_pipeline(lenskit: Any, ratings: pd.DataFrame, scorer: str) -> None:
    pipeline = trained(ratings, scorer)
    ours = as_recommender(pipeline)
    assert sorted(ratings["user_id"].unique()) == ours.user_ids.tolist()
    assert sorted(ratings["item_id"].unique()) == ours.item_ids.tolist()
    seen = sparse.csr_array(
        (
            np.ones(len(ratings)),
            (
                np.searchsorted(ours.user_ids, ratings["user_id"]),
                np.searchsorted(ours.item_ids, ratings["item_id"]),
            ),
        ),
        shape=(len(ours.user_ids), len(ours.item_ids)),
    )
    for user in ours.user_ids:
        theirs = lenskit.recommend(pipeline, user, 8).to_df()
        table = ours.rank([user], k=8, exclude=seen)
        assert np.allclose(table["score"], theirs["score"], atol=1e-5)
        assert np.allclose(ours.score([user] * len(theirs), theirs["item_id"]), theirs["score"], atol=1e-5)
        # Ties, also between the last of the list and the next, each may break in its own way.
        scores = lenskit.recommend(pipeline, user, 9).to_df()["score"].round(4)
        if scores.is_unique:
            assert table["item_id"].to_list() == theirs["item_id"].to_list()


def test_items_that_the_scorer_leaves_out(lenskit: Any, ratings: pd.DataFrame) -> None:
    pipeline = trained(ratings, "neighbours")
    lowest = from_lenskit(pipeline, missing="lowest")
    scores = lowest.score_block(np.arange(len(lowest.user_ids)))
    user, item = np.argwhere(np.isneginf(scores))[0]
    pair = [lowest.user_ids[user]], [lowest.item_ids[item]]
    assert lowest.score(*pair).tolist() == [-np.inf]
    with pytest.raises(InputError, match="1 of 1 pairs have no score in the pipeline"):
        from_lenskit(pipeline).score(*pair)


def test_vectors_of_als(lenskit: Any, ratings: pd.DataFrame) -> None:
    # "prefer" makes LensKit score with the trained vectors, so that the product can be compared.
    ours = from_lenskit(trained(ratings, "implicit ALS", user_embeddings="prefer"))
    vectors = ours.embeddings
    assert vectors is not None
    assert vectors.shared_space
    scores = ours.score_block(np.arange(len(ours.user_ids)))
    assert np.allclose(vectors.users @ vectors.items.T, scores, atol=1e-5)
    assert from_lenskit(trained(ratings, "implicit ALS", user_embeddings=False)).embeddings is None
    assert from_lenskit(trained(ratings, "neighbours")).embeddings is None


def test_given_ids_choose_users_and_items(lenskit: Any, ratings: pd.DataFrame) -> None:
    pipeline = trained(ratings, "implicit ALS")
    everything, some = (
        from_lenskit(pipeline),
        from_lenskit(pipeline, user_ids=["u07", "u03"], item_ids=[30, 10]),
    )
    assert some.user_ids.tolist() == ["u03", "u07"]
    pairs = ["u03", "u07", "u07"], [10, 10, 30]
    assert np.allclose(some.score(*pairs), everything.score(*pairs), atol=1e-6)
    vectors = some.embeddings
    assert vectors is not None
    assert vectors.users.shape == (2, 5)
    assert from_lenskit(pipeline, user_ids=["u03", "new"]).embeddings is None


def test_what_cannot_be_read_is_refused(lenskit: Any, ratings: pd.DataFrame) -> None:
    from lenskit.als import ImplicitMFScorer
    from lenskit.pipeline import topn_pipeline

    with pytest.raises(InputError, match="the pipeline does not know its users; train it first"):
        from_lenskit(topn_pipeline(ImplicitMFScorer()))
    with pytest.raises(InputError, match=r"no component 'score'; it has: .*scorer"):
        from_lenskit(trained(ratings, "bias"), scorer="score")
    with pytest.raises(
        InputError, match="'candidate-selector' of the pipeline does not give one score an item"
    ):
        from_lenskit(trained(ratings, "bias"), scorer="candidate-selector").rank()
