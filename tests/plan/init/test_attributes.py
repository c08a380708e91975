"""Which columns make no groups: those that name or number things."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, log

ITEMS = np.arange(400)


def attributes(home, **more):
    """Of a table of items that has these columns, too."""
    frame = pd.DataFrame({"item_id": ITEMS, "creator_gender": GENDERS[ITEMS % 2], **more})
    frame.to_parquet(home / "items.parquet")
    log(3000, 1).drop(columns="maker").rename(columns={"user": "user_id", "item": "item_id"}).to_parquet(
        home / "shown.parquet"
    )
    (items,) = [one for one in see(look([home])).tables() if one.name == "items"]
    return {one.column: one.strength for one in items.of_items}


@pytest.mark.parametrize("name", ["seller_ref", "order_no", "shelf_number", "konto_nr", "batch_id"])
def test_a_column_that_is_called_like_an_id_is_no_attribute(tmp_path, name):
    assert attributes(tmp_path, **{name: 5000 + ITEMS % 150}) == {"creator_gender": 4}


def test_a_number_that_nearly_every_row_has_for_itself_is_no_attribute(tmp_path):
    assert attributes(tmp_path, serial=ITEMS + 9000) == {"creator_gender": 4}


def test_the_key_of_another_table_is_no_attribute(tmp_path):
    makers = 5000 + np.arange(150)
    pd.DataFrame({"valmistaja": makers, "town": np.resize(["a", "b"], 150)}).to_csv(
        tmp_path / "valmistajat.csv", index=False
    )
    found = attributes(tmp_path, valmistaja=5000 + ITEMS % 150)
    assert found == {"creator_gender": 4, "town": 1}  # that of the makers, joined


def test_a_number_of_a_creator_is_listed_and_never_chosen(tmp_path):
    assert attributes(tmp_path, seller_sales=5000 + ITEMS % 150)["seller_sales"] == 0


def test_a_number_that_people_are_protected_by_stays_although_all_differ(tmp_path):
    assert attributes(tmp_path, creator_income=ITEMS * 100 + 7)["creator_income"] == 3


def bands(home, **more):
    frame = pd.DataFrame({"item_id": ITEMS, "creator_gender": GENDERS[ITEMS % 2], **more})
    frame.to_parquet(home / "items.parquet")
    (items,) = see(look([home])).tables()
    return {one.column: one.bins for one in items.of_items}


@pytest.mark.parametrize(
    ("name", "values", "cut"),
    [
        # Of films as of people: by decades, and none for the 4% after 2000.
        ("year", np.r_[1960 + ITEMS[:384] % 39, 2000 + ITEMS[:16] % 5], (1970, 1980, 1990)),
        ("synt_v", np.r_[1960 + ITEMS[:384] % 39, 2000 + ITEMS[:16] % 5], (1970, 1980, 1990)),
        # Two figures would make one band of three.
        ("zz", 1980.5 + ITEMS / 20, (1986, 1990, 1996)),
    ],
)
def test_bands_have_a_tenth_of_the_rows(tmp_path, name, values, cut):
    found = bands(tmp_path, **{name: values})[name]
    shares = np.diff([0, *(np.mean(values < edge) for edge in found), 1])
    assert min(shares) >= 0.1
    assert found == pytest.approx(cut, abs=1)


def test_a_value_that_says_nothing_is_marked_with_how_to_leave_it_out(tmp_path):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        names = np.array(["mulher", "homem", "Não informado"])[np.minimum(frame.item % 12, 2)]
        frame.drop(columns="maker").assign(genero=names).rename(
            columns={"user": "user_id", "item": "item_id"}
        ).to_parquet(tmp_path / f"{name}.parquet")
    (said,) = [one for one in propose(see(look([tmp_path]))).marks if "may be no group" in one]
    assert said.startswith("genero has 'Não informado'")
    assert "where = { genero = [" in said
    assert said.count("Não informado") == 1


def test_a_rank_that_was_named_and_is_not_read_is_said(tmp_path):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame.rename(columns={"user": "user_id", "item": "item_id", "maker": "creator_gender"}).assign(
            zz=1 + frame.index % 9
        ).to_parquet(tmp_path / f"{name}.parquet")
    notes = propose(see(look([tmp_path]), named={"rank": ["zz"]})).notes
    assert "No audit of this plan reads zz, which was named as rank." in notes
