"""Amplification: growth is found where it is, and told from the noise of training."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from association.growth_worlds import Trained
from evenhand.association import amplification, eaa, feedback
from evenhand.association.growing.growth import Growth, Members, growth
from evenhand.errors import InputError
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.stored.storage import save
from evenhand.report.words.sentences import sentence

WORLD = Trained()


def audited(*states, **more):
    return amplification(list(states), WORLD.gender, WORLD.genres, **more)


@pytest.fixture(scope="module")
def grown():
    states = [WORLD.state(10 * step, 4, lean=0.5 + 0.4 * step, noise=0.1) for step in range(3)]
    return audited(*states)


def test_planted_growth_is_found_on_both_sides_and_nowhere_else(grown):
    for measure in ("geaa_growth", "r_ripa_growth"):
        for group, side in (("Romance", "F"), ("Action", "M")):
            found = grown.find(measure, group=group)
            assert found.interval.low > 0
            assert found.details["adjusted_p_value"] < 0.05
            assert found.details["side"] == side
        assert grown.find(measure, group="Drama").interval.low < 0
    assert grown.find("gap_growth").p_value > 0.05


def test_values_of_every_state_and_training_are_in_the_details(grown):
    found = grown.find("geaa_growth", group="Romance")
    states = found.details["states"]
    assert [len(state["trainings"]) for state in states] == [4, 4, 4]
    assert states[0]["mean"] < states[1]["mean"] < states[2]["mean"]
    assert found.estimate == pytest.approx(states[2]["mean"] - states[0]["mean"])
    items, users = WORLD.training(0, lean=0.5, noise=0.1)
    women = WORLD.gender == "F"
    own = eaa(items[WORLD.genres == "Romance"], users[women], users[~women]).mean()
    assert states[0]["trainings"][0] == pytest.approx(own)


def test_every_finding_has_a_sentence_and_the_result_can_be_saved(grown, tmp_path):
    said = [sentence(finding) for finding in grown.findings]
    assert len(set(said)) == len(said)
    assert any("Romance leaned to F in the first state; this is" in text for text in said)
    assert any("stronger in the last (" in text for text in said)
    assert "Amplification" in grown.save(tmp_path).report.read_text(encoding="utf-8")


def test_all_p_values_are_corrected_together(grown):
    tested = [finding for finding in grown.findings if finding.p_value is not None]
    assert {finding.details["compared"] for finding in tested} == {len(tested)} == {3 + 3 + 2 + 1}
    least = min(tested, key=lambda finding: finding.p_value)
    assert least.details["adjusted_p_value"] == pytest.approx(min(1, 9 * least.p_value))


def test_with_one_training_a_state_there_is_an_estimate_and_no_test():
    found = audited(WORLD.training(0), WORLD.training(1, lean=1.5), tolerance=0.01)
    one = found.find("geaa_growth", group="Romance")
    assert one.estimate > 0
    assert one.p_value is one.interval is None
    assert one.verdict == "inconclusive"
    assert "train each state several times" in one.warnings[0]


def test_the_test_of_the_source_is_an_option():
    states = [WORLD.state(0, 2), WORLD.state(5, 2, lean=1.2)]
    found = audited(*states, test="ks").find("geaa_growth", group="Romance")
    women, romance = WORLD.gender == "F", WORLD.genres == "Romance"
    scores = [eaa(items[romance], users[women], users[~women]) for (items, users), _ in states]
    assert found.p_value == pytest.approx(stats.ks_2samp(scores[1], scores[0], alternative="less").pvalue)
    assert found.p_value < 0.01
    assert "Kolmogorov-Smirnov" in found.warnings[0]
    assert audited(*states).find("geaa_growth", group="Romance").details["ks_p_value"] == found.p_value


def test_a_direction_that_fails_is_not_followed():
    found = audited(WORLD.state(0, 2, apart=0.0), WORLD.state(5, 2, apart=1.0))
    along = found.find("r_ripa_growth", group="Romance")
    assert along.verdict == "not_applicable"
    assert "passed its tests in 0 of 2 trainings of the first state and in 2 of 2" in along.warnings[0]
    assert found.find("user_growth", value="F").estimate is None
    assert found.find("geaa_growth", group="Romance").estimate is not None
    gap = found.find("gap_growth")
    assert gap.estimate > 0.2
    assert gap.p_value < 0.05


def test_tolerance_is_the_most_that_may_grow():
    states = WORLD.state(0, 4, noise=0.05), WORLD.state(9, 4, noise=0.05, lean=1.5)
    found = audited(*states, tolerance=0.01)
    assert found.find("geaa_growth", group="Romance").verdict == "violation"
    back = audited(*states[::-1], tolerance=0.01)
    assert back.find("geaa_growth", group="Romance").verdict == "within_tolerance"


def test_growth_by_hand():
    rng = np.random.default_rng(0)
    first, last = rng.normal(size=(2, 5)) - 1, rng.normal(size=(3, 5)) - 2
    without = rng.normal(size=(2, 2, 4, 5))  # two trainings each, four parts of the users
    who = Members(np.array([1, 1, 1, 0, 0], dtype=bool))
    found = growth([list(first), list(last)], [list(state) for state in without], who, -1)
    means = first[:, :3].mean(axis=1), last[:, :3].mean(axis=1)
    assert found.estimate == pytest.approx(means[0].mean() - means[1].mean())
    change = (last.mean(axis=0) - first.mean(axis=0))[:3]
    variance = means[0].var(ddof=1) / 2 + means[1].var(ddof=1) / 3
    errors = found.change
    assert errors.trainings.variance == pytest.approx(variance)
    assert errors.trainings.df == pytest.approx(stats.ttest_ind(*means, equal_var=False).df)
    redone = without[1, :, :, :3].mean(axis=(0, 2)) - without[0, :, :, :3].mean(axis=(0, 2))
    assert (errors.users.variance, errors.users.df) == (pytest.approx(3 / 4 * redone.var() * 4), 3)
    parts = (variance, errors.trainings.df), (change.var(ddof=1) / 3, 2), (errors.users.variance, 3)
    reach = np.sqrt(sum(stats.t.ppf(0.95, df) ** 2 * part for part, df in parts))
    assert found.limits(0.9) == pytest.approx((found.estimate - reach, found.estimate + reach))
    # The p-value is the error at which the interval ends at 0.
    end = 0 if found.estimate > 0 else 1
    two_sided = 2 * min(found.p_value, 1 - found.p_value)
    assert found.limits(1 - two_sided)[end] == pytest.approx(0, abs=1e-9)
    assert (found.p_value < 0.5) == (found.estimate > 0)


def scored(first: float, last: float, apart: float = 0.5) -> Growth:
    """Of 100 items with these means, and hardly any noise of trainings and users."""
    rng = np.random.default_rng(1)
    spread = apart * stats.norm.ppf((np.arange(100) + 0.5) / 100)
    states = [[mean + spread + 1e-3 * rng.normal(size=100) for _ in range(3)] for mean in (first, last)]
    without = [[np.tile(one, (5, 1)) for one in trainings] for trainings in states]
    return growth(states, without, Members(np.ones(100, dtype=bool)))


def test_where_both_states_are_on_one_side_growth_is_the_difference():
    found = scored(-0.3, -0.4)
    assert found.estimate == pytest.approx(0.1, abs=1e-3)
    assert found.limits(0.95) == pytest.approx((0.1, 0.1), abs=2e-3)
    assert found.p_value < 1e-6


def test_items_that_turn_to_the_other_side_grow_by_how_much_further_they_are_away():
    found = scored(0.3, -0.9)
    assert found.turned
    assert found.estimate == pytest.approx(0.6, abs=1e-3)
    low, high = found.limits(0.95)  # of the sum, in which items differ twice as much
    assert (low, high) == pytest.approx((0.6 - 2 * 0.1, 0.6 + 2 * 0.1), abs=0.01)
    assert found.p_value < 1e-6


@pytest.mark.parametrize("first", [-0.01, 0.01])
def test_where_it_is_chance_on_which_side_items_were_growth_is_between_all_and_none(first):
    """The mean of all changed by .3, and what these items' was at first is known to about .1."""
    low, high = scored(first, first + 0.3).limits(0.95)
    assert low == pytest.approx(0.1 + 2 * first, abs=0.01)
    assert high == pytest.approx(0.3, abs=0.01)


