"""Leakage: the attribute of users found in the items that they took, by classifiers that do not know them."""

import re

import numpy as np
import pandas as pd
import pytest

from association.leak_worlds import listening
from evenhand.association import leakage
from evenhand.association.leaking.classifier import Predicted, between
from evenhand.association.leaking.inflation import inflations
from evenhand.association.leaking.rates import better_than_majority, rates
from evenhand.errors import InputError
from evenhand.recommenders import Factors, Interactions
from evenhand.report.words.sentences import sentence
from evenhand.stats.means.proportions import auc, auc_interval, newcombe, wilson

QUICK = {"permutations": 39}


@pytest.fixture(scope="module")
def leaking():
    return listening(0.3)


@pytest.fixture(scope="module")
def result(leaking):
    return leakage(
        leaking.items, leaking.users, leaking.gender, leaking.taken, leaking.genres, popular=50, **QUICK
    )


def test_what_leaks_is_found_in_histories_and_in_items(result):
    for training in ("balanced", "unbalanced"):
        area = result.find("leak_auc", training=training)
        assert area.interval.low > 0.6
        assert area.p_value < 1e-6
        assert result.find("leak_parity", training=training).interval.low > 0
        items = result.find("leak_items", training=training, popularity="all")
        assert items.estimate > 0.3
        assert items.p_value == 1 / 40
        romance = result.find("leak_group_parity", training=training, group="Romance")
        action = result.find("leak_group_parity", training=training, group="Action")
        assert romance.estimate > 0.3 > -0.3 > action.estimate
    shares = [row["predicted"] for row in items.details["deciles"] if row["items"] > 5]
    assert shares[0] < 0.2 < 0.8 < shares[-1]


def test_groups_are_corrected_for_together_and_counted_by_their_own_items(leaking, result):
    size = {name: int((leaking.genres == name).sum()) for name in ("Romance", "Action", "Drama")}
    for group, count in size.items():
        found = result.find("leak_group_parity", training="balanced", group=group)
        assert found.n.count == result.find("leak_group", training="balanced", group=group).n.count == count
        assert found.details["compared"] == 3
        assert found.details["adjusted_p_value"] >= found.p_value
        sides = [
            result.find("leak_group_odds", training="balanced", group=group, audience=value) for value in "FM"
        ]
        assert max(one.n.count for one in sides) <= count <= sum(one.n.count for one in sides)
        assert {one.details["compared"] for one in sides} == {6}
    romance = result.find("leak_group_parity", training="balanced", group="Romance")
    assert romance.details["adjusted_p_value"] == 1 / 40
    said = sentence(result.find("leak_accuracy", training="balanced"))
    assert re.search(r"is guessed right for .* larger side is right for [\d.]+% \(", said)


def test_imbalance_hides_the_smaller_side():
    weak = listening(0.1)
    found = leakage(weak.items, weak.users, weak.gender, weak.taken, **QUICK)
    hidden = found.find("leak_recall", training="unbalanced", value="F").estimate
    assert hidden + 0.2 < found.find("leak_recall", training="balanced", value="F").estimate
    assert found.find("leak_recall_gap", training="unbalanced").interval.high < 0


def test_measures_agree_with_a_table_of_counts(result):
    recall = result.find("leak_recall", training="balanced", value="F")
    other = result.find("leak_recall", training="balanced", value="M")
    precision = result.find("leak_precision", training="balanced", value="F")
    f1 = result.find("leak_f1", training="balanced", value="F").estimate
    assert f1 == pytest.approx(2 / (1 / recall.estimate + 1 / precision.estimate))
    total = recall.n.count + other.n.count
    right = (recall.estimate * recall.n.count + other.estimate * other.n.count) / total
    assert result.find("leak_accuracy", training="balanced").estimate == pytest.approx(right)
    parity = result.find("leak_parity", training="balanced").estimate
    assert parity == pytest.approx(recall.estimate - (1 - other.estimate))


