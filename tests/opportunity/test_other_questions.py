"""Stages, parity and precision of users: the same counts asked other questions."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.report.words.sentences import title

ASKED = {"label": "liked", "group": "creator_age"}


def test_a_stage_is_an_audit_against_the_stage_before(logs):
    default, random = logs
    recall, ranking = default.iloc[:4_000], default.iloc[4_000:]
    found = eh.opportunity.stages({"random": random, "recall": recall, "ranking": ranking}, **ASKED)
    pairs = {"recall": (recall, random), "ranking": (ranking, recall), "all stages": (ranking, random)}
    for stage, pair in pairs.items():
        alone = eh.opportunity.audit(*pair, **ASKED)
        for finding in alone.findings:
            same = found.find(finding.measure, **finding.subject, stage=stage)
            assert (same.estimate, same.interval, same.verdict) == (
                finding.estimate, finding.interval, finding.verdict,
            )  # fmt: skip


def test_utilities_of_stages_multiply_to_that_of_the_whole(logs):
    default, random = logs
    logs = {"random": random, "recall": default.iloc[:4_000], "ranking": default.iloc[4_000:]}
    found = eh.opportunity.stages(logs, **ASKED)
    product = np.ones(3)
    for stage in ("recall", "ranking"):
        product *= [1 + found.find("relative_utility", group=g, stage=stage).estimate for g in GROUPS]
    whole = [found.find("relative_utility", group=g, stage="all stages").estimate for g in GROUPS]
    assert product / product.mean() - 1 == pytest.approx(whole)


GROUPS = ("18-24", "25-34", "35+")


def test_a_stage_without_positives_is_called_by_its_name(logs):
    default, random = logs
    recall = default.iloc[:4_000].assign(
        liked=lambda rows: rows["liked"].where(rows["creator_age"] != "35+", 0)
    )
    found = eh.opportunity.stages(
        {"random": random, "recall": recall, "ranking": default.iloc[4_000:]}, **ASKED
    )
    warnings = found.find("reo_penalty", stage="ranking").warnings
    assert any("the recall log says too little about it" in text for text in warnings)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["random", "recall"], "at least two stages"),
        (["recall", "random", "ranking"], "beginning with 'random'"),
        (["random", "all stages", "ranking"], "a stage is called 'all stages'"),
        ([], "has nothing"),
    ],
)
def test_impossible_stages_are_refused(logs, names, said):
    parts = [logs[1], logs[0].iloc[:3_000], logs[0].iloc[3_000:]]
    with pytest.raises(InputError, match=said):
        eh.opportunity.stages(dict(zip(names, parts, strict=False)), **ASKED)


def test_parity_is_written_out(logs):
    default = logs[0]
    items = {"18-24": 100, "25-34": 300, "35+": 200}
    found = eh.opportunity.parity(default, items, "creator_age", requests=1_000)
    rows = default.groupby("creator_age").size()
    u = np.array([rows[g] / (1_000 * items[g]) for g in GROUPS])
    assert found.find("rsp_penalty").estimate == pytest.approx(u.std() / u.mean())
    for k, name in enumerate(GROUPS):
        assert found.find("parity_deviation", group=name).estimate == pytest.approx(u[k] - u.mean())
    assert title(found.find("parity_deviation", group=name)) == "Deviation from parity, in times shown"
    table = pd.DataFrame({"creator_age": np.repeat(list(items), list(items.values()))})
    same = eh.opportunity.parity(default, table, "creator_age", requests=1_000)
    assert same.findings == found.findings
    assert set(same.inputs) == {"default", "catalogue"}


def test_parity_says_where_a_few_users_have_most_rows():
    users = np.repeat(np.arange(40), [400] + [10] * 39)
    log = pd.DataFrame({"user_id": users, "g": np.where(np.arange(len(users)) % 3, "a", "b")})
    found = eh.opportunity.parity(log, {"a": 10, "b": 5}, "g", cluster="user_id")
    said = (
        "The rows of the default log come from few user_id, or mostly from a few of them (as good as 4 equal"
    )
    assert all(any(text.startswith(said) for text in each.warnings) for each in found.findings)
    even = eh.opportunity.parity(
        log[log.user_id > 0].assign(user_id=range(390)), {"a": 10, "b": 5}, "g", "user_id"
    )
    assert not even.findings[0].warnings


def test_parity_says_where_a_group_is_shown_to_few():
    users = np.repeat(np.arange(100), 4)
    group = np.where((users < 5) & (np.arange(400) % 4 == 0), "rare", "usual")
    log = pd.DataFrame({"user_id": users, "genre": group})
    catalogue = {"rare": 3, "usual": 200}
    few = eh.opportunity.parity(log, catalogue, group="genre", cluster="user_id")
    assert all(
        "1 of 2 groups were shown to few (fewer than 10 user_id)" in f.warnings[-1] for f in few.findings
    )
    log["genre"] = np.where(np.arange(400) % 4 == 0, "rare", "usual")
    assert not any(
        "shown to few" in said
        for f in eh.opportunity.parity(log, catalogue, group="genre", cluster="user_id").findings
        for said in f.warnings
    )


def test_a_group_that_is_never_shown_is_the_worst_of_parity(logs):
    found = eh.opportunity.parity(logs[0], dict.fromkeys([*GROUPS, "never"], 10), "creator_age")
    assert found.find("parity_deviation", group="never").estimate < 0
    assert found.find("rsp_penalty").interval.high >= found.find("rsp_penalty").estimate


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("runs", [150, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_intervals_of_parity_cover(runs, clustered):
    """Shares of rows .5, .3, .2 over 100 items each; with clusters, users who lean to a group."""
    from evenhand.opportunity.evidence import LogCounts
    from evenhand.opportunity.measures import penalty
    from evenhand.opportunity.parity import _findings

    shares, rng = np.array([0.5, 0.3, 0.2]), np.random.default_rng(8)
    users, rows_a_user = (400, 10) if clustered else (1, 4_000)
    truth = shares * 4_000 / 100
    hits = dict.fromkeys(("penalty", "deviations"), 0)
    for _ in range(runs):
        lean = rng.dirichlet(shares * 2, size=users) if clustered else shares[None]
        rows = np.array([rng.multinomial(rows_a_user, one) for one in lean])
        if clustered:
            rows = np.vstack([rows, np.zeros((1024 - users, 3), dtype=np.int64)])
        log = LogCounts(("a", "b", "c"), rows, rows)
        found = _findings(log, np.full(3, 100.0), 1.0, "group", None, 0.95, None, 0)
        hits["penalty"] += found[0].interval.low <= penalty(shares) <= found[0].interval.high
        hits["deviations"] += all(
            f.interval.low <= t - truth.mean() <= f.interval.high
            for f, t in zip(found[1:], truth, strict=True)
        )
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert 0.94 - slack <= hits["penalty"] / runs
    assert 0.94 - slack <= hits["deviations"] / runs <= 0.97 + slack


@pytest.mark.parametrize(
    ("catalogue", "said"),
    [
        ({"18-24": 10, "25-34": 5}, "rows of creator_age = 35\\+, but the catalogue has no such item"),
        ({"18-24": -1, "25-34": 5, "35+": 5}, "catalogue\\['18-24'\\] is -1"),
        ({"18-24": 1.5, "25-34": 5, "35+": 5}, "must be a whole number"),
        (pd.DataFrame({"age": ["35+"]}), "catalogue: there is no column 'creator_age'"),
    ],
)
def test_impossible_catalogues_are_refused(logs, catalogue, said):
    with pytest.raises(InputError, match=said):
        eh.opportunity.parity(logs[0], catalogue, "creator_age")


def test_requests_must_be_positive(logs):
    with pytest.raises(InputError, match="requests is 0"):
        eh.opportunity.parity(logs[0], dict.fromkeys(GROUPS, 1), "creator_age", requests=0)


@pytest.fixture
def shown():
    rng = np.random.default_rng(4)
    user = rng.integers(300, size=6_000)
    taste = rng.beta(2, 4, size=300) * np.where(np.arange(300) % 2, 1.2, 1.0)
    liked = rng.random(6_000) < np.clip(taste[user], 0, 1)
    return pd.DataFrame({"user_id": user, "gender": np.where(user % 2, "f", "m"), "liked": liked})


def test_precision_is_the_share_of_liked_rows(shown):
    found = eh.opportunity.user_precision(shown, "liked", "gender")
    means = shown.groupby("gender")["liked"].mean()
    for name in ("f", "m"):
        assert found.find("precision", group=name).estimate == pytest.approx(means[name])
    assert found.find("precision_penalty").estimate == pytest.approx(means.std(ddof=0) / means.mean())


def test_precision_of_independent_rows_has_the_binomial_error(shown):
    found = eh.opportunity.user_precision(shown, "liked", "gender").find("precision", group="f")
    rows = shown[shown["gender"] == "f"]["liked"]
    error = np.sqrt((1 - rows.mean()) / rows.sum())
    # Two groups at once: the critical value is that of 97.47%, as they are independent.
    assert np.log(found.interval.high / found.estimate) / error == pytest.approx(2.236, abs=0.02)


def test_users_widen_the_interval_of_their_precision(shown):
    alone = eh.opportunity.user_precision(shown, "liked", "gender").find("precision", group="f").interval
    users = eh.opportunity.user_precision(shown, "liked", "gender", "user_id").find("precision", group="f")
    assert users.interval.high - users.interval.low > 1.2 * (alone.high - alone.low)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gender": "f"}, "fewer than two groups"),
        ({"liked": 0}, "no positive row"),
        ({"user_id": 1}, "fewer than 10 user_id"),
    ],
)
def test_impossible_precision_is_refused(shown, change, said):
    with pytest.raises(InputError, match=said):
        eh.opportunity.user_precision(shown.assign(**change), "liked", "gender", "user_id")


def test_a_group_of_three_users_is_left_out_and_said(shown):
    """However many rows they have; what is left is judged, but cannot pass."""
    few = shown.assign(gender=shown["gender"].mask(shown["user_id"].isin([5, 6, 7]), "x"))
    found = eh.opportunity.user_precision(few, "liked", "gender", "user_id", tolerance=0.9)
    assert {f.subject.get("group") for f in found.findings} == {None, "f", "m"}
    whole = found.find("precision_penalty")
    (left,) = whole.excluded
    assert (left.what, left.count, left.unidentified) == ("gender = x", int((few.gender == "x").sum()), True)
    assert left.why == "rows of fewer than 10 user_id, too few to tell its error"
    assert "Left out, as its rows come from fewer than 10 user_id: gender = x." in whole.warnings[0]
    assert whole.interval.high < whole.tolerance
    assert whole.verdict is eh.Verdict.INCONCLUSIVE
    # Rows that are taken as independent have no users.
    assert not eh.opportunity.user_precision(few, "liked", "gender").find("precision_penalty").excluded
    two = few.assign(gender=few["gender"].replace("m", "f"))
    with pytest.raises(InputError, match="fewer than two groups of gender have rows of 10 user_id or more"):
        eh.opportunity.user_precision(two, "liked", "gender", "user_id")


def test_an_audit_leaves_out_a_group_of_three_users(shown):
    few = shown.assign(gender=shown["gender"].mask(shown["user_id"] < 3, "x"))
    more = few.loc[few.index.repeat(np.where(few["gender"] == "x", 40, 1))]
    random = more.assign(liked=np.arange(len(more)) % 3 == 0)
    found = eh.opportunity.audit(more, random, "liked", "gender", "user_id")
    whole = found.find("reo_penalty")
    assert [each.what for each in whole.excluded] == ["gender = x"]
    assert (
        whole.excluded[0].why == "rows of fewer than 10 user_id in the random log, too few to tell its error"
    )
    assert any("can be expected, of at least 10 user_id." in text for text in whole.warnings)
    assert {f.subject.get("group") for f in found.findings} >= {"f", "m"}
    assert "x" not in {f.subject.get("group") for f in found.findings}


def test_a_group_of_some_users_is_warned_of(shown):
    some = shown.assign(gender=shown["gender"].mask(shown["user_id"] < 20, "x"))
    for f in eh.opportunity.user_precision(some, "liked", "gender", "user_id").findings:
        assert any("fewer than 50 user_id in gender = x: intervals are rough" in text for text in f.warnings)
    random = some.assign(liked=np.arange(len(some)) % 3 == 0)
    said = eh.opportunity.audit(some, random, "liked", "gender", "user_id").find("reo_penalty").warnings
    for log in ("default", "random"):
        assert any(f"fewer than 50 user_id in gender = x of the {log} log" in text for text in said)


def test_a_group_without_likes_has_no_error_to_tell(shown):
    never = shown.assign(liked=shown["liked"] & (shown["gender"] == "m"))
    with pytest.raises(InputError, match="no row of gender = f is positive"):
        eh.opportunity.user_precision(never, "liked", "gender")


def test_a_group_that_likes_everything_has_no_error_to_judge_by():
    log = pd.DataFrame({"g": list("aabb"), "liked": [1, 1, 1, 0]})
    with pytest.raises(eh.InputError, match="every row of g = a is positive"):
        eh.opportunity.user_precision(log, "liked", "g")


def test_a_group_that_was_never_shown_has_no_interval():
    log = pd.DataFrame({"g": ["a"] * 22 + ["b"] * 18})
    found = eh.opportunity.parity(log, {"a": 10, "b": 10, "c": 1}, "g")
    never = found.find("parity_deviation", group="c")
    assert never.interval is None
    assert "never shown" in never.warnings[0]
    assert found.find("parity_deviation", group="a").interval is not None


def test_rows_without_a_group_are_counted_where_they_are_excluded():
    log = pd.DataFrame({"g": ["a"] * 20 + ["b"] * 20 + [None] * 3, "liked": [1, 0] * 20 + [1] * 3})
    for found in (
        eh.opportunity.user_precision(log, "liked", "g", missing="exclude"),
        eh.opportunity.parity(log, {"a": 10, "b": 10}, "g", missing="exclude"),
    ):
        assert [one.count for one in found.findings[0].excluded] == [3]


def test_a_user_column_without_a_cluster_is_warned_of(logs):
    default, _ = logs
    items = dict.fromkeys(default["creator_age"].unique(), 10)
    for ask in (
        lambda **options: eh.opportunity.parity(default, items, "creator_age", **options),
        lambda **options: eh.opportunity.user_precision(default, "liked", "creator_age", **options),
    ):
        for finding in ask().findings:
            assert any(
                'Name it as the cluster (--cluster user_id, or cluster = "user_id" in a plan).' in text
                for text in finding.warnings
            )
        for finding in ask(cluster="user_id").findings:
            assert not any("as the cluster" in text for text in finding.warnings)


@pytest.mark.parametrize("requests", [1e200, 1e-200, 0])
def test_requests_that_no_log_has(logs, requests):
    default, _ = logs
    items = dict.fromkeys(default["creator_age"].unique(), 10)
    with pytest.raises(InputError, match="but must be a finite number from 1 to 1,000,000,000,000,000"):
        eh.opportunity.parity(default, items, "creator_age", requests=requests)


def test_stages_by_number(logs):
    default, random = logs
    asked = {"label": "liked", "group": "creator_age"}
    parts = default[::2], default[1::2]
    named = eh.opportunity.stages({"random": random, "1": parts[0], "2": parts[1]}, **asked)
    assert (
        eh.opportunity.stages({"random": random, 1: parts[0], 2: parts[1]}, **asked).findings
        == named.findings
    )
    with pytest.raises(InputError, match="logs has two logs of the same name: random, 1, 1"):
        eh.opportunity.stages({"random": random, 1: parts[0], "1": parts[1]}, **asked)
