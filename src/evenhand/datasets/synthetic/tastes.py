"""What users truly like, and what the recommender believes: preferences and embeddings.

Tastes are unit vectors in a space of four dimensions; the chance that user m likes item i is

    p[m, i] = sigmoid(LIKE_OFFSET + LIKE_SLOPE * x_m . y_i + q_i)

with q_i the quality of the item. The recommender knows the tastes up to a rotation, a scale and noise: its
embeddings live in 16 dimensions and its model score is their product. Unit tastes matter: users
with longer vectors would have sharper policies, which everybody else would envy.

Gender plays no part in p. So whatever the served policy does by gender is not warranted by relevance.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

TASTE_DIMENSIONS = 4
EMBEDDING_DIMENSIONS = 16
LIKE_OFFSET = -1.5
LIKE_SLOPE = 4.0
QUALITY_SPREAD = 0.3
GENRE_SPREAD = 0.7  # per coordinate, around a unit genre centre: genres differ, and overlap
TASTE_SCALE = np.sqrt(10.0)  # a perfect match scores 10: about 20 items share a user's slate
MODEL_NOISE = 0.16
USER_SPREAD = 0.5  # users along the planted direction: a plant of this size separates most, not all


@dataclass(frozen=True, eq=False)
class Tastes:
    """True preferences and the recommender's picture of them, before anything is planted."""

    preferences: np.ndarray
    """(users, items), P(user likes item)."""
    user_embeddings: np.ndarray
    item_embeddings: np.ndarray
    quality: np.ndarray
    """(items,), enters the preference and the served score alike."""
    direction: np.ndarray
    """A unit vector of the embedding space orthogonal to all tastes: where an association can be planted."""
    order: np.ndarray
    """Users sorted by their first taste coordinate: the ends of the order want opposite things."""


def make_tastes(user_count: int, genre: np.ndarray, rng: np.random.Generator) -> Tastes:
    """Draw tastes for users and for items of the given genres, and embed them."""
    names, index = np.unique(genre, return_inverse=True)
    centres = unit(rng.normal(size=(len(names), TASTE_DIMENSIONS)))
    item_tastes = unit(centres[index] + GENRE_SPREAD * rng.normal(size=(len(genre), TASTE_DIMENSIONS)))
    user_tastes = unit(rng.normal(size=(user_count, TASTE_DIMENSIONS)))
    quality = QUALITY_SPREAD * rng.normal(size=len(genre))
    preferences = expit(LIKE_OFFSET + LIKE_SLOPE * user_tastes @ item_tastes.T + quality)

    # The rows of an orthogonal matrix are the axes; the first ones carry taste, the next one the attribute.
    axes, _ = np.linalg.qr(rng.normal(size=(EMBEDDING_DIMENSIONS, EMBEDDING_DIMENSIONS)))
    direction = axes[TASTE_DIMENSIONS]
    user_embeddings = _embed(user_tastes, axes, rng)
    item_embeddings = _embed(item_tastes, axes, rng)
    user_embeddings += USER_SPREAD * rng.normal(size=(user_count, 1)) * direction
    return Tastes(
        preferences, user_embeddings, item_embeddings, quality, direction, np.argsort(user_tastes[:, 0])
    )


def relevance_of(preferences: np.ndarray) -> np.ndarray:
    """int8: 1 where the user likes the item more often than not."""
    return (preferences >= 0.5).astype(np.int8)


def _embed(tastes: np.ndarray, axes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = MODEL_NOISE * rng.normal(size=(len(tastes), EMBEDDING_DIMENSIONS))
    return TASTE_SCALE * tastes @ axes[:TASTE_DIMENSIONS] + noise


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
