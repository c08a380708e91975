"""Loaders for public data, and synthetic worlds with planted unfairness."""

from evenhand.datasets.amazon import amazon
from evenhand.datasets.black_friday import black_friday
from evenhand.datasets.coat import Coat, coat
from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.download import download
from evenhand.datasets.folders import load
from evenhand.datasets.known import KNOWN
from evenhand.datasets.kuairand import kuairand
from evenhand.datasets.kuairec import kuairec
from evenhand.datasets.lastfm import lastfm
from evenhand.datasets.lastfm_360k import lastfm_360k
from evenhand.datasets.marketplace import marketplace
from evenhand.datasets.mind import mind
from evenhand.datasets.movielens import movielens
from evenhand.datasets.movielens_csv import movielens_csv
from evenhand.datasets.open_bandit import open_bandit
from evenhand.datasets.synthetic.world import World
from evenhand.datasets.yahoo_r3 import yahoo_r3

__all__ = [
    "KNOWN",
    "Coat",
    "Dataset",
    "Logs",
    "World",
    "amazon",
    "black_friday",
    "coat",
    "download",
    "kuairand",
    "kuairec",
    "lastfm",
    "lastfm_360k",
    "load",
    "marketplace",
    "mind",
    "movielens",
    "movielens_csv",
    "open_bandit",
    "yahoo_r3",
]
