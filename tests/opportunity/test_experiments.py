"""A/B tests from the columns of one log: the same as one by one, corrected, and wary of bad assignment."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inputs import table
from evenhand.opportunity.ab_tests.arm_counting import count_arms
from evenhand.opportunity.logs.counting import Question
from opportunity.conftest import make_log

ASKED = {"label": "liked", "group": "creator_age"}
USERS = 400


@pytest.fixture
def arms_of_users():
    """Which arm of each experiment a user is in."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "ranker": rng.choice(["control", "treatment"], USERS),
            "recall": rng.choice(["a", "b", "c"], USERS),
            "cold_start": rng.choice([True, False], USERS),
        }
    )


@pytest.fixture
def logs(arms_of_users):
    rng = np.random.default_rng(0)
    default = make_log(rng, 12_000, {"18-24": 0.10, "25-34": 0.16, "35+": 0.16}, users=USERS)
    default = default.join(arms_of_users, on="user_id")
    return default, make_log(rng, 5_000, {"18-24": 0.06, "25-34": 0.07, "35+": 0.07}, users=USERS)


def experiments(default, random, columns=("ranker", "recall"), **changes) -> eh.AuditResult:
    return eh.opportunity.experiments(default, random, columns, **(ASKED | {"cluster": "user_id"} | changes))


def refused(*arguments, **changes) -> str:
    with pytest.raises(InputError) as error:
        experiments(*arguments, **changes)
    assert "\n" not in str(error.value)
    return str(error.value)


def differences(result):
    return {
        (f.subject["experiment"], f.subject["arm"]): f
        for f in result.findings
        if f.measure == "reo_difference"
    }


# The same as one by one


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_counts_are_those_of_the_rows_of_each_arm(logs, cluster):
    default, _ = logs
    question = Question.of("liked", "creator_age", cluster, None, None, "refuse")
    counted = count_arms(question, table(default), dict.fromkeys(["ranker", "recall", "cold_start"], ()))
    assert list(counted.logs["cold_start"]) == ["false", "true"]
    for column, arms in counted.logs.items():
        for arm, found in arms.items():
            rows = default[default[column].astype(str).str.lower() == arm]
            alone, _ = question.count(table(rows))
            assert found.groups == alone.groups
            assert np.array_equal(found.rows, alone.rows)
            assert np.array_equal(found.positives, alone.positives)
    assert counted.outside == {"ranker": 0, "recall": 0, "cold_start": 0}
    assert counted.fingerprint.rows == 12_000


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_one_experiment_is_a_comparison_of_its_arms(logs, cluster):
    default, random = logs
    found = experiments(default, random, ("recall",), cluster=cluster)
    arms = {arm: default[default["recall"] == arm] for arm in "abc"}
    compared = eh.opportunity.compare(arms, random, **ASKED, cluster=cluster)
    assert [f.measure for f in found.findings] == [f.measure for f in compared.findings]
    for one, other in zip(found.findings, compared.findings, strict=True):
        assert (one.estimate, one.interval, one.p_value, one.details, one.n) == (
            other.estimate, other.interval, other.p_value, other.details, other.n,
        )  # fmt: skip
        assert one.subject == other.subject | {"experiment": "recall"}


def test_a_table_of_all_experiments_is_corrected_for_all_comparisons(logs):
    default, random = logs
    # Not by user: clusters of the arm with the fewest count for all arms of an experiment.
    how = {"interval": "delta", "cluster": None}
    together = differences(experiments(default, random, ("ranker", "recall", "cold_start"), **how))
    assert list(together) == [
        ("ranker", "treatment"), ("recall", "b"), ("recall", "c"), ("cold_start", "true"),
    ]  # fmt: skip
    raw = []
    for (column, arm), found in together.items():
        wanted = {column: [found.subject["baseline"], arm]}
        alone = experiments(default, random, wanted, **how).find("reo_difference")
        at = experiments(default, random, wanted, **how, level=1 - 0.05 / 4)
        bounds = at.find("reo_difference").interval
        assert found.estimate == alone.estimate
        assert (found.interval.low, found.interval.high) == pytest.approx((bounds.low, bounds.high))
        assert found.details["comparisons"] == 4
        assert found.details["unadjusted"]["p_value"] == pytest.approx(alone.p_value)
        raw.append(alone.p_value)
    order = np.argsort(raw)
    holm = np.minimum(np.maximum.accumulate(np.sort(raw) * [4, 3, 2, 1]), 1)
    assert [list(together.values())[i].p_value for i in order] == pytest.approx(holm.tolist())


