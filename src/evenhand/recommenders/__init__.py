"""What can be audited: the protocol, adapters, and reference models."""

from evenhand.recommenders.adapters import as_recommender
from evenhand.recommenders.feedback import feedback_loop
from evenhand.recommenders.fitting.fit import fit
from evenhand.recommenders.fitting.train import train_and_save
from evenhand.recommenders.protocol import Embeddings, Recommender
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.stored.storage import load
from evenhand.recommenders.taken.features import Features
from evenhand.recommenders.taken.interactions import Interactions

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
