"""The front door of the exposure audit: arrays and tables say the same, and bad input is one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from evenhand.findings import Verdict

USERS, ITEMS = 60, 12


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(3)
    return {
        "scores": rng.normal(size=(USERS, ITEMS)),
        "relevance": (rng.random((USERS, ITEMS)) < 0.3).astype(int) | (np.arange(ITEMS) == 4),
        "user_groups": np.where(np.arange(USERS) % 3 == 0, "F", "M"),
        "item_groups": [["a"], ["b"], ["a", "b"], ["c"]] * 3,
    }


@pytest.fixture(scope="module")
def tables(arrays):
    user, item = np.divmod(np.arange(USERS * ITEMS), ITEMS)
    ids = {"user_id": [f"u{u:02d}" for u in user], "item_id": item + 100}
    pairs = pd.DataFrame(ids)
    relevant = arrays["relevance"].ravel() > 0
    return {
        "scores": pairs.assign(score=arrays["scores"].ravel()).sample(frac=1, random_state=1),
        "relevance": pairs[relevant],
        "user_groups": pd.DataFrame(
            {"user_id": [f"u{u:02d}" for u in range(USERS)], "gender": arrays["user_groups"]}
        ),
        "item_groups": pd.DataFrame({"item_id": np.arange(ITEMS) + 100, "genre": arrays["item_groups"]}),
    }


def numbers(result):
    frame = result.to_frame()[["measure", "about_beta", "about_group", "estimate", "low", "high"]]
    return frame.sort_values(["about_beta", "measure", "about_group"], key=lambda c: c.astype(str))


def test_arrays_and_tables_say_the_same(arrays, tables):
    one = eh.exposure.audit(**arrays, beta=[2, "static"])
    other = eh.exposure.audit(**tables, beta=[2, "static"])
    pd.testing.assert_frame_equal(
        numbers(one).reset_index(drop=True), numbers(other).reset_index(drop=True), rtol=1e-9
    )
    graded = tables | {"relevance": tables["relevance"].assign(relevance=1.0)}
    again = eh.exposure.audit(**graded, beta=[2, "static"])
    pd.testing.assert_frame_equal(numbers(other), numbers(again))


@pytest.mark.parametrize("kind", ["array", "boolean", "sparse", "frame", "floats"])
def test_a_0_1_table_of_items_by_groups_is_read_as_memberships(arrays, kind):
    """Never as labels "0" and "1": all that is unequal between the groups would be gone."""
    member = np.array([[name in cell for name in "abc"] for cell in arrays["item_groups"]])
    given = {
        "array": member.astype(int),
        "boolean": member,
        "floats": member.astype(float),
        "sparse": sparse.csr_matrix(member.astype(np.int8)),
        "frame": pd.DataFrame(member.astype(int), columns=list("abc")),
    }[kind]
    known = eh.exposure.audit(**arrays, beta="static", tolerance=0.3)
    found = eh.exposure.audit(**(arrays | {"item_groups": given}), beta="static", tolerance=0.3)
    assert found.verdicts == known.verdicts
    assert found.find("GG").estimate == known.find("GG").estimate
    if kind == "frame":
        assert found.to_json() == known.to_json()
    two = {"one": arrays["scores"], "two": -arrays["scores"]}
    rest = {key: arrays[key] for key in ("relevance", "user_groups")}
    compared = eh.exposure.compare(two, **rest, item_groups=given, tradeoff=(1, 2, 4))
    assert compared.find("GG", group="one").estimate == known.find("GG").estimate


def test_a_frame_of_scores_is_taken_by_its_ids(arrays):
    """Users in the index and items in the columns; what stands beside it may be in another order."""
    users, items = [f"u{u}" for u in range(USERS)], [f"i{i}" for i in range(ITEMS)]
    scores = pd.DataFrame(arrays["scores"], index=users, columns=items)
    given = {
        "scores": scores,
        "relevance": pd.DataFrame(arrays["relevance"], index=users, columns=items).iloc[::-1, ::-1],
        "user_groups": pd.Series(arrays["user_groups"], index=users).iloc[::-1],
        "item_groups": pd.Series(arrays["item_groups"], index=items).iloc[::-1],
    }
    known = eh.exposure.audit(**arrays, beta="static")
    assert eh.exposure.audit(**given, beta="static").to_json() == known.to_json()
    with pytest.raises(eh.InputError, match="user_groups: its index numbers its rows, while users have ids"):
        eh.exposure.audit(**(given | {"user_groups": pd.Series(arrays["user_groups"])}), beta="static")
    with pytest.raises(eh.InputError, match="user_groups: its index has the numbers 0 to 59 in another"):
        eh.exposure.audit(
            **(arrays | {"user_groups": pd.Series(arrays["user_groups"]).sort_values()}), beta="static"
        )


def learnt(arrays, tables):
    """What a model knows already, and the model."""
    known = (np.random.default_rng(1).random((USERS, ITEMS)) < 0.2) & (arrays["relevance"] == 0)
    model = eh.recommenders.as_recommender(
        (arrays["scores"], np.eye(ITEMS)),
        user_ids=tables["user_groups"]["user_id"],
        item_ids=tables["item_groups"]["item_id"],
    )
    model.history = sparse.csr_array(known.astype(np.float32))
    return known, model


def test_what_is_excluded_is_not_shown(arrays, tables):
    """As if a table of candidates had no row of it: the target is among what can be shown."""
    known, model = learnt(arrays, tables)
    expected = eh.exposure.audit(**(tables | {"scores": model}), beta="static").find("II").estimate
    for exclude in (known, sparse.csr_array(known), pd.DataFrame(known.astype(int))):
        found = eh.exposure.audit(**arrays, beta="static", exclude=exclude).find("II").estimate
        assert found == pytest.approx(expected, rel=1e-6)
    with pytest.raises(eh.InputError, match="exclude is for scores in a matrix"):
        eh.exposure.audit(**tables, beta="static", exclude=known)
    with pytest.raises(eh.InputError, match=r"relevant pairs .* excluded"):
        eh.exposure.audit(**arrays, beta="static", exclude=arrays["relevance"] > 0)


def test_a_recommender_scores_everything(arrays, tables):
    def score(users, items):
        return [arrays["scores"][int(u[1:]), i - 100] for u, i in zip(users, items, strict=True)]

    model = eh.recommenders.as_recommender(
        score, user_ids=tables["user_groups"]["user_id"], item_ids=tables["item_groups"]["item_id"]
    )
    one = eh.exposure.audit(**(tables | {"scores": model}), beta=2)
    pd.testing.assert_frame_equal(numbers(one), numbers(eh.exposure.audit(**tables, beta=2)), rtol=1e-5)


def test_what_a_model_learnt_from_is_not_shown_again(arrays, tables):
    """The same as leaving those items out of each user's candidates, with targets among what is left."""
    known, model = learnt(arrays, tables)
    result = eh.exposure.audit(**(tables | {"scores": model}), beta=[1, "static"], top=100)
    for beta in (1, "static"):
        total = 0.0
        for user in range(USERS):
            free = ~known[user]
            mine = arrays["scores"][user : user + 1, free]
            exposure = eh.exposure.static(mine) if beta == "static" else eh.exposure.plackett_luce(mine)
            m, n = arrays["relevance"][user, free].sum(), free.sum()
            weights = np.concatenate([[0], np.cumsum(0.8 ** np.arange(n))])
            target = np.where(
                arrays["relevance"][user, free] > 0, weights[m] / m, (weights[n] - weights[m]) / (n - m)
            )
            total += ((exposure[0] - target) ** 2).sum()
        assert result.find("II", beta=beta).estimate == pytest.approx(total / (USERS * ITEMS), rel=1e-5)


