"""Embeddings before and after: who judges, what is told, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from association.worlds import World, world
from evenhand.errors import InputError
from evenhand.mitigate.vectors.findings import NOT_JUDGED
from evenhand.mitigate.vectors.probing import change, p_value, probe
from evenhand.recommenders import Factors, Interactions, train_and_save
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.scores.simple import ItemWeights
from evenhand.report.vocabulary import names
from evenhand.report.words.sentences import sentence

QUICK = {"permutations": 99}


@pytest.fixture(scope="module")
def leaning():
    return world(users=1_200)


def meaning(finding) -> str:
    """What its sentence says that it means."""
    return names.measure(finding.measure).phrases(finding)["meaning"]


def taken(things: World, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What users took: drawn by their scores, so that accuracy and the attribute hang together."""
    rng = np.random.default_rng(seed)
    scores = things.users @ things.items.T + rng.gumbel(size=(len(things.users), len(things.items)))
    items = np.argsort(-scores, axis=1)[:, :10]
    frame = pd.DataFrame({"user_id": np.repeat(np.arange(len(items)), 10), "item_id": items.ravel()})
    test = frame.sample(frac=0.3, random_state=seed)
    return frame.drop(test.index), test


@pytest.fixture(scope="module", params=["leace", "nullspace"])
def compared(request, leaning):
    train, test = taken(leaning)
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender, request.param)
    return eh.mitigate.compare_embeddings(
        (leaning.users, leaning.items), done, leaning.gender, leaning.genres, train=train, test=test,
        pairs=[("Action", "Romance")], **QUICK,
    )  # fmt: skip


def test_held_out_users_cannot_be_told_apart_by_a_line_after_an_erasure(compared):
    before, after = (
        compared.result.find("attribute_accuracy", classifier="linear", when=when, who="held-out users")
        for when in ("before", "after")
    )
    assert before.interval.low > 0.6
    assert meaning(before) == "more than chance"
    assert after.interval.low <= 0.5 <= after.interval.high
    assert meaning(after) == "it may be chance"
    assert before.n.count == after.n.count == 300
    assert after.details["majority"] == pytest.approx(0.7, abs=0.05)
    moved = compared.result.find("attribute_accuracy_change", classifier="linear", who="held-out users")
    assert moved.interval.high < 0
    assert moved.estimate == pytest.approx(after.estimate - before.estimate)
    assert compared.result.find(
        "attribute_accuracy", classifier="non-linear", when="after", who="held-out users"
    )


def test_directions_and_groups_are_those_of_the_association_audit_on_held_out_users(leaning):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender)
    found = eh.mitigate.compare_embeddings(
        (leaning.users, leaning.items), done, leaning.gender, leaning.genres, **QUICK
    ).result
    held = done.held_out
    expected = eh.association.audit(
        leaning.items.astype(np.float32), leaning.users[held].astype(np.float32),
        np.array(leaning.gender)[held], leaning.genres, pairs=[], **QUICK,
    )  # fmt: skip
    old = found.find("direction", when="before", method="svc")
    assert old.estimate == pytest.approx(expected.find("direction").estimate)
    for measure in ("geaa", "r_ripa"):
        subject = {"method": "svc"} if measure == "r_ripa" else {}
        one = found.find(measure, group="Action", when="before", **subject)
        assert one.estimate == pytest.approx(expected.find(measure, group="Action").estimate)
        assert one.p_value == expected.find(measure, group="Action").p_value


def test_groups_no_longer_lean_neither_now_nor_beside_the_original(compared):
    table = compared.table.set_index(["measure", "how", "about"])
    for method in ("svc", "centroid"):
        new = compared.result.find("direction", when="after", method=method)
        assert not new.details["passes"]
        assert "did not pass" in new.warnings[0]
        for group in ("Action", "Romance"):
            row = table.loc[("r_ripa", method, group)]
            assert abs(row["beside_original"]) < 0.25 * abs(row["before"])
            assert np.isnan(row["after"])
    for group in ("Action", "Romance"):
        row = table.loc[("geaa", "", group)]
        assert abs(row["after"]) < 0.3 * abs(row["before"])
        assert row["change"] == pytest.approx(row["after"] - row["before"])
        assert row["low"] < row["change"] < row["high"]
        assert meaning(compared.result.find("geaa_change", group=group)) == "weaker"
    assert meaning(compared.result.find("geaa_change", group="Western")) != "stronger"
    pair = table.loc[("deaa", "", "Action against Romance")]
    assert abs(pair["after"]) < 0.3 * abs(pair["before"])


