"""The envy audit: arrays, tables and recommenders, against the exact truth of a synthetic world."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from envy import plain
from evenhand.envy.sampling import fewest_better
from evenhand.envy.systems.environments import of_world
from evenhand.envy.systems.policies import equal_user_utility, softmax
from evenhand.errors import InputError
from evenhand.findings import Verdict
from evenhand.recommenders import Factors
from evenhand.report.pages import whole_text


@pytest.fixture(scope="module")
def world():
    return eh.datasets.marketplace(users=120, items=40, seed=3, default_rows=500, random_rows=500)


def tables(preferences, policies):
    users, items = np.indices(preferences.shape).reshape(2, -1)
    ids = pd.DataFrame({"user_id": [f"u{m:03}" for m in users], "item_id": [f"i{a:03}" for a in items]})
    shown = ids.assign(probability=policies.ravel())
    return ids.assign(preference=preferences.ravel()), shown[shown["probability"] > 0]


def test_the_world_is_found_as_it_is(world):
    truth = world.truth.envy
    result = eh.envy.audit(world.preferences, world.policy, epsilon=truth.epsilon, top=1000)
    assert result.find("average_envy").estimate == pytest.approx(truth.average, abs=1e-12)
    assert result.find("average_envy").n.count == 120
    envious = result.find("envious_users", gamma=0.0)
    assert envious.estimate == pytest.approx(truth.share)
    assert envious.verdict is None
    pairs = [f for f in result.findings if f.measure == "envy_pair"]
    found = {world.users["user_id"][int(f.subject["user"])] for f in pairs if f.estimate > truth.epsilon}
    assert found == set(truth.envious)
    sizes = [f.estimate for f in pairs]
    assert sizes == sorted(sizes, reverse=True)


def test_the_verdict_is_definition_3_2(world):
    u = world.preferences @ world.policy.T
    for gamma, tolerated in ((0.1, 0.02), (0.1, 0.5), (0.0, 0.1), (0.5, 0.0)):
        result = eh.envy.audit(world.preferences, world.policy, gamma=gamma, tolerance=tolerated)
        finding = result.find("envious_users", gamma=gamma)
        share = plain.share_envious(u, 0.05, gamma)
        assert finding.estimate == pytest.approx(share)
        assert finding.interval.validity == "exact"
        wanted = Verdict.WITHIN_TOLERANCE if share <= tolerated else Verdict.VIOLATION
        assert finding.verdict is wanted


def test_without_a_tolerance_there_is_no_verdict(world):
    result = eh.envy.audit(world.preferences, world.policy, tolerance=None)
    assert {finding.verdict for finding in result.findings} == {None}


def test_tables_say_what_arrays_say():
    preferences, policies = plain.random_system(np.random.default_rng(1), users=15, items=6)
    policies[policies < 0.05] = 0
    policies /= policies.sum(axis=1, keepdims=True)
    by_array = eh.envy.audit(preferences, policies, top=10)
    tastes, shown = tables(preferences, policies)
    by_table = eh.envy.audit(
        tastes.sample(frac=1, random_state=1), shown.sample(frac=1, random_state=2), top=10
    )
    for one, other in zip(by_array.findings, by_table.findings, strict=True):
        assert one.measure == other.measure
        assert one.estimate == pytest.approx(other.estimate)
    assert by_table.findings[-1].subject["user"].startswith("u0")
    assert set(by_table.inputs) == {"preferences", "policies"}


def test_pairs_that_are_not_listed_count_as_they_were_said_to():
    preferences, policies = plain.random_system(np.random.default_rng(2), users=6, items=4)
    preferences[2, 1] = 0.25
    tastes, shown = tables(preferences, policies)
    without = tastes.drop(index=2 * 4 + 1)
    with pytest.raises(eh.InputError, match="1 of 24 pairs of a user and an item are not listed"):
        eh.envy.audit(without, shown)
    found = eh.envy.audit(without, shown, missing=0.25).find("average_envy").estimate
    assert found == pytest.approx(eh.envy.audit(preferences, policies).find("average_envy").estimate)


def test_a_recommender_is_its_scores_and_a_softmax_of_them():
    rng = np.random.default_rng(4)
    users, items = rng.normal(size=(20, 3)), rng.normal(size=(9, 3))
    model = Factors([f"u{m:02}" for m in range(20)], [f"i{a}" for a in range(9)], users, items)
    scores = model.score_block(np.arange(20))
    expected = eh.envy.audit(scores, softmax(scores, 2.0)).find("average_envy").estimate
    assert eh.envy.audit(model, inverse_temperature=2.0).find("average_envy").estimate == pytest.approx(
        expected
    )
    assert eh.envy.audit(scores, inverse_temperature=2.0).find("average_envy").estimate == pytest.approx(
        expected
    )
    # A softmax of another model than the one that knows the preferences
    other = Factors(model.user_ids, model.item_ids, rng.normal(size=(20, 3)), items)
    mixed = eh.envy.audit(model, other, inverse_temperature=2.0).find("average_envy").estimate
    wanted = (
        eh.envy.audit(scores, softmax(other.score_block(np.arange(20)), 2.0)).find("average_envy").estimate
    )
    assert mixed == pytest.approx(wanted)
    assert mixed > expected


def test_contexts_are_weighted():
    rng = np.random.default_rng(5)
    preferences, policies = plain.random_system(rng, users=9, items=4, contexts=2)
    weights = rng.dirichlet(np.ones(2), size=9)
    u = plain.utilities(preferences, policies, weights)
    found = eh.envy.audit(preferences, policies, contexts=weights).find("average_envy").estimate
    assert found == pytest.approx(np.mean(plain.envy(u)))


def test_groups_that_share_a_policy():
    """Two groups of one taste each, the second served with what the first likes."""
    tastes = np.array([[1.0, 0.0]] * 6 + [[0.0, 1.0]] * 6)
    shown = np.array([[0.9, 0.1]] * 6 + [[0.8, 0.2]] * 6)
    labels = ["first"] * 6 + ["second"] * 6
    result = eh.envy.audit(tastes, shown, groups=labels)
    envies, content = result.find("group_envy", group="first"), result.find("group_envy", group="second")
    assert (envies.estimate, content.estimate) == (pytest.approx(-0.1), pytest.approx(-0.1))
    swapped = eh.envy.audit(tastes, shown[::-1], groups=labels).find("group_envy", group="first")
    assert swapped.estimate == pytest.approx(0.1)
    assert swapped.verdict is Verdict.VIOLATION
    assert swapped.details["own_utility"] == pytest.approx(0.8)
    assert swapped.n.count == 6
    assert any(said.startswith("No member is unlike everybody here.") for said in swapped.assumptions)


def night_shift():
    """Of 12 users on the night shift 8 are served with what they do not like; all 48 others are content."""
    tastes = np.zeros((60, 2))
    tastes[:30, 0], tastes[30:, 1] = 1.0, 1.0
    shown = np.where(tastes == 1, 0.9, 0.1)
    shown[:8] = shown[:8, ::-1]
    return tastes, shown, ["night"] * 12 + ["day"] * 48


def test_the_group_that_holds_all_the_envy_is_named():
    tastes, shown, labels = night_shift()
    result = eh.envy.audit(tastes, shown, groups=labels, tolerance=0.2)
    night, day = (result.find("envious_users", group=name) for name in ("night", "day"))
    assert (night.estimate, night.n.count, night.verdict) == (pytest.approx(8 / 12), 12, Verdict.VIOLATION)
    assert (day.estimate, day.n.count, day.verdict) == (0, 48, Verdict.WITHIN_TOLERANCE)
    # Clopper and Pearson at the level that two groups share
    tail = (1 - 0.95**0.5) / 2
    assert day.interval.high == pytest.approx(1 - tail ** (1 / 48))
    assert result.find("envious_users", gamma=0.1).verdict is Verdict.WITHIN_TOLERANCE
    envy = result.find("average_envy", group="night")
    assert envy.estimate == pytest.approx(8 / 12 * 0.8)
    assert 0 < envy.interval.low < envy.estimate < envy.interval.high < 1
    assert result.find("average_envy", group="day").estimate == 0
    assert result.find("average_envy").estimate == pytest.approx(8 / 60 * 0.8)
    shown = " ".join(whole_text.plain(result.document).split())
    assert "67% of users in group night would be better off by more than 0.05" in shown
    assert shown.index("Envious users Group") < shown.index("Average envy Group")
    assert shown.index("Average envy Group") < shown.index("Envy between groups")


def test_the_groups_of_a_sample():
    tastes, shown, labels = night_shift()
    result = eh.envy.audit(tastes, shown, groups=labels, tolerance=0.2, sample=(400, 50))
    night, day = (result.find("envious_users", group=name) for name in ("night", "day"))
    assert night.interval.low <= 8 / 12 <= night.interval.high
    assert (night.verdict, day.verdict) == (Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE)
    assert night.n.count + day.n.count == 400
    labels = ["alone"] + ["together"] * 59
    unseen = eh.envy.audit(tastes, shown, groups=labels, sample=(2, 50)).find("envious_users", group="alone")
    assert unseen.verdict is Verdict.NOT_APPLICABLE


def test_groups_whose_members_differ_are_means_over_pairs():
    rng = np.random.default_rng(6)
    preferences, policies = plain.random_system(rng, users=14)
    labels = np.array(["a", "b"])[rng.integers(2, size=14)]
    u = preferences @ policies.T
    result = eh.envy.audit(preferences, policies, groups=labels.tolist())
    for one, other in (("a", "b"), ("b", "a")):
        rows, columns = labels == one, labels == other
        wanted = u[rows][:, columns].mean() - np.diag(u)[rows].mean()
        finding = result.find("group_envy", group=one, other=other)
        assert finding.estimate == pytest.approx(wanted)
        assert finding.interval.low < wanted < finding.interval.high


def test_groups_from_a_table_with_two_columns():
    preferences, policies = plain.random_system(np.random.default_rng(7), users=12)
    tastes, shown = tables(preferences, policies)
    people = pd.DataFrame(
        {"user_id": tastes["user_id"].unique(), "sex": ["F", "M"] * 6, "old": [1, 1, 0] * 4}
    )
    result = eh.envy.audit(tastes, shown, groups=people.iloc[::-1], group=["sex", "old"])
    found = {finding.subject["group"] for finding in result.findings if finding.measure == "group_envy"}
    assert found == {"F, 0", "F, 1", "M, 0", "M, 1"}
    one = result.find("group_envy", group="F, 1", other="M, 0")
    labels = (people["sex"] + ", " + people["old"].astype(str)).tolist()
    again = eh.envy.audit(preferences, policies, groups=labels).find("group_envy", group="F, 1", other="M, 0")
    assert one.estimate == pytest.approx(again.estimate)
    assert one.subject["by"] == "sex, old"
    assert set(result.inputs) == {"preferences", "policies", "users"}
    assert result.inputs["users"].rows == 12


def test_a_sample_is_about_the_whole_system(world):
    whole = eh.envy.audit(world.preferences, world.policy).find("envious_users", gamma=0.1).estimate
    result = eh.envy.audit(world.preferences, world.policy, sample=(800, 150), rng=5)
    finding = result.find("envious_users")
    assert finding.interval.low <= whole <= finding.interval.high
    assert finding.interval.high - finding.interval.low < 0.15
    assert finding.n.count == 800
    assert result.seed == 5
    envy = result.find("sampled_envy")
    assert envy.interval.low <= envy.estimate <= envy.interval.high
    assert envy.estimate <= world.truth.envy.average + 0.02
    again = eh.envy.audit(world.preferences, world.policy, sample=(800, 150), rng=5)
    assert again.to_json() == result.to_json()


def test_a_sample_of_a_recommender_has_no_bounds_for_its_envy():
    rng = np.random.default_rng(8)
    model = Factors(np.arange(50), np.arange(9), rng.normal(size=(50, 3)), rng.normal(size=(9, 3)))
    result = eh.envy.audit(model, inverse_temperature=1.0, sample=(60, 40))
    assert result.find("sampled_envy").interval is None
    assert result.find("envious_users").interval is not None


def test_thresholds_are_on_either_side_of_gamma():
    for policies in (5, 40, 75, 400):
        for gamma in (0.02, 0.1, 0.5):
            surely, maybe = fewest_better(policies, gamma)
            assert 1 <= maybe <= max(1, gamma * policies)
            assert surely > gamma * policies


def test_nobody_envious_leaves_nothing_but_the_sample_size():
    """With no better policy for any of 41 users, as in Do and others' AUDIT, the share is below 10% or so."""
    tastes = np.eye(8)
    result = eh.envy.audit(tastes, np.eye(8), sample=(41, 75))
    finding = result.find("envious_users")
    assert finding.estimate == 0
    assert finding.interval.low == 0
    assert finding.interval.high == pytest.approx(1 - 0.025 ** (1 / 41), rel=0.02)