def test_every_measure_against_plain_means(arrays):
    """II and GG of the ranking by score, straight from their definitions."""
    result = eh.exposure.audit(**arrays, beta="static", top=100)
    order = np.argsort(-arrays["scores"], axis=1)
    system = np.empty((USERS, ITEMS))
    system[np.arange(USERS)[:, None], order] = 0.8 ** np.arange(ITEMS)
    relevant = arrays["relevance"] > 0
    m = relevant.sum(axis=1, keepdims=True)
    weights = np.concatenate([[0], np.cumsum(0.8 ** np.arange(ITEMS))])
    target = np.where(relevant, weights[m] / m, (weights[ITEMS] - weights[m]) / (ITEMS - m))
    difference = system - target
    assert result.find("II").estimate == pytest.approx((difference**2).mean())
    cells = {
        (g, k): difference[
            np.ix_(arrays["user_groups"] == g, [k in groups for groups in arrays["item_groups"]])
        ]
        for g in "FM"
        for k in "abc"
    }
    assert result.find("GG").estimate == pytest.approx(np.mean([cell.mean() ** 2 for cell in cells.values()]))
    for name in ("II", "IG", "GI", "GG", "AI", "AG"):
        finding = result.find(name)
        parts = finding.details
        whole = parts["disparity"] - parts["relevance"] + parts["constant"]
        assert finding.estimate == pytest.approx(whole, abs=1e-10)
    for (g, k), cell in cells.items():
        wanted = target[np.ix_(arrays["user_groups"] == g, [k in groups for groups in arrays["item_groups"]])]
        pair = result.find("pair_exposure", group=f"{k} to {g}")
        assert pair.estimate == pytest.approx(cell.mean() / wanted.mean())
        assert pair.details["target"] == pytest.approx(wanted.mean())


def test_the_planted_pair_is_found():
    world = eh.datasets.marketplace(users=800, items=80, default_rows=0, random_rows=0, seed=2)
    result = eh.exposure.audit(
        world.scores, world.relevance.astype(float), world.users["gender"].to_numpy(),
        world.items["genre"].tolist(), beta=1, tolerance=0.2,
    )  # fmt: skip
    gender, genre = world.truth.exposure.pair
    planted = result.find("pair_exposure", group=f"{genre} to {gender}")
    assert planted.verdict is Verdict.VIOLATION
    assert planted.estimate > 0.2


