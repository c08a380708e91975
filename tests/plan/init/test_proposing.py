"""What is proposed beside the questions themselves: days, arms in a column, what is left out and why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.plan import load
from evenhand.plan.init.command import run
from evenhand.plan.init.drafts import TITLES, Cannot
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, ITEMS, log

NAMES = {"user": "user_id", "item": "item_id", "maker": "creator_gender"}


def proposed(home, default, random):
    for name, frame in (("default", default), ("random", random)):
        frame.rename(columns=NAMES).to_parquet(home / f"{name}.parquet", index=False)
    return propose(see(look([home])))


def asked(draft):
    return [step.keys["audit"] for step in draft.steps]


def test_days_are_followed_where_each_has_random_rows_enough(tmp_path):
    draft = proposed(tmp_path, log(6000, 1, days=3), log(7000, 2, uniform=True, days=3))
    assert asked(draft) == ["opportunity", "series"]
    assert draft.steps[1].keys["day"] == "day"


def test_days_with_few_random_rows_are_only_named(tmp_path):
    draft = proposed(tmp_path, log(6000, 1, days=9), log(4000, 2, uniform=True, days=9))
    assert asked(draft) == ["opportunity"]
    assert draft.day == "day"


def test_a_column_of_arms_is_an_experiment_with_its_control(tmp_path):
    default = log(6000, 1)
    default["variant"] = np.where(default.user % 2 == 0, "control", "new_ranker")
    draft = proposed(tmp_path, default, log(4000, 2, uniform=True))
    (step,) = [step for step in draft.steps if step.keys["audit"] == "experiments"]
    assert step.keys["columns"] == {"variant": "control"}


def test_an_experiment_without_a_control_is_marked(tmp_path):
    default = log(6000, 1)
    default["variant"] = np.where(default.user % 2 == 0, "x", "y")
    draft = proposed(tmp_path, default, log(4000, 2, uniform=True))
    assert any("Baseline of variant: x" in mark for mark in draft.marks)


def test_probabilities_of_the_random_log_are_used_if_they_differ(tmp_path):
    random = log(4000, 2, uniform=True)
    random["propensity"] = np.where(random.user % 2 == 0, 0.001, 0.002)
    draft = proposed(tmp_path, log(6000, 1), random)
    assert draft.steps[0].keys["probability"] == "propensity"


@pytest.mark.parametrize("lacking", [0, 10, 40])
def test_items_that_no_table_describes_are_told_before_the_plan_is_run(tmp_path, lacking):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame.drop(columns="maker").rename(columns=NAMES).to_parquet(
            tmp_path / f"{name}.parquet", index=False
        )
    items = np.arange(ITEMS - lacking)
    pd.DataFrame({"item_id": items, "creator_gender": GENDERS[items % 2]}).to_csv(
        tmp_path / "items.csv", index=False
    )
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    assert outcome.written is (lacking < 40)
    said = " ".join(outcome.lines)
    assert ("items lacks 16.7% of the items of default. Their rows are left out" in said) is (lacking == 10)
    if outcome.written:
        assert ('missing = "exclude"' in (tmp_path / "audit.toml").read_text()) is (lacking == 10)
    assert ("it lacks most of the items of default" in said) is (lacking == 40)


def test_ids_of_other_names_are_known_by_their_values_or_because_somebody_says_so(tmp_path):
    """A random log that calls users and items otherwise, and a table of items that does so, too."""
    default, random = (frame.drop(columns="maker") for frame in (log(6000, 1), log(4000, 2, uniform=True)))
    for frame in (default, random):
        frame["item"] = "e" + frame["item"].astype(str)
    default.rename(columns={"user": "user_id", "item": "ep"}).to_parquet(tmp_path / "events.parquet")
    random.rename(columns={"user": "MemberId", "item": "EpisodeId"}).to_parquet(tmp_path / "random.parquet")
    items = np.arange(ITEMS)
    frame = pd.DataFrame({"episode": [f"e{item}" for item in items], "host_gender": GENDERS[items % 2]})
    frame.to_csv(tmp_path / "episodes.csv", index=False)
    draft = propose(see(look([tmp_path])))
    assert asked(draft) == ["opportunity"]
    assert draft.inputs["default"].columns["item_id"] == "ep"
    assert draft.steps[0].keys["catalogue"] == "items"
    (said,) = [mark for mark in draft.marks if mark.startswith("ep is taken to be the id of items")]
    assert "ep is taken to be the id of items, as episodes describes things" in said
    named = propose(see(look([tmp_path]), named={"item_id": ["ep"], "label": ["liked"]}))
    assert not [mark for mark in named.marks if mark.startswith("ep is taken")]
    assert named.agreed == ["Label: liked is 1."]
    for wrong, sentence in (({"itm_id": ["ep"]}, "did you mean 'item_id'"), ({"item_id": ["epp"]}, "'ep'")):
        with pytest.raises(InputError, match=sentence):
            see(look([tmp_path]), named=wrong)


@pytest.mark.parametrize("key", ["ficha_id", "num_perfil"])
@pytest.mark.parametrize("named", [None, {"item_id": ["ficha_id"], "user_id": ["usuario_id"]}])
def test_people_who_are_recommended_are_items(tmp_path, key, named):
    """A table with a gender and an age describes what was shown, if the log says so, or somebody does."""
    for frame, name in ((log(6000, 1), "default"), (log(4000, 2, uniform=True), "random")):
        frame["item"] = "p" + frame["item"].astype(str)
        names = {"user": "usuario_id", "item": "ficha_id"}
        frame.drop(columns="maker").rename(columns=names).to_parquet(tmp_path / f"{name}.parquet")
    items = np.arange(ITEMS)
    shown = {key: [f"p{item}" for item in items], "sexo": GENDERS[items % 2], "edad": 20 + items}
    pd.DataFrame(shown).to_csv(tmp_path / "fichas.csv", index=False)
    draft = propose(see(look([tmp_path]), named=named))
    assert asked(draft) == ["opportunity", "opportunity"]
    assert [step.keys["group"] for step in draft.steps] == ["sexo", "edad"]
    assert not [mark for mark in draft.marks if "id of users" in mark]


def test_why_a_table_is_not_used_stands_where_its_question_is_lost(tmp_path):
    """Card numbers with zeros in the log, and without in the table of readers."""
    users = np.arange(150)
    frame = pd.DataFrame({"user_id": users, "gender": GENDERS[users % 2], "age": users})
    frame.to_csv(tmp_path / "readers.csv", index=False)
    shown = log(3000, 1).drop(columns="maker").rename(columns=NAMES)
    shown["user_id"] = shown.user_id.astype(str).str.zfill(7)
    shown.to_parquet(tmp_path / "default.parquet")
    pd.DataFrame({"a": range(9), "b": range(9)}).to_csv(tmp_path / "strange.csv", index=False)
    draft = propose(see(look([tmp_path])))
    (lost,) = [one.why for one in draft.cannot if one.question.startswith("Which users are served worst")]
    assert "readers was left out: its user_id is a number (0)" in lost
    assert "of default is text (0000000)" in lost
    (strange,) = [note for note in draft.notes if note.startswith("strange was not recognised")]
    assert "the ids of users or items: a, b." in strange
    assert "--columns user_id=NAME" in strange


def test_words_that_were_named_as_the_label_are_listed_with_what_to_write(tmp_path):
    shown = log(3000, 1).rename(columns=NAMES)
    shown["respuesta"] = np.array(["pasar", "me gusta", "superlike"])[np.arange(len(shown)) % 3]
    shown.drop(columns="liked").to_parquet(tmp_path / "default.parquet")
    with pytest.raises(InputError, match=r"pasar \(1,000\), superlike .* made.liked = .*among"):
        see(look([tmp_path]), named={"label": ["respuesta"]})


def test_small_numbers_are_not_ids_because_ids_are_numbers(tmp_path):
    """The age of a reader is among the numbers of items, and is none of them."""
    default = log(6000, 1).drop(columns="maker")
    default["age"] = 20 + default.user % 20
    default.rename(columns={"user": "user_id", "item": "zzz"}).to_parquet(tmp_path / "events.parquet")
    pd.DataFrame({"item_id": np.arange(ITEMS), "kind": GENDERS[np.arange(ITEMS) % 2]}).to_csv(
        tmp_path / "items.csv", index=False
    )
    seen = see(look([tmp_path]))
    (events,) = [one for one in seen.tables() if one.name == "events"]
    assert events.item == "zzz"


def test_numbers_are_listed_with_bands_and_a_year_of_birth_is_an_age(tmp_path):
    rng = np.random.default_rng(1)
    users = np.arange(1500)
    pd.DataFrame(
        {
            "user_id": users,
            "gender": GENDERS[users % 2],
            "birth_year": rng.integers(1950, 2006, len(users)),
            "salary_eur": rng.gamma(2, 500, len(users)).round(),
        }
    ).to_parquet(tmp_path / "users.parquet")
    rows = np.arange(15_000)
    pd.DataFrame(
        {
            "user_id": rows % len(users),
            "item_id": rows // len(users),
            "score": rng.random(len(rows)),
            "clicked": (rng.random(len(rows)) < 0.2).astype(int),
        }
    ).to_parquet(tmp_path / "candidates.parquet")
    draft = propose(see(look([tmp_path])))
    (step,) = draft.steps
    assert step.keys["attributes"] == ["gender", "birth_year"]
    assert step.keys["bins"] == {"birth_year": [1960, 1970, 1980, 1990, 2000]}
    assert "bins" in step.beside
    assert any(one.startswith("salary_eur of users: a number; bins = [") for one in draft.groups)
    assert any("Other candidates: salary_eur" in mark for mark in draft.marks)


def test_every_limit_is_marked_and_where_the_data_cannot_show_it_that_is_said(tmp_path):
    for name, frame in (("default", log(1500, 1)), ("random", log(1000, 2, uniform=True))):
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    text = (tmp_path / "audit.toml").read_text()
    assert "tolerance = 0.11  # CHECK: " in text
    assert "The limits (tolerance) are proposals" in " ".join(outcome.lines)
    assert "These data cannot show that a limit of 11% is kept" in " ".join(outcome.lines)
    assert "to within" not in text


def test_no_limit_is_told_that_a_plan_would_refuse(tmp_path):
    """Few users, each with the best list or the worst: a limit would be beyond the scale."""
    users = np.arange(40)
    pd.DataFrame({"user_id": users, "gender": GENDERS[users % 2]}).to_parquet(tmp_path / "users.parquet")
    lists = pd.DataFrame({"user_id": np.repeat(users, 8), "item_id": np.tile(np.arange(8), 40)})
    lists["score"] = np.tile(np.arange(8), 40) / 8
    lists["clicked"] = (lists.item_id == np.where(lists.user_id // 2 % 2, 7, 0)).astype(int)
    lists.to_parquet(tmp_path / "candidates.parquet")
    said = " ".join(run([str(tmp_path)], tmp_path / "audit.toml").lines)
    assert "No limit is wide enough for them" in said
    assert "They could show a limit" not in said


def test_the_reason_of_a_lost_question_comes_first(tmp_path):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame["user"] = frame.user.astype("Int64").mask(frame.index == 7)  # a visit of nobody
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet")
    lines = run([str(tmp_path)], tmp_path / "audit.toml").lines
    first = lines[lines.index("Cannot be asked yet:") + 1]
    assert "The data are here, but opportunity cannot use them yet" in first


def test_an_attribute_with_empty_values_is_a_group_of_its_own(tmp_path):
    default, random = log(6000, 1), log(4000, 2, uniform=True)
    for frame in (default, random):
        frame.loc[frame.item % 10 == 0, "maker"] = None
    for name, frame in (("default", default), ("random", random)):
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    assert load(tmp_path / "audit.toml").audits[0].missing == "group"
    assert 'missing = "group"  # CHECK: ' in (tmp_path / "audit.toml").read_text()
    assert "They are compared as a group of their own" in " ".join(outcome.lines)


def test_files_that_are_left_out_are_named_with_their_share_of_the_rows(tmp_path):
    shown = log(6000, 1).rename(columns=NAMES)
    for day in (1, 2, 3):
        shown[:1000].to_csv(tmp_path / f"shown_{day}.csv", index=False)
    shown.to_parquet(tmp_path / "shown_4.parquet", index=False)
    (said,) = [mark for mark in propose(see(look([tmp_path]))).marks if "Not used" in mark]
    assert "Not used: shown_*.csv, with 33% of the rows" in said
    assert "save all of its files as Parquet" in said


def test_of_several_logs_the_one_called_default_is_default_and_arms_are_compared(tmp_path):
    for name, rows, uniform in (
        ("control", 3000, False),
        ("treatment", 3000, False),
        ("default", 6000, False),
    ):
        log(rows, rows, uniform).rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    log(4000, 2, uniform=True).rename(columns=NAMES).to_parquet(tmp_path / "random.parquet", index=False)
    items = np.arange(ITEMS)
    pd.DataFrame({"item_id": items, "creator_gender": GENDERS[items % 2]}).to_parquet(
        tmp_path / "items.parquet"
    )
    draft = propose(see(look([tmp_path])))
    assert asked(draft) == ["opportunity", "compare"]
    assert draft.steps[0].keys["default"] == "default"
    assert "attributes" not in draft.steps[0].keys  # the log has the group itself
    assert draft.steps[1].keys["arms"] == {"control": "control", "treatment": "treatment"}


@pytest.mark.parametrize(("falls", "asked_"), [(0.7, [["gender"]]), (0.8, [["gender"], ["age_group"]])])
def test_attributes_are_asked_one_by_one_where_no_limit_is_wide_enough_for_both(tmp_path, falls, asked_):
    """A hundred users a combination on average, but few in some: the older, the fewer."""
    rng = np.random.default_rng(1)
    users, decades, chances = np.arange(2000), np.arange(10), falls ** np.arange(10)
    age = rng.choice(decades, len(users), p=chances / chances.sum())
    pd.DataFrame(
        {"user_id": users, "gender": GENDERS[users % 2], "age_group": [f"{one}0s" for one in age]}
    ).to_parquet(tmp_path / "users.parquet")
    rows = np.arange(20_000)
    lists = pd.DataFrame({"user_id": rows % len(users), "item_id": rows // len(users)})
    best = rng.random(len(users)) < 0.5  # the best list or the worst
    lists["score"] = lists.item_id / 10
    lists["clicked"] = (lists.item_id == np.where(best[lists.user_id], 9, 0)).astype(int)
    lists.to_parquet(tmp_path / "candidates.parquet")
    assert propose(see(look([tmp_path]))).steps[0].keys["attributes"] == ["gender", "age_group"]
    said = " ".join(run([str(tmp_path)], tmp_path / "audit.toml").lines)
    assert [step.attributes for step in load(tmp_path / "audit.toml").audits] == asked_
    assert "No limit is wide enough" not in said
    assert "No limit would be wide enough for gender and age_group together" in said
    assert ("nor for age_group alone" in said) is (len(asked_) == 1)


def test_labels_that_were_named_are_no_guesses_where_tables_have_one_each(tmp_path):
    pairs = log(2000, 9).drop_duplicates(["user", "item"]).rename(columns=NAMES)
    lists = pairs.assign(score=np.arange(len(pairs)) % 97, took=pairs.liked)
    lists[["user_id", "item_id", "score", "took"]].to_parquet(tmp_path / "candidates.parquet", index=False)
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    people = pd.DataFrame({"user_id": range(150), "gender": GENDERS[np.arange(150) % 2]})
    people.to_parquet(tmp_path / "users.parquet", index=False)
    draft = propose(see(look([tmp_path]), named={"label": ["liked", "took"]}))
    assert {"opportunity", "groups"} <= set(asked(draft))
    assert {"Label: liked is 1.", "Label: took is 1."} <= set(draft.agreed)
    assert not [mark for mark in draft.marks if mark.startswith("Label of ")]


def test_a_second_label_that_was_named_is_not_dropped_in_silence(tmp_path):
    shown = log(6000, 1).rename(columns=NAMES)
    shown["took"] = shown["liked"]
    pairs = log(2000, 9).drop_duplicates(["user", "item"]).rename(columns=NAMES)
    pairs.assign(score=np.arange(len(pairs)) % 97, bought=pairs.liked)[
        ["user_id", "item_id", "score", "bought"]
    ].to_parquet(tmp_path / "candidates.parquet", index=False)
    shown.drop(columns="creator_gender").to_parquet(tmp_path / "default.parquet", index=False)
    people = pd.DataFrame({"user_id": range(150), "gender": GENDERS[np.arange(150) % 2]})
    people.to_parquet(tmp_path / "users.parquet", index=False)
    draft = propose(see(look([tmp_path]), named={"label": ["liked", "took", "bought"]}))
    assert asked(draft) == ["groups"]
    assert any("of the labels that were named, liked is read, and not took" in note for note in draft.notes)
    assert "default: no audit of this plan reads the label liked." in draft.notes
    assert not any("reads the label bought" in note for note in draft.notes)


def test_a_snapshot_of_scores_is_not_taken_for_what_was_shown(tmp_path):
    """Nothing says that its pairs were shown: no time, no place, and a number that may be a score."""
    pairs = log(4000, 9).drop_duplicates(["user", "item"])[["user", "item", "liked"]]
    pairs = pairs.rename(columns={**NAMES, "liked": "xq_7"}).assign(
        zq=np.random.default_rng(1).random(len(pairs))
    )
    pairs.to_parquet(tmp_path / "snapshot.parquet", index=False)
    pd.DataFrame({"item_id": np.arange(ITEMS), "category": GENDERS[np.arange(ITEMS) % 2]}).to_parquet(
        tmp_path / "items.parquet"
    )
    draft = propose(see(look([tmp_path])))
    assert asked(draft) == []
    (said,) = [note for note in draft.notes if "was not taken as what users were shown" in note]
    assert "zq may be a score" in said
    pairs.drop(columns="zq").to_parquet(tmp_path / "snapshot.parquet", index=False)
    draft = propose(see(look([tmp_path])))
    assert asked(draft) == ["parity"]
    assert any("What users were shown is taken to be the rows of snapshot" in one for one in draft.marks)


def test_lists_with_a_column_of_what_was_hidden_are_lists(tmp_path):
    rows = np.arange(4000)
    lists = pd.DataFrame(
        {"user_id": rows // 10, "item_id": rows % 97, "slot": rows % 10, "hid_flg": rows % 7 == 0}
    )
    lists.to_parquet(tmp_path / "impressions.parquet", index=False)
    (table,) = see(look([tmp_path])).found.tables
    assert table.role == "lists"
    lists.drop(columns="slot").to_parquet(tmp_path / "impressions.parquet", index=False)
    (table,) = see(look([tmp_path])).found.tables
    assert table.role == "disliked"
    (said,) = [note for note in table.notes if "was left out" in note]
    assert "call that column something else; if a column says what they liked, name it with --columns" in said


def test_that_there_is_no_random_traffic_is_not_said_as_a_fact(tmp_path):
    """Columns that may tell of it are named, and how to say so."""
    shown = log(6000, 1).rename(columns=NAMES)
    shown["origem"] = np.resize(["v7", "v8", "lote"], len(shown))
    shown.to_parquet(tmp_path / "exibicoes.parquet", index=False)
    (one,) = [one for one in propose(see(look([tmp_path]))).cannot if "opportunity" in one.question]
    assert "no random traffic was found in exibicoes" in one.why
    assert "such as origem (" in one.why
    assert "name it: --columns random=NAME" in one.why


def test_three_sources_of_which_one_is_drawn_by_lot_are_two_logs(tmp_path):
    shown = pd.concat(
        [
            log(6000, 1).assign(origem=np.resize(["v7", "v8"], 6000)),
            log(4000, 2, uniform=True).assign(origem="sorteio"),
        ]
    )
    shown.rename(columns=NAMES).to_parquet(tmp_path / "exibicoes.parquet", index=False)
    assert propose(see(look([tmp_path]))).inputs["random"].where == {"origem": "sorteio"}


def test_a_label_of_other_numbers_is_made_of_them_and_where_to_cut_is_marked(tmp_path):
    for name, rows, uniform in (("default", 6000, False), ("random", 4000, True)):
        shown = log(rows, 1, uniform=uniform).rename(columns=NAMES).drop(columns="liked")
        shown["humor"], shown["grade"] = np.resize([-1, 0, 1], rows), np.resize([2, 3, 4], rows)
        shown.to_parquet(tmp_path / f"{name}.parquet", index=False)

    def labelled(name):
        draft = propose(see(look([tmp_path]), named={"label": [name]}))
        return draft.inputs["default"].made, [mark for mark in draft.marks if "where to cut" in mark]

    assert labelled("humor") == ({"positive": {"column": "humor", "at_least": 1}}, [])
    made, marks = labelled("grade")
    assert made == {"positive": {"column": "grade", "at_least": 4}}
    assert marks == [
        "From 4 on, grade is taken to say that a user liked something, as 33% of rows do: where to cut it is "
        "a guess. Only you know: check it."
    ]


def test_dates_of_birth_say_why_they_make_no_groups(tmp_path):
    users = pd.DataFrame(
        {
            "user_id": range(100),
            "raca_cor": np.resize(["parda", "branca"], 100),
            "dt_nasc": [f"{day % 28 + 1:02}/03/{1950 + day % 50}" for day in range(100)],
            "gndr_cd": np.resize([1, 2], 100),
        }
    )
    users.to_parquet(tmp_path / "users.parquet", index=False)
    (table,) = see(look([tmp_path])).found.tables
    assert {one.column for one in table.of_users if one.sensitive} == {"raca_cor", "gndr_cd"}
    assert any(
        "'dt_nasc' says when people were born, and makes no groups, as it is text (" in one
        for one in table.notes
    )


def test_what_things_are_called_comes_after_what_else_may_be_compared(tmp_path):
    vacancies = pd.DataFrame(
        {"cod_vaga": range(100), "titulo": np.resize(["a", "b"], 100), "porte": np.resize(["x", "y"], 100)}
    )
    vacancies.to_parquet(tmp_path / "vagas.parquet", index=False)
    (table,) = see(look([tmp_path])).found.tables
    assert table.role == "items"
    assert [one.column for one in table.of_items] == ["porte", "titulo"]


def test_pages_that_are_named_have_these_titles():
    docs = Path(__file__).parents[3]
    assert {page: f"# {title}" for page, title in TITLES.items()} == {
        page: (docs / page).read_text(encoding="utf-8").partition("\n")[0] for page in TITLES
    }
    told = Cannot("Who?", "no column", "a column", "docs/explain/users.md").told()
    assert told.endswith('Log a column (see "The group audit", docs/explain/users.md).')
