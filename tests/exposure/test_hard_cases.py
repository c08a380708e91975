"""Input that is odd but valid has right numbers, and what cannot be audited is refused in one sentence."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from evenhand.errors import InputError
from evenhand.pictures import Cell, Map
from evenhand.report.pictures.gallery import pictures_of
from evenhand.report.pictures.kinds.maps import of_exposure
from evenhand.report.suppression.suppress import suppress

USERS, ITEMS = 40, 21


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(0)
    relevance = np.zeros((USERS, ITEMS), dtype=int)
    relevance[:, :6] = rng.random((USERS, 6)) < 0.8
    relevance[:, 0] = 1
    return {
        "scores": rng.normal(size=(USERS, ITEMS)),
        "relevance": relevance,
        "user_groups": ["F", "M"] * (USERS // 2),
        "item_groups": ["a"] * 6 + ["b"] * 7 + ["c"] * 8,
    }


@pytest.fixture(scope="module")
def tables(arrays):
    user, item = np.divmod(np.arange(USERS * ITEMS), ITEMS)
    pairs = pd.DataFrame({"user_id": user, "item_id": item})
    return {
        "scores": pairs.assign(score=arrays["scores"].ravel()),
        "relevance": pairs[arrays["relevance"].ravel() > 0],
        "user_groups": pd.DataFrame({"user_id": range(USERS), "gender": arrays["user_groups"]}),
        "item_groups": pd.DataFrame({"item_id": range(ITEMS), "genre": arrays["item_groups"]}),
    }


class Model(eh.recommenders.Recommender):
    def __init__(self, scores, history):
        self.scores, self.history = scores, sparse.csr_array(np.asarray(history, dtype=float))
        self.user_ids, self.item_ids = np.arange(len(scores)), np.arange(ITEMS)

    def score_block(self, users):
        return self.scores[users]


@pytest.mark.parametrize("seed", range(4))
def test_pairs_for_which_nothing_is_asked_are_no_share_of_what_rounding_left(seed):
    rng = np.random.default_rng(seed)
    users, items = 10 + 7 * seed, 20 + 3 * seed
    relevance = np.zeros((users, items), dtype=int)
    relevance[:, 0] = 1
    groups = (["a"] * 6 + ["b"] * 7 + ["c"] * items)[:items]
    result = eh.exposure.audit(rng.normal(size=(users, items)), relevance, ["x"] * users, groups, 1.0, k=1)
    said = {f.subject["group"] for f in result.findings if f.measure == "pair_exposure"}
    assert said == {"a to x"}


def test_what_varies_by_rounding_alone_does_not_vary(arrays):
    """Where all scores are the same every temperature is the same policy."""
    alike = arrays | {"scores": np.zeros((USERS, ITEMS))}
    found = eh.exposure.audit(**alike, beta=[8, 1, "static"]).findings
    assert {f.estimate for f in found if f.measure == "tradeoff"} == {None}
    assert not [f for f in found if f.measure == "measure_agreement"]


def test_users_to_whom_nothing_is_left_to_show_are_left_out(tables, arrays):
    history = np.zeros((USERS, ITEMS))
    history[:, 20], history[3] = 1, 1
    relevant = tables["relevance"][tables["relevance"]["user_id"] != 3]
    model = Model(arrays["scores"], history)
    for relative in (False, True):
        result = eh.exposure.audit(
            **(tables | {"scores": model, "relevance": relevant}), beta=1, relative=relative
        )
        assert result.find("II").n.count == USERS - 1
        assert [(e.what, e.count) for e in result.findings[0].excluded] == [
            ("users without scores or lists", 1)
        ]


def test_what_was_taken_comes_last_whatever_the_size_of_scores(tables):
    history = np.zeros((USERS, ITEMS))
    history[:, 20] = 1
    found = [
        eh.exposure.audit(
            **(tables | {"scores": Model(np.full((USERS, ITEMS), size, dtype=np.float32), history)}),
            beta=[0.125, "static"],
        )
        for size in (0, 1e12)
    ]
    assert found[0].to_frame()["estimate"].to_numpy() == pytest.approx(
        found[1].to_frame()["estimate"].to_numpy()
    )


def test_relevant_items_that_were_taken_are_refused(tables, arrays):
    history = np.zeros((USERS, ITEMS))
    history[:, 0] = 1
    with pytest.raises(eh.InputError, match="took already"):
        eh.exposure.audit(**(tables | {"scores": Model(arrays["scores"], history)}))


def test_scores_of_a_wrong_shape_are_refused(tables, arrays):
    model = Model(arrays["scores"][:, :3], np.zeros((USERS, ITEMS)))
    with pytest.raises(eh.InputError, match="shape"):
        eh.exposure.audit(**(tables | {"scores": model}))


def test_a_group_of_one_user_that_does_not_count_does_no_harm(arrays):
    groups = ["F"] * (USERS - 1) + ["M"]
    given = arrays | {"user_groups": groups, "user_weights": {"F": 1, "M": 0}}
    found = {f.measure: f for f in eh.exposure.audit(**given, beta=1).findings}
    assert np.isfinite(found["GG"].details["corrected"])
    assert found["GG"].interval is not None


def test_there_is_no_map_where_every_group_is_hidden(arrays):
    groups = [f"g{u // 4}" for u in range(USERS)]
    found = eh.exposure.audit(**(arrays | {"user_groups": groups}), beta=1).findings
    for finding in suppress(found, 5):
        assert pictures_of(finding) == []


@pytest.mark.parametrize("target", ["equal", "published"])
def test_negative_grades_are_refused_for_every_target(arrays, target):
    with pytest.raises(eh.InputError, match="grades are negative"):
        eh.exposure.audit(**(arrays | {"relevance": -arrays["relevance"]}), target=target)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user_groups": None}, "user_groups must be a list"),
        ({"item_groups": None}, "item_groups must be a list"),
        ({"user_groups": [None] + ["F"] * (USERS - 1)}, "1 of 40 users have no group"),
        ({"user_groups": [np.nan] + [1.0] * (USERS - 1)}, "1 of 40 users have no group"),
        ({"user_groups": [["F"]] * USERS}, "a user is in one group"),
        ({"relevance": [[1], [1, 2]]}, "relevance must be a table of numbers"),
        ({"scores": np.ones((0, 3)), "relevance": np.ones((0, 3)), "user_groups": [],
          "item_groups": list("abc")}, "no users"),
        ({"patience": [0.5, 0.8], "discount": np.array([1, 0.5])}, "several patiences"),
        ({"patience": [0.5, 0.8], "tradeoff": [1, 2, 3]}, "a trade-off is at one patience"),
    ],
)  # fmt: skip
def test_arrays_that_cannot_be_audited_are_refused(arrays, change, message):
    with pytest.raises(eh.InputError, match=message):
        eh.exposure.audit(**(arrays | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user_group": ["gender", "gender"]}, "different columns"),
        ({"user_group": "user_id"}, "none of them 'user_id'"),
        ({"user_group": 5}, "must be the name of a column"),
        ({"item_group": []}, "must be the name of a column"),
        ({"item_group": ["genre", "item_id"]}, "must be the name of a column"),
        ({"item_group": "item_id"}, "none of them .item_id."),
    ],
)
def test_columns_that_make_no_groups_are_refused(tables, change, message):
    with pytest.raises(eh.InputError, match=message):
        eh.exposure.audit(**tables, **change)


def test_combinations_that_could_be_read_alike_have_names_that_differ(tables):
    users = tables["user_groups"].assign(a=["x, y", "x"] * (USERS // 2), b=["z", "y, z"] * (USERS // 2))
    found = eh.exposure.audit(**(tables | {"user_groups": users}), user_group=["a", "b"])
    named = {f.subject["group"] for f in found.findings if f.measure == "relevant_exposure"}
    assert named == {'"x, y", z', 'x, "y, z"'}


def test_temperatures_may_be_an_array(arrays):
    one = eh.exposure.audit(**arrays, beta=np.array([1.0, 2.0])).to_frame()
    pd.testing.assert_frame_equal(one, eh.exposure.audit(**arrays, beta=[1, 2]).to_frame())


def test_lists_have_no_temperature(tables):
    lists = tables["scores"].drop(columns="score").assign(rank=tables["scores"]["item_id"] + 1)
    for change in ({"tradeoff": [1, 2, 3]}, {"relative": True}):
        with pytest.raises(eh.InputError, match="have no temperature"):
            eh.exposure.audit(**(tables | {"scores": lists}), **change)


def test_systems_that_cannot_be_compared_are_refused(tables):
    rest = [tables[key] for key in ("relevance", "user_groups", "item_groups")]
    scores = tables["scores"]
    both = {"one": scores, "other": scores}
    for systems, change, message in (
        (both, {"patience": [0.5, 0.8]}, "at one patience"),
        (both, {"tradeoff": None}, "beta is empty"),
        ({1: scores, "1": scores}, {}, "names that differ"),
        ({"one": scores, "other": scores[scores["user_id"] < 20]}, {}, "not the same users"),
    ):
        with pytest.raises(eh.InputError, match=message):
            eh.exposure.compare(systems, *rest, **change)


@pytest.mark.parametrize(("columns", "drawn"), [(3, 3), (16, 16), (50, 16)])
def test_no_more_item_groups_are_drawn_than_can_be_named(columns, drawn):
    cells = [Cell(row="x", column=f"c{i}", users=9, value=0.1, sure=True) for i in range(columns)]
    picture = of_exposure(Map(of="exposure", cells=tuple(cells)))
    (tiles,) = picture.specification["datasets"].values()
    assert len({tile["column"] for tile in tiles}) == drawn
    assert len(picture.rows) == columns
    assert ("of 50 columns" in picture.caption) == (columns > drawn)


@pytest.mark.parametrize(("users", "items"), [(40_000, 40_000), (2_000, 2_000)])
def test_more_groups_than_can_be_held_are_refused_before_memory_is_taken(users, items):
    """A group a user and a group an item: 1.6e9 pairs would be 13 GB."""
    people = pd.DataFrame({"user_id": np.arange(users), "g": np.arange(users)})
    things = pd.DataFrame({"item_id": np.arange(items), "h": np.arange(items)})
    scores = pd.DataFrame({"user_id": np.arange(users), "item_id": np.arange(users) % items, "score": 1.0})
    relevance = scores.rename(columns={"score": "relevance"})
    tracemalloc.start()
    with pytest.raises(InputError, match=r"too many to hold: .* an id and not"):
        eh.exposure.audit(scores, relevance, people, things)
    assert tracemalloc.get_traced_memory()[1] < 3e8
    tracemalloc.stop()