def test_the_cost_in_ranking_is_paired_over_users(leaning, compared):
    model = Factors(np.arange(1_200), np.arange(400), leaning.users, leaning.items)
    unknown = [np.full(8_400, np.nan), np.full(3_600, np.nan)]
    train, test = (
        Interactions(model.user_ids, model.item_ids, *part[["user_id", "item_id"]].to_numpy().T, none, none)
        for part, none in zip(taken(leaning), unknown, strict=True)
    )
    expected = full_ranking(model, test, train.matrix())
    for name in ("recall", "mrr", "ndcg", "hit", "precision"):
        found = compared.result.find("ranking_change", metric=f"{name}@10")
        assert found.details["before"] == pytest.approx(expected[name])
        assert found.estimate == pytest.approx(found.details["after"] - found.details["before"])
        assert found.interval.high < 0
        assert meaning(found) == "worse"


def test_the_report_can_say_it_all(compared, tmp_path):
    said = [sentence(finding) for finding in compared.result.findings]
    start = "After: the attribute can be guessed for "
    assert any(one.startswith(start) and "of held-out users by a fresh linear" in one for one in said)
    assert any("the direction F against M (between the means)" in one for one in said)
    assert any("a change of" in one and "recall@10" in one for one in said)
    assert not any("{" in one for one in said)
    compared.result.save(tmp_path)
    assert "Embeddings before and after" in (tmp_path / "report.html").read_text()


def test_nothing_changes_where_nothing_was_done(leaning):
    model = leaning.users, leaning.items
    train, test = taken(leaning)
    found = eh.mitigate.compare_embeddings(
        model, model, leaning.gender, leaning.genres, train=train, test=test, **QUICK
    ).result
    for finding in found.findings:
        if finding.measure.endswith("_change"):
            assert finding.estimate == 0
            assert meaning(finding) in ("unchanged", "it may be chance")
    assert found.find("attribute_accuracy", classifier="linear", when="after").n.count == 1_200


def test_where_lists_are_not_judged_the_report_says_why(leaning, compared):
    model = leaning.users, leaning.items
    alone = eh.mitigate.compare_embeddings(model, model, leaning.gender, **QUICK).result
    assert all(NOT_JUDGED in finding.warnings for finding in alone.findings)
    assert "pass test (on the command line --test)" in NOT_JUDGED
    assert not any(NOT_JUDGED in finding.warnings for finding in compared.result.findings)


def test_lists_are_those_that_the_training_was_judged_by(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(user, item) for user in range(80) for item in rng.permutation(60)[: rng.integers(15, 30)]]
    data = Interactions.from_frame(pd.DataFrame(rows, columns=["user_id", "item_id"]))
    done = train_and_save("puresvd", data, tmp_path, factors=8)
    test = pd.read_parquet(tmp_path / "test.parquet")
    gender = np.resize(["F", "M"], 80)

    def recall(**more):
        found = eh.mitigate.compare_embeddings(tmp_path, tmp_path, gender, **QUICK, **more).result
        return found.find("ranking_change", metric="recall@10").details["before"]

    assert recall(test=test) == pytest.approx(done.metrics["recall@10"])
    train = done.split.train.frame()
    assert recall(test=test, train=train) != pytest.approx(done.metrics["recall@10"], abs=1e-3)
    # What is asked for can be found, although the training was stopped by it.
    valid = pd.read_parquet(tmp_path / "valid.parquet")
    assert recall(test=valid) == pytest.approx(recall(test=valid, train=train))