def test_the_baseline_is_the_first_value_or_the_one_named(logs):
    default, random = logs
    named = differences(experiments(default, random, {"recall": "b", "ranker": None}))
    assert list(named) == [("recall", "a"), ("recall", "c"), ("ranker", "treatment")]
    assert named["recall", "a"].subject["baseline"] == "b"
    chosen = experiments(default, random, {"recall": ["c", "a"]})
    assert list(differences(chosen)) == [("recall", "a")]
    left_out = {e.what: e.count for e in chosen.find("reo_difference").excluded}
    assert left_out == {"rows of other arms of recall": int((default["recall"] == "b").sum())}


def test_arms_that_are_numbers_are_in_their_order(logs):
    default, random = logs
    default["version"] = default["recall"].map({"a": 9, "b": 10, "c": 2})
    found = differences(experiments(default, random, ("version",)))
    assert [f.subject["baseline"] for f in found.values()] == ["2", "2"]
    assert list(found) == [("version", "9"), ("version", "10")]
    by_number = differences(experiments(default, random, {"version": 10}))
    assert list(by_number) == [("version", "2"), ("version", "9")]


def test_rows_outside_an_experiment_are_left_out_of_it_and_counted(logs):
    default, random = logs
    some = default["user_id"] < 100
    default["ranker"] = default["ranker"].mask(some)
    result = experiments(default, random)
    arm = result.find("reo_difference", experiment="ranker")
    assert [(e.what, e.count) for e in arm.excluded] == [("rows without ranker", int(some.sum()))]
    alone = experiments(default[~some], random, ("ranker",)).find("reo_difference")
    assert arm.estimate == alone.estimate
    assert result.find("reo_difference", experiment="recall", arm="b").excluded == ()


@pytest.mark.parametrize("storage", ["parquet", "csv"])
def test_storage_does_not_matter(logs, tmp_path, storage):
    expected = experiments(*logs).findings
    paths = []
    for name, log in zip(("default", "random"), logs, strict=True):
        paths.append(tmp_path / f"{name}.{storage}")
        log.to_parquet(paths[-1]) if storage == "parquet" else log.to_csv(paths[-1], index=False)
    assert experiments(*paths).findings == expected


def test_groups_from_another_table(logs):
    default, random = logs
    items = pd.DataFrame({"item_id": range(50), "genre": np.where(np.arange(50) % 2, "music", "film")})
    found = experiments(default, random, attributes=items, on="item_id", group="genre")
    joined = [log.merge(items, on="item_id") for log in logs]
    expected = experiments(*joined, group="genre")
    # A column of the logs does not say whose groups it has; one that is found by the item does.
    alike = [
        one.amended(details={name: value for name, value in one.details.items() if name != "groups_of"})
        for one in expected.findings
    ]
    assert list(found.findings) == alike
    assert "attributes" in found.inputs


def test_without_random_traffic_nothing_is_identified(logs):
    (finding,) = experiments(logs[0], None).findings
    assert finding.verdict is eh.Verdict.NOT_APPLICABLE
    assert "Cannot be identified without random traffic" in finding.warnings[0]


def test_an_arm_without_likes_stops_its_own_experiment_only(logs):
    default, random = logs
    default["liked"] = default["liked"].where(default["ranker"] == "control", 0)
    result = experiments(default, random, ("ranker", "recall"))
    assert result.find("reo_difference", experiment="ranker").estimate is None
    assert "the ranker = treatment log has no positive row" in result.find(
        "reo_difference", experiment="ranker"
    ).warnings[0]  # fmt: skip
    # Still three comparisons: what could not be computed was asked for.
    assert result.find("reo_difference", experiment="recall", arm="b").details["comparisons"] == 3


# Assignment