def test_the_report_says_it_in_words(world, tmp_path):
    result = eh.envy.audit(world.preferences, world.policy, groups=world.users["gender"].tolist(), top=2)
    shown = " ".join(whole_text.plain(result.document).split())
    assert "of users would be better off by more than 0.05 with lists of over 10% of users" in shown
    assert "Would a user be better off with another user's recommendations?" in shown
    assert "from the list of another" in shown
    result.save(tmp_path)
    assert eh.AuditResult.load(tmp_path).to_json() == result.to_json()


def test_who_envies_whom_is_told_in_numbers(tmp_path):
    tastes = np.array([[1.0, 0.0], [0.9, 0.1], [0.52, 0.5]])
    shown = np.array([[0.1, 0.9], [1.0, 0.0], [0.0, 1.0]])
    likes, probabilities = tables(tastes, shown)
    result = eh.envy.audit(likes, probabilities, top=10)
    pairs = [finding for finding in result.findings if finding.measure == "envy_pair"]
    assert [finding.subject["user"] for finding in pairs] == ["u000"]  # u002 envies by less than epsilon
    told = " ".join(whole_text.plain(result.document).split())
    assert "One user gets 0.1 and would get 1 from the list of another: 0.90 more." in told
    result.save(tmp_path)
    assert "u000 → u001" in (tmp_path / "report.html").read_text()


