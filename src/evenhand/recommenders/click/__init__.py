"""Click models over categorical features, scored with NumPy alone, so that a saved one needs no torch."""

from evenhand.recommenders.click.crossed import DCNScores, DeepFMScores, WideDeepScores
from evenhand.recommenders.click.generated import FGCNNScores
from evenhand.recommenders.click.scores import ClickScores

__all__ = ["ClickScores", "DCNScores", "DeepFMScores", "FGCNNScores", "WideDeepScores"]
