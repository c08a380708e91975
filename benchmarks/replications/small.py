"""Made-up data in published formats, for trying a replication in seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from association_published import FEMALE, MALE

USERS, FILMS, TAKEN = 160, 108, 30
AGES = (1, 18, 25, 35, 45, 50, 56)


def small(folder: Path) -> Path:
    """Folders ml-1m and lastfm-2k in which women and men like other films."""
    rng = np.random.default_rng(0)
    genres = np.array([*MALE, *FEMALE, "Comedy"])[np.arange(FILMS) % 9]
    women = np.arange(USERS) % 5 < 2
    weight = np.where(np.isin(genres, MALE)[None, :] == women[:, None], 0.3, 1.0) * rng.gamma(1.0, size=FILMS)
    taken = [rng.choice(FILMS, TAKEN, replace=False, p=row / row.sum()) for row in weight]
    ml, lastfm = folder / "ml-1m", folder / "lastfm-2k"
    for one in (ml, lastfm):
        one.mkdir(parents=True, exist_ok=True)
    rows = [
        (user + 1, int(film) + 1, int(rng.integers(1, 6)), 1_000 + at if user % 3 else None)
        for user, films in enumerate(taken)
        for at, film in enumerate(films)
    ]
    ratings = pd.DataFrame(rows, columns=["user_id", "movie_id", "rating", "timestamp"])
    ratings.to_parquet(ml / "ratings.parquet")
    people = [
        f"{user + 1}::{'F' if women[user] else 'M'}::{AGES[user % 7]}::{user % 3}::11111"
        for user in range(USERS)
    ]
    (ml / "users.dat").write_text("\n".join(people) + "\n")
    films = [f"{film + 1}::Film {film} (1990)::{genres[film]}" for film in range(FILMS)]
    (ml / "movies.dat").write_text("\n".join(films) + "\n")
    plays = [
        f"{user + 1}\t{film + 1}\t{5 + at}" for user, own in enumerate(taken) for at, film in enumerate(own)
    ]
    (lastfm / "user_artists.dat").write_text("\n".join(["userID\tartistID\tweight", *plays]) + "\n")
    names = [
        f"{film + 1}\tArtist {film}\thttp://localhost/{film}\thttp://localhost/{film}"
        for film in range(FILMS)
    ]
    (lastfm / "artists.dat").write_text("\n".join(["id\tname\turl\tpictureURL", *names]) + "\n")
    (lastfm / "user_friends.dat").write_text("userID\tfriendID\n1\t2\n2\t1\n")
    return folder
