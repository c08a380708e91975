"""The exact truth of a finished world, from its probabilities; no number here depends on a sampled log.

Everything is computed after all plants, and without the code that planted it: the solvers say what was asked
for, this module says what came of it.
"""

from collections.abc import Iterable

import numpy as np

from evenhand.datasets.synthetic import candidates
from evenhand.datasets.synthetic.answers import (
    AssociationTruth,
    EnvyTruth,
    ExposureTruth,
    GroupsTruth,
    OpportunityTruth,
)
from evenhand.datasets.synthetic.plants import BOOSTED, GENDER_SIGN, GENRE_SIGN
from evenhand.datasets.synthetic.population import AGE_BANDS, CREATOR_AGES, GENDERS, GENRES
from evenhand.datasets.synthetic.tastes import relevance_of, unit

EPSILON = 0.05
_BLOCK = 512


def opportunity_truth(
    policy: np.ndarray,
    preferences: np.ndarray,
    everyone: np.ndarray,
    creator_age: np.ndarray,
    log_weights: dict[str, float],
) -> OpportunityTruth:
    """policy, preferences: rows of the arm's users. everyone: preferences of all users."""
    # The users of an arm are equally likely, so a probability is a mean over them.
    shown = (policy * preferences).mean(axis=0)
    random = everyone.mean(axis=0) / everyone.shape[1]
    a = np.array([shown[creator_age == age].sum() for age in CREATOR_AGES])
    b = np.array([random[creator_age == age].sum() for age in CREATOR_AGES])
    u = a / b
    d = u / u.mean() - 1
    return OpportunityTruth(
        penalty=float(np.sqrt(np.mean(d**2))),
        relative_utility=_named(CREATOR_AGES, d),
        utility=_named(CREATOR_AGES, u),
        worst_ratio=float(u.min() / u.max()),
        shown_and_liked=_named(CREATOR_AGES, a),
        liked_at_random=_named(CREATOR_AGES, b),
        log_weights=log_weights,
    )


def exposure_truth(
    policy: np.ndarray,
    without_boost: np.ndarray,
    preferences: np.ndarray,
    gender: np.ndarray,
    genre: np.ndarray,
    boost: float,
) -> ExposureTruth:
    """Exact shares with the boost and without it, beside what is relevant."""
    tables = (policy, without_boost, relevance_of(preferences))
    share, without, relevant = (_shares(table, gender, genre) for table in tables)
    user_group, item_group = BOOSTED
    lift = share[user_group][item_group] / without[user_group][item_group]
    return ExposureTruth(BOOSTED, boost, share, without, relevant, lift)


def groups_truth(noise: float) -> GroupsTruth:
    """Expectations by quadrature; they are the same in every world with this noise."""
    worse = candidates.SERVED_WORSE
    table: dict[str, dict[str, float]] = {}
    for metric in candidates.METRICS:
        clear, noisy = candidates.expected(metric), candidates.expected(metric, noise)
        table[metric] = {
            f"gender={gender} & age_band={age}": noisy
            if {"gender": gender, "age_band": age} == worse
            else clear
            for gender in GENDERS
            for age in AGE_BANDS
        }
    values = table["mrr@5"].values()
    return GroupsTruth(dict(worse), noise, table, max(values) - min(values))


def envy_truth(
    policy: np.ndarray, before: np.ndarray, preferences: np.ndarray, user_id: np.ndarray, source: np.ndarray
) -> EnvyTruth:
    """`before`: the policies with nobody mixed up. `source`: whose profile each user is served from."""
    envy, envy_before = envy_of(policy, preferences), envy_of(before, preferences)
    return EnvyTruth(
        epsilon=EPSILON,
        average=float(envy.mean()),
        share=float(np.mean(envy > EPSILON)),
        envious=tuple(user_id[envy > EPSILON]),
        mixed_up=tuple(user_id[source != np.arange(len(source))]),
        average_before=float(envy_before.mean()),
        share_before=float(np.mean(envy_before > EPSILON)),
    )


def envy_of(policy: np.ndarray, preferences: np.ndarray) -> np.ndarray:
    """Delta_m for each user, in blocks of users: the full u[m, n] would be users x users."""
    envy = np.empty(len(policy))
    for start in range(0, len(policy), _BLOCK):
        rows = slice(start, start + _BLOCK)
        own = np.einsum("mi,mi->m", preferences[rows], policy[rows])
        envy[rows] = np.maximum((preferences[rows] @ policy.T).max(axis=1) - own, 0)
    return envy


def association_truth(
    users: np.ndarray,
    items: np.ndarray,
    direction: np.ndarray,
    strength: float,
    gender: np.ndarray,
    genre: np.ndarray,
) -> AssociationTruth:
    """users, items: the final embeddings."""
    cosines = unit(items) @ unit(users).T
    eaa = cosines[:, gender == "F"].mean(axis=1) - cosines[:, gender == "M"].mean(axis=1)
    return AssociationTruth(
        attribute="gender",
        direction=tuple(direction.tolist()),
        user_shift={name: strength * sign for name, sign in GENDER_SIGN.items()},
        genre_shift={name: strength * sign for name, sign in GENRE_SIGN.items()},
        mean_eaa={name: float(eaa[genre == name].mean()) for name in GENRES},
    )


def _shares(mass: np.ndarray, gender: np.ndarray, genre: np.ndarray) -> dict[str, dict[str, float]]:
    """The share of each gender's mass that lies on each genre."""
    shares = {}
    for name in GENDERS:
        by_item = mass[gender == name].sum(axis=0)
        shares[name] = {kind: float(by_item[genre == kind].sum() / by_item.sum()) for kind in GENRES}
    return shares


def _named(names: Iterable[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
