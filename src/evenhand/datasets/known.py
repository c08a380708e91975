"""The public data sets that are recognised, each by the names of its files."""

import fnmatch
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from evenhand.datasets.columns import header
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.published.amazon import amazon
from evenhand.datasets.published.amazon import files_of as amazon_files
from evenhand.datasets.published.black_friday import FILES as BLACK_FRIDAY
from evenhand.datasets.published.black_friday import black_friday
from evenhand.datasets.published.black_friday import file_of as black_friday_file
from evenhand.datasets.published.coat import as_dataset
from evenhand.datasets.published.kuairand import RANDOM, VARIANTS, kuairand
from evenhand.datasets.published.kuairec import kuairec
from evenhand.datasets.published.lastfm import lastfm
from evenhand.datasets.published.lastfm_360k import PLAYS, PROFILES, lastfm_360k
from evenhand.datasets.published.mind import mind
from evenhand.datasets.published.movielens import movielens
from evenhand.datasets.published.movielens_csv import movielens_csv
from evenhand.datasets.published.open_bandit import open_bandit
from evenhand.datasets.published.yahoo_r3 import STUDY, yahoo_r3
from evenhand.datasets.synthetic.saved import saved_world


class Known(NamedTuple):
    """A data set as its folder shows it.

    `marks` are names of what is there, with * for any text: one of each group. `told` looks into the files
    where their names are common ones. `shown` is what somebody would look for. The files of a `plain` one are
    tables, which can also be read as they are.
    """

    title: str
    marks: tuple[tuple[str, ...], ...]
    read: Callable[[Path], Dataset]
    shown: str
    told: Callable[[Path], bool] = lambda folder: True
    plain: bool = False

    def is_in(self, folder: Path, names: Collection[str]) -> bool:
        """Whether a folder that holds these names is it."""
        there = all(any(fnmatch.filter(names, one) for one in either) for either in self.marks)
        return there and self.told(folder)


def _kuairand(variant: str) -> Known:
    mark = f"{RANDOM}_{variant}.csv"
    return Known(VARIANTS[variant], ((mark,),), kuairand, mark)


def _movielens_header(folder: Path) -> bool:
    return {"userId", "movieId"} <= {*header(folder / "ratings.csv")}


KNOWN = (
    Known("MovieLens-100k", (("u.data",),), movielens, "u.data"),
    Known("MovieLens-1M", (("users.dat", "movies.dat", "ratings.dat"),), movielens,
          "users.dat and movies.dat"),
    Known("Last.fm 2k (HetRec 2011)", (("user_artists.dat",),), lastfm, "user_artists.dat"),
    Known("Coat", (("train.ascii",),), as_dataset, "train.ascii and test.ascii"),
    *map(_kuairand, VARIANTS),
    Known("KuaiRec 2.0", (("small_matrix.csv", "big_matrix.csv"),), kuairec, "small_matrix.csv"),
    Known("Yahoo! R3", ((f"{STUDY}-*.txt",),), yahoo_r3, f"{STUDY}-train.txt"),
    Known("Open Bandit", (("random",), ("bts",)), open_bandit, "the folders random and bts"),
    Known("MIND", (("behaviors.tsv",),), mind, "behaviors.tsv"),
    Known("LFM-360K", ((PLAYS, PROFILES),), lastfm_360k, PLAYS),
    Known("a synthetic world", (("default.parquet",), ("truth.json",)), saved_world,
          "default.parquet and truth.json", plain=True),
    Known("MovieLens (CSV files)", (("ratings.csv",), ("movies.csv",)), movielens_csv,
          "ratings.csv and movies.csv", _movielens_header, plain=True),
    Known("Black Friday", (BLACK_FRIDAY,), black_friday, "train.csv with User_ID",
          lambda folder: black_friday_file(folder) is not None, plain=True),
    Known("Amazon reviews", (("*_5.json", "*_5.json.gz", "ratings_[A-Z]*.csv"),), amazon,
          "reviews_..._5.json", lambda folder: bool(amazon_files(folder)), plain=True),
)  # fmt: skip


def known_in(folder: Path) -> list[Known]:
    """The data sets whose files are in a folder; of most there is none."""
    if not folder.is_dir():
        return []
    names = [entry.name for entry in folder.iterdir()]
    return [one for one in KNOWN if one.is_in(folder, names)]