def test_independent_experiments_are_not_warned_of(logs, arms_of_users):
    result = experiments(*logs)
    overlap = result.find("arm_overlap")
    table_ = pd.crosstab(arms_of_users["ranker"], arms_of_users["recall"])
    assert {
        (c["arm"], c["other_arm"]): c["count"] for c in overlap.details["counts"]
    } == table_.stack().to_dict()
    assert overlap.subject == {"by": "creator_age", "experiment": "ranker", "with": "recall"}
    assert overlap.p_value > 0.01
    assert not any("not independent" in said for f in result.findings for said in f.warnings)


def test_cramers_v_and_its_test_are_scipys(logs):
    from scipy.stats import chi2_contingency
    from scipy.stats.contingency import association

    default, random = logs
    default["other"] = np.where(default["user_id"] % 3 > 0, default["ranker"], "control")
    overlap = experiments(default, random, ("ranker", "other")).find("arm_overlap")
    users = default.drop_duplicates("user_id")
    table_ = pd.crosstab(users["ranker"], users["other"]).to_numpy()
    assert overlap.estimate == pytest.approx(association(table_, method="cramer"))
    assert overlap.p_value == pytest.approx(chi2_contingency(table_, correction=False).pvalue)


def test_experiments_on_the_same_split_are_warned_of(logs):
    default, random = logs
    default["other"] = np.where(default["user_id"] % 10 > 0, default["ranker"], "control")
    result = experiments(default, random, ("ranker", "other", "recall"))
    (said,) = [w for w in result.find("reo_difference", experiment="other").warnings if "independent" in w]
    assert said.startswith("Experiments ranker and other are not independent of each other (Cramér's V 0.")
    assert "100% of the user_id in ranker = control are in other = control" in said
    assert said in result.find("reo_difference", experiment="ranker").warnings
    assert said not in result.find("reo_difference", experiment="recall", arm="b").warnings


def test_without_users_rows_are_crossed(logs):
    default, random = logs
    default["other"] = default["ranker"]
    result = experiments(default, random, ("ranker", "other"), cluster=None)
    overlap = result.find("arm_overlap")
    assert (overlap.estimate, overlap.p_value) == (pytest.approx(1), None)
    assert overlap.n.count == 12_000
    assert any(
        "rows in ranker = " in said for said in result.find("reo_difference", experiment="ranker").warnings
    )


def test_an_experiment_within_an_arm_of_another(logs):
    default, random = logs
    default["recall"] = default["recall"].where(default["ranker"] == "treatment")
    result = experiments(default, random)
    said = result.find("reo_difference", experiment="recall", arm="b").warnings
    assert any("are in ranker = treatment: the experiments are nested" in text for text in said)
    assert not [f for f in result.findings if f.measure == "arm_overlap"]


def test_users_in_several_arms_are_refused_with_an_example(logs):
    default, random = logs
    first = default.index[default["user_id"].isin([7, 9])]
    moved = [default.index[default["user_id"] == user][0] for user in (7, 9)]
    default.loc[first, "ranker"] = "control"
    default.loc[moved, "ranker"] = "treatment"
    message = refused(default, random)
    assert message.startswith(
        f"default log: 2 of {USERS} user_id are in several arms of ranker, for example user_id=7 in "
        "'control' and 'treatment'. In an A/B test a user stays in one arm"
    )
    kept = experiments(default, random, switching="keep").find("reo_difference", experiment="ranker")
    assert f"2 of {USERS} user_id are in several arms of ranker: its arms share users" in kept.warnings[-1]


def test_where_requests_were_assigned_overlap_is_that_of_rows(logs):
    """Most users are in several arms, and the few who are not say nothing about the others."""
    default, random = logs
    rng = np.random.default_rng(5)
    arms = {name: rng.choice(["a", "b"], len(default), p=[0.9, 0.1]) for name in ("ranker", "recall")}
    found = experiments(default.assign(**arms), random, switching="keep")
    overlap = found.find("arm_overlap")
    assert overlap.details["unit"] == "rows"
    assert overlap.n.count == len(default)
    assert overlap.p_value is None
    assert overlap.estimate < 0.05
    assert not [each for each in found.findings if each.measure == "sample_ratio"]


