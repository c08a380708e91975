"""MovieLens-100k and MovieLens-1M: ratings of films, with the gender, age and occupation of users.

Source: Harper, Konstan, "The MovieLens datasets: history and context", ACM Transactions on Interactive
Intelligent Systems 5(4), 2015. The data may not be redistributed and are not part of this package: point
`movielens` to your own copy, or see `download`.
"""

from pathlib import Path

import pandas as pd

from evenhand.datasets.dataset import Dataset
from evenhand.datasets.published.movielens_1m import read_1m
from evenhand.datasets.published.movielens_100k import read_100k
from evenhand.errors import InputError


def movielens(folder: str | Path) -> Dataset:
    """Read a published folder: u.data and its companions (100k), or ratings.dat and its companions (1M).

    Users have gender (M, F), age_band, occupation and zip, and in 100k the age in years, too; items have
    title, year and genres (a list). MovieLens-1M may have ratings.parquet (user_id, movie_id, rating,
    timestamp) in place of ratings.dat.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {folder}: give the folder that holds MovieLens's u.data or users.dat."
        )
    if is_100k(folder):
        name, (interactions, users, items) = "MovieLens-100k", read_100k(folder)
    elif is_1m(folder):
        name, (interactions, users, items) = "MovieLens-1M", read_1m(folder)
    else:
        raise InputError(
            f"{folder} is not a MovieLens folder: there is neither u.data (MovieLens-100k) nor users.dat and "
            "movies.dat (MovieLens-1M)."
        )
    return Dataset(name, interactions, users, items, _notes(interactions))


def is_100k(folder: Path) -> bool:
    """Whether these are the files of MovieLens-100k."""
    return (folder / "u.data").is_file()


def is_1m(folder: Path) -> bool:
    """Whether these are files of MovieLens-1M; if one is missing, its reader says which."""
    return any((folder / name).is_file() for name in ("users.dat", "movies.dat", "ratings.dat"))


def _notes(interactions: pd.DataFrame) -> tuple[str, ...]:
    notes: tuple[str, ...] = ("Users gave their gender, age and occupation themselves; nobody checked them.",)
    untimed = interactions.loc[interactions["timestamp"].isna(), "user_id"].nunique()
    if untimed:
        notes += (f"{untimed:,} users have ratings without a timestamp; their order in time is not known.",)
    return notes