def test_what_was_counted_has_no_interval_in_words(world):
    result = eh.envy.audit(world.preferences, world.policy, tolerance=0.5)
    finding = result.find("envious_users", gamma=0.1)
    assert finding.interval.low == finding.interval.high
    told = " ".join(whole_text.plain(result.document).split())
    assert "(counted; limit 50%)" in told
    assert "The number was counted, and lies within the limit." in told
    assert "95% interval" not in told


def test_epsilon_is_in_the_unit_of_the_preferences():
    preferences, policies = plain.random_system(np.random.default_rng(9), users=20)
    usual = eh.envy.audit(preferences, policies).find("average_envy")
    assert usual.warnings == ()
    assert usual.details["preference_range"] == [preferences.min(), preferences.max()]
    assert usual.details["epsilon_share"] == pytest.approx(0.05 / usual.details["mean_utility"])
    for result in (
        eh.envy.audit(5 * preferences, policies),
        eh.envy.audit(5 * preferences, policies, sample=(10, 10)),
    ):
        assert all("not from 0 to 1" in finding.warnings[-1] for finding in result.findings)
    with pytest.raises(InputError, match=r"epsilon is 0\.05, but .* so nobody could envy by more"):
        eh.envy.audit(preferences / 100, policies)
    model = Factors(np.arange(9), np.arange(4), np.full((9, 2), 3.0), np.ones((4, 2)))
    scores = eh.envy.audit(model, inverse_temperature=1.0).find("average_envy")
    assert scores.warnings[0].startswith("Utilities reach from 6 to 6, not from 0 to 1.")