def test_overlap_has_no_p_value_where_anybody_is_in_several_arms(logs):
    """Of 100,000 users with 5% who came twice, the chi-square test of those in one arm of each, 90 to 10, had
    p <= .05 in 15% of 400 logs in which requests were assigned independently."""
    default, random = logs
    whole = experiments(default, random, switching="keep").find("arm_overlap")
    moved = default.copy()
    moved.loc[0, "ranker"] = {"control": "treatment", "treatment": "control"}[default["ranker"][0]]
    found = experiments(moved, random, switching="keep").find("arm_overlap")
    assert whole.p_value is not None
    assert found.p_value is None
    assert found.details["unit"] == "user_id"
    assert whole.n.count - found.n.count == 1


def test_of_many_users_a_sixteenth_is_looked_at(logs, monkeypatch):
    monkeypatch.setattr("evenhand.opportunity.ab_tests.arm_counting.ENOUGH_USERS", 5)
    default, random = logs
    found = experiments(default, random)
    overlap, ratio = found.find("arm_overlap"), found.find("sample_ratio", experiment="ranker")
    assert "a sixteenth of them were looked at" in ratio.assumptions[-1]
    assert 5 <= overlap.n.count < USERS / 8
    halves = default.assign(ranker=np.where(default.index % 2, "control", "treatment"))
    message = refused(halves, random)
    assert (
        f"{overlap.n.count} of {overlap.n.count} user_id that were looked at (a sixteenth of all) are in "
        "several" in message
    )


# Other bad input


@pytest.mark.parametrize(
    ("columns", "changes", "says"),
    [
        (["rankr"], {}, "default log: there is no column 'rankr'. Did you mean 'ranker'?"),
        ("ranker", {}, "columns is 'ranker', but must be columns, or a table of columns"),
        ([], {}, "columns is [], but must be columns, or a table of columns"),
        (["ranker", "ranker"], {}, "columns names an experiment twice: ranker, ranker."),
        (
            {"ranker": "contrl"},
            {},
            "experiment 'ranker' has no row of arm 'contrl'. Did you mean 'control'? It has:",
        ),
        ({"recall": ["a", "z"]}, {}, "experiment 'recall' has no row of arm 'z'. It has: a, b, c."),
        ({"recall": ["a", "a"]}, {}, "experiment 'recall': an arm is named twice in a, a."),
        (["creator_age"], {}, "'creator_age' is both the group and an experiment"),
        (["user_id"], {}, "'user_id' is both the cluster and an experiment"),
        (["user_id"], {"cluster": None}, "column 'user_id' has more than 50 values: it looks like an id"),
        (["ranker"], {"switching": "drop"}, "switching is 'drop', but must be one of refuse, keep"),
        (["ranker"], {"interval": "ray"}, "interval is 'ray', but must be one of"),
    ],
)
def test_what_cannot_be_compared_is_refused(logs, columns, changes, says):
    assert says in refused(*logs, columns, **changes)


def test_one_value_only(logs):
    default, random = logs
    message = refused(default.assign(ranker="control"), random)
    assert message == (
        "default log: experiment 'ranker' has only one value, 'control', but a comparison needs at least two "
        "arms."
    )


def test_a_column_without_any_value(logs):
    default, random = logs
    default["ranker"] = pd.Series([None] * len(default), dtype="string")
    assert "experiment 'ranker' is empty in all rows, but" in refused(default, random)
    assert "It is empty in all rows." in refused(default, random, {"ranker": "control"})


def test_problems_of_the_log_are_told_as_ever(logs):
    default, random = logs
    message = refused(default.assign(liked=default["liked"] * 2), random)
    assert message.startswith("default log: column 'liked' has values other than 0 and 1 in ")
    assert refused(default[:0], random) == "default log: the log is empty, so there is nothing to audit."
    holes = default.assign(user_id=default["user_id"].astype("Int64").mask(default.index < 4))
    assert "column 'user_id' is empty in 4 of 12,000 rows" in refused(holes, random)


# Arms of a comparison that are not disjoint


