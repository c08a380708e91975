"""Exposure of lists that were really shown: against plain loops, and as an estimate of the policy behind."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.exposure.problem.lists import Lists, observed
from evenhand.exposure.problem.sides import ItemGroups
from exposure.plain import plain_measures, plain_target

USERS, ITEMS, LENGTH = 30, 9, 4
GROUPS = [["a"], ["b"], ["a", "b"]] * 3
MEMBERS = [[i for i in range(ITEMS) if name in GROUPS[i]] for name in "ab"]
WEIGHTS = 0.8 ** np.arange(ITEMS)
SAYING = ("pair_exposure", "II", "IG", "GI", "GG", "AI", "AG")


@pytest.fixture(scope="module")
def shown():
    """Between one and four lists a user, in random order of the rows."""
    rng = np.random.default_rng(4)
    rows = [
        {"user_id": f"u{u:02d}", "list_id": f"day {day}", "item_id": int(item), "rank": place + 1}
        for u in range(USERS)
        for day in range(1 + u % 4)
        for place, item in enumerate(rng.choice(ITEMS, LENGTH, replace=False))
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1).reset_index(drop=True)


@pytest.fixture(scope="module")
def others():
    rng = np.random.default_rng(5)
    relevant = rng.random((USERS, ITEMS)) < 0.3
    relevant[:, 3] = True
    user, item = np.nonzero(relevant)
    return {
        "relevance": pd.DataFrame({"user_id": [f"u{u:02d}" for u in user], "item_id": item}),
        "user_groups": pd.DataFrame(
            {"user_id": [f"u{u:02d}" for u in range(USERS)], "gender": ["F", "M", "M"] * (USERS // 3)}
        ),
        "item_groups": pd.DataFrame({"item_id": range(ITEMS), "genre": GROUPS}),
    }


def plain_exposure(shown):
    exposure = np.zeros((USERS, ITEMS))
    for user, lists in shown.groupby("user_id"):
        count = lists["list_id"].nunique()
        for row in lists.itertuples():
            exposure[int(user[1:]), row.item_id] += 0.8 ** (row.rank - 1) / count
    return exposure


def test_the_six_measures_of_shown_lists(shown, others):
    result = eh.exposure.audit(shown, **others)
    assert {finding.subject["beta"] for finding in result.findings} == {"observed"}
    grades = np.zeros((USERS, ITEMS))
    for row in others["relevance"].itertuples():
        grades[int(row.user_id[1:]), row.item_id] = 1
    targets = [plain_target(list(row), list(WEIGHTS)) for row in grades]
    chance = np.full((USERS, ITEMS), WEIGHTS.mean())
    users = [0, 1, 1] * (USERS // 3)
    plain = plain_measures(plain_exposure(shown), targets, chance, users, MEMBERS)
    for name, (fairness, disparity, relevance, constant) in plain.items():
        finding = result.find(name)
        assert finding.estimate == pytest.approx(fairness, abs=1e-12)
        parts = finding.details
        assert [parts["disparity"], parts["relevance"], parts["constant"]] == pytest.approx(
            [disparity, relevance, constant], abs=1e-12
        )
    assert "Some users were shown one list only" in result.find("II").warnings[0]
    assert "Leave them out" in result.find("II").warnings[0]
    alone = eh.exposure.audit(shown[shown.list_id == "day 0"], **others).find("II").warnings[0]
    assert alone.startswith("Every user was shown one list only")
    assert alone.endswith("Take several lists of each user for a corrected one.")
    assert result.find("II").interval is None
    assert "corrected" not in result.find("IG").details
    assert not any("one list" in warning for warning in result.find("GI").warnings)


def test_noise_is_the_variance_of_a_mean_over_lists(shown):
    """For one user with several lists, in plain loops."""
    mine = shown[shown["user_id"] == "u03"].sort_values(["list_id", "rank"])
    table = np.zeros((mine["list_id"].nunique(), ITEMS))
    for row in mine.itertuples():
        table[int(row.list_id[4:]), row.item_id] = 0.8 ** (row.rank - 1)
    lists = Lists(
        np.array([0, len(mine)]),
        pd.factorize(mine["list_id"])[0].astype(np.int64),
        mine["item_id"].to_numpy(),
        mine["rank"].to_numpy(),
    )
    membership = np.array([[name in groups for name in "ab"] for groups in GROUPS], dtype=int)
    found = observed(lists, WEIGHTS, ItemGroups.of(membership))
    by_group = np.stack([table[:, members].mean(axis=1) for members in MEMBERS], axis=1)
    wanted = [np.var(part, axis=0, ddof=1).mean() / len(table) for part in (table, by_group)]
    assert found.noise[0] == pytest.approx(wanted, rel=1e-12)
    assert found.shown[0] == 4


def test_corrected_measures_are_those_of_the_policy(others):
    """Users are fixed and lists are drawn: II and IG of the policy are estimated without bias, while those
    of the lists are far too large."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(USERS, ITEMS))
    relevance = np.zeros((USERS, ITEMS))
    for row in others["relevance"].itertuples():
        relevance[int(row.user_id[1:]), row.item_id] = 1
    policy = eh.exposure.audit(scores, relevance, others["user_groups"]["gender"].tolist(), GROUPS, beta=1)
    estimates = {"II": [], "IG": []}
    too_large = {"II": [], "IG": []}
    for _ in range(40):
        drawn = []
        for _ in range(3):
            order = np.argsort(-(scores + rng.gumbel(size=scores.shape)), axis=1)
            drawn.append(order)
        frame = pd.DataFrame(
            {
                "user_id": np.tile(np.repeat([f"u{u:02d}" for u in range(USERS)], ITEMS), 3),
                "list_id": np.repeat(np.arange(3), USERS * ITEMS),
                "item_id": np.concatenate([order.ravel() for order in drawn]),
                "rank": np.tile(np.arange(1, ITEMS + 1), 3 * USERS),
            }
        )
        result = eh.exposure.audit(frame, **others)
        for name, values in estimates.items():
            values.append(result.find(name).details["corrected"])
            too_large[name].append(result.find(name).estimate)
    for name, values in estimates.items():
        truth, error = policy.find(name).estimate, np.std(values) / np.sqrt(len(values))
        assert abs(np.mean(values) - truth) < 4 * error
        assert np.mean(too_large[name]) - truth > 10 * error