def test_the_threshold_of_the_classifier_alone_may_predict_everybody_the_same(leaking):
    """Items elsewhere in the space: the score tells users apart, and the label does not."""
    away = leaking.items + 4 * np.eye(leaking.items.shape[1])[0]
    arguments = (away, leaking.users, leaking.gender, leaking.taken)
    sources = leakage(*arguments, threshold="classifier", trainings="balanced", **QUICK)
    ours = leakage(*arguments, trainings="balanced", **QUICK)
    assert sources.find("leak_auc").estimate == ours.find("leak_auc").estimate > 0.7
    assert sources.find("leak_recall", value="F").estimate == 1
    assert sources.find("leak_recall", value="M").estimate == 0
    assert sources.find("leak_precision", value="M").verdict == "not_applicable"
    assert min(ours.find("leak_recall", value=value).estimate for value in "FM") > 0.6


def test_every_finding_has_a_sentence_of_its_own_and_the_result_can_be_saved(result, tmp_path):
    said = [sentence(finding) for finding in result.findings]
    assert len(set(said)) == len(said)
    assert not any("{" in text for text in said)
    assert any("are recognised (" in text for text in said)
    assert "Leakage" in result.save(tmp_path).report.read_text(encoding="utf-8")


def test_the_same_seed_gives_the_same_findings_whatever_the_order_of_rows(leaking, result):
    rows = leaking.taken.sample(frac=1, random_state=3)
    again = leakage(leaking.items, leaking.users, leaking.gender, rows, leaking.genres, **QUICK)
    assert [f.model_dump_json() for f in again.findings] == [f.model_dump_json() for f in result.findings]


def test_a_model_and_interactions_of_the_package(leaking, result):
    data = Interactions.from_frame(leaking.taken)
    model = Factors(data.user_ids, data.item_ids, leaking.users, leaking.items[data.item_ids])
    found = leakage(model, None, leaking.gender, data, trainings=["balanced"], **QUICK)
    assert found.find("leak_auc").estimate == pytest.approx(
        result.find("leak_auc", training="balanced").estimate, abs=1e-3
    )


def test_several_values_are_told_each_from_the_rest():
    world = listening(1.0, users=600)
    land = np.where(world.gender == "F", "north", np.resize(["south", "west"], 600))
    found = leakage(world.items, world.users, land, world.taken, trainings="balanced", **QUICK)
    assert {finding.subject["direction"] for finding in found.findings} == {
        f"{name} against the rest" for name in ("north", "south", "west")
    }
    assert found.find("leak_recall", direction="north against the rest").subject["value"] == "north"


def test_rows_and_users_that_do_not_count_are_counted(leaking):
    more = pd.DataFrame({"user_id": [9999, 0, 1], "item_id": [0, 9999, 9999]})
    rows = pd.concat([leaking.taken[leaking.taken["user_id"] != 5], more])
    found = leakage(leaking.items, leaking.users, leaking.gender, rows, trainings="balanced", **QUICK)
    excluded = {one.what: one.count for one in found.find("leak_auc").excluded}
    assert excluded == {
        "interactions of users without a vector": 1,
        "interactions of items without a vector": 2,
        "users without a history": 1,
    }
    assert found.find("leak_auc").n.count == len(leaking.users) - 1


def test_a_tolerance_is_for_differences(leaking):
    found = leakage(
        leaking.items,
        leaking.users,
        leaking.gender,
        leaking.taken,
        trainings="balanced",
        tolerance=0.1,
        **QUICK,
    )
    assert found.find("leak_parity").verdict == "violation"
    assert found.find("leak_auc").verdict is None


