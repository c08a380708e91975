"""What the two MovieLens formats share: bands of age, years in titles, and checks of ratings."""

from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.records import refuse_lines, refuse_repeated, refuse_unknown

# The bands of MovieLens-1M, named by their lowest age as its README does; 1 is its code for "Under 18".
AGE_BANDS = {
    1: "Under 18",
    18: "18-24",
    25: "25-34",
    35: "35-44",
    45: "45-49",
    50: "50-55",
    56: "56+",
}


def age_band(ages: pd.Series) -> pd.Series:
    """The band of each age in years; a code of MovieLens-1M is the lowest age of its band."""
    place = np.searchsorted(list(AGE_BANDS), ages.to_numpy(), side="right") - 1
    return pd.Series(np.array(list(AGE_BANDS.values()), dtype=object)[place], index=ages.index)


def year_of(titles: pd.Series) -> pd.Series:
    """The year in brackets at the end of a title, also before a remark as in "(1995) (V)"; null if none."""
    return titles.str.extract(r"\((\d{4})\)(?:\s*\([^)]*\))*\s*$", expand=False).astype("Int64")


def check_people(path: Path, users: pd.DataFrame) -> None:
    """Distinct users, with a gender of M or F."""
    refuse_repeated(path, users, ["user_id"])
    refuse_lines(path, users, ~users["gender"].isin(["M", "F"]), "gender", "M or F")


def check_ratings(
    path: Path, ratings: pd.DataFrame, users: pd.DataFrame, items: pd.DataFrame, sources: tuple[str, str]
) -> pd.DataFrame:
    """The ratings with the types of a Dataset, after checks that they are 1 to 5, distinct, of known ids."""
    refuse_unknown(path, ratings, "user_id", users["user_id"], sources[0])
    refuse_unknown(path, ratings, "item_id", items["item_id"], sources[1])
    refuse_lines(path, ratings, ~ratings["rating"].isin(range(1, 6)), "rating", "a whole number from 1 to 5")
    refuse_repeated(path, ratings, ["user_id", "item_id"])
    types = {"user_id": "int64", "item_id": "int64", "rating": "float64", "timestamp": "Int64"}
    return ratings.astype(types).reset_index(drop=True)
