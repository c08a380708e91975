"""Who lives in a synthetic marketplace: users, creators and items as tables.

Attributes are filled by quota and then shuffled, so that every group exists in every world and its
size is known beforehand; which member belongs to it is random. Nothing here depends on tastes.
"""

import numpy as np
import pandas as pd

GENDERS = {"F": 0.5, "M": 0.5}
AGE_BANDS = {"18-24": 0.20, "25-34": 0.30, "35-54": 0.32, "55+": 0.18}
REGIONS = {"north": 0.3, "south": 0.3, "east": 0.25, "west": 0.15}
CREATOR_AGES = {"18-24": 0.25, "25-34": 0.40, "35+": 0.35}
GENRES = {"comedy": 0.18, "cooking": 0.16, "drama": 0.18, "games": 0.16, "music": 0.16, "sport": 0.16}
ARMS = {"control": 0.5, "treatment": 0.5}

ITEMS_PER_CREATOR = 4


def by_quota(shares: dict[str, float], count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` values in random order, each as often as its share says (largest remainders get the rest)."""
    exact = np.array(list(shares.values())) * count
    quota = np.floor(exact).astype(int)
    short = count - quota.sum()
    quota[np.argsort(quota - exact, kind="stable")[:short]] += 1
    values = np.repeat(np.array(list(shares), dtype=object), quota)
    return rng.permutation(values)


def make_users(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """user_id, gender, age_band, region, arm. Age quotas hold in each gender: no intersection is empty."""
    gender = by_quota(GENDERS, count, rng)
    age_band = np.empty(count, dtype=object)
    for value in GENDERS:
        members = gender == value
        age_band[members] = by_quota(AGE_BANDS, int(members.sum()), rng)
    return pd.DataFrame(
        {
            "user_id": _ids("u", count),
            "gender": gender,
            "age_band": age_band,
            "region": by_quota(REGIONS, count, rng),
            "arm": by_quota(ARMS, count, rng),
        }
    )


def make_creators(items: int, rng: np.random.Generator) -> pd.DataFrame:
    """creator_id, creator_age, creator_gender, region: one creator for every four items."""
    count = items // ITEMS_PER_CREATOR
    return pd.DataFrame(
        {
            "creator_id": _ids("c", count),
            "creator_age": by_quota(CREATOR_AGES, count, rng),
            "creator_gender": by_quota(GENDERS, count, rng),
            "region": by_quota(REGIONS, count, rng),
        }
    )


def make_items(count: int, creators: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """item_id, creator_id, creator_age, genre, category (a list: the genre, for some a second one), price.

    Every creator has an item (the first items go round the creators), the rest are dealt at random.
    """
    makers = np.concatenate(
        [np.arange(len(creators)), rng.integers(len(creators), size=count - len(creators))]
    )
    makers = rng.permutation(makers)
    genre = by_quota(GENRES, count, rng)
    second = rng.choice(np.array(list(GENRES), dtype=object), size=count)
    has_second = rng.random(count) < 0.4
    categories = [
        [own, other] if two and own != other else [own]
        for own, other, two in zip(genre, second, has_second, strict=True)
    ]
    return pd.DataFrame(
        {
            "item_id": _ids("i", count),
            "creator_id": creators["creator_id"].to_numpy()[makers],
            "creator_age": creators["creator_age"].to_numpy()[makers],
            "genre": genre,
            "category": categories,
            "price": np.round(np.exp(rng.normal(2.5, 0.6, size=count)), 2),
        }
    )


def _ids(letter: str, count: int) -> np.ndarray:
    """Strings, so that nobody mistakes an id for a row number; zero-padded, so that they sort as rows do."""
    width = len(str(count))
    return np.array([f"{letter}{number:0{width}d}" for number in range(1, count + 1)], dtype=object)
