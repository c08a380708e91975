"""The files of MovieLens-1M: ratings.dat (or a Parquet copy), users.dat and movies.dat, in Latin-1."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.datasets.published.movielens_bands import (
    AGE_BANDS,
    age_band,
    check_people,
    check_ratings,
    year_of,
)
from evenhand.datasets.records import read_records, refuse_lines, refuse_repeated
from evenhand.errors import InputError
from evenhand.inputs import table

# The list in the README of the data; a user's code is the place in it.
OCCUPATIONS = (
    "other or not specified",
    "academic/educator",
    "artist",
    "clerical/admin",
    "college/grad student",
    "customer service",
    "doctor/health care",
    "executive/managerial",
    "farmer",
    "homemaker",
    "K-12 student",
    "lawyer",
    "programmer",
    "retired",
    "sales/marketing",
    "scientist",
    "self-employed",
    "technician/engineer",
    "tradesman/craftsman",
    "unemployed",
    "writer",
)


def read_1m(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Interactions, users and items (all in movies.dat, also those that nobody rated)."""
    users, items = _read_users(folder / "users.dat"), _read_movies(folder / "movies.dat")
    path = folder / "ratings.dat"
    if path.is_file():
        columns = {"user_id": int, "item_id": int, "rating": int, "timestamp": int}
        ratings = read_records(path, columns, "::")
    elif (folder / "ratings.parquet").is_file():
        path = folder / "ratings.parquet"
        ratings = _read_parquet(path)
    else:
        raise InputError(f"The file {path} is missing, and there is no copy of it as ratings.parquet.")
    interactions = check_ratings(path, ratings, users, items, ("users.dat", "movies.dat"))
    return interactions, users.reset_index(drop=True), items.reset_index(drop=True)


def _read_users(path: Path) -> pd.DataFrame:
    columns = {"user_id": int, "gender": str, "age": int, "occupation": int, "zip": str}
    users = read_records(path, columns, "::")
    check_people(path, users)
    codes = ", ".join(map(str, AGE_BANDS))
    refuse_lines(path, users, ~users["age"].isin(list(AGE_BANDS)), "age", f"one of the codes {codes}")
    unknown = ~users["occupation"].between(0, len(OCCUPATIONS) - 1)
    refuse_lines(path, users, unknown, "occupation", f"a code from 0 to {len(OCCUPATIONS) - 1}")
    return pd.DataFrame(
        {
            "user_id": users["user_id"],
            "gender": users["gender"],
            "age_band": age_band(users["age"]),
            "occupation": users["occupation"].map(dict(enumerate(OCCUPATIONS))),
            "zip": users["zip"],
        }
    )


def _read_movies(path: Path) -> pd.DataFrame:
    movies = read_records(path, {"item_id": int, "title": str, "genres": str}, "::")
    refuse_repeated(path, movies, ["item_id"])
    movies.insert(2, "year", year_of(movies["title"]))
    movies["genres"] = movies["genres"].str.split("|")
    return movies


def _read_parquet(path: Path) -> pd.DataFrame:
    """The copy as the text file would be read, numbered by row; timestamps may be null, nothing else."""
    columns = ["user_id", "movie_id", "rating", "timestamp"]
    table(path, name=str(path)).require(*columns)  # refuses files that are cut off or lack a column
    try:
        rows = pq.read_table(path, columns=columns)
        # Int64 of pandas keeps a null beside whole numbers; floats would round large timestamps.
        rows = rows.cast(pa.schema([(column, pa.int64()) for column in columns]))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} must hold whole numbers only ({error}).") from error
    for column in columns[:3]:
        empty = rows.column(column).null_count
        if empty:
            raise InputError(f"{path}: {column} is empty in {empty:,} of {len(rows):,} rows.")
    frame = rows.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    return frame.rename(columns={"movie_id": "item_id"}).astype(
        dict.fromkeys(("user_id", "item_id", "rating"), "int64")
    )