def test_a_group_that_turned_says_so():
    found = audited(WORLD.state(0, 3, lean=0.3), WORLD.state(5, 3, lean=-1.5), tolerance=0.01)
    romance = found.find("geaa_growth", group="Romance")
    assert romance.estimate > 0
    assert romance.details["side"] == "F"
    assert any("on the other side, toward M" in said for said in romance.warnings)


def test_states_that_are_models_tables_and_in_another_order():
    ids = np.array([f"i{place:03}" for place in range(WORLD.items)])
    people = np.array([f"u{place:03}" for place in range(WORLD.users)])
    model = Factors(people, ids, *WORLD.training(0)[::-1])
    items, users = WORLD.training(1)
    order = np.random.default_rng(3).permutation(WORLD.items)
    tables = (
        pd.DataFrame({"item_id": ids[order], "vector": list(items[order])}),
        pd.DataFrame({"user_id": people, "vector": list(users)}),
    )
    gender, genres = dict(zip(people, WORLD.gender, strict=True)), dict(zip(ids, WORLD.genres, strict=True))
    mixed = amplification([model, tables], gender, genres)
    plain = audited(WORLD.training(0), WORLD.training(1))
    assert mixed.find("geaa_growth", group="Romance").estimate == pytest.approx(
        plain.find("geaa_growth", group="Romance").estimate, abs=1e-6
    )