def test_unusual_sets_of_items(leaking):
    found = leakage(
        leaking.items, leaking.users, leaking.gender, leaking.taken, np.repeat("only", 120), popular=10_000,
        trainings="balanced", **QUICK,
    )  # fmt: skip
    empty = found.find("leak_items", popularity="popular", threshold=10_000)
    assert empty.verdict == "not_applicable"
    assert "no such items" in empty.warnings[0]
    assert not any(finding.measure == "leak_group_parity" for finding in found.findings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"interactions": pd.DataFrame({"user_id": ["a"], "item_id": [0]})}, "none of the ids in user_id"),
        ({"interactions": pd.DataFrame({"user_id": [0], "item_id": [99999]})}, "none of the ids in item_id"),
        ({"interactions": pd.DataFrame({"user_id": [0]})}, "there is no column 'item_id'"),
        (
            {"interactions": pd.DataFrame({"user_id": [0, None], "item_id": [1, 2]})},
            "column 'user_id' is empty",
        ),
        ({"interactions": pd.DataFrame({"user_id": [], "item_id": []})}, "no rows"),
        ({"interactions": pd.DataFrame({"user_id": range(9), "item_id": 1})}, "have a history, and 5 parts"),
        ({"attribute": ["F"] * 400}, "only the value 'F'"),
        ({"trainings": []}, "trainings is \\[\\], but must be unbalanced, balanced or a list of both"),
        ({"trainings": "equal"}, "trainings is 'equal'"),
        ({"threshold": "mean"}, "threshold is 'mean'"),
        ({"folds": 1}, "folds is 1"),
        ({"popular": 0}, "popular is 0"),
        ({"item_groups": {"x": []}}, "'x' has 0 of items"),
        ({"items": np.ones((120, 3))}, "items has vectors of 3 dimensions, but users of 8"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(leaking, changes, message):
    arguments = {
        "items": leaking.items, "users": leaking.users, "attribute": leaking.gender,
        "interactions": leaking.taken,
    }  # fmt: skip
    with pytest.raises(InputError, match=message) as caught:
        leakage(**(arguments | changes))
    assert "\n" not in str(caught.value)


def test_intervals_and_areas_against_others():
    assert wilson(0.3, 20, 0.95) == pytest.approx((0.1455, 0.5190), abs=1e-4)
    assert wilson(0.0, 10, 0.95)[0] == 0
    assert newcombe(56 / 70, 70, 48 / 80, 80, 0.95) == pytest.approx((0.0524, 0.3339), abs=1e-4)  # his (a)
    rng = np.random.default_rng(0)
    positive, part = rng.random(60) < 0.4, np.zeros(60, dtype=np.int64)
    scores = np.round(rng.normal(size=60) + positive, 1)
    pairs = scores[positive][:, None] - scores[~positive]
    wins = (pairs > 0) + (pairs == 0) / 2
    spread = (
        wins.mean(axis=1).var(ddof=1) / positive.sum() + wins.mean(axis=0).var(ddof=1) / (~positive).sum()
    )
    assert auc(scores, positive, part) == pytest.approx((wins.mean(), np.sqrt(spread)))
    shifted = np.concatenate([scores, scores + 100])
    both = auc(shifted, np.tile(positive, 2), np.repeat([0, 1], 60))
    assert both == pytest.approx((wins.mean(), np.sqrt(spread / 2)))
    assert auc_interval(1.0, 0.0, 20, 0.95)[0] == pytest.approx(wilson(1.0, 20, 0.95)[0])


def test_the_threshold_between_two_sets():
    scores, has = np.array([0.0, 2.0, 4.0, 6.0, 1.0, 3.0]), np.array([0, 0, 1, 1, 0, 0], dtype=bool)
    assert between(scores, has, "balanced") == pytest.approx(3.25)
    assert between(scores, has, "unbalanced") > 3.25
    assert between(-scores, has, "unbalanced") == np.inf


def test_the_majority_is_beaten_where_most_of_the_few_who_are_named_are_right():
    has = np.repeat([True, False], [30, 70])
    said = has.copy()
    said[[0, 1, 40]] = ~said[[0, 1, 40]]
    assert better_than_majority(said, has) < 1e-6
    assert better_than_majority(np.zeros(100, dtype=bool), has) == 1
    assert better_than_majority(~said, has) == pytest.approx(1)


def test_where_nobody_is_named_but_for_parts_of_the_users_nothing_is_known_and_nothing_breaks():
    """Smooth predictions then have a variance of next to nothing, and those without a part have some."""
    rng = np.random.default_rng(0)
    has, part = np.arange(200) < 20, np.arange(200) % 5

    def predicted(middle: float) -> Predicted:
        margin = middle - rng.random(200)
        return Predicted(margin, margin, margin, part)

    found = predicted(-12.0)
    inflated = inflations(found, has, [(predicted(middle), has) for middle in np.linspace(-12, -1, 20)])
    told = rates(found, has, inflated, 0.95, both_sides=True)
    recall = next(one for one in told if one.measure == "leak_recall" and one.side == 0)
    assert recall.estimate == 0
    assert recall.interval[1] > 0.9
