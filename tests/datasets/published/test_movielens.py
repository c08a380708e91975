"""MovieLens: on files of the published formats made here, and on the real ones where they are."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from evenhand.datasets import load, movielens
from evenhand.errors import InputError

FILES_100K = {
    "u.data": "2\t1\t5\t881250949\n1\t3\t2\t891717742\n",
    "u.user": "1|24|M|technician|85711\n2|7|F|student|T8H1N\n",
    "u.item": "1|Misérables, Les (1995)|01-Jan-1995||http://x|0|0|1\n2|unknown||||1|0|0\n"
    '3|"Land" III (1995) (V)|||http://y|0|1|1\n',
    "u.genre": "unknown|0\nAction|1\nDrama|2\n\n",
    "u.occupation": "technician\nstudent\n",
}
FILES_1M = {
    "ratings.dat": "1::10::5::978300760\n2::10::3::978302109\n2::11::1::978302109\n",
    "users.dat": "1::F::1::10::48067\n2::M::56::0::70072-1234\n",
    "movies.dat": "10::Misérables, Les (1995)::Drama|Musical\n11::2001: A Space Odyssey (1968)::Sci-Fi\n"
    "12::NA::Comedy\n",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="latin-1", newline="")
    return folder


@pytest.fixture
def small_100k(tmp_path: Path) -> Path:
    return write(tmp_path, FILES_100K)


@pytest.fixture
def small_1m(tmp_path: Path) -> Path:
    return write(tmp_path, FILES_1M)


def test_100k_is_decoded(small_100k: Path) -> None:
    data = movielens(small_100k)
    assert data.name == "MovieLens-100k"
    assert data.interactions.to_dict("list") == {
        "user_id": [2, 1],
        "item_id": [1, 3],
        "rating": [5.0, 2.0],
        "timestamp": [881250949, 891717742],
    }
    assert data.interactions.dtypes.astype(str).to_list() == ["int64", "int64", "float64", "Int64"]
    assert data.users.to_dict("list") == {
        "user_id": [1, 2],
        "gender": ["M", "F"],
        "age": [24, 7],
        "age_band": ["18-24", "Under 18"],
        "occupation": ["technician", "student"],
        "zip": ["85711", "T8H1N"],
    }
    assert data.items["title"].to_list() == ["Misérables, Les (1995)", "unknown", '"Land" III (1995) (V)']
    assert data.items["year"].to_list() == [1995, pd.NA, 1995]
    assert data.items["genres"].to_list() == [["Drama"], ["unknown"], ["Action", "Drama"]]


def test_1m_is_decoded(small_1m: Path) -> None:
    data = movielens(small_1m)
    assert data.name == "MovieLens-1M"
    assert data.interactions["rating"].to_list() == [5.0, 3.0, 1.0]
    assert data.users.to_dict("list") == {
        "user_id": [1, 2],
        "gender": ["F", "M"],
        "age_band": ["Under 18", "56+"],
        "occupation": ["K-12 student", "other or not specified"],
        "zip": ["48067", "70072-1234"],
    }
    assert data.items["title"].to_list() == ["Misérables, Les (1995)", "2001: A Space Odyssey (1968)", "NA"]
    assert data.items["year"].to_list() == [1995, 1968, pd.NA]
    assert data.items["genres"].to_list() == [["Drama", "Musical"], ["Sci-Fi"], ["Comedy"]]
    assert not any("timestamp" in note for note in data.notes)


def test_a_copy_that_is_not_whole_says_so(small_1m: Path) -> None:
    note = "There are 3 interactions, but MovieLens-1M was published with 1,000,209."
    assert load(small_1m).notes[-1] == note


def test_every_age_has_the_band_of_its_code(small_100k: Path) -> None:
    ages = [1, 17, 18, 24, 25, 34, 35, 44, 45, 49, 50, 55, 56, 99]
    lines = [f"{n + 1}|{age}|M|student|0\n" for n, age in enumerate(ages)]
    (small_100k / "u.user").write_text("".join(lines))
    bands = ["Under 18", "18-24", "25-34", "35-44", "45-49", "50-55", "56+"]
    assert movielens(small_100k).users["age_band"].to_list() == [band for band in bands for _ in range(2)]


def test_windows_line_ends_are_read(small_1m: Path) -> None:
    for name, text in FILES_1M.items():
        (small_1m / name).write_text(text.replace("\n", "\r\n"), encoding="latin-1", newline="")
    assert movielens(small_1m).users["zip"].to_list() == ["48067", "70072-1234"]


def test_a_parquet_copy_of_the_ratings_keeps_missing_times(small_1m: Path) -> None:
    expected = movielens(small_1m).interactions
    (small_1m / "ratings.dat").unlink()
    copy = expected.rename(columns={"item_id": "movie_id"}).astype({"rating": "int8", "user_id": "int32"})
    copy.loc[2, "timestamp"] = pd.NA
    copy.to_parquet(small_1m / "ratings.parquet")
    data = movielens(small_1m)
    assert data.interactions["timestamp"].to_list() == [978300760, 978302109, pd.NA]
    pd.testing.assert_frame_equal(data.interactions.iloc[:2], expected.iloc[:2])
    assert any("1 users have ratings without a timestamp" in note for note in data.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"movie_id": [10, 99, 11]}, "line 2: item_id is 99, but must be one of the 3 in movies.dat"),
        ({"rating": [5, None, 1]}, "rating is empty in 1 of 3 rows"),
        ({"rating": [5, 4.5, 1]}, "must hold whole numbers only"),
    ],
)
def test_a_bad_parquet_copy_is_refused(small_1m: Path, change: dict[str, list], message: str) -> None:
    (small_1m / "ratings.dat").unlink()
    rows = {"user_id": [1, 2, 2], "movie_id": [10, 10, 11], "rating": [5, 3, 1], "timestamp": [1, 2, 3]}
    pd.DataFrame(rows | change).to_parquet(small_1m / "ratings.parquet")
    with pytest.raises(InputError, match=re.escape(message)):
        movielens(small_1m)
    pd.DataFrame({"user_id": [1]}).to_parquet(small_1m / "ratings.parquet")
    with pytest.raises(InputError, match="no columns 'movie_id', 'rating' and 'timestamp'"):
        movielens(small_1m)
    (small_1m / "ratings.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"ratings\.parquet is not a readable Parquet file"):
        movielens(small_1m)


BAD_1M = [
    ("ratings.dat", "1::10::5::9\n2::10::3\n", "ratings.dat, line 2: 3 fields where there must be 4"),
    ("ratings.dat", "1::10::5::9\n\n2::10::3::9\n", "ratings.dat, line 2: 1 fields"),
    ("ratings.dat", "1::10::five::9\n", "ratings.dat, line 1: rating is 'five', but must be a whole number"),
    ("ratings.dat", "1::10::5::9\n2::10::::9\n", "ratings.dat, line 2: rating is '', but must be"),
    ("ratings.dat", "1::10::5::99999999999999999999\n", "line 1: timestamp is '99999999999999999999'"),
    ("ratings.dat", "1::10::6::9\n", "line 1: rating is 6, but must be a whole number from 1 to 5"),
    ("ratings.dat", "1::10::5::9\n7::10::5::9\n", "line 2: user_id is 7, but must be one of the 2 in users"),
    ("ratings.dat", "1::10::5::9\n1::10::5::9\n", "line 2: user_id 1, item_id 10 appears a second time"),
    ("ratings.dat", "1::10::5::9\x1f\n", "line 1: there is a control character"),
    ("ratings.dat", "", "ratings.dat holds no records"),
    ("users.dat", "1::F::1::10::4\n2::X::1::10::4\n", "users.dat, line 2: gender is 'X', but must be M or F"),
    ("users.dat", "1::F::2::10::4\n", "users.dat, line 1: age is 2, but must be one of the codes 1, 18, 25"),
    ("users.dat", "1::F::1::21::4\n", "users.dat, line 1: occupation is 21, but must be a code from 0 to 20"),
    ("users.dat", "1::F::1::1::4\n1::F::1::1::4\n", "users.dat, line 2: user_id 1 appears a second time"),
    ("movies.dat", "1::A::B\n1::A::B\n", "movies.dat, line 2: item_id 1 appears a second time"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_1M)
def test_a_broken_line_is_named(small_1m: Path, name: str, text: str, message: str) -> None:
    (small_1m / name).write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        movielens(small_1m)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("u.user", "1|0|M|student|0\n", "u.user, line 1: age is 0, but must be a number of years"),
        ("u.user", "1|9|M|pilot|0\n", "line 1: occupation is 'pilot', but must be one of the 2 in u.occ"),
        ("u.genre", "unknown|0\nAction|2\nDrama|1\n", "u.genre, line 2: place is 2"),
        ("u.item", "1|A|||x|0|2|0\n", "u.item, line 1: is Action is 2, but must be 0 or 1"),
        ("u.item", "1|A|||x|0|1\n", "u.item, line 1: 7 fields where there must be 8"),
    ],
)
def test_a_broken_line_of_100k_is_named(small_100k: Path, name: str, text: str, message: str) -> None:
    (small_100k / name).write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        movielens(small_100k)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-8", "movies.dat, line 1: this is UTF-8 text"),
        ("utf-16", "movies.dat, line 1: there are zero bytes"),
    ],
)
def test_another_encoding_is_refused_not_misread(small_1m: Path, encoding: str, message: str) -> None:
    (small_1m / "movies.dat").write_text(FILES_1M["movies.dat"], encoding=encoding)
    with pytest.raises(InputError, match=message):
        movielens(small_1m)


@pytest.mark.parametrize("files", [FILES_100K, FILES_1M], ids=["100k", "1m"])
def test_a_missing_file_is_named(tmp_path: Path, files: dict[str, str]) -> None:
    for name in files:
        if name == "u.data":
            continue  # without it, this is not MovieLens-100k
        write(tmp_path, files)
        (tmp_path / name).unlink()
        with pytest.raises(InputError, match=f"{re.escape(name)} is missing"):
            movielens(tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere"):
        movielens(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"not a MovieLens folder: there is neither u\.data"):
        movielens(tmp_path)


def test_the_published_1m(data_folder: Callable[[str], Path]) -> None:
    data = load(data_folder("ml-1m"))
    assert data.name == "MovieLens-1M"
    assert len(data.interactions) == 1_000_209
    assert data.users["gender"].value_counts().to_dict() == {"M": 4331, "F": 1709}
    assert data.interactions["user_id"].nunique() == len(data.users) == 6040
    assert data.interactions["item_id"].nunique() == 3706
    assert len(data.items) == 3883
    assert data.users["age_band"].nunique() == 7
    assert data.users["occupation"].nunique() == 21
    assert data.items["year"].notna().all()
    assert len({genre for genres in data.items["genres"] for genre in genres}) == 18


def test_the_published_100k(data_folder: Callable[[str], Path]) -> None:
    data = load(data_folder("ml-100k"))
    assert data.name == "MovieLens-100k"
    assert (len(data.interactions), len(data.users), len(data.items)) == (100_000, 943, 1682)
    assert data.interactions["item_id"].nunique() == 1682
    assert data.interactions["timestamp"].notna().all()
    assert data.users["gender"].value_counts().to_dict() == {"M": 670, "F": 273}
    assert data.items["year"].isna().sum() == 1  # the film called "unknown"
    assert data.items["genres"].map(len).min() == 1
