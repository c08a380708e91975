"""The world's exact answers: against plain loops on a small world, and against large samples."""

import numpy as np
import pandas as pd
import pytest

from evenhand.datasets import World, marketplace
from evenhand.datasets.synthetic.policies import creator_weights
from evenhand.datasets.synthetic.population import CREATOR_AGES, GENRES
from evenhand.errors import InputError

ROWS = 2_000_000


def positives(log: pd.DataFrame) -> np.ndarray:
    return log[log["liked"] == 1].groupby("creator_age").size().reindex(list(CREATOR_AGES)).to_numpy()


def reo(a: np.ndarray, n: int, b: np.ndarray, m: int) -> tuple[float, np.ndarray, float, np.ndarray]:
    """h, d and their standard errors by the delta method on log U, from the counts alone."""
    u = (a / n) / (b / m)
    d = u / u.mean() - 1
    h = np.sqrt(np.mean(d**2))
    v = 1 / a + 1 / b
    slope_h = (1 + d) * (d - h**2) / (len(d) * h)
    slope_d = (1 + d)[:, None] * (np.eye(len(d)) - (1 + d) / len(d))
    return float(h), d, float(np.sqrt(slope_h**2 @ v)), np.sqrt(slope_d**2 @ v)


def test_opportunity_equals_a_plain_loop(small: World) -> None:
    users, items = small.users, small.items
    for arm, policy in (("control", small.policy), ("treatment", small.treatment_policy)):
        members = [m for m in range(len(users)) if users["arm"][m] == arm]
        utility = []
        for age in CREATOR_AGES:
            mine = [i for i in range(len(items)) if items["creator_age"][i] == age]
            shown = sum(policy[m, i] * small.preferences[m, i] for m in members for i in mine) / len(members)
            random = sum(small.preferences[m, i] for m in range(len(users)) for i in mine) / policy.size
            utility.append(shown / random)
        truth = small.truth.opportunity[arm]
        assert list(truth.utility.values()) == pytest.approx(utility, rel=1e-12)
        relative = np.array(utility) / np.mean(utility) - 1
        assert list(truth.relative_utility.values()) == pytest.approx(relative, abs=1e-12)
        assert truth.penalty == pytest.approx(np.sqrt(np.mean(relative**2)), abs=1e-12)
        assert truth.worst_ratio == pytest.approx(min(utility) / max(utility), rel=1e-12)


@pytest.mark.parametrize(("control", "treatment"), [(0.0, 0.3), (0.18, 0.08), (0.8, 0.0), (1e-4, 0.5)])
def test_requested_penalties_are_met(control: float, treatment: float) -> None:
    world = marketplace(
        200, 60, seed=3, opportunity=control, treatment=treatment, default_rows=0, random_rows=0
    )
    assert world.truth.opportunity["control"].penalty == pytest.approx(control, abs=1e-9)
    assert world.truth.opportunity["treatment"].penalty == pytest.approx(treatment, abs=1e-9)


def test_a_penalty_out_of_reach_is_refused() -> None:
    age = np.array(list(CREATOR_AGES) * 5)
    preferences = np.full((30, 15), 0.5)
    scores = np.zeros((30, 15))
    scores[:, age == "18-24"] = -2000.0  # never shown, whatever the weight that floating point can hold
    with pytest.raises(InputError, match=r"cannot be given an REO penalty of 0\.2"):
        creator_weights(scores, preferences, preferences, age, 0.2)


def test_large_logs_agree_with_the_penalties(world: World) -> None:
    rng = np.random.default_rng(2)
    at_random = positives(world.traffic.random(ROWS, rng))
    measured = {}
    for arm, truth in world.truth.opportunity.items():
        shown = positives(world.traffic.default(arm, ROWS, rng))
        h, d, h_error, d_errors = reo(shown, ROWS, at_random, ROWS)
        assert abs(h - truth.penalty) < 4 * h_error
        assert (np.abs(d - list(truth.relative_utility.values())) < 4 * d_errors).all()
        rates = np.array(list(truth.shown_and_liked.values()))
        assert (np.abs(shown / ROWS - rates) < 4 * np.sqrt(rates / ROWS)).all()
        measured[arm] = h, h_error
    # Logs of this size would see a penalty that is off by 0.01, so the agreement means something.
    assert all(error < 0.0025 for _, error in measured.values())


