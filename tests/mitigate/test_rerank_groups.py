"""From tables to findings: the lists of the worst groups change and no others, and what is said is so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.mitigate import rerank_groups
from evenhand.report.pages import whole_text
from evenhand.report.words.sentences import sentence

USERS, LENGTH, ITEMS = 240, 12, 40
CATEGORIES = ["a", "b", "c", "d"]
ASKED = {"attributes": ["gender", "age"], "k": 4, "min_size": 10}


@pytest.fixture(scope="module")
def world() -> dict[str, pd.DataFrame]:
    """Six groups; the model gives old women one category, and everybody what is liked more often than not."""
    rng = np.random.default_rng(3)
    users = pd.DataFrame(
        {
            "user_id": [f"u{u:03d}" for u in range(USERS)],
            "gender": np.array(["f", "m"])[np.arange(USERS) % 2],
            "age": np.array(["mid", "old", "young"])[np.arange(USERS) % 3],
        }
    )
    items = pd.DataFrame(
        {"item_id": np.arange(ITEMS), "category": [CATEGORIES[i * 4 // ITEMS] for i in range(ITEMS)]}
    )
    owner = np.repeat(np.arange(USERS), LENGTH)
    item = np.concatenate([rng.permutation(ITEMS)[:LENGTH] for _ in range(USERS)])
    label = (rng.random(len(owner)) < 0.3).astype(int)
    narrow = ((users["gender"] == "f") & (users["age"] == "old")).to_numpy()[owner]
    score = rng.normal(size=len(owner)) + label + 3.0 * (narrow & (item < 10))
    candidates = pd.DataFrame(
        {"user_id": users["user_id"].to_numpy()[owner], "item_id": item, "score": score, "label": label}
    )
    popular = np.minimum(rng.geometric(0.1, size=3000) - 1, ITEMS - 1)
    history = pd.DataFrame(
        {"user_id": users["user_id"].to_numpy()[rng.integers(USERS, size=3000)], "item_id": popular}
    )
    return {"users": users, "items": items, "candidates": candidates, "history": history}


def call(world: dict[str, pd.DataFrame], **changed) -> eh.mitigate.Mitigation:
    return rerank_groups(**(world | ASKED | changed))


def changed_users(world: dict[str, pd.DataFrame], done: eh.mitigate.Mitigation) -> set[str]:
    both = world["candidates"].merge(done.candidates, on=["user_id", "item_id"], suffixes=("", "_new"))
    assert len(both) == len(world["candidates"]) == len(done.candidates)
    assert (both["label"] == both["label_new"]).all()
    return set(both["user_id"][both["score"] != both["score_new"]])


@pytest.mark.parametrize(("goal", "metric"), [("diversity", "urd"), ("popularity", "urp")])
def test_what_is_said_is_what_the_audit_finds_in_the_new_candidates(world, goal, metric):
    done = call(world, goal=goal)
    (worst,) = done.result.find("rerank_change", who="chosen groups").details["chosen"]
    before, after = (
        eh.groups.audit(**(world | ASKED | {"candidates": table}), metric=metric, permutations=20)
        for table in (world["candidates"], done.candidates)
    )
    lowest, highest = (before.find("uf").details[end] for end in ("lowest", "highest"))
    assert worst == {"group": lowest if metric == "urd" else highest, "users": 40}
    change = done.result.find("rerank_change", who="chosen groups")
    for when, audit in (("before", before), ("after", after)):
        expected = audit.find("group_mean", group=worst["group"]).estimate
        assert change.details[when] == pytest.approx(expected)
    assert change.estimate == pytest.approx(change.details["after"] - change.details["before"])
    assert change.details["change"] == "better"
    assert change.details["users_worse"] == 0 < change.details["users_better"]
    gap = done.result.find("uf_change")
    assert [gap.details["before"], gap.details["after"]] == pytest.approx(
        [audit.find("uf").estimate for audit in (before, after)]
    )
    # Only lists of the worst group changed.
    of_group = world["users"][["gender", "age"]].agg(", ".join, axis=1) == worst["group"]
    assert changed_users(world, done) <= set(world["users"]["user_id"][of_group])
    others = done.result.find("rerank_change", who="everybody else")
    assert (others.estimate, others.interval, others.details["change"]) == (0.0, None, "none")
    assert others.n.count + change.n.count == USERS


def test_everything_that_can_be_computed_is_watched_and_nothing_else(world):
    def watched(**changed):
        return [
            f.subject["metric"]
            for f in call(world, **changed).result.findings
            if f.measure == "rerank_side_effect"
        ]

    assert watched() == ["mrr@4", "ndcg@4", "urp@4"]
    assert watched(history=None) == ["mrr@4", "ndcg@4"]
    assert watched(goal="popularity", items=None) == ["mrr@4", "ndcg@4"]
    assert watched(also=["hit", "auc"]) == ["hit@4", "auc"]
    # What the re-ranking is for is told, also where the groups are chosen by something else.
    assert watched(metric="auc", also=[]) == ["urd@4"]


def test_who_loses_and_in_what_is_said_in_words(world):
    """Labels are the four items shown, and all that counts is diversity: relevance must go."""
    table = world["candidates"].copy()
    table["label"] = (table.groupby("user_id")["score"].rank(ascending=False) <= 4).astype(int)
    done = call(world, candidates=table, strength=50.0)
    main = done.result.find("rerank_change", who="chosen groups")
    assert any(
        text.startswith("The chosen groups got worse in ndcg@4: from 1 to 0.") for text in main.warnings
    )
    assert done.result.find("rerank_side_effect", metric="ndcg@4").details["change"] == "worse"
    # The narrow group is now the most diverse one, so the gap may grow as well.
    gap = done.result.find("uf_change")
    grew = gap.details["after"] > gap.details["before"]
    assert any("largest gap between groups" in text for text in main.warnings) == grew


def test_by_labels_the_groups_are_measured_on_users_who_did_not_choose_them(world):
    done = call(world, goal="relevance")
    main = done.result.find("rerank_change", who="chosen groups")
    assert len(main.details["chosen_by_halves"]) == 2
    assert main.interval.method == "paired, halves choose and measure in turn"
    # A group of 40 for each half, of which the other half is measured.
    assert main.n.count == 40
    everybody = set(world["users"]["user_id"])
    assert 0 < len(changed_users(world, done)) <= 40 < len(everybody)
    assert call(world, goal="relevance").result == done.result
    assert call(world, goal="relevance", rng=1).result != done.result


def test_what_the_group_took_helps_where_the_model_did_not_know(world):
    """Young men like items 0 to 4 and took them; the model's scores are noise for them."""
    rng = np.random.default_rng(0)
    users, table = world["users"], world["candidates"].copy()
    young = users["user_id"][(users["gender"] == "m") & (users["age"] == "young")]
    theirs = table["user_id"].isin(young)
    table["label"] = np.where(theirs, table["item_id"] < 5, table["label"]).astype(int)
    table["score"] = np.where(theirs, rng.normal(size=len(table)), table["score"] + 3 * table["label"])
    likes = pd.DataFrame([(u, i) for u in young for i in range(5)], columns=["user_id", "item_id"])
    done = call(world, candidates=table, goal="relevance", history=pd.concat([likes, world["history"]]))
    main = done.result.find("rerank_change", who="chosen groups")
    assert [row["group"] for row in main.details["chosen"]] == ["m, young"]
    assert main.interval.low > 0


