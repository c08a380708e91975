"""`--data FOLDER`: a public data set in the place of tables that are not named."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import evenhand as eh
from evenhand.asked.declared.association import LeakageStep
from evenhand.cli.data_folder import filled
from published import (
    write_black_friday,
    write_kuairand,
    write_kuairec,
    write_mind,
    write_open_bandit,
    write_yahoo,
)


def found(printed: str) -> dict[str, float]:
    return {
        f"{one['measure']} {one['group']}" if one.get("group") else one["measure"]: one["estimate"]
        for one in json.loads(printed)["findings"]
    }


def test_opportunity_from_the_folder_is_that_of_its_tables(evenhand, tmp_path):
    folder = write_kuairand(tmp_path / "kuairand")
    shown = evenhand("opportunity", "--data", folder, "--group", "video_type", "--json")
    data = eh.datasets.load(folder)
    direct = eh.opportunity.audit(
        data.logs.default, data.logs.random, label="is_click", group="video_type", cluster="user_id",
        attributes=data.items[["item_id", "video_type"]], on="item_id",
    )  # fmt: skip
    told = json.loads(shown.out)["findings"]
    assert [one["estimate"] for one in told] == [one.estimate for one in direct.findings]
    assert [one["interval"]["high"] for one in told if one["interval"]] == [
        one.interval.high for one in direct.findings if one.interval
    ]


def test_what_was_left_out_and_which_label_was_taken_is_said_and_stays_with_the_result(evenhand, tmp_path):
    folder = write_kuairand(tmp_path / "kuairand")
    out = tmp_path / "out"
    shown = evenhand("opportunity", "--data", folder, "--group", "video_type", "--out", out)
    for text in (shown.err, (out / "findings.json").read_text()):
        assert "of other days (9), of videos outside the pool (5), marked as random (1)" in text
        assert "The label is is_click, as no other is named (there are also long_view" in text


def test_another_label_a_group_of_users_and_days(evenhand, tmp_path):
    folder = write_kuairand(tmp_path / "kuairand")
    asked = (
        "opportunity",
        "--data",
        folder,
        "--group",
        "user_active_degree",
        "--label",
        "long_view",
        "--json",
    )
    shown = evenhand(*asked)
    assert "The label is" not in shown.err
    assert {"reo_penalty", "worst_ratio"} <= found(shown.out).keys()
    assert evenhand(*asked, "--day", "date").code == 0


def test_no_clusters_where_nobody_says_who_the_users_are(evenhand, tmp_path):
    folder = write_open_bandit(tmp_path / "bandit")
    shown = evenhand("opportunity", "--data", folder, "--group", "item_feature_1", "--json")
    assert {one["n"]["of"] for one in json.loads(shown.out)["findings"]} == {"rows"}
    assert "there are no clusters" in shown.err


def test_a_group_of_one_s_own_beside_the_folder(evenhand, tmp_path):
    folder = write_yahoo(tmp_path / "yahoo")
    songs = tmp_path / "songs.parquet"
    pd.DataFrame({"item_id": range(1, 21), "genre": ["rock", "jazz"] * 10}).to_parquet(songs)
    own = ("--attributes", songs, "--on", "item_id")
    assert evenhand("opportunity", "--data", folder, "--group", "genre", *own).code == 0


def test_envy_of_kuairec_is_told_what_counts_where_nothing_is_known(evenhand, tmp_path):
    folder = write_kuairec(tmp_path / "kuairec")
    small = folder / "data" / "small_matrix.csv"
    small.write_text("".join(small.read_text().splitlines(keepends=True)[:-1]))
    asked = ("envy", "offline", "--data", folder, "--inverse-temperature", 1, "--group", "gender")
    assert "1 of 12 pairs of a user and an item are not listed" in evenhand(*asked).err
    told = evenhand(*asked, "--missing", 0)
    assert told.code == 0
    assert "91.7% of the pairs of small_matrix.csv; an audit of envy must be told" in told.err + told.out


def test_other_audits_take_what_they_need(evenhand, tmp_path):
    kuairec, kuairand = write_kuairec(tmp_path / "kuairec"), write_kuairand(tmp_path / "kuairand")
    envy = ("envy", "offline", "--data", kuairec, "--inverse-temperature", 1, "--group", "gender")
    assert evenhand(*envy).code == 0
    assert evenhand("parity", "--data", kuairand, "--group", "video_type").code == 0
    assert evenhand("user-precision", "--data", kuairand, "--group", "user_active_degree").code == 0


def test_a_model_of_the_folder_is_audited_by_what_it_held_out(evenhand, tmp_path):
    """The folder has movies that no model knows, and most of its ratings are what the model learnt from."""
    folder = tmp_path / "ml-1m"
    folder.mkdir()
    people = [f"{user}::{'FM'[user % 2]}::25::1::0\n" for user in range(1, 13)]
    films = [f"{film}::Film {film} (1990)::{('Drama', 'Comedy')[film % 2]}\n" for film in range(1, 11)]
    ratings = [f"{user}::{1 + (user + step) % 8}::4::{step}\n" for user in range(1, 13) for step in range(5)]
    for name, lines in (("users", people), ("movies", films), ("ratings", ratings)):
        (folder / f"{name}.dat").write_text("".join(lines))
    model = tmp_path / "model"
    assert evenhand("train", "popularity", folder, "--out", model, "--seed", 1).code == 0
    other = tmp_path / "other"
    assert evenhand("train", "puresvd", folder, "--out", other, "--seed", 1).code == 0
    asked = ("exposure", "--user-group", "gender", "--item-group", "genres")
    data = eh.datasets.load(folder)
    data.users.to_parquet(tmp_path / "users.parquet")
    data.items.query("item_id <= 8").to_parquet(tmp_path / "items.parquet")
    tables = ("--users", tmp_path / "users.parquet", "--items", tmp_path / "items.parquet")
    by_hand = evenhand(*asked, "--model", model, "--relevance", model / "test.parquet", *tables, "--json")
    shown = evenhand(*asked, "--model", model, "--data", folder, "--json")
    assert found(shown.out) == found(by_hand.out) != {}
    for said in (
        "2 items that the model does not know are left out.",
        "what the model held out (test.parquet)",
    ):
        assert said in shown.err
    both = evenhand(*asked, "--model", model, "--model", other, "--data", folder)
    assert both.code == 0
    assert "2 items that not all of the models know are left out." in both.err + both.out


@pytest.mark.parametrize(
    ("write", "asked", "message"),
    [
        (
            write_kuairand,
            ("opportunity", "--group", "nope"),
            "--group nope: no table of KuaiRand-Pure has it",
        ),
        (
            write_black_friday,
            ("opportunity", "--group", "gender"),
            "Black Friday has nothing for --default, which this audit needs; it can answer groups",
        ),
        (
            write_mind,
            ("exposure", "--user-group", "x", "--item-group", "category"),
            "an exposure audit needs one of scores, model and lists",
        ),
    ],
)
def test_what_the_folder_does_not_have_is_refused(evenhand, tmp_path, write, asked, message):
    shown = evenhand(*asked, "--data", write(tmp_path / "folder"))
    assert shown.code == 2
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_a_column_of_both_sides_is_told_apart_by_its_key(evenhand, tmp_path):
    folder = write_kuairand(tmp_path / "folder")
    path = folder / "data" / "user_features_pure.csv"
    path.write_text(path.read_text().replace("onehot_feat0", "video_type"))
    asked = ("opportunity", "--data", folder, "--group", "video_type")
    assert "known of users and of items: add --on user_id or --on item_id" in evenhand(*asked).err
    assert evenhand(*asked, "--on", "item_id").code == 0


def test_a_column_alone_is_one_of_the_users_or_of_the_items(tmp_path):
    folder = str(write_kuairec(tmp_path / "kuairec"))
    told = {"attribute": "gender", "model": "model"}
    with filled(folder, LeakageStep, told, {}) as (found, about):
        path, _, column = found["attribute"].rpartition(":")
        assert column == "gender"
        assert list(pd.read_parquet(path)["user_id"]) == [0, 1, 2, 7]
        assert len(pd.read_parquet(found["interactions"][0])) == 3
        assert about.startswith("KuaiRec 2.0.")
    assert not Path(path).exists()
    with filled(folder, LeakageStep, {"attribute": f"{path}:gender", "interactions": ["own"]}, {}) as (
        own,
        _,
    ):
        assert own == {"attribute": f"{path}:gender", "interactions": ["own"]}


def test_without_a_folder_the_tables_are_required_as_ever(evenhand):
    shown = evenhand("opportunity", "--label", "liked", "--group", "age")
    assert (shown.code, "Missing option '--default'." in shown.err) == (2, True)
    assert "[required, or --data]" in " ".join(evenhand("opportunity", "--help").out.split())
    assert "--data" not in evenhand("compare", "--help").out
