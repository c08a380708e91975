"""Tables and choices that a group audit cannot use: each refused in one sentence that says what to do.

The same from Python, from the command line, and from a plan.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.recommenders.adapters import from_callable
from groups.tables import ITEMS, USERS, audit, make_tables

TABLES = make_tables()
U, C, H, I = (TABLES[name] for name in ("users", "candidates", "history", "items"))  # noqa: E741
NAN = float("nan")


def refused(**changes: Any) -> str:
    with pytest.raises(InputError) as error:
        audit(TABLES, **changes)
    message = str(error.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert "np." not in message
    return message


# Choices

SHARE = "but must be a finite number above 0 and at most 1."
LEVEL = "but must be a finite number from 0.5 to 0.9999."
SIZE = "min_size is"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"k": 0}, "k is 0, but must be a whole number from 1 to 1,000,000."),
        ({"k": 1.5}, "k is 1.5, but must be a whole number"),
        ({"k": True}, "k is True, but must be a whole number"),
        ({"min_size": 0}, f"{SIZE} 0, but must be a number of users above 0"),
        ({"min_size": -3}, f"{SIZE} -3, but must be"),
        ({"min_size": NAN}, f"{SIZE} nan, but must be"),
        ({"min_size": float("inf")}, f"{SIZE} inf, but must be"),
        ({"min_size": "many"}, f"{SIZE} 'many', but must be"),
        ({"min_size": True}, f"{SIZE} True, but must be"),
        ({"permutations": 0}, "permutations is 0, but must be a whole number from 20 to 1,000,000."),
        ({"top": 0}, "top is 0, but must be a whole number from 1 to 1,000."),
        ({"depth": 0}, "depth is 0, but must be a whole number from 1 to 20."),
        ({"level": 1}, f"level is 1, {LEVEL}"),
        ({"level": 0.4}, f"level is 0.4, {LEVEL}"),
        ({"level": NAN}, f"level is nan, {LEVEL}"),
        ({"level": "high"}, f"level is 'high', {LEVEL}"),
        ({"threshold": 0}, f"threshold is 0, {SHARE}"),
        ({"threshold": 1.1}, f"threshold is 1.1, {SHARE}"),
        ({"budget": 0}, "budget is 0, but must be"),
        ({"budget": True}, "budget is True, but must be"),
        ({"seconds": 0}, "seconds is 0"),
        ({"tolerance": 0}, "tolerance is 0, but must be a finite number above 0."),
        ({"tolerance": float("inf")}, "tolerance is inf, but must be a finite number above 0."),
        ({"tolerance": "small"}, "tolerance is 'small', but must be a finite number above 0."),
        ({"search": "swam"}, "search is 'swam', but must be one of exhaustive, threshold, cube, swarm (did"),
        ({"missing": "keep"}, "missing is 'keep', but must be one of refuse, group, exclude."),
        (
            {"no_positive": "drop"},
            "no_positive is 'drop', but must be one of exclude, zero (did you mean 'exclude'?).",
        ),
        ({"better": "up"}, "better is 'up', but must be one of higher, lower."),
        ({"rng": "seed"}, "rng (a seed or a NumPy Generator) is 'seed', but must be a whole number"),
        ({"attributes": []}, "attributes is empty: name the columns of users that make the groups."),
        ({"attributes": None}, "attributes is None, but must be the name of a column, or a list of several"),
        ({"attributes": [3]}, "attributes is [3], but must be the name of a column, or a list of several"),
        ({"attributes": ["gender"] * 2}, "attributes names 'gender' more than once; name it once."),
        (
            {"attributes": "gendr"},
            "users: there is no column 'gendr'. Did you mean 'gender'? It has: user_id",
        ),
        ({"attributes": "user_id"}, "user_id is who a user is and makes no groups; name other attributes."),
        ({"metric": []}, "metric is empty: name one of auc, mrr, ndcg"),
        ({"metric": None}, "metric is None, but must be text or a list of texts"),
        ({"metric": ["mrr", "mrr"]}, "metric names 'mrr' more than once"),
        ({"metric": "mmr"}, "'mmr' is neither a metric (auc, mrr, ndcg"),
        ({"metric": "mmr"}, ") nor a column of users (user_id, gender, band, age, income, wait)"),
        ({"metric": "mmr"}, "wait) (did you mean 'mrr'?)."),
        ({"metric": "wat"}, "(did you mean 'wait'?)."),
        ({"metric": "NDCG@10"}, ": say 'ndcg', and how many items count with k (on the command line -k 10)."),
        ({"metric": "gender"}, "'gender' cannot be both a metric and what says who users are; drop one."),
        (
            {"metric": "gender", "attributes": "band"},
            "users: column 'gender' is of type string, but must hold numbers; convert it first.",
        ),
        (
            {"metric": "auc", "no_positive": "zero"},
            "is undefined and not 0; use no_positive='exclude' (--no-positive exclude).",
        ),
        ({"metric": "wait", "bounds": (1, 0)}, "bounds are 1 and 0, but the first must be below the second."),
        ({"metric": "wait", "bounds": (0, NAN)}, "bounds are 0.0 and nan, but must be two finite numbers."),
        ({"metric": "wait", "bounds": ("a", 1)}, "bounds is ('a', 1), but must be two numbers"),
        ({"metric": "wait", "bounds": (0,)}, "bounds is (0,), but must be two numbers"),
        ({"metric": "wait", "bounds": 1}, "bounds is 1, but must be two numbers"),
        (
            {"metric": "wait", "bounds": (0, 0.5)},
            f"users: column 'wait' is outside its bounds 0 to 0.5 for {(U['wait'] > 0.5).sum()} of 120 "
            "users, for example ",
        ),
        (
            {"metric": "wait", "search": "swarm"},
            "a swarm saves scoring, and 'wait' of users is there already",
        ),
        ({"bins": 4}, "bins is 4, but must be the bins of each attribute, a number of them or edges"),
        ({"bins": {"age": 4}}, "bins names 'age', which is none of the attributes (gender, band)."),
        ({"bins": {"band": 4}}, "users: column 'band' is of type string; only numbers can be binned."),
        (
            {"attributes": "income"},
            "users: column 'income' holds fractions, which make no groups as they are; say how to bin it: "
            "bins={'income': 4} for quarters, or the edges between the bins.",
        ),
    ],
)
def test_choices_are_refused_with_what_is_allowed(changes, says):
    assert says in refused(**changes)


@pytest.mark.parametrize(
    "bins",
    [
        [55, 35, 18],
        [18, 18],
        [],
        [18, NAN],
    ],
)
def test_edges_must_ascend(bins):
    message = refused(attributes="age", bins={"age": bins})
    assert message.startswith("bins of 'age' are ")
    assert message.endswith("but must be a whole number, or edges that ascend, such as [18, 35, 55].")


@pytest.mark.parametrize("bins", ["4", [[18], [35]], True])
def test_bins_are_numbers(bins):
    message = refused(attributes="age", bins={"age": bins})
    assert message.startswith("bins is {'age': ")
    assert "but must be the bins of each attribute, a number of them or edges, such as {'age': 4}" in message


@pytest.mark.parametrize("bins", [1, 0, -2, 10**6])
def test_too_few_or_too_many_bins(bins):
    assert refused(attributes="age", bins={"age": bins}) == (
        f"bins of 'age' is {bins}, but must be a whole number from 2 to 1,000."
    )


# The users table


def test_an_attribute_that_some_users_lack():
    message = refused(users=U.assign(gender=U["gender"].mask(U.index < 9)))
    assert message == (
        "users: 'gender' is empty for 9 of 120 users. Fill it, or choose for missing: 'group' makes these "
        "users a group, 'exclude' leaves them out."
    )


def test_an_attribute_that_all_users_lack():
    nothing = U.assign(gender=pd.Series(pd.NA, index=U.index, dtype="string"))
    assert refused(users=nothing, missing="exclude").startswith(
        "users: nobody has a value of every attribute"
    )


@pytest.mark.parametrize(
    ("users", "says"),
    [
        (
            pd.concat([U, U[:2]]),
            "users: 2 keys of user_id appear more than once, for example user_id=0 in 2 rows. Keep one row",
        ),
        (U[:0], "users: the table is empty, so there is nobody to audit."),
        (U.drop(columns="user_id"), "users: there is no column 'user_id'."),
        (
            U.assign(user_id=U["user_id"].astype("Int64").mask(U.index == 5)),
            "users: column 'user_id' is empty in 1",
        ),
        (
            U.assign(gender="F", band="old"),
            "all 120 users with mrr@5 are in one group of gender, band; a comparison needs two, so name",
        ),
        (
            U[:-3],
            "candidates: 3 users are not known to the users table, for example 117; add them there, or "
            "choose for missing: 'group' makes these users a group, 'exclude' leaves them out.",
        ),
        (
            U.assign(user_id=U["user_id"].astype(str)),
            "column 'user_id' is of type int64 in candidates, but string in users; ids of different types "
            "never match safely, so convert one of them.",
        ),
        (U.assign(gender=[["F"]] * USERS), "users: column 'gender' holds lists, not one value a user."),
        (5, "users: a int is not a table; pass a path"),
        ("nowhere.parquet", "users: there is no file 'nowhere.parquet'; check the path."),
    ],
)
def test_users_that_cannot_be_compared(users, says):
    assert says in refused(users=users)


def test_no_group_is_large_enough_or_only_one():
    assert refused(min_size=1000) == (
        "none of 6 groups of gender, band has at least 1,000 users (the largest has 20), and a comparison "
        "needs two: lower min_size, or use fewer or coarser attributes."
    )
    users = U.assign(gender=np.where(U.index < 30, "F", "M"))
    assert refused(users=users, attributes="gender", min_size=31).startswith(
        "only one of 2 groups of gender has"
    )


def test_an_attribute_that_is_an_id():
    many = pd.DataFrame({"user_id": range(1001), "zip": range(1001), "wait": np.arange(1001) / 1001})
    message = refused(users=many, attributes="zip", metric="wait")
    assert message == (
        "users: column 'zip' has 1,001 values, more than 1,000: it looks like an id and not like an attribute"
        ". Bin it if it is a number, or leave it out."
    )


@pytest.mark.parametrize(
    ("wait", "says"),
    [
        (U["wait"].mask(U.index < 4), "users: column 'wait' is empty in 4 of 120 rows"),
        (U["wait"].mask(U.index < 4, np.inf), "users: column 'wait' is not finite in 4 of 120 rows"),
        (U["wait"] * 0 + 0.25, "wait is 0.25 for all 120 users, so there is nothing to compare"),
    ],
)
def test_a_column_of_users_that_is_no_metric(wait, says):
    assert says in refused(users=U.assign(wait=wait), metric="wait")


# The candidates

S, L = C["score"], C["label"]
UNDEFINED = "A ranking by such scores is undefined: drop those rows or correct the model."


@pytest.mark.parametrize(
    ("candidates", "says"),
    [
        (C[:0], "candidates: the table is empty, so there is nothing to audit."),
        (
            None,
            "There are no candidates: pass a table of user_id, item_id, label and score, or the folder of a",
        ),
        (
            pd.concat([C, C[:3]]),
            "candidates: 3 keys of user_id, item_id appear more than once, for example user_id=0, item_id=",
        ),
        (C.drop(columns="score"), "candidates: there is no column 'score'. It has: user_id, item_id, label."),
        (C.drop(columns="label"), "candidates: there is no column 'label'. It has: user_id, item_id, score."),
        (C.drop(columns="item_id"), "candidates: there is no column 'item_id'."),
        (
            C.assign(score=S.mask(C.index < 3)),
            "candidates: column 'score' is empty in 3 of 600 rows, for example",
        ),
        (
            C.assign(score=S.astype("Float64").mask(C.index < 3, pd.NA)),
            "candidates: column 'score' is empty in 3 of 600 rows, for example",
        ),
        (
            C.assign(score=S.mask(C.index < 3, np.inf)),
            "candidates: column 'score' is not finite in 3 of 600 rows",
        ),
        (C.assign(score=S.mask(C.index < 3, -np.inf)), UNDEFINED),
        (C.assign(score="high"), "candidates: column 'score' is of type string, but must hold numbers;"),
        (
            C.assign(label=2 * L),
            "candidates: column 'label' has values other than 0 and 1 in 120 of 600 rows",
        ),
        (C.assign(label=2 * L), "Say from which value on a row counts as positive, and store that as 0/1."),
        (
            C.assign(label=L.astype("Int64").mask(C.index < 4)),
            "candidates: column 'label' is empty in 4 of 600",
        ),
        (C.assign(label=L.astype("Int64").mask(C.index < 4)), "A missing label is not a negative one"),
        (
            C.assign(label="yes"),
            "candidates: column 'label' is of type string, but must hold 0/1 or true/false",
        ),
        (
            C.assign(label=0),
            "mrr@5 is defined for none of 120 users: no candidates, or none that is positive or can be told",
        ),
        (
            C.assign(score=1.0 * L),
            "mrr@5 is 1 for all 120 users, so there is nothing to compare; check labels and scores, or "
            "choose another metric or a larger k.",
        ),
    ],
)
def test_candidates_that_cannot_be_ranked(candidates, says):
    assert says in refused(candidates=candidates)


def test_not_a_number_in_a_file_is_not_an_empty_score(tmp_path):
    """DuckDB knows both, pandas does not."""
    import duckdb

    frame = C.assign(score=S.mask(C.index < 3, np.inf))  # noqa: F841 - read by the query
    place = tmp_path / "candidates.parquet"
    duckdb.sql(
        f"COPY (SELECT user_id, item_id, label, CASE WHEN isinf(score) THEN 'nan'::DOUBLE ELSE score END "
        f"AS score FROM frame) TO '{place}'"
    )
    assert "candidates: column 'score' is not finite in 3 of 600 rows" in refused(candidates=place)


# Histories and items


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"metric": "urp"},
            "The metric urp compares what is shown with what the user took before, and no history",
        ),
        (
            {"attributes": "activity"},
            "'activity' is made from each user's history, and no history table was given: pass history.",
        ),
        ({"attributes": "spend", "history": H.drop(columns="price")}, "history: there is no column 'price'."),
        (
            {"attributes": "spend", "history": H.assign(price=H["price"].mask(H.index < 6))},
            f"history: column 'price' is empty in 6 of {len(H)} rows",
        ),
        ({"attributes": "activity", "history": H[["item_id"]]}, "history: there is no column 'user_id'."),
        (
            {"metric": "urp", "history": H[["user_id"]]},
            "history: there is no column 'item_id'. It has: user_id.",
        ),
        (
            {"metric": "urp", "history": H[:0]},
            "urp@5 is defined for none of 120 users: no candidates, or no history.",
        ),
        (
            {"attributes": "activity", "history": H.assign(user_id=H["user_id"].astype(str))},
            "column 'user_id' is of type string in history, but int64 in users",
        ),
        (
            {"metric": "urp", "history": H.assign(user_id=H["user_id"].astype(str))},
            "column 'user_id' is of type string in history, but int64 in users",
        ),
        (
            {"metric": "urp", "history": H.assign(item_id=H["item_id"].astype(str))},
            "column 'item_id' is of type string in history, but int64 in candidates",
        ),
        ({"metric": "urd"}, "candidates: there is no column 'category'."),
        ({"metric": "urd", "items": I.drop(columns="category")}, "items: there is no column 'category'."),
        (
            {"metric": "urd", "items": pd.concat([I, I[:1].assign(category="z")])},
            "items: 1 item_id with several values of 'category', for example 0. Give each item one; several "
            "categories may be a list, or text with | between.",
        ),
        (
            {"metric": "urd", "items": I.assign(item_id=I["item_id"].astype(str))},
            "column 'item_id' is of type string in items, but int64 in candidates",
        ),
        (
            {"metric": "urd", "items": I.assign(category="")},
            "no item has a category, so the diversity of a list",
        ),
        (
            {"metric": "urp", "history": H, "items": I[:-1]},
            "items: 1 items of the candidates or the history have no popularity, for example 11. Add",
        ),
        (
            {"metric": "urp", "history": H, "items": I.assign(popularity="much")},
            "items: column 'popularity' is of type string, but must hold numbers",
        ),
        (
            {"metric": "urp", "history": H, "items": I.assign(popularity=np.inf)},
            "items: column 'popularity' is not finite in 12 of 12 rows",
        ),
    ],
)
def test_histories_and_items_that_say_too_little(changes, says):
    assert says in refused(**changes)


# Recommenders


def zero(users, items):
    return np.zeros(len(users))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"recommender": from_callable(zero, range(USERS - 2), range(ITEMS))},
            "2 user ids were not seen in training, for example 118. Score only users that the model knows",
        ),
        (
            {"recommender": from_callable(zero, range(USERS), range(ITEMS - 1))},
            "1 item ids were not seen in training, for example 11.",
        ),
        ({"recommender": lambda u, i: [1.0]}, "it must return one score a pair."),
        (
            {"recommender": lambda u, i: np.full(len(u), np.nan)},
            "scores of 600 that are not finite, the first for",
        ),
        ({"recommender": "nowhere"}, "nowhere is not a trained model: it is not a folder."),
        (
            {"search": "swarm", "budget": 0.01},
            "A budget of 1 users does not pay for a single group: the smallest of at least 5 users has 20.",
        ),
        (
            {"search": "swarm", "budget": 0.2},
            "the swarm could visit only one group with a budget of 24 users, and a comparison needs two;",
        ),
    ],
)
def test_recommenders_and_budgets_that_do_not_reach(changes, says):
    assert says in refused(**changes)


def test_groups_that_cannot_be_divided_into_halves():
    """Every user alone in a cell of three attributes: a group may then have no user in one half."""
    users = pd.DataFrame(
        {"user_id": range(4), "a": list("xxyy"), "b": list("pqrs"), "wait": [0.1, 0.2, 0.3, 0.9]}
    )
    messages = set()
    for seed in range(20):
        try:
            audit(
                TABLES, users=users, attributes=["a", "b"], metric="wait", search="cube", min_size=2, rng=seed
            )
        except InputError as error:
            messages.add(str(error))
    assert messages
    assert all(said.endswith("divided to confirm the gap; raise min_size.") for said in messages)


# From the command line


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    for name, table in TABLES.items():
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(folder, monkeypatch, capsys) -> Callable[..., str]:
    """The refusal of a command: exit 2, one line, nothing written."""

    def run(*words: str) -> str:
        asked = ("--candidates", "candidates.parquet", "--users", "users.parquet", "--attribute", "gender")
        monkeypatch.setattr(sys, "argv", ["evenhand", "groups", *asked, "--out", "out", *words])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        assert (left.value.code, out) == (2, "")
        assert err.startswith("Error: ")
        assert err.count("\n") == 1
        assert err.endswith(".\n")
        assert "Traceback" not in err
        assert not (folder / "out").exists()
        return err.removeprefix("Error: ").strip()

    return run


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--attribute", "bnd"), "users: there is no column 'bnd'. Did you mean 'band'?"),
        (("--attribute", "gender"), "attributes names 'gender' more than once; name it once."),
        (("--attribute", "income"), "users: column 'income' holds fractions"),
        (("--bins", "age"), "--bins is 'age', but must be COLUMN=N, such as age=4"),
        (
            ("--attribute", "age", "--bins", "age=55,18"),
            "bins of 'age' are [55.0, 18.0], but must be a whole number",
        ),
        (("--attribute", "spend"), "users: there is no column 'spend'."),
        (("--metric", "mmr"), "'mmr' is neither a metric (auc, mrr"),
        (("--metric", "urp"), "The metric urp compares what is shown with what the user took before"),
        (
            ("--metric", "wait", "--bounds", "1,0"),
            "bounds are 1 and 0, but the first must be below the second.",
        ),
        (
            ("--metric", "wait", "--bounds", "low"),
            "--bounds is 'low', but must be numbers with commas",
        ),
        (("--min-size", "1000"), "none of 2 groups of gender has at least 1,000 users (the largest has 60)"),
        (("--min-size", "nan"), "--min-size is nan, but must be a number of users"),
        (
            ("--search", "swam"),
            "--search is 'swam', but must be one of exhaustive, threshold, cube, swarm",
        ),
        (("--k", "0"), "--k is 0, but must be a whole number"),
        (("--permutations", "0"), "--permutations is 0, but must be a whole number from 20"),
        (("--items", "nowhere.parquet"), "items: there is no file 'nowhere.parquet'; check the path."),
        (("--users", "nowhere.parquet"), "--users is given 2 times ('users.parquet', 'nowhere.parquet')"),
        (("--model", "nowhere"), "nowhere is not a trained model: it is not a folder."),
    ],
)
def test_a_command_that_is_refused(command, words, says):
    assert says in command(*words)


def test_a_command_on_tables_that_are_refused(command, folder):
    C.assign(label=2 * L).to_parquet(folder / "candidates.parquet", index=False)
    assert command().startswith("candidates: column 'label' has values other than 0 and 1 in 120 of 600 rows")


# From a plan

PLAN = """
[inputs.people]
path = "users.parquet"
[inputs.lists]
path = "candidates.parquet"
[[audits]]
audit = "groups"
users = "people"
candidates = "lists"
attributes = ["gender", "band"]
min_size = 5
permutations = 40
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"band"', '"bnd"', "people: there is no column 'bnd'. Did you mean 'band'? It has: user_id"),
        ("min_size = 5", "min_size = 0", "audits.1.min_size is 0, but must be a number of users above 0"),
        ("min_size = 5", "minsize = 5", "audits.1.minsize is not a known key (did you mean 'min_size'?)"),
        ('candidates = "lists"', 'candidates = "list"', "'list'"),
        (
            "min_size = 5",
            'search = "swam"',
            "audits.1.search is 'swam', but must be one of exhaustive",
        ),
        ("min_size = 5", "min_size = 500", "none of 6 groups of gender, band has at least 500 users"),
        ("min_size = 5", 'metric = "urd"', "lists: there is no column 'category'."),
        ("min_size = 5", 'model = "nowhere"', "nowhere is not a trained model"),
    ],
)
def test_a_plan_that_is_refused(folder, old, new, says):
    assert old in PLAN
    (folder / "audit.toml").write_text(PLAN.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as error:
        eh.plan.run(folder / "audit.toml", folder / "out")
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert not (folder / "out").exists()


def test_a_plan_and_a_command_find_what_the_call_finds(folder, monkeypatch, capsys):
    """So that the refusals above are not of something that never works."""
    (folder / "audit.toml").write_text(PLAN, encoding="utf-8")
    expected = audit(TABLES).findings
    assert eh.plan.run(folder / "audit.toml").findings == expected
    words = "--candidates candidates.parquet --users users.parquet --attribute gender --attribute band"
    words += " --min-size 5 --permutations 40 --out out --quiet"
    monkeypatch.setattr(sys, "argv", ["evenhand", "groups", *words.split()])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0, capsys.readouterr().err
    assert eh.AuditResult.load(folder / "out").findings == expected