def test_ends_of_share_and_strength(world):
    everybody = call(world, share=1.0).result
    others = everybody.find("rerank_change", who="everybody else")
    assert others.estimate is None
    assert others.warnings == ("All groups were chosen, so there is nobody else.",)
    assert everybody.find("rerank_change", who="chosen groups").n.count == USERS
    for goal in ("diversity", "relevance"):
        done = call(world, goal=goal, strength=0)
        assert not changed_users(world, done)
        assert done.result.find("rerank_change", who="chosen groups").details["change"] == "none"
        assert "a change of 0: neither of its groups' lists changed" in sentence(
            done.result.find("uf_change")
        )


def test_whoever_is_left_out_keeps_their_lists(world):
    users = world["users"].copy()
    users.loc[users["gender"] == "f", "age"] = users["age"].where(np.arange(USERS) % 4 > 0)
    for goal in ("diversity", "relevance"):
        done = call(world, users=users, missing="exclude", goal=goal)
        left_out = set(users["user_id"][users["age"].isna()])
        assert left_out
        assert not left_out & changed_users(world, done)
        assert done.result.findings[0].excluded[0].count == len(left_out)


def test_it_can_be_read_saved_and_loaded(world, tmp_path):
    result = call(world).result
    said = " ".join(whole_text.plain(result.document).split())
    assert "Chosen groups: mean urd@4 went from" in said
    assert "Does re-ranking the lists of the worst served groups help them" in said
    assert "debias" not in said
    result.save(tmp_path)
    assert eh.AuditResult.load(tmp_path) == result


