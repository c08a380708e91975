"""Yahoo! R3: ratings of songs that users chose to rate, and of songs that were drawn for some of them.

Users 1 to 5,400 rated ten songs each that were drawn uniformly. Source: Marlin, Zemel, "Collaborative
prediction and ranking with non-random missing data", RecSys 2009; Yahoo! Webscope R3. The licence does not
let the data be passed on: point `yahoo_r3` to your own copy.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.columns import read_columns
from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.records import refuse_lines, refuse_repeated
from evenhand.errors import InputError

STUDY = "ydata-ymusic-rating-study-v1_0"
ASKED_USERS = 5_400
LIKED = {"liked": "the user rated the song 4 or 5"}


def yahoo_r3(folder: str | Path) -> Dataset:
    """Read a published folder (files that end in -train.txt and -test.txt).

    Interactions are all ratings of songs that users chose. The default log has those of the users who rated
    random songs, too.
    """
    folder = Path(folder)
    train = _read(folder / f"{STUDY}-train.txt")
    path = folder / f"{STUDY}-test.txt"
    test = _read(path)
    refuse_lines(
        path, test, test["user_id"] > ASKED_USERS, "user_id", f"from 1 to {ASKED_USERS:,} in random ratings"
    )
    asked = train["user_id"].isin(test["user_id"])
    if not asked.any():
        raise InputError(f"{folder}: no user of {path.name} has a rating in the other file.")
    users, items = (pd.DataFrame({key: np.union1d(train[key], test[key])}) for key in ("user_id", "item_id"))
    notes = (
        f"Random songs were rated by {test['user_id'].nunique():,} users, so that default traffic is "
        f"restricted to them: {int((~asked).sum()):,} of {len(train):,} ratings of chosen songs are left "
        "out.",
        "Default traffic is what users chose to rate, not what a system showed.",
        "There are no attributes of users and items: bring a table of them.",
    )
    return Dataset(
        "Yahoo! R3",
        train.astype({"rating": "float64"}).reset_index(drop=True),
        users,
        items,
        notes,
        Logs(_liked(train[asked]), _liked(test), LIKED),
    )


def _read(path: Path) -> pd.DataFrame:
    names = ["user_id", "item_id", "rating"]
    frame = read_columns(path, dict.fromkeys(names, int), names=names, delimiter="\t", quoted=False)
    refuse_lines(path, frame, ~frame["rating"].between(1, 5), "rating", "a whole number from 1 to 5")
    refuse_repeated(path, frame, ["user_id", "item_id"])
    return frame


def _liked(ratings: pd.DataFrame) -> pd.DataFrame:
    return ratings.assign(liked=(ratings["rating"] >= 4).astype("int8")).reset_index(drop=True)
