"""LFM-360K: how often 360,000 users listened to artists, with their gender, age and country.

Source: Celma, "Music recommendation and discovery", Springer 2010. For non-commercial use; the data are not
part of this package: point `lastfm_360k` to your own copy.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from evenhand.datasets.columns import Kind, pieces, read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import refuse_lines, refuse_repeated
from evenhand.errors import InputError

PLAYS, PROFILES = "usersha1-artmbid-artname-plays.tsv", "usersha1-profile.tsv"
PLAY_COLUMNS: dict[str, Kind] = {"user_id": str, "artist_id": str, "name": str, "plays": int}
PROFILE_COLUMNS: dict[str, Kind] = {
    "user_id": str, "gender": str, "age": int, "country": str, "signup": str,
}  # fmt: skip
TEXT: dict[str, Any] = {"delimiter": "\t", "quoted": False}
# Ages that somebody can have; the published ones go from -1337 to 1002.
AGES = (1, 120)


def lastfm_360k(folder: str | Path) -> Dataset:
    """Read a published folder (the two .tsv files that begin with usersha1).

    An artist is known by the MusicBrainz id, or by the name where there is none. Values of users that are not
    known are empty.
    """
    folder = Path(folder)
    users, odd = _users(folder / PROFILES)
    plays, names, rows = _plays(folder / PLAYS)
    repeated = rows - len(plays)
    unknown = int((~plays["user_id"].isin(users["user_id"])).sum())
    plays = plays[plays["user_id"].isin(users["user_id"])].reset_index(drop=True)
    known = int(users[["gender", "age", "country"]].notna().all(axis=1).sum())
    notes = (
        "rating is the number of times that the user listened to the artist, not an opinion on a scale.",
        f"{known:,} of {len(users):,} users gave their gender, age and country. Ages that nobody has, which "
        f"are taken as empty: {odd:,}.",
        f"Rows of a pair that is there already, which are added to it: {repeated:,}. Pairs of users without "
        f"a profile, which are left out: {unknown:,}.",
    )
    return Dataset("LFM-360K", plays, users, names, notes)


def _users(path: Path) -> tuple[pd.DataFrame, int]:
    names = list(PROFILE_COLUMNS)
    users = read_columns(path, PROFILE_COLUMNS, names=names, may_be_empty=names[1:], **TEXT)
    refuse_repeated(path, users, ["user_id"])
    refuse_lines(path, users, ~users["gender"].isin(["m", "f", ""]), "gender", "m, f or empty")
    odd = (~users["age"].between(*AGES)).fillna(False).astype(bool)
    users["age"] = users["age"].mask(odd)
    for column in ("gender", "country", "signup"):
        users[column] = users[column].where(users[column] != "", None)
    return users.reset_index(drop=True), int(odd.sum())


def _plays(path: Path) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """The plays of each pair, the artists with a name each, and how many rows there were."""
    found, artists, rows = [], [], 0
    for piece in pieces(
        path, PLAY_COLUMNS, names=list(PLAY_COLUMNS), may_be_empty=["artist_id", "name"], **TEXT
    ):
        refuse_lines(path, piece, piece["plays"] < 0, "plays", "a count")
        named = piece["artist_id"].where(piece["artist_id"] != "", piece["name"])
        refuse_lines(path, piece, named == "", "name", "there where there is no artist id")
        piece["item_id"] = named
        rows += len(piece)
        found.append(piece.groupby(["user_id", "item_id"], as_index=False, sort=False)["plays"].sum())
        artists.append(piece[["item_id", "name"]].drop_duplicates("item_id"))
    if not found:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    # A pair may be cut in two by the end of a piece.
    plays = pd.concat(found).groupby(["user_id", "item_id"], as_index=False, sort=False)["plays"].sum()
    plays = plays.rename(columns={"plays": "rating"}).astype({"rating": "float64"})
    names = pd.concat(artists).drop_duplicates("item_id", ignore_index=True)
    return plays, names, rows