def test_exposure_equals_a_plain_loop(small: World) -> None:
    truth = small.truth.exposure
    for gender in ("F", "M"):
        members = np.flatnonzero(small.users["gender"] == gender)
        for genre in GENRES:
            kind = np.flatnonzero(small.items["genre"] == genre)
            share = np.mean([sum(small.policy[m, i] for i in kind) for m in members])
            assert truth.share[gender][genre] == pytest.approx(share, rel=1e-12)
            relevant = small.relevance[members]
            assert truth.relevant_share[gender][genre] == pytest.approx(
                relevant[:, kind].sum() / relevant.sum()
            )


def test_the_boosted_pair_is_the_most_over_exposed(world: World) -> None:
    truth = world.truth.exposure
    excess = {
        (gender, genre): truth.share[gender][genre] - truth.relevant_share[gender][genre]
        for gender in truth.share
        for genre in truth.share[gender]
    }
    assert max(excess, key=excess.__getitem__) == truth.pair == ("M", "music")
    # Women are not boosted; men get exp(boost) times the odds, user by user.
    assert truth.share["F"] == truth.share_without_boost["F"]
    music = (world.items["genre"] == "music").to_numpy()
    man = np.flatnonzero(world.users["gender"] == "M")[7]
    served, plain = world.scores[man].copy(), world.scores[man].copy()
    plain[music] -= truth.boost
    odds = [np.exp(s[music]).sum() / np.exp(s[~music]).sum() for s in (served, plain)]
    assert odds[0] / odds[1] == pytest.approx(np.e, rel=1e-9)
    share = world.policy[man][music].sum()
    assert share / (1 - share) == pytest.approx(odds[0], rel=1e-9)


def test_impressions_follow_the_exposure_shares(world: World) -> None:
    log = world.traffic.default("control", 400_000, np.random.default_rng(8))
    log = log.merge(world.items[["item_id", "genre"]]).merge(world.users[["user_id", "gender"]])
    women = log[log["gender"] == "F"]
    for genre in GENRES:
        # The truth is over all women; the control arm's are a random half of them, hence two errors.
        items = (world.items["genre"] == genre).to_numpy()
        per_user = world.policy[world.users["gender"] == "F"][:, items].sum(axis=1)
        share = world.truth.exposure.share["F"][genre]
        error = np.sqrt(share * (1 - share) / len(women) + per_user.var() / len(per_user))
        assert abs((women["genre"] == genre).mean() - share) < 4 * error


def test_envy_equals_brute_force(small: World) -> None:
    count = len(small.users)
    utility = np.zeros((count, count))
    for m in range(count):
        for n in range(count):
            utility[m, n] = sum(small.policy[n, i] * small.preferences[m, i] for i in range(len(small.items)))
    envy = np.array([max(max(utility[m]) - utility[m, m], 0) for m in range(count)])
    truth = small.truth.envy
    assert truth.average == pytest.approx(envy.mean(), rel=1e-12)
    assert truth.share == np.mean(envy > 0.05)
    assert list(truth.envious) == list(small.users["user_id"][envy > 0.05])


def test_envy_in_blocks_of_users_equals_the_whole_matrix(world: World) -> None:
    utility = world.preferences @ world.policy.T
    envy = utility.max(axis=1) - np.diag(utility)
    assert world.truth.envy.average == pytest.approx(envy.mean(), rel=1e-12)
    assert list(world.truth.envy.envious) == list(world.users["user_id"][envy > 0.05])


