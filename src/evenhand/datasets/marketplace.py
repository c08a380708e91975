"""A synthetic marketplace in which unfairness is planted at known sizes, one plant for each audit.

Any audit's answer can be compared with `world.truth`, which is computed from the world's probabilities and
not from samples. Each part has its own stream of random numbers: changing the size of one plant leaves the
users, items, tastes and the draws of all other parts as they were.
"""

import numpy as np
import pandas as pd

from evenhand.datasets.synthetic import plants
from evenhand.datasets.synthetic import truth as exact
from evenhand.datasets.synthetic.answers import Truth
from evenhand.datasets.synthetic.candidates import make_candidates, noise_for
from evenhand.datasets.synthetic.impressions import ImpressionLaw
from evenhand.datasets.synthetic.policies import LARGEST_PENALTY, creator_weights, per_item, policy_of
from evenhand.datasets.synthetic.population import make_creators, make_items, make_users
from evenhand.datasets.synthetic.tastes import make_tastes
from evenhand.datasets.synthetic.world import World, highest
from evenhand.parameters import LARGEST_SEED, number, whole


def marketplace(
    users: int = 2000,
    items: int = 400,
    days: int = 14,
    seed: int = 0,
    *,
    opportunity: float = 0.18,
    treatment: float = 0.08,
    exposure: float = 1.0,
    groups: float = 0.15,
    envy: float = 0.1,
    association: float = 0.5,
    default_rows: int = 200_000,
    random_rows: int = 60_000,
) -> World:
    """Build a world of users, items and creators with unfairness of the requested sizes.

    opportunity, treatment: the exact REO penalty over creator_age in the control and the treatment arm. The
        estimand of an arm compares impressions of that arm's users with uniform pairs of all users.
    exposure: added to the served log-weight of music for men (their odds are exp(exposure) times as large).
    groups: how much lower the expected MRR@5 of women of 55+ is than everybody else's, on the candidates.
    envy: the share of users who are served from somebody else's profile.
    association: how far women (+) and men (-), and items of four genres (+ cooking, drama; - games, sport),
        are moved along one unit vector of the embedding space.
    default_rows: impressions, half in each arm. random_rows: uniform pairs, and as many of what recall passes
        on. All spread evenly over the days.

    With a plant at 0 the answer to its question is: penalty 0; no boost of any pair (lift 1); no gap; only
    the little envy that a softmax policy leaves (`truth.envy.average_before`); genders exchangeable in the
    embeddings. Exposure, envy and association are about the control system, for all users. Plants interact
    (a planted association also moves exposure), and the truth is that of the finished world.
    """
    for name, count, least in (
        ("users", users, 50),
        ("items", items, 40),
        ("days", days, 1),
        ("default_rows", default_rows, 0),
        ("random_rows", random_rows, 0),
    ):
        whole(name, count, least)
    whole("seed", seed, 0, LARGEST_SEED)
    for name, size, most in (
        ("opportunity", opportunity, LARGEST_PENALTY),
        ("treatment", treatment, LARGEST_PENALTY),
        ("exposure", exposure, 10.0),
        ("groups", groups, 1.0),
        ("envy", envy, 1.0),
        ("association", association, 10.0),
    ):
        number(name, size, 0, most)

    streams = np.random.default_rng(seed).spawn(9)
    user_table = make_users(users, streams[0])
    creator_table = make_creators(items, streams[1])
    item_table = make_items(items, creator_table, streams[2])
    gender, arm = user_table["gender"].to_numpy(), user_table["arm"].to_numpy()
    genre, creator_age = item_table["genre"].to_numpy(), item_table["creator_age"].to_numpy()
    tastes = make_tastes(users, genre, streams[3])
    preferences = tastes.preferences

    own_profiles = tastes.user_embeddings + np.outer(
        plants.gender_shift(association, gender), tastes.direction
    )
    item_embeddings = tastes.item_embeddings + np.outer(
        plants.genre_shift(association, genre), tastes.direction
    )
    source = plants.mix_up(envy, gender, tastes.order, streams[4])
    boost = plants.pair_boost(exposure, gender, genre)
    untilted = own_profiles[source] @ item_embeddings.T + tastes.quality + boost

    # The creator weights come last, so that they meet the requested penalty whatever else was planted.
    scores, policies, opportunities = {}, {}, {}
    for name, penalty in (("control", opportunity), ("treatment", treatment)):
        rows = arm == name
        weights = creator_weights(untilted[rows], preferences[rows], preferences, creator_age, penalty)
        scores[name] = untilted + per_item(weights, creator_age)
        policies[name] = policy_of(scores[name])
        opportunities[name] = exact.opportunity_truth(
            policies[name][rows], preferences[rows], preferences, creator_age, weights
        )

    control = policies["control"]
    nobody_mixed_up = scores["control"] + (own_profiles - own_profiles[source]) @ item_embeddings.T
    noise = noise_for(groups)
    truth = Truth(
        opportunity=opportunities,
        exposure=exact.exposure_truth(
            control, policy_of(scores["control"] - boost), preferences, gender, genre, exposure
        ),
        groups=exact.groups_truth(noise),
        envy=exact.envy_truth(
            control, policy_of(nobody_mixed_up), preferences, user_table["user_id"].to_numpy(), source
        ),
        association=exact.association_truth(
            own_profiles[source], item_embeddings, tastes.direction, association, gender, genre
        ),
    )
    item_table["popularity"] = control.mean(axis=0)
    layouts = dict(zip(user_table["user_id"], streams[8].choice(["new", "old"], size=users), strict=True))
    traffic = ImpressionLaw(user_table, item_table, preferences, policies, days)
    return World(
        seed=seed,
        users=user_table,
        items=item_table,
        creators=creator_table,
        preferences=preferences,
        scores=scores["control"],
        policy=control,
        treatment_policy=policies["treatment"],
        user_embeddings=own_profiles[source],
        item_embeddings=item_embeddings,
        traffic=traffic,
        default_log=_default_log(traffic, default_rows, streams[5]).assign(
            layout=lambda log: log["user_id"].map(layouts)
        ),
        random_log=traffic.random(random_rows, streams[6]),
        recall_log=traffic.after_recall("control", highest(scores["control"]), random_rows, streams[8]),
        candidates=make_candidates(user_table, item_table, preferences, noise, streams[7]),
        truth=truth,
    )


def _default_log(traffic: ImpressionLaw, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Both arms' impressions in one log, by day; the control arm has the odd row."""
    half = rows // 2
    arms = [traffic.default("control", rows - half, rng), traffic.default("treatment", half, rng)]
    return pd.concat(arms).sort_values("day", kind="stable", ignore_index=True)
