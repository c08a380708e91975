"""Amazon reviews of one category: who rated what, and the prices of items, for groups by what users did.

There are two publications: of 2014 (reviews_Electronics_5.json, ratings_Electronics.csv) and of 2018
(Electronics_5.json). The CSV file has no header: user, item, rating, time; that of 2018 has the first two
the other way round, and is refused. Sources: McAuley and others, SIGIR 2015; Ni, Li, McAuley, EMNLP 2019.
The data are not part of this package: point `amazon` to your own copy.
"""

import ast
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from evenhand.datasets.columns import read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import refuse_lines
from evenhand.errors import InputError

REVIEWS = re.compile(r"(?:reviews_)?([A-Z]\w*?)_5\.json(?:\.gz)?")
RATINGS = re.compile(r"ratings_([A-Z]\w*)\.csv")
# All of Amazon's numbers of items have it, and most of users do not.
ITEM_LENGTH = 10
PRICE = re.compile(r"\$?([0-9][0-9,]*(?:\.[0-9]+)?)")


def file_of(folder: Path) -> Path | None:
    """The reviews, or the ratings, if there is one such file."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    for pattern in (REVIEWS, RATINGS):
        if found := [name for name in names if pattern.fullmatch(name)]:
            return folder / found[0]
    return None


def amazon(folder: str | Path) -> Dataset:
    """Read a folder with reviews_CATEGORY_5.json or CATEGORY_5.json (also .gz), or ratings_CATEGORY.csv, and,
    for prices, meta_CATEGORY.json. A user's last review of an item counts."""
    folder = Path(folder)
    path = file_of(folder)
    if path is None:
        raise InputError(f"{folder} has no reviews_..._5.json, ..._5.json or ratings_....csv of Amazon.")
    found = REVIEWS.fullmatch(path.name) or RATINGS.fullmatch(path.name)
    assert found is not None  # or there would be no such path
    rows = _ratings(path) if path.suffix == ".csv" else _reviews(path)
    refuse_lines(path, rows, ~rows["rating"].between(1, 5), "rating", "a number from 1 to 5")
    rows = rows.sort_values("timestamp", kind="stable")
    pairs = rows.drop_duplicates(["user_id", "item_id"], keep="last").reset_index(drop=True)
    items = pd.DataFrame({"item_id": pd.unique(pairs["item_id"])})
    notes = [
        "There are no attributes of users: group them by what they did (activity, spend, highest_price).",
        f"Earlier reviews of the same pair, which are left out: {len(rows) - len(pairs):,}.",
    ]
    meta = next((one for one in sorted(folder.glob(f"meta_{found[1]}.json*"))), None)
    if meta is None:
        notes.append(f"meta_{found[1]}.json is not there: prices are not known.")
    else:
        items["price"] = items["item_id"].map(_prices(meta, set(items["item_id"])))
        notes.append(f"The price is known of {int(items['price'].notna().sum()):,} of {len(items):,} items.")
    users = pd.DataFrame({"user_id": pd.unique(pairs["user_id"])})
    return Dataset(f"Amazon reviews ({found[1]})", pairs, users, items, tuple(notes))


def _ratings(path: Path) -> pd.DataFrame:
    names = {"user_id": str, "item_id": str, "rating": float, "timestamp": int}
    rows = read_columns(path, names, names=list(names)).astype({"timestamp": "Int64"})
    wrong = rows["item_id"].str.len() != ITEM_LENGTH
    refuse_lines(path, rows, wrong, "item_id", f"of {ITEM_LENGTH} characters, in the second column")
    return rows


def _reviews(path: Path) -> pd.DataFrame:
    keys = {"reviewerID": "user_id", "asin": "item_id", "overall": "rating", "unixReviewTime": "timestamp"}
    found: dict[str, list[Any]] = {name: [] for name in keys.values()}
    for line, record in _records(path):
        lacking = [key for key in keys if key not in record]
        if lacking:
            raise InputError(f"{path}, line {line}: there is no {lacking[0]!r}; use the published file.")
        for key, name in keys.items():
            found[name].append(record[key])
    frame = pd.DataFrame(found, index=pd.RangeIndex(1, len(found["rating"]) + 1))
    if frame.empty:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    return frame.astype({"rating": "float64", "timestamp": "Int64"})


def _prices(path: Path, wanted: set[str]) -> dict[str, float]:
    prices = {}
    for _, record in _records(path):
        if record.get("asin") in wanted and (price := PRICE.fullmatch(str(record.get("price", "")).strip())):
            prices[record["asin"]] = float(price[1].replace(",", ""))
    return prices


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """One record a line: JSON, or, in the metadata of 2014, what Python prints of a dict."""
    line = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for line, raw in enumerate(file, start=1):
                if raw.strip():
                    yield line, _record(raw.decode("utf-8"))
    except (ValueError, SyntaxError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        cut = isinstance(error, EOFError | zlib.error | gzip.BadGzipFile)
        at = line + 1 if cut else max(line, 1)
        raise InputError(
            f"{path}, line {at}: the file ends, or this is no record; was the download interrupted? Use the "
            "published file."
        ) from error


def _record(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except ValueError:
        record = ast.literal_eval(text)
    if not isinstance(record, dict):
        raise ValueError(text[:80])
    return record
