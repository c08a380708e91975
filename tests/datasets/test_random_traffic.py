"""Data sets with random traffic: KuaiRand, Yahoo! R3, Open Bandit. What cannot be compared is left out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from evenhand.datasets import kuairand, load, open_bandit, yahoo_r3
from evenhand.errors import InputError
from published import kuairand_row, write_kuairand, write_open_bandit, write_yahoo


@pytest.mark.parametrize(
    ("variant", "name"), [("pure", "KuaiRand-Pure"), ("1k", "KuaiRand-1K"), ("27k", "KuaiRand-27K")]
)
def test_kuairand_has_the_pool_and_the_days_of_random_traffic_alone(tmp_path, variant, name):
    data = load(write_kuairand(tmp_path / "folder", variant))
    assert data.name == name
    assert data.logs is not None
    assert data.logs.random is not None
    assert (len(data.logs.random), len(data.logs.default)) == (400, 40 * 9 + 2)
    assert set(data.logs.default["item_id"]) == set(range(9))
    assert set(data.items["item_id"]) == set(range(10))
    assert data.logs.default["date"].max() == pd.Timestamp(2022, 4, 26)
    left_out = "of other days (9), of videos outside the pool (5), marked as random (1)"
    assert any(left_out in note for note in data.notes)
    assert any("There are 400 rows of random traffic, but" in note for note in data.notes)


def test_kuairand_tags_labels_and_interactions(tmp_path):
    data = kuairand(write_kuairand(tmp_path / "folder") / "data")
    assert data.items["tag"].to_list()[:4] == [[], [12], [12, 65], []]
    assert data.items.set_index("item_id")["video_duration"].isna().to_list()[:3] == [False, False, True]
    assert data.logs.label == "is_click"
    assert "is_hate" not in data.logs.labels
    clicked = data.logs.default.query("is_click == 1").drop_duplicates(["user_id", "item_id"])
    assert len(data.interactions) == len(clicked)
    assert data.interactions["timestamp"].iloc[0] == 1650600000
    assert data.users["user_active_degree"].to_list()[:2] == ["UNKNOWN", "full_active"]


def test_a_column_is_found_by_its_name_and_missed_by_it(tmp_path):
    folder = write_kuairand(tmp_path / "folder") / "data"
    expected = kuairand(folder).logs.random
    path = folder / "log_random_4_22_to_5_08_pure.csv"
    frame = pd.read_csv(path)
    frame[frame.columns[::-1]].to_csv(path, index=False)
    pd.testing.assert_frame_equal(kuairand(folder).logs.random, expected, check_like=True)
    frame.drop(columns="long_view").to_csv(path, index=False)
    with pytest.raises(
        InputError, match=r"random_4_22_to_5_08_pure\.csv, line 1: there is no column 'long_view'"
    ):
        kuairand(folder)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (kuairand_row(1, 2, 20220422, 1, 1)[:20], "line 402: 5 fields where there must be 19"),
        (kuairand_row(1, 2, 20220422, 1, 0), "line 402: is_rand is 0, but must be 1 in the log of random"),
        (kuairand_row(1, 2, 20220422, 2, 1), "line 402: is_click is 2, but must be 0 or 1"),
        (kuairand_row(1, 2, 20221322, 1, 1), "line 402: date is 20221322, but must be a day"),
        (kuairand_row(1, 2, 20220422, 1, 1).replace("1,2,", "1,x,", 1), "line 402: video_id is 'x', but"),
        (kuairand_row(1, 2, 20220422, 1, 1).replace("1,2,", "1,,", 1), "line 402: video_id is '', but"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path, line, message):
    folder = write_kuairand(tmp_path / "folder") / "data"
    with (folder / "log_random_4_22_to_5_08_pure.csv").open("a") as file:
        file.write(line)
    with pytest.raises(InputError, match=message):
        load(folder)


@pytest.mark.parametrize("tag", ["drama", "12;65", '"12,"', "12.5"])
def test_a_tag_that_is_no_number_is_named_with_its_line(tmp_path, tag):
    folder = write_kuairand(tmp_path / "folder") / "data"
    path = folder / "video_features_basic_pure.csv"
    lines = path.read_text().splitlines()
    lines[3] = lines[3].removesuffix('"12,65"') + tag
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"basic_pure\.csv, line 4: tag is '.*', but must be numbers"):
        load(folder)


@pytest.mark.parametrize(
    "name",
    ["log_standard_4_22_to_5_08_pure.csv", "video_features_basic_pure.csv", "user_features_pure.csv"],
)
def test_a_file_that_is_missing_is_named(tmp_path, name):
    folder = write_kuairand(tmp_path / "folder") / "data"
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        load(folder)


def test_yahoo_has_the_users_of_random_ratings_alone(tmp_path):
    data = load(write_yahoo(tmp_path / "folder"))
    assert data.name == "Yahoo! R3"
    assert (len(data.logs.default), len(data.logs.random), len(data.interactions)) == (300, 300, 320)
    assert data.logs.default["user_id"].max() == 30
    assert any("20 of 320 ratings of chosen songs are left out" in note for note in data.notes)
    rated = data.logs.random
    assert rated["liked"].to_list() == (rated["rating"] >= 4).astype(int).to_list()
    assert any("published with 311,704" in note for note in data.notes)


@pytest.mark.parametrize(
    ("part", "line", "message"),
    [
        ("test", "5401\t11\t3\n", r"test\.txt, line 301: user_id is 5401, but must be from 1 to 5,400"),
        ("train", "31\t1\n", "train.txt, line 321: 2 fields where there must be 3"),
        ("train", "31\t1\t6\n", "train.txt, line 321: rating is 6, but must be a whole number from 1 to 5"),
        ("train", "1\t1\t3\n", "train.txt, line 321: user_id 1, item_id 1 appears a second time"),
    ],
)
def test_bad_lines_of_yahoo(tmp_path, part, line, message):
    folder = write_yahoo(tmp_path / "folder")
    with (folder / f"ydata-ymusic-rating-study-v1_0-{part}.txt").open("a") as file:
        file.write(line)
    with pytest.raises(InputError, match=message):
        yahoo_r3(folder)


def test_open_bandit_has_no_users_and_says_so(tmp_path):
    data = load(write_open_bandit(tmp_path / "folder"))
    assert data.name == "Open Bandit (men)"
    assert data.logs.user is None
    assert data.interactions.empty
    assert data.users.empty
    assert list(data.logs.random) == [
        "timestamp", "item_id", "position", "click", "propensity_score", "user_feature_0",
    ]  # fmt: skip
    assert data.logs.random["propensity_score"].unique().tolist() == [0.25]
    assert any("there are no clusters" in note for note in data.notes)
    assert any("campaign men; women" in note for note in data.notes)
    assert data.answers.keys() == {"opportunity", "parity"}


def test_another_campaign_and_one_that_is_not_there(tmp_path):
    folder = write_open_bandit(tmp_path / "folder")
    assert open_bandit(folder, "women").name == "Open Bandit (women)"
    with pytest.raises(InputError, match="no campaign 'all'; choose from men, women"):
        open_bandit(folder, "all")


def test_draws_that_are_not_uniform_are_said(tmp_path):
    folder = write_open_bandit(tmp_path / "folder", ("men",))
    path: Path = folder / "random" / "men" / "men.csv"
    path.write_text(path.read_text().replace(",0.25,", ",0.5,", 1))
    assert any("not all drawn alike" in note for note in load(folder).notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",0.25,", ",0.0,", "line 2: propensity_score is .*0.0.*, but must be above 0 and at most 1"),
        (",0,1,", ",7,1,", "item_id is 7, but must be one of the 4 in item_context.csv"),
    ],
)
def test_bad_lines_of_open_bandit(tmp_path, old, new, message):
    folder = write_open_bandit(tmp_path / "folder", ("men",))
    path = folder / "random" / "men" / "men.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        load(folder)