def test_users_of_several_arms_are_found_in_a_comparison(logs, monkeypatch):
    default, random = logs
    arms = {arm: default[default["ranker"] == arm] for arm in ("control", "treatment")}
    found = eh.opportunity.compare(arms, random, **ASKED, cluster="user_id")
    assert not any("several arms" in said for said in found.find("reo_difference").warnings)
    assert not any("sixteenth" in said for said in found.find("sample_ratio").assumptions)
    halves = {"first": default[::2], "second": default[1::2]}
    found = eh.opportunity.compare(halves, random, **ASKED, cluster="user_id").find("reo_difference")
    (said,) = [text for text in found.warnings if "several arms" in text]
    assert f"Of {USERS} user_id, {USERS} are in the logs of several arms" in said
    monkeypatch.setattr("evenhand.opportunity.ab_tests.overlap.ENOUGH_USERS", 5)
    found = eh.opportunity.compare(arms, random, **ASKED, cluster="user_id").find("sample_ratio")
    assert "a sixteenth of them were looked at" in found.assumptions[-1]
    found = eh.opportunity.compare(halves, random, **ASKED, cluster="user_id").find("reo_difference")
    (said,) = [text for text in found.warnings if "several arms" in text]
    assert "user_id that were looked at (a sixteenth of all)" in said


def test_equal_counts_are_suspicious(logs):
    default, random = logs
    arms = {"control": default, "treatment": default.copy()}
    found = eh.opportunity.compare(arms, random, **ASKED).find("reo_difference")
    assert (
        "The control log and the treatment log have exactly the same counts: they look like the same rows."
        in (found.warnings)
    )


@pytest.mark.parametrize("columns", [None, 5, [["ranker"]], [], "ranker", [3], {3: None}])
def test_columns_that_are_no_names(logs, columns):
    assert "must be columns, or a table of columns and their arms" in refused(*logs, columns)


def test_arms_that_are_no_list(logs):
    said = refused(*logs, {"ranker": {"control": 1}})
    assert said.startswith("experiment 'ranker': its arms are {'control': 1}, but must be the baseline")


def test_users_who_switch_between_arms_that_are_not_asked_for(logs, arms_of_users):
    default, random = logs
    moving = default["recall"].where(default["user_id"] % 4 != 3, np.where(default.index % 2, "c", "d"))
    default = default.assign(recall=moving)
    assert "are in several arms of recall" in refused(default, random, ["recall"])
    found = experiments(default, random, {"recall": ["a", "b"], "ranker": None})
    assert not any("several arms" in text for f in found.findings for text in f.warnings)
    counts = found.find("arm_overlap").details["counts"]
    assert {cell["arm"] for cell in counts} == {"a", "b"}
    asked = {"recall": ["a", "c"]}
    some = default.assign(recall=moving.where(default["user_id"] != 5, np.where(default.index % 2, "a", "c")))
    assert "user_id=5 in 'a' and 'c'" in refused(some, random, asked)


def test_arms_of_very_few_users_are_not_published(logs, tmp_path):
    """A table of counts goes as a whole, and what is computed of it: one missing cell would follow."""
    default, random = logs
    alone = default["recall"].where(default["user_id"] != 7, "d")
    found = experiments(default.assign(recall=alone), random)
    counts = found.find("arm_overlap").details["counts"]
    assert sorted(cell["count"] for cell in counts if cell["other_arm"] == "d") == [0, 1]
    found.save(tmp_path / "few")
    saved = eh.AuditResult.load(tmp_path / "few").find("arm_overlap")
    assert (saved.estimate, saved.p_value, saved.details) == (None, None, {})
    experiments(default, random).save(tmp_path / "enough")
    assert len(eh.AuditResult.load(tmp_path / "enough").find("arm_overlap").details["counts"]) == 6


def test_a_value_that_hardly_occurs_is_no_arm(logs):
    default, random = logs
    stray = default.user_id == default.user_id.iloc[0]
    rare = default.assign(ranker=default.ranker.mask(stray, "oops"))
    result = experiments(rare, random, columns=("ranker",), cluster="user_id")
    (change,) = differences(result).values()
    assert change.subject["arm"] == "treatment"
    assert change.estimate is not None
    (left,) = [each for each in change.excluded if "oops" in each.what]
    assert left.count == stray.sum()
    # Who names it wants it.
    named = experiments(rare, random, columns={"ranker": ["control", "oops"]}, cluster="user_id")
    assert differences(named)["ranker", "oops"].estimate is None
