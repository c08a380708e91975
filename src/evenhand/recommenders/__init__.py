"""What can be audited: the protocol, adapters, and reference models."""

from evenhand.recommenders.adapters import as_recommender
from evenhand.recommenders.factors import Factors
from evenhand.recommenders.features import Features
from evenhand.recommenders.feedback import feedback_loop
from evenhand.recommenders.interactions import Interactions
from evenhand.recommenders.protocol import Embeddings, Recommender
from evenhand.recommenders.storage import load
from evenhand.recommenders.zoo import fit, train_and_save

__all__ = [
    "Embeddings",
    "Factors",
    "Features",
    "Interactions",
    "Recommender",
    "as_recommender",
    "feedback_loop",
    "fit",
    "load",
    "train_and_save",
]
