"""Logs that cannot be used, or only in part: refused with a reason, or a result that says what it cannot say.

The tests marked as expected failures are faults that are known and not yet mended.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError

GROUPS = ("a", "b", "c")


def make(rows: int, rates: tuple[float, ...], seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    item = rng.integers(0, 30, rows)
    k = item % len(rates)
    return pd.DataFrame(
        {
            "user_id": rng.integers(0, 60, rows),
            "item_id": item,
            "group": np.array(GROUPS)[k],
            "liked": (rng.random(rows) < np.array(rates)[k]).astype(int),
        }
    )


@pytest.fixture
def default() -> pd.DataFrame:
    return make(3000, (0.4, 0.3, 0.2), 1)


@pytest.fixture
def random() -> pd.DataFrame:
    return make(2000, (0.3, 0.3, 0.3), 2)


def audit(default, random, **changes) -> eh.AuditResult:
    return eh.opportunity.audit(default, random, **({"label": "liked", "group": "group"} | changes))


def refused(default, random, **changes) -> str:
    with pytest.raises(InputError) as error:
        audit(default, random, **changes)
    assert "\n" not in str(error.value)
    return str(error.value)


def without_likes(log: pd.DataFrame, *groups: str) -> pd.DataFrame:
    return log.assign(liked=log["liked"].mask(log["group"].isin(groups), 0))


# Parameters


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"level": 1}, "level is 1, but must be a finite number from 0.5 to 0.9999."),
        ({"level": 0.4}, "level is 0.4, but must be"),
        ({"level": float("nan")}, "level is nan, but must be"),
        ({"tolerance": 0}, "tolerance is 0, but must be a number above 0 and below 1."),
        ({"tolerance": 1}, "tolerance is 1, but must be a number above 0 and below 1"),
        (
            {"interval": "hul"},
            "interval is 'hul', but must be one of hull, delta, ray, percentile, normal, bca (did",
        ),
        ({"missing": "keep"}, "missing is 'keep', but must be one of refuse, group, exclude."),
        ({"label": []}, "label is empty: name the column, or the columns, that say what users liked."),
        ({"on": "item_id"}, "attributes and on belong together"),
        ({"label": "like"}, "default log: there is no column 'like'. Did you mean 'liked'? It has: user_id"),
        ({"group": "grp"}, "default log: there is no column 'grp'. Did you mean 'group'?"),
        ({"cluster": "user"}, "default log: there is no column 'user'. Did you mean 'user_id'?"),
    ],
)
def test_parameters_are_refused_with_what_is_allowed(default, random, changes, says):
    assert says in refused(default, random, **changes)


def test_a_misspelt_variance_is_refused(default, random):
    assert "variance is 'multi', but must be" in refused(default, random, variance="multi")


@pytest.mark.parametrize(
    ("arms", "says"),
    [
        (["a"], "arms has 1 entries, but a comparison needs at least two logs."),
        (["a", "random"], "an arm is called 'random'"),
    ],
)
def test_arms_that_cannot_be_compared(default, random, arms, says):
    with pytest.raises(InputError) as error:
        eh.opportunity.compare(dict.fromkeys(arms, default), random, label="liked", group="group")
    assert says in str(error.value)


# Values


def test_empty_labels_are_not_negative_ones(default, random):
    holes = random.assign(liked=random["liked"].astype("Int64").mask(random.index < 3))
    message = refused(default, holes)
    assert message.startswith("random log: column 'liked' is empty in 3 of 2,000 rows, for example ")
    assert "A missing label is not a negative one" in message


def test_labels_0_1_2(default, random):
    message = refused(default.assign(liked=default["liked"] + 1), random)
    assert message.startswith("default log: column 'liked' has values other than 0 and 1 in ")
    assert "for example liked=2" in message
    assert message.endswith("Say from which value on a row counts as positive, and store that as 0/1.")


def test_labels_in_words(default, random):
    words = default.assign(liked=default["liked"].map({0: "no", 1: "yes"}))
    message = refused(words, random)
    assert "default log: column 'liked' is of type string, but must hold 0/1 or true/false" in message


@pytest.mark.parametrize("which", ["default", "random"])
def test_empty_logs(default, random, which):
    logs = {"default": default, "random": random}
    logs[which] = logs[which][:0]
    assert refused(**logs) == f"{which} log: the log is empty, so there is nothing to audit."


def test_empty_csv(default, random, tmp_path):
    default[:0].to_csv(tmp_path / "default.csv", index=False)
    assert "default log: the log is empty" in refused(tmp_path / "default.csv", random)


def test_one_group_only(default, random):
    message = refused(default.assign(group="a"), random.assign(group="a"))
    assert "column 'group' has only one value, 'a'" in message
    assert message.endswith("there must be at least two.")


# Groups that are not known


def test_empty_groups_are_refused_unless_a_choice_is_made(default, random):
    holes = default.assign(group=default["group"].mask(default.index < 40))
    message = refused(holes, random)
    assert message.startswith(
        "default log: column 'group' is empty in 40 of 3,000 rows, for example group=nothing"
    )


def test_the_refusal_of_empty_groups_names_the_choices(default, random):
    message = refused(default.assign(group=default["group"].mask(default.index < 40)), random)
    assert "choose for missing: 'group' makes these rows a group, 'exclude' leaves them out" in message


def test_empty_groups_as_a_group_of_their_own(default, random):
    holes = [log.assign(group=log["group"].mask(log.index < 200)) for log in (default, random)]
    result = audit(*holes, missing="group")
    assert result.find("relative_utility", group="(missing)").details["rows_default"] == 200
    assert result.find("reo_penalty").n.count == 5000
    assert result.find("reo_penalty").excluded == ()
    (said,) = (one for one in result.find("reo_penalty").assumptions if one.startswith("Rows without group"))
    assert "are a group of their own, which counts in the average" in said
    whole = audit(default, random).find("reo_penalty").assumptions
    assert not any("about rows that have one" in text for text in whole)


def test_empty_groups_excluded_and_counted(default, random):
    holes = [log.assign(group=log["group"].mask(log.index < 200)) for log in (default, random)]
    result = audit(*holes, missing="exclude")
    for finding in result.findings:
        (left_out,) = finding.excluded
        assert (left_out.what, left_out.count, left_out.why) == (
            "rows without group",
            400,
            "excluded as asked",
        )
        assert not left_out.unidentified
        assert any(one.startswith("Rows without group are no part") for one in finding.assumptions)
    # Leaving rows out is what it says: the rest is audited as if they had not been there.
    rest = audit(default[200:], random[200:])
    assert [f.estimate for f in result.findings] == [f.estimate for f in rest.findings]
    assert [f.interval for f in result.findings] == [f.interval for f in rest.findings]


def test_no_group_at_all(default, random):
    nothing = [
        log.assign(group=pd.Series(pd.NA, index=log.index, dtype="string")) for log in (default, random)
    ]
    assert "group" in refused(*nothing, missing="exclude")


def test_logs_that_name_the_groups_differently(default, random):
    numbers = default.assign(group=default["group"].map({"a": 1, "b": 2, "c": 3}))
    message = refused(numbers, random)
    assert "group" in message
    assert "default log" in message


# The attributes table


@pytest.fixture
def items() -> pd.DataFrame:
    return pd.DataFrame({"item_id": range(30), "age": ["old", "young", "young"] * 10})


def test_keys_that_are_twice_in_the_attributes(default, random, items):
    twice = pd.concat([items, items[4:6]])
    message = refused(default, random, group="age", attributes=twice, on="item_id")
    assert message == (
        "attributes: 2 keys of item_id appear more than once, for example item_id=4 in 2 rows. "
        "Keep one row for each key."
    )


def test_ids_that_the_attributes_lack(default, random, items):
    message = refused(default, random, group="age", attributes=items[:-1], on="item_id")
    rows = (default["item_id"] == 29).sum()
    assert message == (
        "default log: 1 distinct item_id not found in attributes, in "
        f"{rows} of 3,000 rows, for example item_id=29. Add them to attributes, drop their rows before the "
        "audit, or choose for missing: 'group' makes these rows a group, 'exclude' leaves them out."
    )


def of_items(default, random, items, **asked):
    return audit(default, random, group="age", attributes=items, on="item_id", cluster="user_id", **asked)


def test_ids_that_the_attributes_lack_are_missing_values_where_somebody_said_what_to_do(
    default, random, items
):
    """As if the table had them, with an empty value."""
    items["age"] = items["age"].mask(items["item_id"] == 3)
    empty = items.assign(age=items["age"].mask(items["item_id"] >= 26))
    for missing in ("group", "exclude"):
        lacking = of_items(default, random, items[:26], missing=missing)
        whole = of_items(default, random, empty, missing=missing)
        assert [(f.id, f.estimate, f.interval) for f in lacking.findings] == [
            (f.id, f.estimate, f.interval) for f in whole.findings
        ]
        assert (lacking.find("reo_penalty").excluded == ()) is (missing == "group")
    rows = {
        at: sum(int(one(log["item_id"]).sum()) for log in (default, random))
        for at, one in {"empty": lambda ids: ids == 3, "lacking": lambda ids: ids >= 26}.items()
    }
    found, unseen = lacking.find("reo_penalty").excluded
    assert (found.what, found.count, found.why) == ("rows without age", rows["empty"], "excluded as asked")
    assert unseen.what == "rows without age, whose key the table of attributes lacks"
    assert (unseen.count, unseen.why) == (rows["lacking"], "excluded as asked")
    assert 0 < unseen.people <= 60
    assert whole.find("reo_penalty").excluded[0].count == sum(rows.values())


def test_rows_without_an_id_are_of_no_known_group_either(default, random, items):
    holes = [
        log.assign(item_id=log["item_id"].astype("Int64").mask(log.index < 50)) for log in (default, random)
    ]
    found = of_items(*holes, items, missing="exclude")
    (unseen,) = found.find("reo_penalty").excluded
    assert unseen.count == 100
    assert "column 'item_id' is empty in 50 of 3,000 rows" in refused(
        *holes, group="age", attributes=items, on="item_id"
    )


@pytest.mark.parametrize("missing", ["group", "exclude"])
@pytest.mark.parametrize("where", [None, {"liked_by": 1}])
def test_another_table_is_no_matter_of_missing_values(default, random, items, missing, where):
    items = items.assign(liked_by=1)
    logs = default, random
    of_items(*(log[log["item_id"] < 26] for log in logs), items[:14], missing=missing, where=where)
    message = refused(*logs, group="age", attributes=items[:14], on="item_id", missing=missing, where=where)
    assert "default log: 16 distinct item_id not found in attributes, in 1," in message
    assert message.endswith("name the table that has them, or the key that both have.")


def test_rows_that_the_table_lacks_have_none_of_the_values_that_where_asks_for(default, random, items):
    items = items.assign(country=["DE", "AT", "DE"] * 10)
    asked = {"where": {"country": "DE"}, "missing": "exclude"}
    lacking = of_items(default, random, items[:26], **asked)
    known = [log[log["item_id"] < 26] for log in (default, random)]
    whole = of_items(*known, items, **asked)
    assert [f.estimate for f in lacking.findings] == [f.estimate for f in whole.findings]
    others = of_items(default, random, items[:26], where={"country": {"not": "AT"}}, missing="exclude")
    assert others.find("reo_penalty").excluded[0].what.endswith("whose key the table of attributes lacks")


def test_the_other_audits_of_logs_leave_them_out_too(default, random, items):
    days = [log.assign(day=log.index % 3, arm=log["user_id"] % 2) for log in (default, random)]
    asked = {
        "label": "liked", "group": "age", "attributes": items[:28], "on": "item_id", "cluster": "user_id",
        "missing": "exclude",
    }  # fmt: skip
    series = eh.opportunity.series(*days, day="day", **asked)
    tests = eh.opportunity.experiments(days[0], random, columns=["arm"], **asked)
    alone = eh.opportunity.user_precision(default, **asked)
    for result in (series, tests, alone):
        said = {one.what for finding in result.findings for one in finding.excluded}
        assert "rows without age, whose key the table of attributes lacks" in said


def test_keys_of_another_type(default, random, items):
    message = refused(
        default,
        random,
        group="age",
        attributes=items.assign(item_id=items["item_id"].astype(str)),
        on="item_id",
    )
    assert "column 'item_id' is of type int64 in default log, but string in attributes" in message
    assert "convert one of them" in message


def test_an_attribute_that_is_empty_for_an_item_is_a_missing_group(default, random, items):
    holes = items.assign(age=items["age"].mask(items.index == 7))
    result = audit(default, random, group="age", attributes=holes, on="item_id", missing="exclude")
    (left_out,) = result.find("reo_penalty").excluded
    assert left_out.count == (default["item_id"] == 7).sum() + (random["item_id"] == 7).sum()


# Groups without a positive


def test_a_group_that_is_never_liked_in_the_default_log_is_kept_at_zero(default, random):
    result = audit(without_likes(default, "c"), random)
    worst = result.find("relative_utility", group="c")
    assert worst.estimate == -1
    assert worst.interval.low == -1
    assert worst.verdict is eh.Verdict.VIOLATION
    assert result.find("worst_ratio").estimate == 0
    assert result.find("reo_penalty").verdict is eh.Verdict.VIOLATION
    assert result.find("equality").details["test"] == "score"
    assert any("No positive row of group = c in the default log" in said for said in worst.warnings)
    assert all(finding.excluded == () for finding in result.findings)


@pytest.mark.parametrize("repeats", [1, 10])
def test_the_upper_limit_of_an_unserved_group_is_exact(default, random, repeats):
    log = pd.concat([without_likes(default, "c")] * repeats)
    high = audit(log, random).find("relative_utility", group="c").interval.high
    # Clopper-Pearson for 0 of n at half of the error, which three groups share; other rates as seen.
    rate = {g: ((log["group"] == g) & (log["liked"] == 1)).mean() for g in "ab"}
    rate["c"] = 1 - (0.025 / 3) ** (1 / len(log))
    base = {g: ((random["group"] == g) & (random["liked"] == 1)).mean() for g in GROUPS}
    utility = {g: rate[g] / base[g] for g in GROUPS}
    limit = 3 * utility["c"] / sum(utility.values()) - 1
    assert limit < high < limit + 0.5 * (limit + 1)


def test_a_group_that_is_never_liked_at_random_is_named_and_never_passes(default, random):
    equal = make(30_000, (0.3, 0.3, 0.3), 3)
    result = audit(equal, without_likes(equal, "c"), tolerance=0.5)
    rows = (equal["group"] == "c").sum()
    assert {f.subject.get("group") for f in result.findings} == {None, "a", "b"}
    for finding in result.findings:
        (left_out,) = finding.excluded
        assert (left_out.what, left_out.count, left_out.unidentified) == ("group = c", rows, True)
        assert "no positive row in the random log" in left_out.why
        assert finding.verdict in (eh.Verdict.INCONCLUSIVE, None)
        assert any("says too little about it: group = c" in said for said in finding.warnings)
    # The same without the third group would be within its tolerance.
    two = equal[equal["group"] != "c"]
    assert audit(two, two.copy(), tolerance=0.5).find("reo_penalty").verdict is eh.Verdict.WITHIN_TOLERANCE


def test_a_violation_among_the_identified_groups_stays_one(default, random):
    result = audit(make(3000, (0.8, 0.1, 0.3), 4), without_likes(random, "c"))
    assert result.find("reo_penalty").verdict is eh.Verdict.VIOLATION


@pytest.mark.parametrize(("unliked", "left"), [("ab", 1), ("abc", 0)])
def test_fewer_than_two_groups_liked_at_random(default, random, unliked, left):
    result = audit(default, without_likes(random, *unliked))
    assert [f.measure for f in result.findings] == ["reo_penalty"]
    for finding in result.findings:
        assert finding.estimate is None
        assert finding.verdict is eh.Verdict.NOT_APPLICABLE
        assert {e.what for e in finding.excluded} == {f"group = {g}" for g in unliked}
        only = f"Cannot be computed: only {left} of the groups of group can be told"
        never = "Cannot be computed: no row of the random log has a positive label"
        assert (only if left else never) in finding.warnings[0]
        assert any("Collect more random traffic." in one for one in finding.warnings)


def test_a_comparison_with_fewer_than_two_groups_liked_at_random(default, random):
    arms = {"one": default, "two": default.copy()}
    result = eh.opportunity.compare(arms, without_likes(random, "a", "b"), label="liked", group="group")
    (finding,) = result.findings
    assert (finding.measure, finding.verdict) == ("reo_difference", eh.Verdict.NOT_APPLICABLE)
    assert "Cannot be computed: only 1" in finding.warnings[0]


def test_a_default_log_without_any_positive(default, random):
    result = audit(without_likes(default, *GROUPS), random)
    assert result.find("reo_penalty").verdict is eh.Verdict.NOT_APPLICABLE


# Traffic and definitions


def test_without_random_traffic_the_reason_is_given(default):
    result = audit(default, None)
    assert [f.measure for f in result.findings] == ["reo_penalty"]
    for finding in result.findings:
        assert finding.verdict is eh.Verdict.NOT_APPLICABLE
        assert "Cannot be identified without random traffic" in finding.warnings[0]


def test_a_log_compared_with_itself(default, random):
    assert "default log and random log are the same data" in refused(default, default)
    with pytest.raises(eh.InputError, match="a log and b log are the same data"):
        eh.opportunity.compare({"a": default, "b": default}, random, label="liked", group="group")


def test_label_definitions_that_differ(default, random):
    liked = eh.table(default, label_definition="liked within a day")
    ever = eh.table(random, label_definition="liked ever")
    message = refused(liked, ever)
    assert "default log and random log define the label differently" in message
    assert "('liked within a day' and 'liked ever')" in message


# What looks right and is not


def test_columns_that_differ_only_in_case(default, random):
    with pytest.raises(eh.InputError, match="'liked' and 'Liked' differ only in case"):
        audit(default.assign(Liked=1), random)
    items = pd.DataFrame({"item_id": default["item_id"].unique(), "Group": "x"})
    with pytest.raises(eh.InputError, match="there is a column 'Group' already"):
        eh.opportunity.audit(default, random, label="liked", group="Group", attributes=items, on="item_id")


def test_clusters_too_few_to_know_an_error_decide_nothing(default, random):
    one = [log.assign(user_id=7) for log in (default, random)]
    few = [default, random.assign(user_id=random.index % 4)]
    for logs in (one, few):
        (finding,) = audit(*logs, cluster="user_id").findings
        assert finding.verdict is eh.Verdict.NOT_APPLICABLE
        assert "come from fewer than 10 user_id" in finding.warnings[0]


def test_a_few_users_who_do_most_are_warned_about(default, random):
    skewed = [log.assign(user_id=log.index % 12) for log in (default, random)]
    result = audit(*skewed, cluster="user_id")
    said = [text for text in result.find("reo_penalty").warnings if "as good as 12 equal ones" in text]
    assert said
    assert all(text.endswith("known only roughly, and intervals are wider for it.") for text in said)
    assert "the test alarms at 5% in up to 8%" in result.find("equality").warnings[0]


def test_no_equality_test_where_none_keeps_its_level(default, random):
    users = [log.assign(user_id=log.index % 300) for log in (without_likes(default, "c"), random)]
    finding = audit(*users, cluster="user_id").find("equality")
    assert finding.estimate is None
    assert "No test keeps its level here" in finding.warnings[0]


def test_an_id_is_not_a_group(default, random):
    ids = [log.assign(group=np.arange(len(log))) for log in (default, random)]
    assert "has more than 1,000 values: it looks like an id" in refused(*ids)


def test_groups_that_are_not_numbers(default, random):
    numbers = [
        log.assign(group=log["group"].map({"a": 1.0, "b": 2.0, "c": 3.0})) for log in (default, random)
    ]
    holed = numbers[0].assign(group=np.where(default.index < 5, np.nan, numbers[0]["group"]))
    holes = pl.DataFrame({name: holed[name].to_numpy() for name in holed})  # NaN, where pandas means null
    assert "column 'group' is empty in 5 of" in refused(holes, numbers[1])


def test_types_of_groups_that_differ(default, random):
    numbers = default.assign(group=default["group"].map({"a": 1, "b": 2, "c": 3}))
    message = refused(numbers, random.assign(group=random["group"].map({"a": "1", "b": "2", "c": "3"})))
    assert "column 'group' is of type int64 in default log, but string in random log" in message
    codes = random["group"].map({"a": 1, "b": 2, "c": 3})
    # pandas makes floats of whole numbers beside an empty value.
    whole, halves = (audit(numbers, random.assign(group=codes.astype(kind))) for kind in (int, float))
    assert whole.findings == halves.findings


def test_groups_that_are_equal_have_one_name(default, random):
    signs = [log.assign(group=log["group"].map({"a": 0.0, "b": -0.0, "c": 1.0})) for log in (default, random)]
    zeros = [log.assign(group=log["group"].map({"a": 0, "b": 0, "c": 1})) for log in (default, random)]
    assert audit(*signs).findings == audit(*zeros).findings
    amounts = default.assign(group=np.linspace(0, 1, len(default)))
    assert "column 'group' holds fractions, which make no groups" in refused(amounts, random)


def test_a_group_that_is_called_missing_is_not_joined_with_what_is_missing(default, random):
    called = default.assign(group=default["group"].replace({"a": "(missing)"}))
    holed = default.assign(group=default["group"].where(default.index % 7 > 0))
    assert "a group called '(missing)'" in refused(called, holed, missing="group")
    assert "a group called '(missing)'" in refused(holed, called, missing="group")


def test_the_same_file_twice_and_folders_that_look_like_columns(default, random, tmp_path):
    folder = tmp_path / "liked=1"
    folder.mkdir()
    default.to_parquet(folder / "d.parquet", index=False)
    message = refused([folder / "d.parquet", folder / "d.parquet"], random)
    assert "1 of 2 files are named twice" in message
    found = audit(folder / "d.parquet", random).find("reo_penalty")
    assert found.estimate == audit(default, random).find("reo_penalty").estimate


def test_a_glob_reads_folders_of_parts_too(default, random, tmp_path):
    (tmp_path / "day1.parquet").mkdir()
    default[:1000].to_parquet(tmp_path / "day1.parquet" / "part-0.parquet", index=False)
    default[1000:].to_parquet(tmp_path / "day2.parquet", index=False)
    found = audit(str(tmp_path / "*.parquet"), random).find("reo_penalty")
    assert found.estimate == audit(default, random).find("reo_penalty").estimate


@pytest.mark.parametrize("method", ["percentile", "normal", "bca"])
def test_a_bootstrap_of_very_few_positives_still_has_limits(default, random, method):
    few = default.assign(liked=((default["liked"] == 1) & (default.index < 60)).astype(int))
    interval = audit(few, random, interval=method).find("reo_penalty").interval
    assert 0 <= interval.low <= interval.high


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"replicates": 0}, "replicates is 0"),
        ({"replicates": 2.5}, "replicates is 2.5"),
        ({"level": "0.95"}, "level is '0.95'"),
        ({"tolerance": "0.1"}, "tolerance is '0.1'"),
        ({"cluster": ""}, "cluster is ''"),
        ({"cluster": "liked"}, "both the label and the cluster"),
        ({"label": None}, "label is None, but must be the name of a column"),
    ],
)
def test_parameters_of_the_wrong_kind(default, random, wrong, says):
    assert says in refused(default, random, **wrong)


def test_differences_with_an_unserved_group_have_limits(default, random):
    arms = {"one": without_likes(default, "c"), "two": without_likes(default.copy(), "c")}
    result = eh.opportunity.compare(arms, random, label="liked", group="group")
    finding = result.find("relative_utility_difference", group="c")
    assert finding.estimate == 0
    assert finding.interval.low < 0 < finding.interval.high
    assert finding.p_value is None


def test_arms_and_labels_of_the_wrong_kind(default, random):
    asked = {"random": random, "label": "liked", "group": "group"}
    halves = default[::2], default[1::2]
    for arms, changes, says in (
        (list(halves), {}, "arms is a list, but must be logs by name: {name: log}."),
        ({1: halves[0], "1": halves[1]}, {}, "arms has two logs of the same name: 1, 1."),
        ({"a": halves[0], "b": halves[1]}, {"label": 3}, "label is 3, but must be the name of a column"),
        ({"a": halves[0], "b": halves[1]}, {"label": [3]}, "label is [3], but must be the name of a column"),
    ):
        with pytest.raises(InputError) as error:
            eh.opportunity.compare(arms, **asked | changes)
        assert says in str(error.value)


@pytest.mark.parametrize("interval", ["normal", "percentile", "bca", "delta", "welch"])
def test_intervals_that_would_take_an_unserved_group_as_certain(default, random, interval):
    arms = {"old": default[::2], "new": without_likes(default[1::2], "c")}
    with pytest.raises(InputError, match="the new log has no positive row of group = c, and interval"):
        eh.opportunity.compare(arms, random, label="liked", group="group", interval=interval)
    if interval in ("normal", "percentile", "bca"):
        said = refused(arms["new"], random, interval=interval)
        assert "the default log has no positive row of group = c" in said
