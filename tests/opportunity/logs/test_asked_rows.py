"""Several groups, bands and `where` in every audit of logs: the same as rows and groups made by hand."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

BANDS = ["under 18", "18 to 24", "25 or more"]
ASKED = {
    "group": ["gender", "age"],
    "cluster": "user_id",
    "bins": {"age": [18, 25]},
    "where": {"country": ["DE", "AT"], "premium": True},
}
BY_HAND = {"group": "gender, age", "cluster": "user_id"}
WHERE = "country = DE or AT, premium = true"
LABEL = {"label": "liked"}


def make_log(seed, rows):
    rng = np.random.default_rng(seed)
    log = pd.DataFrame(
        {
            "user_id": rng.integers(200, size=rows),
            "item_id": rng.integers(50, size=rows),
            "gender": rng.choice(["F", "M"], rows),
            "age": rng.integers(10, 40, size=rows),
            "country": rng.choice(["DE", "AT", "US"], rows),
            "premium": rng.random(rows) < 0.8,
            "day": rng.choice(["2024-04-01", "2024-04-02"], rows),
        }
    )
    rate = 0.3 + 0.2 * (log["gender"] == "M") * (seed == 1) + 0.1 * (log["country"] == "US")
    return log.assign(liked=(rng.random(rows) < rate).astype(int), arm=np.where(log["user_id"] % 2, "a", "b"))


LOGS = {"default": make_log(1, 8_000), "random": make_log(2, 6_000), "recall": make_log(3, 6_000)}


def by_hand(log):
    band = pd.cut(log["age"], [0, 18, 25, 99], right=False, labels=BANDS).astype(str)
    kept = log["country"].isin(["DE", "AT"]) & log["premium"]
    return log.assign(**{"gender, age": log["gender"] + ", " + band})[kept]


def arms(logs):
    log = logs["default"]
    return {arm: log[log["arm"] == arm] for arm in ("a", "b")}


CATALOGUE = pd.DataFrame({"gender": ["F", "M"] * 150, "age": list(range(10, 40)) * 10}).assign(
    country="DE", premium=True
)
AUDITS = {
    "audit": lambda logs, asked: eh.opportunity.audit(logs["default"], logs["random"], **LABEL, **asked),
    "series": lambda logs, asked: eh.opportunity.series(
        logs["default"], logs["random"], day="day", **LABEL, **asked
    ),
    "compare": lambda logs, asked: eh.opportunity.compare(arms(logs), logs["random"], **LABEL, **asked),
    "experiments": lambda logs, asked: eh.opportunity.experiments(
        logs["default"], logs["random"], ["arm"], **LABEL, **asked
    ),
    "stages": lambda logs, asked: eh.opportunity.stages(
        {"random": logs["random"], "recall": logs["recall"], "ranking": logs["default"]}, **LABEL, **asked
    ),
    "boost": lambda logs, asked: eh.opportunity.boost(
        logs["default"], logs["random"], weights={"F, 18 to 24": 1.5}, **LABEL, **asked
    ),
    "parity": lambda logs, asked: eh.opportunity.parity(logs["default"], logs["catalogue"], **asked),
    "user_precision": lambda logs, asked: eh.opportunity.user_precision(logs["default"], **LABEL, **asked),
    "plan_traffic": lambda logs, asked: eh.opportunity.plan_traffic(
        logs["default"], logs["random"], rows_a_day=1e4, random_share=0.5, half_width=0.4, **LABEL, **asked
    ),
}


def numbers(finding):
    interval = finding.interval
    ends = (interval.low, interval.high) if interval else ()
    return [number for number in (finding.estimate, *ends, finding.p_value) if number is not None]


@pytest.mark.parametrize("name", AUDITS)
def test_as_by_hand(name):
    logs = LOGS | {"catalogue": CATALOGUE}
    found = AUDITS[name](logs, ASKED)
    hand = AUDITS[name]({key: by_hand(log) for key, log in logs.items()}, BY_HAND)
    assert len(found.findings) == len(hand.findings)
    for other in hand.findings:
        one = found.find(other.measure, **other.subject)
        assert one.subject == other.subject | {"where": WHERE}
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-6)
        assert (one.n, one.verdict) == (other.n, other.verdict)
        assert one.assumptions[0].startswith(f"Only rows with {WHERE} are looked at")
        (left,) = [each for each in one.excluded if each.why == "left out by choice"]
        assert left.what == f"rows other than those with {WHERE}"
        assert left.count > 1_000
        assert left.people <= 200


def test_groups_are_in_the_order_of_their_values_and_the_data_is_all_of_it():
    found = AUDITS["audit"](LOGS, ASKED)
    groups = [f.subject["group"] for f in found.findings if f.measure == "relative_utility"]
    assert groups == [f"{gender}, {band}" for gender in "FM" for band in BANDS]
    assert {name: each.rows for name, each in found.inputs.items()} == {"default": 8_000, "random": 6_000}
    left = found.find("reo_penalty").excluded[-1].count
    assert left + found.find("reo_penalty").n.count == 14_000


def test_random_traffic_is_said_to_stand_for_what_was_chosen():
    text = "Random traffic with country = DE stands for all that could have been shown there"
    where = {"where": {"country": "DE"}, "group": "gender"}
    found = AUDITS["audit"](LOGS, where).find("reo_penalty")
    assert text in found.assumptions[0]
    assert text not in AUDITS["user_precision"](LOGS, where).find("precision_penalty").assumptions[0]
    assert "country = DE" in str(AUDITS["audit"](LOGS, where))


def test_whether_random_traffic_is_random_is_asked_of_all_of_it():
    """Rows that are chosen by their items would look as if the others were never drawn."""
    where = {"where": {"item_id": list(range(10))}, "group": "gender", "cluster": "user_id"}
    catalogue = pd.DataFrame({"item_id": range(50)})
    asked = LABEL | where | {"item": "item_id", "catalogue": catalogue}
    found = eh.opportunity.audit(LOGS["default"], LOGS["random"], **asked)
    assert found.find("random_items").p_value > 0.05
    assert found.find("random_missing").estimate == 0
    assert "where" not in found.find("random_items").subject


def test_parity_takes_those_items_that_are_asked_for():
    items = CATALOGUE.assign(country=["DE", "US"] * 75 + ["DE"] * 150)
    where = {"group": "gender", "where": {"country": "DE"}}
    found = eh.opportunity.parity(LOGS["default"], items, **where)
    assert found.find("parity_deviation", group="F").details["items"] == 150
    assert found.find("parity_deviation", group="M").details["items"] == 75


def test_without_random_traffic_the_rows_are_said_too():
    found = eh.opportunity.audit(LOGS["default"], None, "liked", "gender", where={"country": "DE"})
    assert found.findings[0].subject == {"by": "gender", "where": "country = DE"}


@pytest.mark.parametrize(
    ("missing", "groups"),
    [("group", ["F, (missing)", "F, young", "M, old", "M, young", "(missing), old"]), ("exclude", None)],
)
def test_missing_values_of_several_columns(missing, groups):
    logs = []
    for name in ("default", "random"):
        log = LOGS[name].assign(band=np.where(LOGS[name]["age"] < 25, "young", "old"))
        log.loc[(log["gender"] == "F") & (log["band"] == "old"), "band"] = None
        log.loc[(log["band"] == "old") & (log["item_id"] < 25), "gender"] = None
        logs.append(log)
    asked = {"label": "liked", "group": ["gender", "band"]}
    found = eh.opportunity.audit(*logs, **asked, missing=missing)
    named = [f.subject["group"] for f in found.findings if f.measure == "relative_utility"]
    assert sorted(named) == sorted(groups or ["F, young", "M, old", "M, young"])
    unknown = sum(int(log[["gender", "band"]].isna().any(axis=1).sum()) for log in logs)
    left = {each.what: each.count for each in found.find("reo_penalty").excluded}
    assert left == ({} if groups else {"rows without gender, band": unknown})
    with pytest.raises(InputError, match=r"column '(gender|band)' is empty in [\d,]+ of 8,000 rows"):
        eh.opportunity.audit(*logs, **asked)
    with pytest.raises(InputError, match=r"column 'band' has a group called '\(missing\)'"):
        eh.opportunity.audit(*(log.fillna({"band": "(missing)"}) for log in logs), **asked, missing="group")


def test_groups_and_rows_from_a_table_of_users():
    users = pd.DataFrame({"user_id": range(200), "sex": ["f", "m"] * 100, "city": ["x", "x", "y", "z"] * 50})
    asked = {"label": "liked", "attributes": users, "on": "user_id"}
    found = eh.opportunity.audit(
        LOGS["default"], LOGS["random"], group=["sex", "gender"], where={"city": ["x", "y"]}, **asked
    )
    joined = [LOGS[name].merge(users, on="user_id").query("city != 'z'") for name in ("default", "random")]
    hand = eh.opportunity.audit(*joined, "liked", ["sex", "gender"])
    assert [numbers(f) for f in found.findings] == [numbers(f) for f in hand.findings]
    with pytest.raises(InputError, match="100 distinct user_id not found in attributes"):
        eh.opportunity.audit(
            LOGS["default"],
            LOGS["random"],
            "liked",
            "sex",
            where={"city": "x"},
            attributes=users[:100],
            on="user_id",
        )


def test_two_combinations_never_have_one_name():
    logs = [
        LOGS[name].assign(
            x=np.where(LOGS[name]["gender"] == "F", "a, b", "a"),
            y=lambda log: log["x"].map({"a, b": "c", "a": "b, c"}),
        )
        for name in ("default", "random")
    ]
    found = eh.opportunity.audit(*logs, "liked", ["x", "y"])
    names = [f.subject["group"] for f in found.findings if f.measure == "relative_utility"]
    assert names == ['a, "b, c"', '"a, b", c']


def test_bands_have_one_name_where_one_log_has_floats():
    """pandas makes floats of whole numbers beside an empty value."""
    random = LOGS["random"].assign(age=LOGS["random"]["age"].where(LOGS["random"].index > 3))
    asked = {"label": "liked", "group": "age", "bins": {"age": [18, 25]}, "missing": "exclude"}
    found = eh.opportunity.audit(LOGS["default"], random, **asked)
    assert [f.subject["group"] for f in found.findings if f.measure == "relative_utility"] == BANDS
    halves = eh.opportunity.audit(LOGS["default"], random.assign(age=random["age"] + 0.5), **asked)
    assert halves.find("relative_utility", group="18 to under 25").n.count > 0


def test_bands_that_do_not_occur_are_no_groups():
    asked = {"label": "liked", "group": "age", "bins": {"age": [5, 25, 90]}}
    found = eh.opportunity.audit(LOGS["default"], LOGS["random"], **asked)
    assert [f.subject["group"] for f in found.findings if f.measure == "relative_utility"] == [
        "5 to 24", "25 to 89",
    ]  # fmt: skip


def test_few_people_of_the_selection_are_not_published():
    logs = [
        LOGS[name].assign(
            city=np.where(LOGS[name]["user_id"] < 60, "x", "y"),
            sex=lambda log: np.where(log["user_id"] < 13, "f", "m"),
        )
        for name in ("default", "random")
    ]
    asked = {"label": "liked", "group": "sex", "cluster": "user_id"}
    found = eh.opportunity.audit(*logs, **asked, where={"city": "x"}).published(min_cell=20)
    assert found.find("relative_utility", group="f").estimate is None
    assert found.find("reo_penalty").estimate is None
    # The few who are left out are not counted, nor follow from totals.
    others = [log[(log["city"] == "x") | (log["user_id"] < 64)] for log in logs]
    hidden = eh.opportunity.audit(*others, **asked, where={"city": "x"}).published(min_cell=5)
    (left,) = hidden.find("reo_penalty").excluded
    assert (left.count, left.people) == (None, None)
    assert [each.rows for each in hidden.inputs.values()] == [None, None]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"group": []}, "group is [], but must be the name of a column, or several names"),
        ({"group": ["gender", "gender"]}, "group names a column twice"),
        ({"group": ["gender", "liked"]}, "'liked' is both the label and the group"),
        ({"group": ["gender", "user_id"]}, "'user_id' is both the cluster and the group"),
        ({"group": ["gender", "nothing"]}, "default log: there is no column 'nothing'"),
        (
            {"cluster": None, "group": ["user_id", "item_id"]},
            "user_id, item_id make more than 1,000 combinations",
        ),
        ({"bins": {"country": [1]}}, "bins has edges for 'country', which is no group here"),
        (
            {"bins": {"gender": [1]}},
            "default log: column 'gender' is of type string, but bins are for numbers",
        ),
        ({"bins": {"age": [25, 18]}, "group": "age"}, "bins of 'age' are [25, 18], but must be edges"),
        ({"where": {"liked": 1}}, "where chooses rows by 'liked', which is the label"),
        ({"where": {"country": "DEU"}}, "where: no row has country = DEU. Did you mean 'DE'?"),
        ({"where": {"age": "old"}}, "where of 'age' is 'old', but the column holds numbers"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_refused(changes, said):
    with pytest.raises(InputError) as error:
        AUDITS["audit"](LOGS, {"group": "gender", "cluster": "user_id"} | changes)
    assert said in str(error.value)


def test_a_plan_of_counts_or_rates_has_no_rows_to_choose():
    asked = {"rows_a_day": 1e4, "random_share": 0.05, "half_width": 0.2}
    rates = {"rates": {"a": 0.1, "b": 0.1}, "utilities": {"a": 1.0, "b": 2.0}}
    counts = [eh.opportunity.LogCounts.from_totals(["a", "b"], [500, 600], 9_000) for _ in range(2)]
    with pytest.raises(InputError, match="bins and where are about the logs of a pilot"):
        eh.opportunity.plan_traffic(**asked, **rates, where={"country": "DE"})
    with pytest.raises(InputError, match="bins and where are for logs, and these are counts already"):
        eh.opportunity.plan_traffic(*counts, **asked, where={"country": "DE"})


def test_where_only_some_numbers_are_about_chosen_rows_that_is_said_of_these():
    whole = AUDITS["audit"](LOGS, {"group": "gender"})
    part = AUDITS["user_precision"](LOGS, {"where": {"country": "DE"}, "group": "gender"})
    both = dataclasses.replace(whole, findings=(*whole.findings, *part.findings))
    said = " ".join(str(both).split())
    assert "Some of the numbers are about rows with country = DE alone." in said
    assert "Only rows with" not in said