def test_an_audit_of_a_mitigated_model_says_who_made_it(leaning, tmp_path):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender)
    done.save(tmp_path)
    found = eh.association.audit(tmp_path, None, leaning.gender, leaning.genres, pairs=[], **QUICK)
    for finding in found.findings:
        assert "only the 300 users that it held out can judge it" in finding.warnings[-1]
    train, _ = taken(leaning)
    leaked = eh.association.leakage(
        tmp_path, None, leaning.gender, train, trainings="balanced", permutations=20
    )
    assert all("a mitigation of attribute made these" in one.warnings[-1] for one in leaked.findings)


def test_a_model_trained_anew_has_no_original_direction(leaning):
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 12)))[0]
    turned = leaning.users @ rotation, leaning.items @ rotation
    found = eh.mitigate.compare_embeddings(
        (leaning.users, leaning.items), turned, leaning.gender, leaning.genres, **QUICK
    )
    assert found.table["beside_original"].isna().all()
    # A rotation is no mitigation: everything is as it was.
    row = found.table.set_index(["measure", "how", "about"]).loc[("r_ripa", "centroid", "Action")]
    assert row["after"] == pytest.approx(row["before"], abs=1e-4)
    assert found.result.find("geaa_change", group="Action").estimate == pytest.approx(0, abs=1e-5)


def test_users_that_made_an_erasure_read_as_below_chance():
    """Why they never judge it: on them even noise is taken out, and cross-validation finds its mirror."""
    rng = np.random.default_rng(0)
    users, gender = rng.normal(size=(1_000, 40)), rng.choice(["F", "M"], 1_000)
    items = rng.normal(size=(50, 40))
    done = eh.mitigate.erase(items, users, gender, held_out=0)
    found = eh.mitigate.compare_embeddings((users, items), done, gender, **QUICK).result
    after = found.find("attribute_accuracy", classifier="linear", when="after")
    assert after.subject["who"] == "users who made the mitigation"
    assert after.interval.high < 0.5
    assert meaning(after) == "below chance"
    assert "The mitigation saw the values of these users" in after.warnings[0]
    apart = eh.mitigate.erase(items, users, gender, held_out=0.5)
    found = eh.mitigate.compare_embeddings((users, items), apart, gender, **QUICK).result
    after, made = (
        found.find("attribute_accuracy", classifier="linear", when="after", who=who)
        for who in ("held-out users", "users who made the mitigation")
    )
    assert after.interval.low <= 0.5 <= after.interval.high
    assert after.warnings == (NOT_JUDGED,)
    assert made.interval.high < 0.5


def test_a_line_at_chance_does_not_hide_what_a_curve_can_tell():
    """Users of one value lie further out on every side: no line tells them, and the report says that."""
    rng = np.random.default_rng(0)
    gender = rng.choice(["F", "M"], 1_200)
    users = rng.normal(size=(1_200, 6)) * np.where(gender == "F", 2.0, 1.0)[:, None]
    items = rng.normal(size=(50, 6))
    done = eh.mitigate.erase(items, users, gender)
    found = eh.mitigate.compare_embeddings((users, items), done, gender, **QUICK).result
    line, curve = (
        found.find("attribute_accuracy", classifier=kind, when="after", who="held-out users")
        for kind in ("linear", "non-linear")
    )
    assert line.interval.low <= 0.5
    assert curve.interval.low > 0.6


def test_length_is_seen_by_a_classifier_and_not_by_cosines(leaning):
    """Why the two may part after resampling: vectors of one value became longer, and nothing else changed."""
    women = np.array(leaning.gender) == "F"
    longer = leaning.users * np.where(women, 3.0, 1.0)[:, None], leaning.items
    found = eh.mitigate.compare_embeddings(
        (leaning.users, leaning.items), longer, leaning.gender, leaning.genres, **QUICK
    ).result
    curve = found.find("attribute_accuracy_change", classifier="non-linear")
    assert curve.interval.low > 0.05
    for group in ("Action", "Romance"):
        assert found.find("geaa_change", group=group).estimate == pytest.approx(0, abs=1e-5)


def test_a_saved_erasure_still_knows_who_may_judge_it(leaning, tmp_path):
    done = eh.mitigate.erase(leaning.items, leaning.users, leaning.gender)
    done.save(tmp_path / "erased")
    first, second = (
        eh.mitigate.compare_embeddings((leaning.users, leaning.items), after, leaning.gender, **QUICK).result
        for after in (done, tmp_path / "erased")
    )
    assert [finding.estimate for finding in first.findings] == [
        finding.estimate for finding in second.findings
    ]
    judged = second.find("attribute_accuracy", classifier="linear", when="after", who="held-out users")
    assert judged.n.count == len(done.held_out)


