"""Black Friday: purchases in a shop, with the gender, age, occupation, city and marriage of customers.

Published by Analytics Vidhya, and on Kaggle; the data are not part of this package: point `black_friday` to
your own copy.
"""

from pathlib import Path

import pandas as pd

from evenhand.datasets.columns import Kind, header, read_columns
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.records import refuse_lines
from evenhand.errors import InputError

FILES = ("train.csv", "BlackFriday.csv")
OF_USERS: dict[str, Kind] = {
    "Gender": str, "Age": str, "Occupation": int, "City_Category": str,
    "Stay_In_Current_City_Years": str, "Marital_Status": int,
}  # fmt: skip
OF_ITEMS: dict[str, Kind] = {
    "Product_Category_1": int, "Product_Category_2": float, "Product_Category_3": float,
}  # fmt: skip


def file_of(folder: Path) -> Path | None:
    """The file of purchases; that of the competition's test has no amounts."""
    there = [folder / name for name in FILES if (folder / name).is_file()]
    return next((path for path in there if {"User_ID", "City_Category", "Purchase"} <= {*header(path)}), None)


def black_friday(folder: str | Path) -> Dataset:
    """Read a published folder (train.csv or BlackFriday.csv); `rating` is the amount of the purchase."""
    folder = Path(folder)
    path = file_of(folder)
    if path is None:
        raise InputError(f"{folder} has no train.csv or BlackFriday.csv with User_ID and Purchase.")
    columns: dict[str, Kind] = {"User_ID": int, "Product_ID": str, **OF_USERS, **OF_ITEMS, "Purchase": float}
    rows = read_columns(path, columns, may_be_empty=["Product_Category_2", "Product_Category_3"])
    users = _one_each(path, rows, "User_ID", list(OF_USERS), "user_id")
    items = _one_each(path, rows, "Product_ID", list(OF_ITEMS), "item_id")
    for name in ("product_category_2", "product_category_3"):
        items[name] = items[name].astype("Int64")
    bought = rows.rename(columns={"User_ID": "user_id", "Product_ID": "item_id", "Purchase": "rating"})
    pairs = bought.groupby(["user_id", "item_id"], sort=False)["rating"].sum().reset_index()
    notes = ["rating is the amount of the purchase, not an opinion on a scale.", "There are no times."]
    if len(pairs) < len(bought):
        notes.append(f"Purchases that are added to an earlier one of the pair: {len(bought) - len(pairs):,}.")
    return Dataset("Black Friday", pairs, users, items, tuple(notes))


def _one_each(path: Path, rows: pd.DataFrame, key: str, attributes: list[str], called: str) -> pd.DataFrame:
    """What every row repeats of its user or item, once; two that differ are refused."""
    distinct = rows[[key, *attributes]].drop_duplicates()
    again = distinct.duplicated(key)
    refuse_lines(path, distinct, again, key, "with the same attributes in all its rows")
    return distinct.rename(columns={key: called, **{one: one.lower() for one in attributes}}).reset_index(
        drop=True
    )