def test_several_values_are_each_followed():
    land = np.resize(["north", "south", "west"], WORLD.users)
    found = amplification([WORLD.state(0, 2), WORLD.state(5, 2)], land, WORLD.genres)
    assert {finding.subject["direction"] for finding in found.findings} == {
        f"{name} against the rest" for name in ("north", "south", "west")
    }


def named_states(*lacking):
    """Two trainings as models, each without some of the users and items."""
    ids = np.array([f"i{place:03}" for place in range(WORLD.items)])
    people = np.array([f"u{place:03}" for place in range(WORLD.users)])
    models = []
    for run, (users, items) in enumerate(lacking):
        things, rows = WORLD.training(run)
        with_, of = np.setdiff1d(np.arange(WORLD.users), users), np.setdiff1d(np.arange(WORLD.items), items)
        models.append(Factors(people[with_], ids[of], rows[with_], things[of]))
    gender, genres = dict(zip(people, WORLD.gender, strict=True)), dict(zip(ids, WORLD.genres, strict=True))
    return models, gender, genres


def test_what_a_training_lacks_is_left_out_and_counted():
    models, gender, genres = named_states(([], [3, 5]), ([7], [5, 9, 11]))
    found = amplification(models, gender, genres).find("geaa_growth", group="Romance")
    assert {one.what: one.count for one in found.excluded} == {
        "users that not all trainings have": 1,
        "items that not all trainings have": 3,  # one is in none
    }
    shared = np.setdiff1d(np.arange(WORLD.items), [3, 5, 9, 11])
    here = shared[WORLD.genres[shared] == "Romance"]
    kept = np.setdiff1d(np.arange(WORLD.users), [7])
    women, means = WORLD.gender[kept] == "F", []
    for run in (0, 1):
        items, users = WORLD.training(run)
        means.append(eaa(items[here], users[kept][women], users[kept][~women]).mean())
    assert found.n.count == len(here)
    assert found.estimate == pytest.approx(means[1] - means[0], abs=1e-6)


def test_a_group_that_no_training_shares_is_left_out():
    lone = np.flatnonzero(WORLD.genres == "Drama")
    models, gender, genres = named_states(([], lone[2:]), ([], lone[:2]))
    found = amplification(models, gender, genres)
    assert {one.subject.get("group") for one in found.findings} == {"Romance", "Action", None}


def test_states_that_share_little_or_are_the_same_training_are_refused(tmp_path):
    models, gender, genres = named_states(([], []), ([], np.arange(100)))
    with pytest.raises(InputError, match="state 1, training 0 has only 50 of the 150 items of state 0"):
        amplification(models, gender, genres)
    history = Interactions.from_frame(pd.DataFrame({"user_id": ["u000"], "item_id": ["i000"]}))
    for run in (0, 1):
        items, users = WORLD.training(run)
        data = replace(history, user_ids=models[0].user_ids, item_ids=models[0].item_ids)
        model = Factors(data.user_ids, data.item_ids, users, items)
        save(tmp_path / f"run-{run}", model, name="made", history=data, description={})
    paths = [tmp_path / f"run-{run}" for run in (0, 1)]
    assert amplification(paths, gender, genres).find("geaa_growth", group="Romance").estimate is not None
    for states in ([paths[0], paths[0]], [[paths[0], paths[0]], paths[1]], [paths, [paths[1]]]):
        with pytest.raises(InputError, match="have the same vectors; trainings must be different") as caught:
            amplification(states, gender, genres)
        assert "run-" in str(caught.value)


ITEMS, USERS = WORLD.training(0)
LATER = WORLD.training(1)