def test_the_same_seed_gives_the_same_findings(tables):
    one = eh.exposure.audit(**tables, beta=1)
    shuffled = {name: table.sample(frac=1, random_state=5) for name, table in tables.items()}
    assert one.to_json() == eh.exposure.audit(**shuffled, beta=1).to_json()


def test_users_without_relevant_items_are_counted(arrays):
    relevance = arrays["relevance"].copy()
    relevance[:5] = 0
    finding = eh.exposure.audit(**(arrays | {"relevance": relevance}), beta=1).find("II")
    assert finding.n.count == USERS - 5
    assert finding.excluded[0].count == 5


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"scores": np.full((USERS, ITEMS), np.nan)}, "scores are NaN or infinite"),
        ({"patience": 1.0}, "patience is 1.0, but must be a number above 0 and below 1"),
        ({"patience": 0}, "patience is 0, but must be"),
        ({"beta": []}, 'beta is empty: give a temperature, such as 1.0, or "static"'),
        ({"beta": [1, 0]}, "beta is [1, 0], but must be a finite number above 0"),
        ({"beta": "cold"}, "beta is 'cold', but must be a finite number"),
        ({"k": 0}, "k is 0, but must be a whole number"),
        ({"relevance": np.zeros((USERS, ITEMS))}, "no user has a relevant item"),
        (
            {"relevance": np.zeros((2, 2))},
            "relevance has the shape (2, 2), but there are 60 users",
        ),
        ({"user_groups": ["F"]}, "user_groups has 1 entries, but there are 60 users"),
        ({"item_groups": [[]] * ITEMS}, "item_groups: 12 of 12 items have no group"),
        ({"scores": sparse.eye(3)}, "scores are sparse"),
        ({"relevance": np.zeros((ITEMS, USERS))}, "users in columns, so transpose it"),
        ({"user_groups": np.eye(USERS, dtype=int)}, "user_groups has two axes"),
        ({"user_groups": pd.DataFrame(np.eye(USERS, dtype=int))}, "user_groups has two axes"),
        ({"user_groups": np.random.default_rng(0).random(USERS)}, "these are amounts and no names of groups"),
        ({"item_groups": np.full((ITEMS, 2), 2)}, "by 0 and 1 which of items"),
        ({"item_groups": np.ones((2, ITEMS))}, "it has a row for each group, so transpose it"),
        ({"item_groups": [[0, 1]] * ITEMS}, "may be memberships, or groups that are called 0 and 1"),
        ({"item_groups": [["a", np.nan]] + [[None]] * (ITEMS - 1)}, "11 of 12 items have no group"),
        ({"tolerance": 0}, "tolerance is 0, but must be"),
        ({"level": 1}, "level is 1, but must be"),
    ],
)
def test_arrays_that_cannot_be_used(arrays, changes, says):
    with pytest.raises(eh.InputError) as error:
        eh.exposure.audit(**(arrays | {"beta": 1} | changes))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (
            "item_groups",
            lambda t: t.iloc[1:],
            "relevance: 1 items are not known to the items table, for example 100;",
        ),
        ("user_groups", lambda t: t.iloc[1:], "1 users are not known to the users table, for example 'u00'"),
        (
            "scores",
            lambda t: pd.concat([t, t.head(1)]),
            "scores: 1 key of user_id, item_id appears more than once",
        ),
        ("scores", lambda t: t.drop(columns="score"), "scores: there is no column 'score'"),
        (
            "scores",
            lambda t: t.assign(score=np.inf),
            "scores: column 'score' is not finite in 720 of 720 rows",
        ),
        (
            "user_groups",
            lambda t: pd.concat([t, t.head(1)]),
            "users: 1 key of user_id appears more than once",
        ),
        ("user_groups", lambda t: t.assign(gender=None), "users: column 'gender' is empty"),
        ("user_groups", lambda t: t.assign(age=3), "users: say which column makes the groups (user_group)"),
        ("relevance", lambda t: t.iloc[:0], "relevance: the table is empty"),
    ],
)
def test_tables_that_cannot_be_used(tables, name, change, says):
    with pytest.raises(eh.InputError) as error:
        eh.exposure.audit(**(tables | {name: change(tables[name])}), beta=1)
    assert says in str(error.value)


def test_names_of_the_front_door_are_functions():
    for name in ("audit", "plackett_luce", "static"):
        assert callable(getattr(eh.exposure, name))


def test_that_few_users_make_up_a_measure_is_said():
    """One place is seen, and 5 of 600 users have something there that they do not want; or half of them."""
    relevance = np.eye(6)[np.arange(600) % 6]
    for wrong, said in ((5, True), (300, False)):
        scores = np.where(np.arange(600)[:, None] < wrong, 1 - relevance, relevance) + np.arange(6) / 100
        found = eh.exposure.audit(
            scores, relevance, ["a", "b"] * 300, list("xyxyxy"), beta="static", k=1
        ).findings
        for finding in found:
            if finding.measure in ("II", "IG", "GI", "GG", "AI", "AG"):
                assert any("make up most of this" in warning for warning in finding.warnings) == said
