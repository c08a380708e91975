"""What LensKit holds and saves, as recommenders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evenhand.recommenders.adapters import as_recommender

if TYPE_CHECKING:
    from lenskit.data import ItemListCollection

pytestmark = pytest.mark.slow  # the library is in the extra `models`, which `make test` does not install

LISTS = [[4, 5, 0.9], [4, 1, 0.2], [7, 3, 0.5], [7, 1, 0.4]]


@pytest.fixture
def item_lists() -> ItemListCollection:
    from lenskit.data import ItemList, ItemListCollection

    lists = ItemListCollection.empty(["user_id"])
    for user in (7, 4):
        items, scores = zip(*((item, score) for who, item, score in LISTS if who == user), strict=True)
        lists.add(ItemList(item_ids=items, scores=scores, ordered=True), user_id=user)
    return lists


def listed(source: object) -> list[list[float]]:
    return as_recommender(source).rank(k=5)[["user_id", "item_id", "score"]].to_numpy().tolist()


@pytest.mark.parametrize("layout", ["native", "flat"])
def test_what_lenskit_saves(tmp_path: Path, item_lists: ItemListCollection, layout: str) -> None:
    item_lists.save_parquet(tmp_path / "recs.parquet", layout=layout)
    assert listed(tmp_path / "recs.parquet") == LISTS


def test_what_lenskit_holds(item_lists: ItemListCollection) -> None:
    assert listed(item_lists) == LISTS
    assert listed(item_lists.to_df()) == LISTS
