"""Last.fm 2k of HetRec 2011: how often users listened to artists, and who is whose friend.

Source: Cantador, Brusilovsky, Kuflik, "2nd workshop on information heterogeneity and fusion in recommender
systems", RecSys 2011. For non-commercial use; the data are not part of this package: point `lastfm` to
your own copy.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import read_records, refuse_lines, refuse_repeated, refuse_unknown
from evenhand.errors import InputError

NOTES = (
    "There are no demographic attributes: users can be grouped only by what they did (friends, listening).",
    "rating is the number of times that the user listened to the artist, not an opinion on a scale.",
)


def lastfm(folder: str | Path) -> Dataset:
    """Read a published folder (user_artists.dat, artists.dat, user_friends.dat).

    Users have friends (how many), items have name. There are no times.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {folder}: give the folder that holds Last.fm's user_artists.dat."
        )
    artists_path, path = folder / "artists.dat", folder / "user_artists.dat"
    artists = _read(artists_path, {"item_id": int, "name": str, "url": str, "picture": str})
    refuse_repeated(artists_path, artists, ["item_id"])
    listening = _read(path, {"user_id": int, "item_id": int, "rating": int})
    refuse_lines(path, listening, listening["rating"] < 1, "rating", "a count of at least 1")
    refuse_unknown(path, listening, "item_id", artists["item_id"], "artists.dat")
    refuse_repeated(path, listening, ["user_id", "item_id"])
    return Dataset(
        "Last.fm 2k (HetRec 2011)",
        listening.astype({"rating": "float64"}).reset_index(drop=True),
        _users(listening["user_id"], folder / "user_friends.dat"),
        artists[["item_id", "name"]].reset_index(drop=True),
        NOTES,
    )


def _users(listeners: pd.Series, path: Path) -> pd.DataFrame:
    """Users who listened or have a friend, with the number of friends; each friendship has two lines."""
    friends = _read(path, {"user_id": int, "friend_id": int})
    refuse_repeated(path, friends, ["user_id", "friend_id"])
    counts = friends.groupby("user_id").size()
    user_ids = np.union1d(listeners, friends["user_id"])
    return pd.DataFrame({"user_id": user_ids, "friends": counts.reindex(user_ids, fill_value=0).to_numpy()})


def _read(path: Path, columns: dict[str, type[int] | type[str]]) -> pd.DataFrame:
    return read_records(path, columns, "\t", encoding="utf-8", header=True)
