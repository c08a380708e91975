"""Plants that change the recommender itself: mixed-up accounts, a gender direction, a boosted pair.

None of them touches what users like, so all of what they cause is unfairness of the recommender.
"""

import numpy as np

from evenhand.errors import InputError

GENDER_SIGN = {"F": 1.0, "M": -1.0}
GENRE_SIGN = {"cooking": 1.0, "drama": 1.0, "games": -1.0, "sport": -1.0, "comedy": 0.0, "music": 0.0}
BOOSTED = ("M", "music")  # a genre that the association leaves alone, so that the two can be told apart


def mix_up(share: float, gender: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whose profile each user is served from: themselves, except for `share` of each gender.

    Those are dealt each other's profiles, at half the way round the taste order, so that what they get suits
    somebody unlike them. Profiles stay within a gender: the set of embeddings of each gender is unchanged.
    """
    source = np.arange(len(gender))
    if share == 0:
        return source
    for value in GENDER_SIGN:
        members = order[gender[order] == value]
        count = round(share * len(members))
        if count < 2:
            raise InputError(
                f"envy={share:g} mixes up fewer than two users of gender {value}: "
                "ask for a larger share or more users."
            )
        chosen = members[np.sort(rng.permutation(len(members))[:count])]
        source[chosen] = np.roll(chosen, count // 2)
    return source


def gender_shift(strength: float, gender: np.ndarray) -> np.ndarray:
    """How far each user is moved along the planted direction: +strength for F, -strength for M."""
    return strength * np.array([GENDER_SIGN[value] for value in gender])


def genre_shift(strength: float, genre: np.ndarray) -> np.ndarray:
    """How far each item is moved along the planted direction, by its genre's lean."""
    return strength * np.array([GENRE_SIGN[value] for value in genre])


def pair_boost(size: float, gender: np.ndarray, genre: np.ndarray) -> np.ndarray:
    """(users, items): `size` is added to the served scores of the boosted genre for the boosted gender."""
    return size * np.outer(gender == BOOSTED[0], genre == BOOSTED[1])
