"""Five more folders, made after the ten that init was built on, and left as they were then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from plan.init.folders import GENDERS, ITEMS, USERS, Expected, both, people

UNSEEN: dict[str, Callable[[Path], Expected]] = {}


def unseen(make: Callable[[Path], Expected]) -> Callable[[Path], Expected]:
    UNSEEN[make.__name__] = make
    return make


@unseen
def spanish_events(home: Path) -> Expected:
    """Compressed TSV files by day; the label is one of the kinds of events."""
    rng = np.random.default_rng(21)
    default, random = both(21)
    whole = pd.concat([default.assign(origen="modelo"), random.assign(origen="aleatorio")]).sample(
        frac=1, random_state=1
    )
    liked = np.array(["clic", "compra"])[rng.integers(0, 2, len(whole))]
    whole["evento"] = np.where(whole.pop("liked") == 1, liked, "impresion")
    whole = whole.rename(columns={"user": "usuarioId", "item": "productoId", "day": "fecha"}).drop(
        columns="maker"
    )
    (home / "eventos").mkdir()
    for day, rows in whole.groupby("fecha"):
        rows.to_csv(home / "eventos" / f"{day:%Y-%m-%d}.tsv.gz", sep="\t", index=False)
    pd.DataFrame(
        {"productoId": range(ITEMS), "vendedor_edad": np.array(["joven", "mayor"])[np.arange(ITEMS) % 2],
         "categoria": np.array(["ropa", "libros", "casa"])[np.arange(ITEMS) % 3]}
    ).to_csv(home / "productos.csv", index=False)  # fmt: skip
    return Expected(
        [{"audit": "opportunity", "group": "vendedor_edad", "attributes": "items", "cluster": "user_id"}],
        {"evento"},
        {"items": "productos.csv"},
        {"default": {"origen": {"not": "aleatorio"}}, "random": {"origen": "aleatorio"}},
        made={"default": {"column": "evento", "among": ["clic", "compra"]}},
    )


@unseen
def vectors_in_tables(home: Path) -> Expected:
    """Vectors as lists in Parquet, by ids; the items are artists."""
    rng = np.random.default_rng(23)
    users = people()
    sex = users.gender.map({"female": "F", "male": "M"})
    vectors = rng.normal(size=(USERS, 12)) + 1.5 * np.outer(sex == "F", rng.normal(size=12))
    pd.DataFrame(
        {"listener_id": users.user, "sex": sex, "country": np.array(["DE", "FR"])[users.user % 2]}
    ).to_parquet(home / "listeners.parquet", index=False)
    pd.DataFrame({"listener_id": users.user, "vector": list(vectors)}).to_parquet(
        home / "listener_vectors.parquet", index=False
    )
    pd.DataFrame({"artist_id": range(ITEMS), "vector": list(rng.normal(size=(ITEMS, 12)))}).to_parquet(
        home / "artist_vectors.parquet", index=False
    )
    pd.DataFrame({"artist_id": range(ITEMS), "gender": GENDERS[np.arange(ITEMS) % 2]}).to_csv(
        home / "artists.csv", index=False
    )
    return Expected(
        [{"audit": "association", "attribute": "users:sex"}], set(), {"users": "listeners.parquet"}
    )


@unseen
def purchases_alone(home: Path) -> Expected:
    """What was bought, and nothing of what was shown: there is no label, and no plan must pretend one."""
    rng = np.random.default_rng(25)
    default, _ = both(25)
    default = default[default.liked == 1]
    bought = default.rename(columns={"user": "customer_id", "item": "sku", "day": "timestamp"})[
        ["customer_id", "sku", "timestamp"]
    ]
    bought.assign(
        price=rng.gamma(2, 10, len(bought)).round(2), returned=(rng.random(len(bought)) < 0.1).astype(int)
    ).to_csv(home / "purchases.csv", index=False)
    pd.DataFrame(
        {
            "customer_id": range(USERS),
            "sex": GENDERS[np.arange(USERS) % 2],
            "birth_year": 1950 + np.arange(USERS) % 50,
        }
    ).to_csv(home / "customers.csv", index=False)
    return Expected([], set(), not_asked=("opportunity", "user_precision", "groups"))


@unseen
def star_schema(home: Path) -> Expected:
    """A DuckDB file with facts and dimensions; the attribute is of creators, by a key of their own."""
    default, random = both(27)
    facts = pd.concat([default.assign(traffic_type="organic"), random.assign(traffic_type="exploration")])
    facts = facts.sample(frac=1, random_state=1).rename(
        columns={"user": "user_key", "item": "item_key", "liked": "converted", "day": "ts"}
    )
    facts["creator_key"] = facts.item_key % 20
    users = people().rename(columns={"user": "user_key"})[["user_key", "gender"]]
    creators = pd.DataFrame({"creator_key": range(20), "ethnicity": np.array(["a", "b"])[np.arange(20) % 2]})
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        for name, frame in (
            ("fact_impressions", facts.drop(columns="maker")),
            ("dim_user", users),
            ("dim_creator", creators),
        ):
            connection.register("frame_", frame)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame_")
            connection.unregister("frame_")
    return Expected(
        [
            {"audit": "opportunity", "label": "converted", "group": "ethnicity", "on": "creator_id"},
            {"audit": "user_precision", "group": "gender", "attributes": "users"},
        ],
        {"converted"},
        {"default": "warehouse.duckdb"},
        {"default": {"traffic_type": {"not": "exploration"}}, "random": {"traffic_type": "exploration"}},
    )


@unseen
def many_labels_and_junk(home: Path) -> Expected:
    """Good and bad reactions, an age that is of no person, and files that are no tables."""
    rng = np.random.default_rng(29)
    default, random = both(29)
    whole = pd.concat([default.assign(is_explore=0), random.assign(is_explore=1)]).sample(
        frac=1, random_state=1
    )
    whole["creatorId"] = whole.item % 30
    whole["shared"], whole["hidden"], whole["reported"] = (
        (rng.random(len(whole)) < p).astype(int) for p in (0.1, 0.2, 0.02)
    )
    whole["watch_time_sec"] = rng.integers(0, 300, len(whole))
    whole["age_of_content"] = np.array(["new", "old"])[whole.item % 2]
    whole["label_version"] = 3
    whole.rename(columns={"user": "userId", "item": "contentId"}).drop(columns="maker").to_parquet(
        home / "feed_log.parquet", index=False
    )
    pd.DataFrame(
        {"creatorId": range(30), "gender": GENDERS[np.arange(30) % 2], "verified": np.arange(30) % 3 == 0}
    ).to_csv(home / "creators.csv", index=False)
    (home / "README.md").write_text("Logs of the feed.\n")
    (home / "notes.json").write_text("{}\n")
    (home / "broken.parquet").write_bytes(b"PAR1 and then nothing")
    (home / "empty.csv").write_text("")
    return Expected(
        [{"audit": "opportunity", "group": "gender", "attributes": "creators", "on": "creator_id"}],
        {"liked", "shared"},
        {"default": "feed_log.parquet", "creators": "creators.csv"},
        {"default": {"is_explore": 0}, "random": {"is_explore": 1}},
        says=("As plausible: ", "broken.parquet", "empty.csv"),
    )
