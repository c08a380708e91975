"""The files of MovieLens-100k: u.data, u.user, u.item, u.genre and u.occupation, in Latin-1."""

from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.published.movielens_bands import age_band, check_people, check_ratings, year_of
from evenhand.datasets.records import read_lines, read_records, refuse_lines, refuse_repeated


def read_100k(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Interactions, users and items."""
    users, items = _read_users(folder), _read_items(folder)
    path = folder / "u.data"
    ratings = read_records(path, {"user_id": int, "item_id": int, "rating": int, "timestamp": int}, "\t")
    interactions = check_ratings(path, ratings, users, items, ("u.user", "u.item"))
    return interactions, users.reset_index(drop=True), items.reset_index(drop=True)


def _read_users(folder: Path) -> pd.DataFrame:
    path = folder / "u.user"
    columns = {"user_id": int, "age": int, "gender": str, "occupation": str, "zip": str}
    users = read_records(path, columns, "|")
    check_people(path, users)
    refuse_lines(path, users, ~users["age"].between(1, 120), "age", "a number of years from 1 to 120")
    occupations = [line.strip() for line in read_lines(folder / "u.occupation", "latin-1")]
    unknown = ~users["occupation"].isin(occupations)
    refuse_lines(path, users, unknown, "occupation", f"one of the {len(occupations)} in u.occupation")
    users["age_band"] = age_band(users["age"])
    return users[["user_id", "gender", "age", "age_band", "occupation", "zip"]]


def _read_items(folder: Path) -> pd.DataFrame:
    path, genre_path = folder / "u.item", folder / "u.genre"
    genres = read_records(genre_path, {"genre": str, "place": int}, "|")
    refuse_lines(genre_path, genres, genres["place"] != range(len(genres)), "place", "its line less one")
    flags = [f"is {genre}" for genre in genres["genre"]]
    columns = {"item_id": int, "title": str, "release": str, "video_release": str, "url": str}
    items = read_records(path, columns | dict.fromkeys(flags, int), "|")
    refuse_repeated(path, items, ["item_id"])
    for flag in flags:
        refuse_lines(path, items, ~items[flag].isin([0, 1]), flag, "0 or 1")
    names, marked = genres["genre"].to_numpy(), items[flags].to_numpy() == 1
    titles = items["title"].str.strip()
    return pd.DataFrame(
        {
            "item_id": items["item_id"],
            "title": titles,
            "year": year_of(titles),
            "genres": pd.Series([names[np.flatnonzero(row)].tolist() for row in marked], index=items.index),
        }
    )