def test_those_who_were_mixed_up_are_those_who_envy(world: World) -> None:
    truth = world.truth.envy
    assert len(truth.mixed_up) == 200
    assert set(truth.mixed_up) == set(truth.envious)
    assert truth.average > 5 * truth.average_before
    assert truth.share_before == 0
    # Somebody else is served by their profile, and they would be better off with it.
    straight = marketplace(envy=0, default_rows=0, random_rows=0)
    moved = (world.user_embeddings != straight.user_embeddings).any(axis=1)
    assert set(world.users["user_id"][moved]) == set(truth.mixed_up)
    assert np.array_equal(
        np.unique(world.user_embeddings, axis=0), np.unique(straight.user_embeddings, axis=0)
    )


def test_planted_direction_is_recovered_when_strong() -> None:
    world = marketplace(association=4, default_rows=0, random_rows=0)
    truth = world.truth.association
    for vectors, plus, minus in (
        (world.user_embeddings, world.users["gender"] == "F", world.users["gender"] == "M"),
        (
            world.item_embeddings,
            world.items["genre"].isin(["cooking", "drama"]),
            world.items["genre"].isin(["games", "sport"]),
        ),
    ):
        difference = vectors[plus].mean(axis=0) - vectors[minus].mean(axis=0)
        assert difference @ truth.direction == pytest.approx(8, abs=0.15)
    users = world.user_embeddings
    difference = users[world.users["gender"] == "F"].mean(axis=0) - users[world.users["gender"] == "M"].mean(
        axis=0
    )
    assert difference @ truth.direction / np.linalg.norm(difference) > 0.99
    assert np.linalg.norm(truth.direction) == pytest.approx(1)


def test_genres_lean_as_planted(world: World) -> None:
    truth = world.truth.association
    assert truth.user_shift == {"F": 0.5, "M": -0.5}
    for genre, shift in truth.genre_shift.items():
        if shift:
            assert truth.mean_eaa[genre] * np.sign(shift) > 0.02
        else:
            assert abs(truth.mean_eaa[genre]) < 0.02


def test_mean_eaa_is_that_of_the_definition(small: World) -> None:
    women = (small.users["gender"] == "F").to_numpy()
    lengths = np.linalg.norm(small.user_embeddings, axis=1)
    for genre, value in small.truth.association.mean_eaa.items():
        eaa = []
        for item in small.item_embeddings[small.items["genre"] == genre]:
            cosine = small.user_embeddings @ item / lengths / np.linalg.norm(item)
            eaa.append(cosine[women].mean() - cosine[~women].mean())
        assert value == pytest.approx(np.mean(eaa), abs=1e-12)


def test_nothing_planted_nothing_to_find(fair: World) -> None:
    truth = fair.truth
    for arm in ("control", "treatment"):
        assert truth.opportunity[arm].penalty < 1e-9
        assert truth.opportunity[arm].worst_ratio == pytest.approx(1, abs=1e-9)
    assert truth.exposure.lift == 1
    assert truth.exposure.share == truth.exposure.share_without_boost
    assert truth.groups.gap == 0
    assert truth.groups.noise == 0
    assert truth.envy.mixed_up == truth.envy.envious == ()
    assert truth.envy.average == truth.envy.average_before < 0.01
    assert set(truth.association.user_shift.values()) == {0.0}
    # Genders are exchangeable: along the direction where a plant would be, their means differ by chance only.
    along = fair.user_embeddings @ truth.association.direction
    women = (fair.users["gender"] == "F").to_numpy()
    error = along.std() * np.sqrt(4 / len(along))
    assert abs(along[women].mean() - along[~women].mean()) < 4 * error


def test_groups_have_the_requested_gap(world: World) -> None:
    truth = world.truth.groups
    by_group = truth.expected["mrr@5"]
    worst = min(by_group, key=by_group.__getitem__)
    assert worst == "gender=F & age_band=55+"
    assert max(by_group.values()) - by_group[worst] == pytest.approx(0.15, abs=1e-9)
    assert truth.gap == pytest.approx(0.15, abs=1e-9)
    observed = world.users["gender"].str.cat(world.users["age_band"], sep="|").unique()
    assert {f"gender={g} & age_band={a}" for g, a in (pair.split("|") for pair in observed)} == set(by_group)