def test_a_folder_that_does_not_say_whom_it_held_out_is_refused(leaning, tmp_path):
    eh.mitigate.erase(leaning.items, leaning.users, leaning.gender).save(tmp_path)
    path = tmp_path / "model.json"
    content = json.loads(path.read_text())
    del content["mitigation"]["held_out"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="does not say whom the mitigation held out"):
        eh.mitigate.compare_embeddings((leaning.users, leaning.items), tmp_path, leaning.gender)


def test_several_values_have_a_chance_of_their_own():
    rng = np.random.default_rng(1)
    ages = rng.choice(["18", "35", "56"], 1_500)
    shifts = dict(zip(["18", "35", "56"], rng.normal(size=(3, 10)), strict=True))
    users = rng.normal(size=(1_500, 10)) + np.array([shifts[age] for age in ages])
    items = rng.normal(size=(60, 10))
    groups = ["a" if place % 2 else "b" for place in range(60)]
    done = eh.mitigate.erase(items, users, ages)
    found = eh.mitigate.compare_embeddings((users, items), done, ages, groups, **QUICK)
    before, after = (
        found.result.find("attribute_accuracy", classifier="linear", when=when, who="held-out users")
        for when in ("before", "after")
    )
    assert before.interval.low > 0.5
    assert after.interval.low <= 1 / 3 <= after.interval.high
    assert after.details["guessing"] == pytest.approx(1 / 3)
    assert not found.table.duplicated(["measure", "how", "direction", "about"]).any()


def test_a_perfect_classifier_is_not_certain():
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    found = probe(rng.normal(size=(200, 3)) + 20 * codes[:, None], codes, 2, "linear", 0.95, 0)
    assert found.balanced == 1 == found.high
    assert 0.9 < found.low < 1
    assert p_value(found) < 1e-6
    assert change(found, found, 0.95) == (0, None, None)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"attribute": ["F"] * 1_200}, "only the value 'F'"),
        ({"after": (np.ones((1_200, 3)), np.ones((400, 4)))}, "must share one space"),
        ({"after": (np.ones((1_100, 3)), np.ones((400, 3)))}, "after has other user ids than before"),
        ({"test": pd.DataFrame({"user_id": [5_000], "item_id": [1]})}, "1 user ids were not seen"),
        ({"test": pd.DataFrame({"user": [5], "item_id": [1]})}, "user_id and item_id"),
        ({"test": pd.DataFrame({"user_id": [5], "item_id": [1]})}, "pass train"),
        ({"train": pd.DataFrame({"user_id": [5], "item_id": [1]})}, "no test to compare"),
        ({"held_out": [5_000]}, "1 held-out user ids were not seen"),
        ({"held_out": [0, 1, 2]}, "3 entities with the attribute in 12 dimensions"),
        ({"held_out": [*range(0, 40, 2), 1], "attribute": ["F", "M"] * 600}, "fewer than the 5 folds"),
        (
            {"held_out": list(range(0, 40, 2)), "attribute": ["F", "M"] * 600},
            "only 0 of the users that judge",
        ),
        ({"pairs": [("Action", "Comedy")], "item_groups": ["Action", "Western"] * 200}, "names 'Comedy'"),
        ({"pairs": [("Action", "Comedy")]}, "there are no item_groups"),
        ({"methods": ["svm"]}, "Did you mean 'svc'"),
        ({"methods": []}, "methods is empty"),
        (
            {"before": ItemWeights(np.arange(2), np.arange(3), sparse.csr_array((2, 3)), np.eye(3))},
            "before: an item-to-item model",
        ),
    ],
)
def test_what_is_refused(leaning, changed, message):
    model = leaning.users, leaning.items
    given = {"before": model, "after": model, "attribute": leaning.gender} | QUICK | changed
    with pytest.raises(InputError, match=message):
        eh.mitigate.compare_embeddings(**given)
