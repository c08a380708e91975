"""Loaders for public data, and synthetic worlds with planted unfairness."""

from evenhand.datasets.coat import Coat, coat
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.download import download
from evenhand.datasets.folders import load
from evenhand.datasets.lastfm import lastfm
from evenhand.datasets.marketplace import marketplace
from evenhand.datasets.movielens import movielens
from evenhand.datasets.synthetic.world import World

__all__ = ["Coat", "Dataset", "World", "coat", "download", "lastfm", "load", "marketplace", "movielens"]
