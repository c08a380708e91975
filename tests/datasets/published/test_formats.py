"""KuaiRec, MIND, LFM-360K, Black Friday, Amazon reviews and MovieLens in CSV files, with what each has of odd
lines; and how a folder is told from others."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from evenhand.datasets import load
from evenhand.errors import InputError
from published import (
    WRITERS,
    write_amazon,
    write_black_friday,
    write_kuairand,
    write_kuairec,
    write_lastfm_360k,
    write_mind,
    write_movielens_csv,
    write_yahoo,
)


@pytest.mark.parametrize("name", WRITERS)
def test_each_folder_is_recognised_and_says_what_it_can_answer(tmp_path, name):
    data = load(WRITERS[name](tmp_path / "folder"))
    assert data.name == name
    assert not data.interactions.duplicated(["user_id", "item_id"]).any()
    assert str(data).startswith(f"{name}: ")
    assert "It can answer " in str(data)
    assert data.answers
    assert all(audit in str(data) for audit in data.answers)
    assert {"opportunity": data.logs is not None and data.logs.random is not None} == {
        "opportunity": "opportunity" in data.answers
    }


def test_a_folder_that_is_two_data_sets_is_refused_with_both_names(tmp_path):
    write_kuairand(tmp_path / "folder")
    write_kuairec(tmp_path / "other")
    for path in (tmp_path / "other" / "data").iterdir():
        path.rename(tmp_path / "folder" / "data" / path.name)
    with pytest.raises(InputError, match=r"holds 2 data sets, KuaiRand-Pure and KuaiRec 2\.0: give each"):
        load(tmp_path / "folder")


def test_two_data_sets_at_two_levels_are_two(tmp_path):
    write_kuairand(tmp_path / "folder")
    write_yahoo(tmp_path / "other")
    for path in (tmp_path / "other").iterdir():
        path.rename(tmp_path / "folder" / path.name)
    with pytest.raises(InputError, match="Yahoo! R3 and KuaiRand-Pure"):
        load(tmp_path / "folder")


def test_tables_of_common_names_are_told_by_their_columns(tmp_path):
    (tmp_path / "ratings.csv").write_text("user_id,item_id,rating\n1,2,3\n")
    (tmp_path / "movies.csv").write_text("item_id,title\n2,x\n")
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is not a data set that is known"):
        load(tmp_path)


def test_kuairec_keeps_the_last_row_of_a_pair_and_rows_without_a_time(tmp_path):
    data = load(write_kuairec(tmp_path / "folder"))
    assert data.interactions[["user_id", "item_id", "rating"]].to_numpy().tolist() == [
        [0, 8, 1.5], [0, 9, 2.0], [7, 9, 0.25],
    ]  # fmt: skip
    assert any("left out: 2" in note for note in data.notes)
    assert any("without a time: 4" in note for note in data.notes)
    assert list(data.preferences) == ["user_id", "item_id", "preference"]
    assert len(data.preferences) == 12
    assert data.preferences.query("user_id == 1")["preference"].to_list() == [0.25, 0.5, 0.75, 1.0]
    assert data.items["categories"].to_list()[-2:] == [[27, 9], [8]]
    assert data.items["caption"].to_list()[:3] == ["one\rtwo", "a, b\nc", "plain"]
    assert data.items["first_level_category_name"].to_list()[-1] == "games"
    assert list(data.users) == ["user_id", "gender", "age_range", "user_active_degree"]


def test_kuairec_captions_with_the_line_ends_of_windows(tmp_path):
    folder = write_kuairec(tmp_path / "folder")
    expected = load(folder).items
    path = folder / "data" / "kuairec_caption_category.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    found = load(folder).items
    found["caption"] = found["caption"].str.replace("\r\n", "\n")  # the one within quotes
    pd.testing.assert_frame_equal(found, expected)


def test_kuairec_without_names_and_without_raw_features(tmp_path):
    folder = write_kuairec(tmp_path / "folder") / "data"
    (folder / "kuairec_caption_category.csv").unlink()
    (folder / "user_features_raw.csv").rename(folder / "user_features.csv")
    data = load(folder)
    assert list(data.items) == ["item_id", "categories"]
    assert any("gender and age are not known" in note for note in data.notes)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("item_categories.csv", "10,[27\n", r"line 12: feat is '\[27', but must be a list of numbers"),
        ("item_categories.csv", "9,[27]\n", "line 12: item_id 9 appears a second time"),
        ("small_matrix.csv", "0,0,1,2,,,,0.5\n", "line 14: user_id 0, item_id 0 appears a second time"),
        ("small_matrix.csv", "9,0,1,2,,,", "line 14: 7 fields where there must be 8"),
        (
            "big_matrix.csv",
            "9,0,1,2,,,,-1\n",
            r"line 7: watch_ratio is -1\.0, but must be a number from 0",
        ),
        ("big_matrix.csv", "9,0,1,2,,,,inf\n", "line 7: watch_ratio is inf, but must be a finite number"),
        ("big_matrix.csv", "9,0,1,2,,,,\n", "line 7: watch_ratio is '', but must be a number"),
        ("kuairec_caption_category.csv", "x,UNKNOWN,c,[],5,games\n", "video_id is 'x', but must be a whole"),
    ],
)
def test_bad_lines_of_kuairec(tmp_path, name, line, message):
    folder = write_kuairec(tmp_path / "folder") / "data"
    with (folder / name).open("a") as file:
        file.write(line)
    with pytest.raises(InputError, match=message):
        load(folder)


def test_mind_has_no_positions_and_a_time_for_what_was_clicked_in_it(tmp_path):
    data = load(write_mind(tmp_path / "folder"))
    log = data.logs.default
    assert data.logs.random is None
    assert "position" not in log
    assert log["clicked"].to_list() == [0, 1, 1, 0, 0, 1]
    assert log["item_id"].to_list() == ["N2", "N3", "N3", "N4", "N2", "N2"]
    pairs = data.interactions.set_index(["user_id", "item_id"])["timestamp"]
    assert pairs["U1", "N3"] == int(pd.Timestamp("2019-11-14 13:05:22").timestamp())
    assert pairs["U2", "N2"] == int(pd.Timestamp("2019-11-13").timestamp())
    assert pairs["U1"][["N0", "N1"]].isna().all()
    assert data.items["title"].to_list()[0] == 'A "quoted title'
    assert any("no positions" in note for note in data.notes)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        (
            "behaviors.tsv",
            "4\tU9\t11/13/2019 1:00:00 PM\t\tN2 N3\n",
            "line 4: impressions is 'N2'.*test part",
        ),
        (
            "behaviors.tsv",
            "4\tU9\t11/13/2019 1:00:00 PM\t\tN77-1\n",
            "line 4: item is 'N77', but must be one of",
        ),
        (
            "behaviors.tsv",
            "4\tU9\t2019-11-13\t\tN2-1\n",
            "line 4: time is '2019-11-13', but must be a time such",
        ),
        ("behaviors.tsv", "4\tU9\t11/13/2019", "line 4: 3 fields where there must be 5"),
        ("news.tsv", "N9\tnews\tsub\ttitle\n", "line 6: 4 fields where there must be 8"),
        ("news.tsv", "N0\tnews\tsub\tt\ta\tu\t[]\t[]\n", "line 6: item_id N0 appears a second time"),
    ],
)
def test_bad_lines_of_mind(tmp_path, name, line, message):
    folder = write_mind(tmp_path / "folder")
    with (folder / name).open("a") as file:
        file.write(line)
    with pytest.raises(InputError, match=message):
        load(folder)


def test_lastfm_360k_adds_plays_of_a_pair_and_leaves_out_who_has_no_profile(tmp_path):
    data = load(write_lastfm_360k(tmp_path / "folder"))
    assert data.interactions.to_numpy().tolist() == [
        ["a1", "mb1", 2140.0], ["a1", '"quoted artist', 5.0], ["a2", "mb1", 7.0],
    ]  # fmt: skip
    assert data.users["age"].to_list() == [22, pd.NA, pd.NA]
    assert data.users["gender"].to_list() == ["f", None, "m"]
    assert any("as empty: 1." in note for note in data.notes)
    assert any("added to it: 1." in note and "left out: 1." in note for note in data.notes)


def test_black_friday_is_one_table_of_everything(tmp_path):
    folder = write_black_friday(tmp_path / "folder")
    data = load(folder)
    assert data.interactions["rating"].sum() == 8370 + 15200 + 7969
    assert data.users.to_dict("records")[1] == {
        "user_id": 1000002, "gender": "M", "age": "55+", "occupation": 16, "city_category": "C",
        "stay_in_current_city_years": "4+", "marital_status": 0,
    }  # fmt: skip
    assert data.items["product_category_2"].to_list() == [pd.NA, 6]
    with (folder / "train.csv").open("a") as file:
        file.write("1000002,P1,F,55+,16,C,4+,0,3,,,7969\n")
    with pytest.raises(InputError, match="line 5: User_ID is 1000002, but must be with the same attributes"):
        load(folder)


def test_amazon_takes_the_last_review_and_prices_of_both_kinds(tmp_path):
    data = load(write_amazon(tmp_path / "folder"))
    assert data.interactions.set_index("user_id")["rating"].to_dict() == {"A1": 2.0, "A2": 4.0}
    assert data.items.set_index("item_id")["price"].to_dict() == {"B000000001": 1299.5, "B000000002": 1003.2}
    assert any("left out: 1." in note for note in data.notes)


def test_a_packed_download_that_was_cut_off_names_its_line(tmp_path):
    folder = write_amazon(tmp_path / "folder")
    path = folder / "reviews_Electronics_5.json.gz"
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match=r"reviews_Electronics_5\.json\.gz, line \d: .*download interrupted"):
        load(folder)
    plain = folder / "Electronics_5.json"
    path.unlink()
    plain.write_text(
        '{"reviewerID": "A1", "asin": "B1", "overall": 1, "unixReviewTime": 1}\n{"reviewerID": "A'
    )
    with pytest.raises(InputError, match=r"Electronics_5\.json, line 2: .*download interrupted"):
        load(folder)
    plain.write_text('{"reviewerID": "A1", "overall": 1, "unixReviewTime": 1}\n')
    with pytest.raises(InputError, match="line 1: there is no 'asin'"):
        load(folder)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("overall", '"five"', "overall is 'five', but must be a number from 1 to 5"),
        ("overall", "NaN", "overall is nan, but must be a number from 1 to 5"),
        ("overall", "true", "overall is True, but must be a number from 1 to 5"),
        ("unixReviewTime", '"soon"', "unixReviewTime is 'soon', but must be whole seconds"),
        ("unixReviewTime", "1.5", r"unixReviewTime is 1\.5, but must be whole seconds"),
        ("unixReviewTime", "1" + "0" * 22, "unixReviewTime is 1000.*, but must be whole seconds"),
        ("reviewerID", "null", "reviewerID is None, but must be text"),
        ("reviewerID", '["A1"]', r"reviewerID is \['A1'\], but must be text"),
        ("asin", "12", "asin is 12, but must be text"),
    ],
)
def test_wrong_types_in_amazon_reviews_name_their_line(tmp_path, key, value, message):
    good = {"reviewerID": '"A1"', "asin": '"B000000001"', "overall": "5.0", "unixReviewTime": "1300000000"}
    lines = [good, good | {"asin": '"B000000002"'}, good | {key: value}]
    text = ["{" + ", ".join(f'"{name}": {one}' for name, one in line.items()) + "}" for line in lines]
    (tmp_path / "Electronics_5.json").write_text("\n".join(text))
    with pytest.raises(InputError, match=rf"Electronics_5\.json, line 3: {message}"):
        load(tmp_path)


def test_metadata_of_amazon_that_are_no_records(tmp_path):
    folder = write_amazon(tmp_path / "folder")
    (folder / "meta_Electronics.json.gz").unlink()
    meta = folder / "meta_Electronics.json"
    meta.write_text('{"asin": ["B000000001"], "price": "$3"}\n')
    assert load(folder).items["price"].isna().all()
    meta.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"meta_Electronics\.json, line 1: .*this is no record"):
        load(folder)


@pytest.mark.parametrize("other", ["Books_5.json", "Electronics_5.json", "ratings_Books.csv"])
def test_two_data_sets_of_amazon_are_refused(tmp_path, other):
    folder = write_amazon(tmp_path / "folder")
    (folder / other).write_text("")
    with pytest.raises(InputError, match=rf"holds 2 data sets of Amazon, .*{other}.*: give each a folder"):
        load(folder)


def test_reviews_of_amazon_that_were_unpacked_beside_the_packed_ones(tmp_path):
    folder = write_amazon(tmp_path / "folder")
    packed = folder / "reviews_Electronics_5.json.gz"
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.write_bytes(b"")  # the unpacked one is read
    (folder / "ratings_Electronics.csv").write_text("A1,B000000001,1.0,1\n")
    assert len(load(folder).interactions) == 2


def test_amazon_ratings_without_a_header(tmp_path):
    path: Path = tmp_path / "ratings_Electronics.csv"
    path.write_text("AKM1MP6P0OYPR,0132793040,5.0,1365811200\nA2CX7LUOHB2NDG,0321732944,4.0,1341100800\n")
    data = load(tmp_path)
    assert data.interactions["item_id"].to_list() == ["0321732944", "0132793040"]  # by time
    path.write_text("0132793040,AKM1MP6P0OYPR,5.0,1365811200\n")
    with pytest.raises(InputError, match="line 1: item_id is 'AKM1MP6P0OYPR', but must be of 10 characters"):
        load(tmp_path)


def test_movielens_in_csv_files(tmp_path):
    folder = write_movielens_csv(tmp_path / "folder")
    data = load(folder)
    assert data.items["genres"].to_list() == [["Comedy", "Drama"], []]
    assert data.items["year"].to_list() == [1995, pd.NA]
    assert data.interactions["rating"].to_list() == [0.5, 5.0]
    assert list(data.users) == ["user_id"]
    assert any("no attributes of users" in note for note in data.notes)
    with (folder / "ratings.csv").open("a") as file:
        file.write("3,1,4.7,1147868817\n")
    with pytest.raises(InputError, match=r"line 4: rating is 4\.7, but must be 0\.5 to 5 in halves"):
        load(folder)


def test_other_text_than_utf_8_is_refused(tmp_path):
    folder = write_movielens_csv(tmp_path / "folder")
    (folder / "movies.csv").write_bytes(b"movieId,title,genres\n1,Caf\xe9 (1995),Drama\n")
    with pytest.raises(InputError, match=r"movies\.csv, line 2: this is not UTF-8 text"):
        load(folder)


def test_an_empty_file_and_a_header_alone(tmp_path):
    folder = write_movielens_csv(tmp_path / "folder")
    (folder / "movies.csv").write_text("movieId,title,genres\n")
    with pytest.raises(InputError, match=r"movies\.csv holds no records; was the download interrupted"):
        load(folder)
    with gzip.open(folder / "movies.csv", "w") as file:
        file.write(b"")
    with pytest.raises(InputError, match=r"movies\.csv, line 1: there is no column 'movieId'"):
        load(folder)