def test_one_list_each_needs_no_name(shown, others):
    once = shown[shown["list_id"] == "day 0"]
    with_name = eh.exposure.audit(once, **others)
    without = eh.exposure.audit(once.drop(columns="list_id"), **others)
    for name in ("II", "GG", "AG"):
        assert with_name.find(name).estimate == without.find(name).estimate


def test_lists_that_end_before_people_stop_looking_are_said_to(shown, others):
    """Lists of four of nine places: a patience of .8 has 32% of its weight beyond them, and a cut none."""
    said = {f.measure: " ".join(f.warnings) for f in eh.exposure.audit(shown, **others).findings}
    assert all("32% of the exposure that is asked for is given to nothing" in said[name] for name in SAYING)
    assert "given to nothing" not in said["relevant_exposure"]
    cut = eh.exposure.audit(shown, **others, k=LENGTH).findings
    assert not any("given to nothing" in warning for finding in cut for warning in finding.warnings)


def test_lists_of_a_user_must_be_independent_for_measures_of_individuals(shown, others):
    for finding in eh.exposure.audit(shown, **others).findings:
        said = any("drawn independently" in assumption for assumption in finding.assumptions)
        assert said == (finding.measure in ("II", "IG"))


def test_an_item_group_that_nobody_likes_is_said_to_be_one(shown, others):
    groups = others["item_groups"].assign(genre=["liked"] * (ITEMS - 1) + ["not"])
    relevance = others["relevance"].query(f"item_id < {ITEMS - 1}")
    for given, unliked in ((relevance, "not to"), (others["relevance"], "nothing")):
        found = eh.exposure.audit(shown, **(others | {"item_groups": groups, "relevance": given})).findings
        for finding in found:
            if finding.measure == "pair_exposure":
                said = any("relevant to anybody" in warning for warning in finding.warnings)
                assert said == finding.subject["group"].startswith(unliked)


def test_blocks_of_rows_change_nothing(shown, others, monkeypatch):
    whole = eh.exposure.audit(shown, **others)
    monkeypatch.setattr("evenhand.exposure.problem.lists.BLOCK_ROWS", 7)
    parts = eh.exposure.audit(shown, **others)
    for one, other in zip(whole.findings, parts.findings, strict=True):
        assert one.estimate == pytest.approx(other.estimate, rel=1e-12)


def test_users_without_lists_are_counted(shown, others):
    result = eh.exposure.audit(shown[shown["user_id"] > "u04"], **others)
    (left,) = result.find("II").excluded
    assert (left.what, left.count) == ("users without scores or lists", 5)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.assign(rank=t["rank"] - 1), "lists: column 'rank' has 73 of 292 values that are not"),
        (lambda t: t.assign(rank=t["rank"] + 0.5), "that are not places in a list, such as"),
        (lambda t: t.assign(rank=np.nan), "column 'rank' is empty in 292 of 292 rows"),
        (lambda t: pd.concat([t, t.head(1)]), "1 key of user_id, list_id, item_id appears more than once"),
        (lambda t: t.drop(columns="list_id"), "Add 'list_id' where a user was shown several lists."),
        (lambda t: t.assign(rank=1), "of user_id, list_id, rank appear more than once"),
        (lambda t: t.assign(item_id=t["item_id"] + 1), "1 items are not known to the items table"),
        (lambda t: t.iloc[:0], "lists: the table is empty"),
    ],
)
def test_lists_that_cannot_be_used(shown, others, change, says):
    with pytest.raises(eh.InputError) as error:
        eh.exposure.audit(change(shown), **others)
    assert says in str(error.value)


def test_measures_of_exact_policies_are_not_moved():
    scores = np.random.default_rng(1).normal(size=(12, 5))
    result = eh.exposure.audit(
        scores, np.eye(12, 5) + np.eye(12, 5, -5) + np.eye(12, 5, -10), ["F"] * 12, list("abcde")
    )
    for name in ("II", "IG"):
        finding = result.find(name, beta=1)
        assert finding.details["corrected"] == finding.estimate
