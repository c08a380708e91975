"""KuaiRec 2.0: how long users watched short videos, almost fully observed for some users and videos.

The small matrix is what 1,411 users think of nearly all of 3,327 videos; the big one is what they and others
watched elsewhere. Source: Gao and others, "KuaiRec: a fully-observed dataset and insights for evaluating
recommender systems", CIKM 2022. The data are not part of this package: point `kuairec` to your own copy.
"""

import json
from pathlib import Path

import pandas as pd

from evenhand.datasets.columns import Kind, header, read_attributes, read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import refuse_lines, refuse_repeated
from evenhand.errors import InputError

COLUMNS: dict[str, Kind] = {"user_id": int, "video_id": int, "timestamp": float, "watch_ratio": float}
CAPTIONS = "kuairec_caption_category.csv"
CATEGORIES = ("first_level_category_name", "second_level_category_name", "third_level_category_name")


def kuairec(folder: str | Path) -> Dataset:
    """Read a published folder (small_matrix.csv, big_matrix.csv and their companions).

    Interactions are the big matrix, the last row of each pair; preferences are the small one. `rating` and
    `preference` are watch_ratio: the time watched over the length of the video.
    """
    folder = Path(folder)
    big, repeated = _last(_matrix(folder / "big_matrix.csv"))
    path = folder / "small_matrix.csv"
    small = _matrix(path)
    untimed = int(small["timestamp"].isna().sum())
    refuse_repeated(path, small, ["user_id", "item_id"])
    share = len(small) / (small["user_id"].nunique() * small["item_id"].nunique())
    notes = [
        f"The last row of each pair of big_matrix.csv is kept; earlier ones that are left out: {repeated:,}.",
        f"Rows of small_matrix.csv without a time: {untimed:,}; preferences need none.",
        f"Preferences are known of {100 * share:.1f}% of the pairs of small_matrix.csv"
        + ("." if share == 1 else "; an audit of envy must be told what the others count as (missing)."),
        "rating and preference are the time watched over the length of the video, which can be above 1.",
    ]
    return Dataset(
        "KuaiRec 2.0",
        big.rename(columns={"watch_ratio": "rating"}),
        _users(folder, notes),
        _items(folder, notes),
        tuple(notes),
        preferences=small.rename(columns={"watch_ratio": "preference"})
        .drop(columns="timestamp")
        .reset_index(drop=True),
    )


def _matrix(path: Path) -> pd.DataFrame:
    frame = read_columns(path, COLUMNS, may_be_empty=["timestamp"]).rename(columns={"video_id": "item_id"})
    refuse_lines(path, frame, ~(frame["watch_ratio"] >= 0), "watch_ratio", "a number from 0")
    return frame[["user_id", "item_id", "watch_ratio", "timestamp"]].astype({"timestamp": "Float64"})


def _last(big: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The last row of each pair in time, and how many come before one; rows without a time come first."""
    ordered = big.sort_values("timestamp", kind="stable", na_position="first")
    last = ordered.drop_duplicates(["user_id", "item_id"], keep="last").sort_index()
    return last.reset_index(drop=True), len(big) - len(last)


def _users(folder: Path, notes: list[str]) -> pd.DataFrame:
    """With gender and age_range where the raw features are there."""
    for name in ("user_features_raw.csv", "user_features.csv"):
        for place in (folder, folder.parent):
            if (place / name).is_file():
                if name == "user_features.csv":
                    notes.append("user_features_raw.csv is not there: gender and age are not known.")
                return read_attributes(place / name, "user_id", "user_id").reset_index(drop=True)
    raise InputError(f"The file {folder / 'user_features_raw.csv'} is missing: it says who the users are.")


def _items(folder: Path, notes: list[str]) -> pd.DataFrame:
    path = folder / "item_categories.csv"
    items = read_columns(path, {"video_id": int, "feat": str}).rename(columns={"video_id": "item_id"})
    refuse_repeated(path, items, ["item_id"])
    lists = items["feat"].str.fullmatch(r"\[\s*(\d+\s*(,\s*\d+\s*)*)?\]")
    refuse_lines(path, items, ~lists.to_numpy(dtype=bool), "feat", "a list of numbers such as [27,9]")
    items["categories"] = [json.loads(text) for text in items.pop("feat")]
    captions = next((one / CAPTIONS for one in (folder, folder.parent) if (one / CAPTIONS).is_file()), None)
    if captions is None:
        notes.append(f"{CAPTIONS} is not there: videos have numbers of categories, and no names of them.")
        return items.reset_index(drop=True)
    return items.merge(_captions(captions), on="item_id", how="left")


def _captions(path: Path) -> pd.DataFrame:
    """Captions have bare carriage returns, which end no line here, and may have line feeds in quotes."""
    names = [name for name in ("caption", *CATEGORIES) if name in header(path)]
    try:
        frame = pd.read_csv(
            path,
            usecols=lambda name: name.strip() in ("video_id", *names),
            dtype=str,
            keep_default_na=False,
            lineterminator="\n",
        ).rename(columns=str.strip)  # before a line feed may be another carriage return
        if "video_id" not in frame:
            raise ValueError("there is no column 'video_id'")
    except (ValueError, UnicodeDecodeError) as error:  # also what the parser raises
        raise InputError(f"{path} cannot be read ({str(error).strip()}); use the published file.") from error
    frame.index = pd.RangeIndex(2, len(frame) + 2)
    refuse_lines(path, frame, ~frame["video_id"].str.fullmatch(r"\d+"), "video_id", "a whole number")
    refuse_repeated(path, frame, ["video_id"])
    frame["item_id"] = frame.pop("video_id").astype("int64")
    for name in names:
        frame[name] = frame[name].str.strip()
    return frame