def test_a_sample_as_large_as_the_system_is_needless():
    preferences, policies = plain.random_system(np.random.default_rng(10), users=20)
    large = eh.envy.audit(preferences, policies, sample=(40, 10)).find("envious_users")
    assert large.warnings[0].endswith("without a sample the audit is exact.")
    assert eh.envy.audit(preferences, policies, sample=(30, 10)).find("envious_users").warnings == ()


def test_policies_with_the_level_of_utility_beside_them():
    preferences, _ = plain.random_system(np.random.default_rng(11), users=12)
    equal = equal_user_utility(preferences)
    found = eh.envy.audit(preferences, equal)
    assert found.to_json() == eh.envy.audit(preferences, equal.policies).to_json()
    u = eh.envy.utilities(preferences, equal)
    np.testing.assert_array_equal(u, eh.envy.utilities(preferences, equal.policies))


def test_nobody_is_named_unless_it_is_asked_for(world, tmp_path):
    likes, probabilities = (
        table.assign(user_id="person " + table["user_id"])
        for table in tables(world.preferences, world.policy)
    )
    genders = pd.DataFrame({"user_id": likes["user_id"].unique(), "gender": world.users["gender"]})
    result = eh.envy.audit(likes, probabilities, groups=genders, group="gender")
    assert {finding.measure for finding in result.findings} == {
        "average_envy",
        "envious_users",
        "group_envy",
    }
    result.save(tmp_path, min_cell=0)
    written = "".join(path.read_text() for path in tmp_path.iterdir()) + whole_text.plain(result.document)
    assert not [user for user in genders["user_id"] if user in written]
    count = result.find("average_envy").details["envied_most_by"]
    named = eh.envy.audit(likes, probabilities, top=1).find("average_envy").details
    assert (named["most_envied"] in set(genders["user_id"]), named["envied_most_by"]) == (True, count)


def test_the_world_is_an_environment(world):
    environment = of_world(world)
    np.testing.assert_allclose(environment.policies(1.0), world.policy)
    u = environment.utilities(1.0)
    assert np.mean(plain.envy(u)) == pytest.approx(world.truth.envy.average)
