"""MovieLens-25M and -32M: ratings of films in CSV files with a header; nothing is known of the users.

The same files come with MovieLens-20M and the "latest" ones, which change. Source and terms: those of
`movielens`.
"""

from pathlib import Path

import pandas as pd

from evenhand.datasets.columns import read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.published.movielens_bands import year_of
from evenhand.datasets.records import refuse_lines, refuse_repeated, refuse_unknown

# By their ratings; others are told by their format alone.
BY_RATINGS = {25_000_095: "MovieLens-25M", 32_000_204: "MovieLens-32M", 20_000_263: "MovieLens-20M"}


def movielens_csv(folder: str | Path) -> Dataset:
    """Read a published folder (ratings.csv, movies.csv). Items have title, year and genres (a list)."""
    folder = Path(folder)
    path = folder / "movies.csv"
    items = read_columns(path, {"movieId": int, "title": str, "genres": str})
    items = items.rename(columns={"movieId": "item_id"})
    refuse_repeated(path, items, ["item_id"])
    items.insert(2, "year", year_of(items["title"]))
    none = items["genres"] == "(no genres listed)"
    items["genres"] = items["genres"].str.split("|").where(~none, pd.Series([[]] * len(items), items.index))
    ratings = _ratings(folder / "ratings.csv", items["item_id"])
    users = pd.DataFrame({"user_id": pd.unique(ratings["user_id"])})
    name = BY_RATINGS.get(len(ratings), "MovieLens (CSV files)")
    notes: tuple[str, ...] = ("There are no attributes of users.",)
    if name not in BY_RATINGS.values():
        notes += (f"There are {len(ratings):,} ratings, which is no published MovieLens-20M, -25M or -32M.",)
    return Dataset(name, ratings, users, items.reset_index(drop=True), notes)


def _ratings(path: Path, known: pd.Series) -> pd.DataFrame:
    columns = {"userId": int, "movieId": int, "rating": float, "timestamp": int}
    frame = read_columns(path, columns).rename(columns={"userId": "user_id", "movieId": "item_id"})
    halves = frame["rating"].between(0.5, 5) & (frame["rating"] * 2 % 1 == 0)
    refuse_lines(path, frame, ~halves, "rating", "0.5 to 5 in halves")
    refuse_unknown(path, frame, "item_id", known, "movies.csv")
    refuse_repeated(path, frame, ["user_id", "item_id"])
    return frame.astype({"timestamp": "Int64"}).reset_index(drop=True)