@pytest.mark.parametrize(
    ("states", "changes", "message"),
    [
        ([(ITEMS, USERS)], {}, "states has 1 entries"),
        ("model", {}, "states has no entries"),
        ([(ITEMS, USERS), []], {}, "state 1 is an empty list"),
        ([(ITEMS, USERS), (ITEMS, USERS, ITEMS)], {}, "state 1 is a tuple of 3"),
        (
            [(ITEMS, USERS), (ITEMS[:9], USERS)],
            {},
            "state 1, training 0 has 9 items without ids",
        ),
        ([(ITEMS, USERS), (ITEMS, np.vstack([USERS, USERS]))], {}, "has 480 users without ids.* give ids"),
        ([(ITEMS, USERS), (ITEMS[:, :2], USERS)], {}, "items has vectors of 2 dimensions, but users of 6"),
        ([(ITEMS, USERS), LATER], {"attribute": ["F"] * 240}, "only the value 'F'"),
        ([(ITEMS, USERS), LATER], {"item_groups": {"x": []}}, "'x' has 0 of items"),
        ([(ITEMS, USERS)] * 2, {"test": "t"}, "test is 't'"),
        ([(ITEMS, USERS)] * 2, {"scheme": "holistic"}, "scheme is 'holistic'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(states, changes, message):
    arguments = {"attribute": WORLD.gender, "item_groups": WORLD.genres} | changes
    with pytest.raises(InputError, match=message) as caught:
        amplification(states, **arguments)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def taken():
    rng = np.random.default_rng(4)
    rows = [(user, item) for user in range(60) for item in rng.permutation(30)[:8]]
    return pd.DataFrame(rows, columns=["user_id", "item_id"])


def noisy(interactions: Interactions, seed: int) -> Factors:
    """A model with two factors and a random start."""
    rng = np.random.default_rng(seed)
    u, s, vt = np.linalg.svd(interactions.matrix().toarray() + 0.2 * rng.normal(size=(60, 30)))
    return Factors(interactions.user_ids, interactions.item_ids, u[:, :3] * s[:3], vt[:3].T)


def test_a_loop_is_run_several_times_and_audited(taken, tmp_path):
    gender, genres = np.resize(["F", "M"], 60), np.resize(["a", "b"], 30)
    how = {"rounds": 2, "trainings": 2, "rng": 5}
    said = []
    found = feedback(noisy, taken, gender, genres, progress=said.append, **how)
    states = found.find("geaa_growth", group="a").details["states"]
    assert [len(state["trainings"]) for state in states] == [2, 2, 2]
    assert any("training 2 of 2, round 2 of 2" in message for message in said)
    kept = feedback(noisy, taken, gender, genres, folder=tmp_path, **how)
    assert (tmp_path / "training-1" / "round-2.npz").exists()
    assert [f.details for f in kept.findings] == [f.details for f in found.findings]

    def never(interactions, seed):
        raise AssertionError("everything was trained")

    again = feedback(never, taken, gender, genres, folder=tmp_path, **how)
    assert [f.details for f in again.findings] == [f.details for f in found.findings]


@pytest.mark.parametrize(
    ("fit", "more", "message"),
    [
        ("popularity", {}, "has no vectors of users and items"),
        ("bprr", {}, "Did you mean 'bpr'"),
        (noisy, {"settings": {"factors": 3}}, "settings are for a model that is named"),
        (noisy, {"trainings": 0}, "trainings is 0"),
        (noisy, {"rounds": 0}, "rounds is 0"),
    ],
)
def test_loops_that_cannot_be_run(taken, fit, more, message):
    with pytest.raises(InputError, match=message):
        feedback(fit, taken, np.resize(["F", "M"], 60), np.resize(["a", "b"], 30), **more)


def test_a_named_model_is_trained_with_its_settings(taken):
    found = feedback(
        "puresvd", taken, np.resize(["F", "M"], 60), np.resize(["a", "b"], 30), rounds=1, trainings=2,
        settings={"factors": 3},
    )  # fmt: skip
    assert found.find("geaa_growth", group="a").estimate is not None


@pytest.mark.slow
def test_a_loop_of_a_deep_model():
    pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    rows = [(user, item) for user in range(60) for item in rng.permutation(30)[:8]]
    taken = pd.DataFrame(rows, columns=["user_id", "item_id"])
    found = feedback(
        "bpr", taken, np.resize(["F", "M"], 60), np.resize(["a", "b"], 30), rounds=1, trainings=2,
        settings={"factors": 4, "epochs": 2},
    )  # fmt: skip
    assert found.find("geaa_growth", group="a").interval is not None