def test_few_users_are_not_published(world, tmp_path):
    """Three users are the whole of the worst group: what it got is not to be read from the files."""
    users = world["users"].copy()
    users.loc[users.index[:3], "age"] = "oldest"
    table = world["candidates"].copy()
    theirs = table["user_id"].isin(users["user_id"][:3])
    table["score"] += 9.0 * (theirs & table["item_id"].between(10, 19))
    result = call(world, users=users, candidates=table, attributes="age", min_size=3).result
    main = result.find("rerank_change", who="chosen groups")
    assert main.details["chosen"] == [{"group": "oldest", "users": 3}]
    result.save(tmp_path)
    for finding in eh.AuditResult.load(tmp_path).findings:
        if finding.subject.get("who") == "chosen groups":
            assert (finding.estimate, finding.interval, finding.details) == (None, None, {})


BAD = [
    ({"goal": "fun"}, "goal is 'fun', but must be one of diversity, popularity, relevance."),
    ({"metric": "fun"}, "There is no metric 'fun'; there are: auc, "),
    ({"also": ["fun"]}, "There is no metric 'fun'; there are: auc, "),
    ({"attributes": []}, "attributes is empty"),
    ({"attributes": ["age", "age"]}, "attributes names 'age' more than once; name it once."),
    ({"attributes": "zip"}, "users: there is no column 'zip'"),
    ({"k": 0}, "k is 0, but must be a whole number from 1 to 1,000,000."),
    ({"share": 0}, "share is 0, but must be"),
    ({"share": 1.5}, "share is 1.5, but must be"),
    ({"strength": -1}, "strength is -1, but must be"),
    ({"strength": float("nan")}, "strength is nan, but must be"),
    ({"min_size": 0}, "min_size is 0, but must be"),
    ({"min_size": 1000}, "none of 6 groups of gender, age has at least 1,000 users"),
    ({"level": 1}, "level is 1, but must be"),
    ({"missing": "drop"}, "missing is 'drop', but must be one of refuse, group, exclude"),
    ({"items": None}, "candidates: there is no column 'category'"),
    ({"goal": "popularity", "history": None}, "no history table was given"),
    ({"goal": "relevance", "history": None}, "no history table was given: pass history"),
    ({"also": ["urp"], "history": None}, "no history table was given"),
    ({"candidates": None}, "There are no candidates"),
]


@pytest.mark.parametrize(("changed", "said"), BAD)
def test_bad_input_is_one_sentence(world, changed, said):
    with pytest.raises(InputError) as error:
        call(world, **changed)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_empty_cells_of_the_history_are_refused(world):
    history = pd.concat([world["history"], pd.DataFrame({"user_id": ["u001"], "item_id": [None]})])
    with pytest.raises(InputError, match="history"):
        call(world, goal="relevance", history=history)
