"""Loaders for public data, and synthetic worlds with planted unfairness."""

from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.download import download
from evenhand.datasets.folders import load
from evenhand.datasets.known import KNOWN
from evenhand.datasets.marketplace import marketplace
from evenhand.datasets.published.amazon import amazon
from evenhand.datasets.published.black_friday import black_friday
from evenhand.datasets.published.coat import Coat, coat
from evenhand.datasets.published.kuairand import kuairand
from evenhand.datasets.published.kuairec import kuairec
from evenhand.datasets.published.lastfm import lastfm
from evenhand.datasets.published.lastfm_360k import lastfm_360k
from evenhand.datasets.published.mind import mind
from evenhand.datasets.published.movielens import movielens
from evenhand.datasets.published.movielens_csv import movielens_csv
from evenhand.datasets.published.open_bandit import open_bandit
from evenhand.datasets.published.yahoo_r3 import yahoo_r3
from evenhand.datasets.synthetic.world import World

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
