"""Folders as different houses would leave them, each with what a person would ask of it.

The same small marketplace is in most of them, under other names, in other languages and layouts, with columns
beside it that look like something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

USERS, ITEMS = 150, 60
GENDERS = np.array(["female", "male"])


@dataclass(frozen=True)
class Expected:
    """What must be in the plan: steps by their audit, of each some keys; files, rows and made columns behind
    inputs. `labels` are the columns that may be read as a label at all."""

    steps: list[dict[str, Any]]
    labels: set[str]
    files: dict[str, str] = field(default_factory=dict)
    where: dict[str, dict[str, Any]] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    not_asked: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


FOLDERS: dict[str, Callable[[Path], Expected]] = {}


def folder(make: Callable[[Path], Expected]) -> Callable[[Path], Expected]:
    FOLDERS[make.__name__] = make
    return make


def log(rows: int, seed: int, uniform: bool = False, days: int = 6) -> pd.DataFrame:
    """Who was shown what, whether they liked it; items of women are shown less often than they are liked."""
    rng = np.random.default_rng(seed)
    chances = (
        np.ones(ITEMS) if uniform else np.where(np.arange(ITEMS) % 2 == 0, 0.6, 1.4) * rng.gamma(2, 1, ITEMS)
    )
    item = rng.choice(ITEMS, rows, p=chances / chances.sum())
    user = rng.integers(0, USERS, rows)
    return pd.DataFrame(
        {
            "user": user,
            "item": item,
            "liked": (rng.random(rows) < 0.25 + 0.1 * (item % 3 == 0)).astype(int),
            "maker": GENDERS[item % 2],
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, days, rows), unit="D"),
        }
    )


def both(seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    return log(6000, seed), log(4000, seed + 100, uniform=True)


def people(seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "user": range(USERS),
            "gender": GENDERS[rng.integers(0, 2, USERS)],
            "age": rng.integers(16, 80, USERS),
        }
    )


@folder
def plain_english(home: Path) -> Expected:
    """Two logs, users as CSV, items as Parquet; an id of the request, and a position."""
    default, random = both()
    names = {"user": "user_id", "item": "item_id", "liked": "clicked"}
    for name, frame in (("default", default), ("random", random)):
        frame = frame.rename(columns=names).drop(columns="maker")
        frame["request_id"] = np.arange(len(frame)) // 3
        frame["position"] = np.arange(len(frame)) % 3 + 1
        frame.to_parquet(home / f"{name}.parquet", index=False)
    people().rename(columns={"user": "user_id"}).to_csv(home / "users.csv", index=False)
    pd.DataFrame(
        {
            "item_id": range(ITEMS),
            "creator_gender": GENDERS[np.arange(ITEMS) % 2],
            "title": [f"t{i}" for i in range(ITEMS)],
        }
    ).to_parquet(home / "items.parquet", index=False)
    return Expected(
        [
            {"audit": "opportunity", "default": "default", "random": "random", "label": "clicked",
             "group": "creator_gender", "attributes": "items", "on": "item_id", "cluster": "user_id"},
            {"audit": "user_precision", "label": "clicked", "group": "gender", "attributes": "users"},
        ],
        {"clicked"},
        {"default": "default.parquet", "random": "random.parquet", "items": "items.parquet",
         "users": "users.csv"},
        not_asked=("groups", "exposure", "envy", "association"),
        says=("docs/explain/exposure.md", "docs/explain/envy.md"),
    )  # fmt: skip


@folder
def german_with_a_tag(home: Path) -> Expected:
    """One CSV log whose column says which rows are random; a session that looks like a number to group by."""
    default, random = both(5)
    whole = pd.concat([default.assign(Quelle="Empfehlung"), random.assign(Quelle="Zufall")])
    whole = whole.sample(frac=1, random_state=1)
    whole["Sitzungs_ID"] = np.arange(len(whole)) % 9
    names = {"user": "Kunden_Nr", "item": "Artikelnummer", "liked": "geklickt", "day": "Datum"}
    whole.rename(columns=names).drop(columns="maker").to_csv(
        home / "Impressionen.csv", index=False, date_format="%Y-%m-%d"
    )
    pd.DataFrame(
        {"Artikelnummer": range(ITEMS), "Anbieter_Geschlecht": np.array(["w", "m"])[np.arange(ITEMS) % 2]}
    ).to_csv(home / "Artikel.csv", index=False)
    return Expected(
        [{"audit": "opportunity", "label": "geklickt", "group": "Anbieter_Geschlecht", "cluster": "user_id"}],
        {"geklickt"},
        {"default": "Impressionen.csv", "random": "Impressionen.csv"},
        {"default": {"Quelle": {"not": "Zufall"}}, "random": {"Quelle": "Zufall"}},
        columns={"default": {"user_id": "Kunden_Nr", "item_id": "Artikelnummer"}},
    )


@folder
def french_ratings(home: Path) -> Expected:
    """Ratings from 1 to 5 in place of clicks, and dates that are written as numbers."""
    rng = np.random.default_rng(7)
    for name, frame in zip(("evaluations", "aleatoire"), both(7), strict=True):
        frame = frame.rename(columns={"user": "id_utilisateur", "item": "id_film"})
        frame["note"] = np.where(
            frame.liked == 1, rng.integers(4, 6, len(frame)), rng.integers(1, 4, len(frame))
        )
        frame["date"] = frame.day.dt.strftime("%Y%m%d").astype(int)
        frame.drop(columns=["liked", "day", "maker"]).to_parquet(home / f"{name}.parquet", index=False)
    pd.DataFrame(
        {"id_film": range(ITEMS), "sexe_auteur": np.array(["F", "H"])[np.arange(ITEMS) % 2]}
    ).to_parquet(home / "films.parquet", index=False)
    return Expected(
        [{"audit": "opportunity", "default": "default", "random": "random", "group": "sexe_auteur"}],
        {"note"},
        {"default": "evaluations.parquet", "random": "aleatoire.parquet", "items": "films.parquet"},
        made={"default": {"column": "note", "at_least": 4}, "random": {"column": "note", "at_least": 4}},
    )


@folder
def partitions_by_day(home: Path) -> Expected:
    """Folders called day=..., a flag for random rows, and a label-like column that is 1 everywhere."""
    default, random = both(9)
    whole = pd.concat([default.assign(is_random=False), random.assign(is_random=True)]).sample(
        frac=1, random_state=2
    )
    whole["viewed"], whole["like"] = 1, whole.pop("liked")
    whole = whole.rename(columns={"user": "uid", "item": "video_id", "maker": "creator_gender"})
    for day, rows in whole.groupby("day"):
        place = home / "logs" / f"day={day:%Y-%m-%d}"
        place.mkdir(parents=True)
        rows.drop(columns="day").to_parquet(place / "part-00000.parquet", index=False)
    return Expected(
        [{"audit": "opportunity", "label": "like", "group": "creator_gender", "cluster": "user_id"}],
        {"like"},
        {"default": "*.parquet", "random": "*.parquet"},
        {"default": {"is_random": False}, "random": {"is_random": True}},
    )


@folder
def arms_of_a_test(home: Path) -> Expected:
    """A log for each arm and one of uniform traffic; two labels, and what follows from one of them."""
    frames = {"control": log(6000, 11), "treatment": log(6000, 12), "uniform": log(4000, 13, uniform=True)}
    rng = np.random.default_rng(4)
    for name, frame in frames.items():
        frame = frame.drop(columns="maker")
        frame["addedToCart"] = np.where(rng.random(len(frame)) < 0.1, 1, frame.liked)
        frame["orderValue"] = np.where(frame.liked == 1, rng.gamma(2, 20, len(frame)).round(2), 0.0)
        frame["sellerRegion"] = np.array(["north", "south", "west"])[frame.item % 3]
        frame["refunded"] = (rng.random(len(frame)) < 0.05).astype(int)
        names = {"user": "visitorId", "item": "productId", "liked": "purchased"}
        frame.rename(columns=names).to_parquet(home / f"{name}.parquet", index=False)
    return Expected(
        [
            {"audit": "opportunity", "default": "control", "random": "random", "group": "sellerRegion"},
            {
                "audit": "compare",
                "arms": {"control": "control", "treatment": "treatment"},
                "random": "random",
            },
        ],
        {"purchased", "addedToCart"},
        {"control": "control.parquet", "treatment": "treatment.parquet", "random": "uniform.parquet"},
        says=("As plausible: ",),
    )


@folder
def wide_with_buckets(home: Path) -> Expected:
    """Fifty features beside what matters; rows of bucket 2 are random, which only their items tell."""
    rng = np.random.default_rng(6)
    default, random = both(15)
    default["bucket"], random["bucket"] = rng.integers(0, 2, len(default)), 2
    whole = pd.concat([default, random]).sample(frac=1, random_state=3)
    whole = whole.rename(
        columns={"user": "UserID", "item": "AdID", "liked": "IsClick", "maker": "AdvertiserGender"}
    )
    features = pd.DataFrame(
        rng.normal(size=(len(whole), 50)).round(3), columns=[f"feature_{i}" for i in range(50)]
    )
    whole = pd.concat([whole.reset_index(drop=True), features], axis=1)
    whole["device"] = np.array(["ios", "android", "web"])[rng.integers(0, 3, len(whole))]
    whole["campaign_hash"] = [f"{i:08x}" for i in rng.integers(0, 9, len(whole))]
    whole.to_parquet(home / "training_rows.parquet", index=False)
    return Expected(
        [{"audit": "opportunity", "label": "IsClick", "group": "AdvertiserGender", "cluster": "user_id"}],
        {"IsClick"},
        {"default": "training_rows.parquet", "random": "training_rows.parquet"},
        {"default": {"bucket": {"not": 2}}, "random": {"bucket": 2}},
        says=("items come evenly",),
    )


@folder
def dwell_times(home: Path) -> Expected:
    """No click, only how long somebody stayed; a policy that is called uniform."""
    rng = np.random.default_rng(8)
    default, random = both(17)
    whole = pd.concat([default.assign(policy="prod_v7"), random.assign(policy="uniform")]).sample(
        frac=1, random_state=4
    )
    whole["dwell_ms"] = np.where(
        whole.pop("liked") == 1,
        rng.integers(30_000, 200_000, len(whole)),
        rng.integers(0, 29_000, len(whole)),
    )
    whole = whole.rename(
        columns={"user": "reader_id", "item": "article_id", "maker": "author_gender", "day": "event_time"}
    )
    for number, rows in enumerate(np.array_split(np.arange(len(whole)), 5)):
        whole.iloc[rows].to_csv(home / f"reads-{number:03d}.csv", index=False)
    return Expected(
        [{"audit": "opportunity", "group": "author_gender", "cluster": "user_id"}],
        {"dwell_ms"},
        {"default": "reads-*.csv", "random": "reads-*.csv"},
        {"default": {"policy": {"not": "uniform"}}, "random": {"policy": "uniform"}},
        made={"default": {"column": "dwell_ms", "at_least": 30_000}},
    )


@folder
def times_of_clicks(home: Path) -> Expected:
    """The label is when somebody clicked; whoever did not has no time."""
    default, random = both(19)
    whole = pd.concat([default.assign(source="ranker"), random.assign(source="random")]).sample(
        frac=1, random_state=5
    )
    whole["shown_at"] = whole.pop("day") + pd.to_timedelta(np.arange(len(whole)) % 86_400, unit="s")
    whole["clicked_at"] = (whole.shown_at + pd.Timedelta(seconds=9)).where(whole.pop("liked") == 1)
    whole.rename(columns={"user": "member_id", "item": "post_id"}).drop(columns="maker").to_parquet(
        home / "events.parquet", index=False
    )
    pd.DataFrame(
        {
            "post_id": range(ITEMS),
            "author_age_group": np.array(["18-24", "25-44", "45+"])[np.arange(ITEMS) % 3],
            "n_words": range(ITEMS),
        }
    ).to_csv(home / "posts.csv", index=False)
    return Expected(
        [{"audit": "opportunity", "group": "author_age_group", "attributes": "items"}],
        {"clicked_at"},
        {"default": "events.parquet", "random": "events.parquet", "items": "posts.csv"},
        {"random": {"source": "random"}},
        made={"default": {"column": "clicked_at", "known": True}},
    )


@folder
def lists_and_candidates(home: Path) -> Expected:
    """Candidates with scores, lists with ranks, tracks that were liked, and who the members are."""
    rng = np.random.default_rng(10)
    pairs = pd.DataFrame(
        {"member_id": np.repeat(np.arange(USERS), 20), "track_id": np.tile(np.arange(20), USERS)}
    )
    pairs["track_id"] += rng.integers(0, ITEMS - 20, USERS).repeat(20)
    pairs["model_score"] = rng.normal(size=len(pairs))
    pairs.assign(listened=(rng.random(len(pairs)) < 0.3).astype(int)).to_parquet(
        home / "candidates.parquet", index=False
    )
    lists = pairs.assign(rank=pairs.groupby("member_id").model_score.rank(ascending=False).astype(int))
    lists[lists["rank"] <= 10][["member_id", "track_id", "rank"]].to_csv(
        home / "recommendations.csv", index=False
    )
    taken = pairs.sample(frac=0.3, random_state=1)[["member_id", "track_id"]]
    taken.to_csv(home / "favourite_tracks.csv", index=False)
    people().rename(columns={"user": "member_id"}).to_csv(home / "members.csv", index=False)
    pd.DataFrame(
        {"track_id": range(ITEMS), "genre": np.array(["rock", "jazz", "folk"])[np.arange(ITEMS) % 3]}
    ).to_csv(home / "tracks.csv", index=False)
    return Expected(
        [
            {"audit": "groups", "candidates": "candidates", "users": "users", "attributes": ["gender"]},
            {"audit": "exposure", "lists": "lists", "relevance": "relevance", "user_group": "gender",
             "item_group": "genre"},
        ],
        {"listened"},
        {"candidates": "candidates.parquet", "lists": "recommendations.csv",
         "relevance": "favourite_tracks.csv", "users": "members.csv", "items": "tracks.csv"},
        columns={"candidates": {"user_id": "member_id", "item_id": "track_id", "score": "model_score",
                                "label": "listened"}},
    )  # fmt: skip


@folder
def vectors_in_arrays(home: Path) -> Expected:
    """Embeddings without ids, in the order of two tables; items in several genres."""
    rng = np.random.default_rng(12)
    users = people()
    direction = rng.normal(size=16)
    vectors = rng.normal(size=(USERS, 16)) + 1.5 * np.outer(users.gender == "female", direction)
    np.save(home / "user_embeddings.npy", vectors.astype("float32"))
    np.save(home / "movie_embeddings.npy", rng.normal(size=(ITEMS, 16)).astype("float32"))
    users.rename(columns={"user": "userId"}).to_csv(home / "users.csv", index=False)
    genres = np.array(["Drama", "Comedy|Drama", "Action", "Comedy"])[np.arange(ITEMS) % 4]
    pd.DataFrame(
        {"movieId": range(ITEMS), "title": [f"Film {i}" for i in range(ITEMS)], "genres": genres}
    ).to_csv(home / "movies.csv", index=False)
    return Expected(
        [{"audit": "association", "users": "user_embeddings.npy", "items": "movie_embeddings.npy",
          "attribute": "users:gender", "groups": "items:genres"}],
        set(),
        {"users": "users.csv", "items": "movies.csv"},
        not_asked=("opportunity", "groups", "exposure", "envy"),
        says=("has no ids",),
    )  # fmt: skip
