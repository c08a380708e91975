"""What tables are, where no word says so: by their rows and by what other tables say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import GENDERS, ITEMS, USERS, both, log, people


def roles(home, named=None):
    return {one.name: (one.role, one.user, one.item) for one in see(look([home]), named=named).tables()}


def test_who_orders_is_no_creator_of_orders(tmp_path):
    """Orders have their buyer in each row, as listings have their broker; but beside what was ordered stand
    no other people."""
    users, orders = np.arange(USERS), np.arange(600)
    pd.DataFrame({"kaufende_nr": users, "geschlecht": GENDERS[users % 2]}).to_csv(
        tmp_path / "personen.csv", index=False
    )
    pd.DataFrame({"beleg_nr": orders, "kaufende_nr": orders % USERS}).to_csv(
        tmp_path / "belege.csv", index=False
    )
    pd.DataFrame({"beleg_nr": np.repeat(orders, 3), "ware_nr": np.arange(1800) % ITEMS}).to_csv(
        tmp_path / "zeilen.csv", index=False
    )
    assert roles(tmp_path)["personen"] == ("users", "kaufende_nr", None)


def test_places_are_known_by_their_numbers(tmp_path):
    """Where nothing is called a rank, what counts each user's rows from 1 on is one; not in a log, where it
    numbers visits."""
    lists = pd.DataFrame({"user_id": np.repeat(np.arange(USERS), 5), "item_id": np.arange(5 * USERS) % ITEMS})
    lists["nth"] = np.tile(np.arange(1, 6), USERS)
    lists.to_parquet(tmp_path / "mailing.parquet", index=False)
    lists.assign(at=pd.Timestamp("2026-01-01") + pd.to_timedelta(lists.index, unit="s")).to_parquet(
        tmp_path / "visits.parquet", index=False
    )
    assert {name: role for name, (role, *_) in roles(tmp_path).items()} == {
        "mailing": "lists",
        "visits": "relevance",
    }


@pytest.mark.parametrize("named", [{}, {"score": ["p_hat"]}])
def test_scores_that_somebody_named_make_candidates_of_a_dated_table(tmp_path, named):
    rows = log(600, 5).rename(columns={"user": "user_id", "item": "item_id", "liked": "clicked"})
    rows.assign(p_hat=np.linspace(0, 1, 600)).to_parquet(tmp_path / "evaluated.parquet", index=False)
    assert roles(tmp_path, named)["evaluated"][0] == ("candidates" if named else "log")


def test_a_dated_table_with_scores_and_another_label_is_no_log(tmp_path):
    names = {"user": "user_id", "item": "item_id", "liked": "clicked"}
    for name, frame in zip(("default", "random"), both(), strict=True):
        frame.rename(columns=names).to_parquet(tmp_path / f"{name}.parquet", index=False)
    rows = log(3000, 7).rename(columns=names | {"liked": "bought"})
    rows.assign(score=np.linspace(0, 1, 3000)).to_parquet(tmp_path / "offline.parquet", index=False)
    people().rename(columns={"user": "user_id"}).to_csv(tmp_path / "users.csv", index=False)
    seen = see(look([tmp_path]))
    assert {one.name: one.role for one in seen.tables()}["offline"] == "candidates"
    assert any(
        "offline is taken to be candidates with scores (score)" in mark for mark in propose(seen).marks
    )


def test_the_arms_of_a_test_can_be_named(tmp_path):
    names = {"user": "user_id", "item": "item_id", "liked": "clicked", "maker": "creator_gender"}
    for name, frame in zip(("default", "random"), both(), strict=True):
        frame["ui"] = np.array(["old", "wide"])[frame.user % 2]
        frame.rename(columns=names).to_parquet(tmp_path / f"{name}.parquet", index=False)
    draft = propose(see(look([tmp_path])))
    assert "experiments" not in [step.keys["audit"] for step in draft.steps]
    assert any("--columns arm=ui" in note for note in draft.notes)
    draft = propose(see(look([tmp_path]), named={"arm": ["ui"]}))
    (step,) = (step for step in draft.steps if step.keys["audit"] == "experiments")
    assert step.keys["columns"] == {"ui": "old"}


def test_what_no_name_tells_is_listed_as_what_could_be_the_label(tmp_path):
    for name, frame in zip(("default", "random"), both(), strict=True):
        frame["t_zz"] = frame.day.where(frame.pop("liked") == 1)
        frame["zz"] = np.linspace(0, 500, len(frame))
        frame.rename(columns={"user": "user_id", "item": "item_id"}).to_parquet(tmp_path / f"{name}.parquet")
    draft = propose(see(look([tmp_path])))
    told = " ".join([*draft.notes, *(one.told() for one in draft.cannot)])
    assert "t_zz (a time that" in told
    assert "zz (a number from 0 to 500; from which on is your choice)" in told
    assert not draft.inputs.get("default")
    made = propose(see(look([tmp_path]), named={"label": ["t_zz"]})).inputs["default"].made
    assert made == {"positive": {"column": "t_zz", "known": True}}


def test_a_length_of_things_is_no_label_and_the_largest_table_is_missed(tmp_path):
    """Hosts describe people, and episodes last: without the log that is no audit of anything."""
    ids = np.arange(80)
    pd.DataFrame({"id_anim": ids, "sexe": GENDERS[ids % 2]}).to_csv(tmp_path / "animateurs.csv")
    pd.DataFrame(
        {"id_ep": np.arange(240) + 500, "id_anim": np.arange(240) % 80, "duree_min": np.arange(240)}
    ).to_csv(tmp_path / "episodes.csv")
    log(3000, 9).rename(columns={"user": "aud", "item": "zz", "liked": "ec"}).drop(
        columns="maker"
    ).to_parquet(tmp_path / "diffusions.parquet")
    seen = see(look([tmp_path]))
    assert {one.name: one.role for one in seen.tables()}["episodes"] != "log"
    assert seen.unused.startswith("The largest table, diffusions (3,000 rows), is not used")


def test_years_of_birth_are_known_by_their_range(tmp_path):
    users = pd.DataFrame(
        {"user_id": range(300), "d_yy": np.arange(300) % 58 + 1950, "j_yy": np.arange(300) % 9 + 2015}
    )
    users.to_csv(tmp_path / "users.csv", index=False)
    (table,) = see(look([tmp_path])).tables()
    bins = {one.column: one.bins for one in table.of_users}
    assert bins["d_yy"] == (1960, 1970, 1980, 1990, 2000)
    assert "j_yy" not in bins or len(bins["j_yy"]) < 5


def test_what_was_named_as_users_is_not_taken_for_items(tmp_path):
    """Small whole numbers are in everything."""
    shown = log(3000, 3)
    shown["user"] = shown.user % ITEMS
    shown.rename(columns={"user": "uye_xx", "item": "item_id", "liked": "clicked"}).to_parquet(
        tmp_path / "shown.parquet"
    )
    pd.DataFrame({"uye_xx": np.repeat(np.arange(ITEMS), 2), "wer": "x"}).to_parquet(tmp_path / "kept.parquet")
    seen = see(look([tmp_path]), named={"user_id": ["uye_xx"]})
    assert not [mark for mark in seen.marks if "uye_xx is taken" in mark]
