"""Loaders for public data, and synthetic worlds with planted unfairness."""

from evenhand.datasets.coat import Coat, coat
from evenhand.datasets.marketplace import marketplace
from evenhand.datasets.synthetic.world import World

__all__ = ["Coat", "World", "coat", "marketplace"]
