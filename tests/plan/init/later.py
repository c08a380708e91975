"""Five folders that were made after init had been mended on all others; three are like public data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from plan.init.folders import GENDERS, ITEMS, USERS, Expected, both, log, people

LATER: dict[str, Callable[[Path], Expected]] = {}


def later(make: Callable[[Path], Expected]) -> Callable[[Path], Expected]:
    LATER[make.__name__] = make
    return make


@later
def italian_books(home: Path) -> Expected:
    """Marks from 1 to 10, a flag of 0 and 1 for what was drawn, one file a month."""
    rng = np.random.default_rng(31)
    default, random = both(31)
    whole = pd.concat([default.assign(casuale=0), random.assign(casuale=1)]).sample(frac=1, random_state=1)
    high, low = rng.integers(8, 11, len(whole)), rng.integers(1, 8, len(whole))
    whole["voto"] = np.where(whole.pop("liked") == 1, high, low)
    whole["sesso_autore"] = whole.pop("maker").map({"female": "F", "male": "M"})
    whole = whole.rename(columns={"user": "utente_id", "item": "libro_id", "day": "giorno"})
    (home / "letture").mkdir()
    for month, rows in enumerate(np.array_split(np.arange(len(whole)), 3), start=1):
        whole.iloc[rows].to_csv(home / "letture" / f"letture_2026_{month:02d}.csv", index=False)
    return Expected(
        [{"audit": "opportunity", "group": "sesso_autore", "cluster": "user_id"}],
        {"voto"},
        {},
        {"default": {"casuale": 0}, "random": {"casuale": 1}},
        made={"default": {"column": "voto", "at_least": 8}},
    )


@later
def short_videos(home: Path) -> Expected:
    """As KuaiRand lays its files out: many reactions, times in milliseconds, dates as numbers."""
    rng = np.random.default_rng(33)
    for name, frame, drawn in (
        ("log_standard_4_08_to_4_21", log(6000, 33), 0),
        ("log_random_4_22_to_5_08", log(4000, 34, uniform=True), 1),
    ):
        size = len(frame)
        made = pd.DataFrame(
            {
                "user_id": frame.user,
                "video_id": frame.item,
                "date": 20220408 + rng.integers(0, 14, size),
                "hourmin": rng.integers(0, 24, size) * 100,
                "time_ms": 1649347200000 + rng.integers(0, 10**9, size),
                "is_click": frame.liked,
                "is_like": (rng.random(size) < 0.02).astype(int),
                "is_follow": (rng.random(size) < 0.01).astype(int),
                "is_hate": (rng.random(size) < 0.01).astype(int),
                "long_view": (rng.random(size) < 0.3).astype(int),
                "play_time_ms": rng.integers(0, 60000, size),
                "duration_ms": rng.integers(5000, 120000, size),
                "is_rand": drawn,
                "tab": rng.integers(0, 5, size),
            }
        )
        made.to_csv(home / f"{name}.csv", index=False)
    pd.DataFrame(
        {
            "user_id": range(USERS),
            "user_active_degree": np.array(["full", "high", "middle"])[np.arange(USERS) % 3],
            "follow_user_num": rng.integers(0, 500, USERS),
            "onehot_feat0": rng.integers(0, 2, USERS),
        }
    ).to_csv(home / "user_features.csv", index=False)
    pd.DataFrame(
        {
            "video_id": range(ITEMS),
            "author_id": np.arange(ITEMS) // 2,
            "video_type": np.array(["AD", "NORMAL"])[np.arange(ITEMS) % 2],
            "upload_dt": "2022-04-01",
            "music_id": rng.integers(10**6, 10**7, ITEMS),
        }
    ).to_csv(home / "video_features_basic.csv", index=False)
    return Expected(
        [
            {
                "audit": "opportunity",
                "default": "default",
                "random": "random",
                "group": "video_type",
                "attributes": "items",
            }
        ],
        {"is_click", "is_like", "is_follow", "long_view"},
        {"default": "log_standard_4_08_to_4_21.csv", "random": "log_random_4_22_to_5_08.csv"},
        says=("As plausible: ",),
    )


@later
def open_bandits(home: Path) -> Expected:
    """As the Open Bandit Dataset lays its files out, which is known: its tables are written beside it."""
    rng = np.random.default_rng(35)
    for policy, uniform in (("bts", False), ("random", True)):
        place = home / policy / "all"
        place.mkdir(parents=True)
        frame = log(5000, 35 + uniform, uniform=uniform)
        pd.DataFrame(
            {
                "timestamp": "2019-11-24 00:00:"
                + pd.Series(np.arange(5000) % 60).astype(str).str.zfill(2)
                + "+00:00",
                "item_id": frame.item,
                "position": rng.integers(1, 4, 5000),
                "click": frame.liked,
                "propensity_score": (1 / ITEMS) if uniform else rng.uniform(0.005, 0.05, 5000),
                "user_feature_0": np.array(["8b5", "81c", "03a"])[rng.integers(0, 3, 5000)],
            }
        ).to_csv(place / "all.csv", index=False)
        pd.DataFrame(
            {"item_id": range(ITEMS), "item_feature_1": np.array(["e2", "a1", "3c"])[np.arange(ITEMS) % 3]}
        ).to_csv(place / "item_context.csv", index=False)
    return Expected(
        [
            {
                "audit": "opportunity",
                "default": "default",
                "random": "random",
                "label": "click",
                "group": "item_feature_1",
            }
        ],
        {"click"},
        {"default": "-tables/default_log.parquet", "random": "-tables/random_log.parquet"},
    )


@later
def ratings_alone(home: Path) -> Expected:
    """As later MovieLens files are laid out: nobody says who the users are, and nothing was drawn."""
    rng = np.random.default_rng(37)
    frame = log(6000, 37).drop_duplicates(["user", "item"])
    pd.DataFrame(
        {
            "userId": frame.user,
            "movieId": frame.item,
            "rating": rng.integers(1, 11, len(frame)) / 2,
            "timestamp": 1_100_000_000 + rng.integers(0, 10**8, len(frame)),
        }
    ).to_csv(home / "ratings.csv", index=False)
    pd.DataFrame(
        {
            "movieId": range(ITEMS),
            "title": [f"Film {i} (1999)" for i in range(ITEMS)],
            "genres": np.array(["Comedy", "Drama|War"])[np.arange(ITEMS) % 2],
        }
    ).to_csv(home / "movies.csv", index=False)
    pd.DataFrame({"movieId": range(ITEMS), "imdbId": rng.integers(10**5, 10**6, ITEMS)}).to_csv(
        home / "links.csv", index=False
    )
    return Expected([], {"rating"}, not_asked=("opportunity", "groups", "exposure", "envy", "association"))


@later
def jobs_and_people(home: Path) -> Expected:
    """Scores of people for jobs, what they applied to, and who they are."""
    rng = np.random.default_rng(39)
    pairs = pd.DataFrame(
        {"applicant_id": np.repeat(np.arange(USERS), 15), "job_id": np.tile(np.arange(15), USERS)}
    )
    pairs["job_id"] = (pairs.job_id * 7 + pairs.applicant_id) % ITEMS
    pairs = pairs.drop_duplicates().assign(match_score=lambda rows: rng.random(len(rows)).round(4))
    pairs.to_parquet(home / "scored_jobs.parquet", index=False)
    taken = pairs.sample(frac=0.25, random_state=2)[["applicant_id", "job_id"]]
    taken.assign(applied_on="2026-02-01").to_csv(home / "applications.csv", index=False)
    pd.DataFrame(
        {
            "applicant_id": range(USERS),
            "gender": GENDERS[np.arange(USERS) % 2],
            "nationality": np.array(["DE", "TR", "PL"])[np.arange(USERS) % 3],
        }
    ).to_csv(home / "applicants.csv", index=False)
    pd.DataFrame(
        {
            "job_id": range(ITEMS),
            "sector": np.array(["care", "it", "law"])[np.arange(ITEMS) % 3],
            "employer_id": np.arange(ITEMS) // 3,
        }
    ).to_csv(home / "jobs.csv", index=False)
    return Expected(
        [
            {
                "audit": "exposure",
                "scores": "scores",
                "relevance": "relevance",
                "user_group": "gender",
                "item_group": "sector",
            }
        ],
        set(),
        {
            "scores": "scored_jobs.parquet",
            "relevance": "applications.csv",
            "users": "applicants.csv",
            "items": "jobs.csv",
        },
    )


@later
def german_shop_in_milliseconds(home: Path) -> Expected:
    """Files by day, words for yes and no, times in milliseconds, a year of birth, and two models whose names
    say nothing beside a test that is random."""
    rng = np.random.default_rng(61)
    default, random = both(61)
    models = np.array(["modell_a", "modell_b"])[rng.integers(0, 2, len(default))]
    whole = pd.concat([default.assign(ausspielung=models), random.assign(ausspielung="zufallstest")])
    whole["zeit_ms"] = whole.pop("day").astype("int64") // 10**6 + rng.integers(0, 86_400_000, len(whole))
    whole["in_den_warenkorb"] = np.where(whole.pop("liked") == 1, "ja", "nein")
    whole["user"], whole["item"] = ("K" + whole.user.astype(str)), ("A-" + whole.item.astype(str))
    whole = whole.rename(columns={"user": "KaeuferNr", "item": "ArtNr"}).drop(columns="maker")
    for day in range(2):
        whole.iloc[day::2].to_csv(home / f"klicks_0{day + 1}.11.2026.csv", index=False)
    pd.DataFrame(
        {
            "KaeuferNr": [f"K{user}" for user in range(USERS)],
            "Geburtsjahr": rng.integers(1950, 2005, USERS),
            "Bundesland": np.array(["BY", "NW"])[np.arange(USERS) % 2],
        }
    ).to_csv(home / "kaeufer_export.csv", index=False)
    pd.DataFrame(
        {
            "ArtNr": [f"A-{item}" for item in range(ITEMS)],
            "VerkaeuferTyp": np.array(["privat", "gewerblich"])[np.arange(ITEMS) % 2],
            "Preis_Cent": rng.integers(199, 50_000, ITEMS),
        }
    ).to_csv(home / "artikelstamm.csv", index=False)
    return Expected(
        [
            {"audit": "opportunity", "group": "VerkaeuferTyp", "attributes": "items", "catalogue": "items"},
            {"audit": "user_precision", "group": "Geburtsjahr", "attributes": "users"},
        ],
        {"in_den_warenkorb"},
        {"items": "artikelstamm.csv", "users": "kaeufer_export.csv"},
        {"default": {"ausspielung": {"not": "zufallstest"}}, "random": {"ausspielung": "zufallstest"}},
        made={"default": {"column": "in_den_warenkorb", "among": ["ja"]}},
        columns={"default": {"user_id": "KaeuferNr", "item_id": "ArtNr"}},
        says=("Preis_Cent", "Bundesland"),
    )


@later
def warehouse_export(home: Path) -> Expected:
    """Facts and dimensions in capital letters, with surrogate keys, flags, codes and times of loading."""
    rng = np.random.default_rng(67)
    default, random = both(67)
    whole = pd.concat([default.assign(RECO_STRATEGY_CD="PERS"), random.assign(RECO_STRATEGY_CD="UNIF")])
    whole["IMPR_SK"], whole["BOUNCE_FLG"] = np.arange(len(whole)), rng.integers(0, 2, len(whole))
    whole["DT_ID"] = whole.pop("day").dt.strftime("%Y%m%d").astype(int)
    whole["ETL_LOAD_TS"] = pd.Timestamp("2026-11-04")
    names = {"user": "READER_SK", "item": "ARTICLE_SK", "liked": "READ_FLG"}
    (home / "FCT_IMPRESSION").mkdir()
    for part in range(2):
        frame = whole.iloc[part::2].rename(columns=names).drop(columns="maker")
        frame.to_parquet(home / "FCT_IMPRESSION" / f"data_0_{part}_0.snappy.parquet", index=False)
    readers = people().rename(columns={"user": "READER_SK", "gender": "GENDER_CD"}).drop(columns="age")
    readers.assign(ETL_LOAD_TS=pd.Timestamp("2026-11-04")).to_parquet(home / "DIM_READER.parquet")
    pd.DataFrame(
        {
            "ARTICLE_SK": range(ITEMS),
            "AUTHOR_GENDER_CD": GENDERS[np.arange(ITEMS) % 2],
            "SECTION_CD": np.array(["POL", "SPO", "CUL"])[np.arange(ITEMS) % 3],
            "WORD_CNT": rng.integers(100, 3000, ITEMS),
        }
    ).to_parquet(home / "DIM_ARTICLE.parquet")
    return Expected(
        [
            {"audit": "opportunity", "label": "READ_FLG", "group": "AUTHOR_GENDER_CD", "attributes": "items"},
            {"audit": "user_precision", "group": "GENDER_CD", "attributes": "users"},
        ],
        {"READ_FLG"},
        {"items": "DIM_ARTICLE.parquet", "users": "DIM_READER.parquet"},
        {"default": {"RECO_STRATEGY_CD": {"not": "UNIF"}}, "random": {"RECO_STRATEGY_CD": "UNIF"}},
        says=("WORD_CNT",),
    )


@later
def rentals_by_brokers(home: Path) -> Expected:
    """Abbreviated Portuguese: brokers own what is listed, the label is a time that few rows have, every log
    numbers its rows, and users are in a file that cannot be read beside one that can."""
    rng = np.random.default_rng(41)
    default, random = both(41)
    codes = {"user": "cod_visit", "item": "cod_anun", "day": "dt_exib"}
    for name, frame in (("exib_202601", default), ("exib_sorteadas", random)):
        frame = frame.rename(columns=codes).drop(columns="maker")
        frame["id_exib"] = [f"{name}-{row}" for row in range(len(frame))]
        frame["cod_corr"] = [f"C{item % 20:03}" for item in frame.cod_anun]
        frame["dt_contato"] = frame.dt_exib.where(frame.pop("liked") == 1)
        frame["seg_tela"] = rng.exponential(20, len(frame)).round()
        frame["vers_alg"] = np.array(["v7", "v8"])[frame.cod_visit % 2]
        frame.to_parquet(home / f"{name}.parquet", index=False)
    pd.DataFrame(
        {"cod_anun": range(ITEMS), "cod_corr": [f"C{item % 20:03}" for item in range(ITEMS)],
         "tp_imov": np.resize(["casa", "sobrado", "apto"], ITEMS), "vlr_alug": rng.integers(900, 9000, ITEMS)}
    ).to_csv(home / "anuncios.csv", index=False)  # fmt: skip
    pd.DataFrame(
        {"cod_corr": [f"C{one:03}" for one in range(20)], "nm_corr": [f"Corretor {one}" for one in range(20)],
         "sx": np.array(["F", "M"])[np.arange(20) % 2], "dt_nasc": ["1974-02-02", "1965-12-02"] * 10}
    ).to_csv(home / "corretores.csv", index=False)  # fmt: skip
    users = people().rename(columns={"user": "cod_visit", "gender": "sx", "age": "ano_nasc"})
    users["ano_nasc"] = 2026 - users.ano_nasc
    users.to_parquet(home / "visitantes.parquet", index=False)
    users.to_csv(home / "visitantes.csv", index=False, sep=";")
    return Expected(
        [{"audit": "opportunity", "group": "sx", "attributes": "creators", "on": "creator_id"}],
        {"dt_contato"},
        {"default": "exib_202601.parquet", "random": "exib_sorteadas.parquet", "creators": "corretores.csv"},
        made={"default": {"column": "dt_contato", "known": True}},
        columns={"default": {"user_id": "cod_visit", "item_id": "cod_anun"}},
        says=(
            "visitantes.csv is not read: visitantes.parquet beside it has the same name",
            "vers_alg has one value for each user",
        ),
    )


@later
def meals_with_a_snapshot(home: Path) -> Expected:
    """Candidates with the one time at which they were scored, groups of yes and no, and people whom no log
    has."""
    rng = np.random.default_rng(43)
    default, random = both(43)
    whole = pd.concat([default.assign(slot_filler="ranker"), random.assign(slot_filler="uniform_probe")])
    whole = whole.rename(columns={"user": "diner_uuid", "item": "restaurant_ref", "liked": "tapped"})
    whole["diner_uuid"] = [f"d{user:05x}" for user in whole.diner_uuid]
    whole.drop(columns="maker").to_parquet(home / "feed_impressions.parquet", index=False)
    pd.DataFrame(
        {"restaurant_ref": range(ITEMS), "cuisine": np.resize(["grill", "thai", "vegan"], ITEMS),
         "woman_owned": np.arange(ITEMS) % 2 == 0}
    ).to_parquet(home / "restaurants.parquet", index=False)  # fmt: skip
    diners = people().rename(columns={"user": "diner_uuid"})
    diners["diner_uuid"] = [f"d{user:05x}" for user in diners.diner_uuid]
    diners.to_csv(home / "diners.csv", index=False)
    pd.DataFrame({"courier_id": range(1000, 1040), "gender": GENDERS[np.arange(40) % 2]}).to_csv(
        home / "couriers.csv", index=False
    )
    rows = pd.DataFrame(
        {"diner_uuid": np.repeat(diners.diner_uuid, 12), "restaurant_ref": rng.integers(0, ITEMS, 12 * USERS)}
    )
    rows["rank_score"] = rng.normal(size=len(rows))
    rows["converted"] = (np.arange(len(rows)) % 12 == 0).astype(int)
    rows["scored_at"] = pd.Timestamp("2026-05-20T02:00")
    rows.drop_duplicates(["diner_uuid", "restaurant_ref"]).to_parquet(home / "ranker_offline_eval.parquet")
    return Expected(
        [
            {"audit": "opportunity", "group": "woman_owned", "attributes": "items"},
            {"audit": "groups", "candidates": "candidates", "users": "users"},
        ],
        {"tapped", "converted"},
        {"candidates": "ranker_offline_eval.parquet", "users": "diners.csv"},
        {"random": {"slot_filler": "uniform_probe"}},
    )
