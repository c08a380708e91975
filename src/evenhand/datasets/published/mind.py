"""MIND: news that users were shown and clicked.

The items of an impression are published in an order that was shuffled, so that nobody knows at which position
something stood. Source: Wu and others, "MIND: a large-scale dataset for news recommendation", ACL 2020. The
data are not part of this package: point `mind` to your own copy.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from evenhand.datasets.columns import Kind, pieces, read_columns
from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.records import refuse_lines, refuse_repeated
from evenhand.errors import InputError

NEWS: dict[str, Kind] = dict.fromkeys(
    ("item_id", "category", "subcategory", "title", "abstract", "url", "title_entities", "abstract_entities"),
    str,
)
BEHAVIORS: dict[str, Kind] = {
    "impression_id": int, "user_id": str, "time": str, "history": str, "impressions": str,
}  # fmt: skip
TEXT: dict[str, Any] = {"delimiter": "\t", "quoted": False}
CLICKED = {"clicked": "the user clicked the news"}


def mind(folder: str | Path) -> Dataset:
    """Read one part as published (behaviors.tsv, news.tsv): train or dev, whose clicks are known.

    Interactions are clicks in impressions, at the time of the first, and those of histories, without a time.
    """
    folder = Path(folder)
    path = folder / "news.tsv"
    news = read_columns(path, NEWS, names=list(NEWS), may_be_empty=list(NEWS)[3:], **TEXT)
    refuse_repeated(path, news, ["item_id"])
    shown, earlier = [], []
    for log, history in _impressions(folder / "behaviors.tsv", pd.CategoricalDtype(news["item_id"])):
        shown.append(log)
        earlier.append(history)
    if not shown:
        raise InputError(f"{folder / 'behaviors.tsv'} holds no records; was the download interrupted?")
    default = pd.concat(shown, ignore_index=True)
    interactions = _first(default, pd.concat(earlier, ignore_index=True))
    users = pd.DataFrame({"user_id": pd.unique(default["user_id"])})
    notes = (
        "The order within an impression was shuffled before it was published: there are no positions.",
        "There is no random traffic and there are no attributes of users.",
    )
    items = news[list(NEWS)[:5]].reset_index(drop=True)
    return Dataset("MIND", interactions, users, items, notes, Logs(default, None, CLICKED))


def _impressions(path: Path, known: pd.CategoricalDtype) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """What was shown and what was clicked earlier, a row a user and item, in pieces."""
    for piece in pieces(path, BEHAVIORS, names=list(BEHAVIORS), may_be_empty=["history"], **TEXT):
        times = pd.to_datetime(piece["time"], format="%m/%d/%Y %I:%M:%S %p", errors="coerce")
        refuse_lines(path, piece, times.isna(), "time", "a time such as 11/15/2019 8:55:22 AM")
        piece["timestamp"] = _seconds(times)
        log = _each(piece, "impressions", ["impression_id", "user_id", "timestamp"])
        labelled = log["item"].str.fullmatch(r".+-[01]")
        refuse_lines(
            path, log.rename(columns={"item": "impressions"}), ~labelled.to_numpy(dtype=bool), "impressions",
            "news with -0 or -1 behind, for what was clicked (the test part has none)",
        )  # fmt: skip
        log["clicked"] = (log["item"].str[-1] == "1").astype("int8")
        log["item"] = log["item"].str[:-2]
        history = _each(piece[piece["history"] != ""], "history", ["user_id"])
        yield _known(path, log, known), _known(path, history, known)


def _seconds(times: pd.Series) -> pd.Series:
    return ((times - pd.Timestamp(0)) // pd.Timedelta(seconds=1)).astype("Int64")


def _each(piece: pd.DataFrame, column: str, kept: list[str]) -> pd.DataFrame:
    """One row for each of the words of a column, with the number of its line."""
    return piece[kept].assign(item=piece[column].str.split()).explode("item")


def _known(path: Path, rows: pd.DataFrame, known: pd.CategoricalDtype) -> pd.DataFrame:
    """The rows with the item by its number in news.tsv, which takes less memory than its name."""
    codes = rows["item"].astype(known)
    refuse_lines(path, rows, codes.isna(), "item", f"one of the {len(known.categories):,} in news.tsv")
    return rows.drop(columns="item").assign(item_id=codes).reset_index(drop=True)


def _first(default: pd.DataFrame, earlier: pd.DataFrame) -> pd.DataFrame:
    """Clicked pairs, those with a time first: one row each."""
    clicked = default.loc[default["clicked"] == 1, ["user_id", "item_id", "timestamp"]]
    clicked = clicked.sort_values("timestamp", kind="stable")
    earlier = earlier[["user_id", "item_id"]].assign(timestamp=pd.Series(pd.NA, earlier.index, dtype="Int64"))
    pairs = pd.concat([clicked, earlier]).drop_duplicates(["user_id", "item_id"], ignore_index=True)
    return pairs.astype({"item_id": str})
