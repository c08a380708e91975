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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from evenhand.datasets.columns import read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import refuse_lines
from evenhand.errors import InputError
from evenhand.parameters import shown

REVIEWS = re.compile(r"(?:reviews_)?([A-Z]\w*?)_5\.json(?:\.gz)?")
RATINGS = re.compile(r"ratings_([A-Z]\w*)\.csv")
# All of Amazon's numbers of items have it, and most of users do not.
ITEM_LENGTH = 10
# By the names of a review: ours, what the value must be, and whether it is.
KEYS: dict[str, tuple[str, str, Callable[[Any], bool]]] = {
    "reviewerID": ("user_id", "text", lambda one: isinstance(one, str) and one != ""),
    "asin": ("item_id", "text", lambda one: isinstance(one, str) and one != ""),
    "overall": ("rating", "a number from 1 to 5", lambda one: type(one) in (int, float) and 1 <= one <= 5),
    "unixReviewTime": ("timestamp", "whole seconds", lambda one: type(one) is int and abs(one) < 2**63),
}
PRICE = re.compile(r"\$?([0-9][0-9,]*(?:\.[0-9]+)?)")


def files_of(folder: Path) -> list[Path]:
    """The file of each publication that is there: reviews, packed or not, or else ratings."""
    names = sorted((path.name for path in folder.iterdir() if path.is_file()), reverse=True)
    reviews = {name.removesuffix(".gz"): name for name in names if REVIEWS.fullmatch(name)}  # unpacked: last
    reviewed = {_category(name) for name in reviews}
    ratings = [name for name in names if RATINGS.fullmatch(name) and _category(name) not in reviewed]
    return [folder / name for name in sorted((*reviews.values(), *ratings))]


def _category(name: str) -> str:
    found = REVIEWS.fullmatch(name) or RATINGS.fullmatch(name)
    assert found is not None  # or the file would not have been looked for
    return found[1]


def amazon(folder: str | Path) -> Dataset:
    """Read a folder with reviews_CATEGORY_5.json or CATEGORY_5.json (also .gz), or ratings_CATEGORY.csv, and,
    for prices, meta_CATEGORY.json. A user's last review of an item counts."""
    folder = Path(folder)
    found = files_of(folder)
    if not found:
        raise InputError(f"{folder} has no reviews_..._5.json, ..._5.json or ratings_....csv of Amazon.")
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise InputError(
            f"{folder} holds {len(found)} data sets of Amazon, {names}: give each a folder of its own."
        )
    [path] = found
    category = _category(path.name)
    rows = _ratings(path) if path.suffix == ".csv" else _reviews(path)
    refuse_lines(path, rows, ~rows["rating"].between(1, 5), "rating", "a number from 1 to 5")
    rows = rows.sort_values("timestamp", kind="stable")
    pairs = rows.drop_duplicates(["user_id", "item_id"], keep="last").reset_index(drop=True)
    items = pd.DataFrame({"item_id": pd.unique(pairs["item_id"])})
    notes = [
        "There are no attributes of users: group them by what they did (activity, spend, highest_price).",
        f"Earlier reviews of the same pair, which are left out: {len(rows) - len(pairs):,}.",
    ]
    meta = next((one for one in sorted(folder.glob(f"meta_{category}.json*"))), None)
    if meta is None:
        notes.append(f"meta_{category}.json is not there: prices are not known.")
    else:
        items["price"] = items["item_id"].map(_prices(meta, set(items["item_id"])))
        notes.append(f"The price is known of {int(items['price'].notna().sum()):,} of {len(items):,} items.")
    users = pd.DataFrame({"user_id": pd.unique(pairs["user_id"])})
    return Dataset(f"Amazon reviews ({category})", pairs, users, items, tuple(notes))


def _ratings(path: Path) -> pd.DataFrame:
    names = {"user_id": str, "item_id": str, "rating": float, "timestamp": int}
    rows = read_columns(path, names, names=list(names)).astype({"timestamp": "Int64"})
    wrong = rows["item_id"].str.len() != ITEM_LENGTH
    refuse_lines(path, rows, wrong, "item_id", f"of {ITEM_LENGTH} characters, in the second column")
    return rows


def _reviews(path: Path) -> pd.DataFrame:
    found: dict[str, list[Any]] = {name: [] for name, _, _ in KEYS.values()}
    lines = []
    for line, record in _records(path):
        for key, (name, must_be, right) in KEYS.items():
            if key not in record:
                raise InputError(f"{path}, line {line}: there is no {key!r}; use the published file.")
            value = record[key]
            if not right(value):
                raise InputError(f"{path}, line {line}: {key} is {shown(value)}, but must be {must_be}.")
            found[name].append(value)
        lines.append(line)
    frame = pd.DataFrame(found, index=lines)
    if frame.empty:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    return frame.astype({"rating": "float64", "timestamp": "Int64"})


def _prices(path: Path, wanted: set[str]) -> dict[str, float]:
    prices = {}
    for _, record in _records(path):
        item, price = record.get("asin"), PRICE.fullmatch(str(record.get("price", "")).strip())
        if price and isinstance(item, str) and item in wanted:
            prices[item] = float(price[1].replace(",", ""))
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
    except (ValueError, RecursionError):
        try:
            record = ast.literal_eval(text)
        except (TypeError, MemoryError, RecursionError) as error:  # braces in braces, without an end
            raise ValueError(text[:80]) from error
    if not isinstance(record, dict):
        raise ValueError(text[:80])
    return record
