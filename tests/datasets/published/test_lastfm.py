"""Last.fm 2k: on files of the published format made here, and on the real ones where they are."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.datasets import lastfm, load
from evenhand.errors import InputError

FILES = {
    "user_artists.dat": "userID\tartistID\tweight\r\n2\t51\t13883\r\n2\t52\t1\r\n4\t51\t7\r\n",
    "artists.dat": 'id\tname\turl\tpictureURL\n51\tSigur Rós\thttp://a\thttp://b\n52\t"NA\thttp://c\t\n',
    "user_friends.dat": "userID\tfriendID\r\n2\t3\r\n3\t2\r\n3\t9\r\n9\t3\r\n",
}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return tmp_path


def test_listening_friends_and_names_are_read(published: Path) -> None:
    data = load(published)
    assert data.interactions.to_dict("list") == {
        "user_id": [2, 2, 4],
        "item_id": [51, 52, 51],
        "rating": [13883.0, 1.0, 7.0],
    }
    # User 4 listened but has no friend, users 3 and 9 have friends but did not listen.
    assert data.users.to_dict("list") == {"user_id": [2, 3, 4, 9], "friends": [1, 2, 0, 1]}
    assert data.items.to_dict("list") == {"item_id": [51, 52], "name": ["Sigur Rós", '"NA']}
    assert any("no demographic attributes" in note for note in data.notes)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("user_artists.dat", "u\ta\tw\n2\t51\n", "user_artists.dat, line 2: 2 fields where there must be 3"),
        ("user_artists.dat", "u\ta\tw\n2\t51\t0\n", "line 2: rating is 0, but must be a count of at least 1"),
        ("user_artists.dat", "u\ta\tw\n2\t51\tx\n", "line 2: rating is 'x', but must be a whole number"),
        ("user_artists.dat", "u\ta\tw\n2\t53\t1\n", "line 2: item_id is 53, but must be one of the 2 in art"),
        ("user_artists.dat", "u\ta\tw\n", "user_artists.dat holds no records"),
        ("user_friends.dat", "u\tf\n1\t2\n1\t2\n", "line 3: user_id 1, friend_id 2 appears a second time"),
        (
            "artists.dat",
            "i\tn\tu\tp\n1\ta\t\t\n1\tb\t\t\n",
            "artists.dat, line 3: item_id 1 appears a second",
        ),
    ],
)
def test_a_broken_line_is_named(published: Path, name: str, text: str, message: str) -> None:
    (published / name).write_text(text, newline="")
    with pytest.raises(InputError, match=re.escape(message)):
        lastfm(published)


def test_another_encoding_is_refused(published: Path) -> None:
    (published / "artists.dat").write_text(FILES["artists.dat"], encoding="latin-1")
    with pytest.raises(InputError, match=r"artists\.dat, line 2: this is not UTF-8 text"):
        lastfm(published)


@pytest.mark.parametrize("name", list(FILES))
def test_a_missing_file_is_named(published: Path, name: str) -> None:
    (published / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        lastfm(published)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere"):
        lastfm(tmp_path / "nowhere")


def test_the_published_data(data_folder: Callable[[str], Path]) -> None:
    data = lastfm(data_folder("lastfm-2k"))
    assert (len(data.interactions), len(data.users), len(data.items)) == (92_834, 1892, 17_632)
    assert data.interactions["user_id"].nunique() == 1892
    assert data.interactions["item_id"].nunique() == 17_632
    assert data.users["friends"].sum() == 25_434  # 12,717 friendships, seen from both sides
