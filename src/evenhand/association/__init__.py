"""What do the embeddings know about a sensitive attribute?"""

from evenhand.association.amplification import amplification
from evenhand.association.audit import audit
from evenhand.association.directions.contrasts import cosine_matrix, direction, directions
from evenhand.association.directions.views import accuracy, most_biased, projection
from evenhand.association.flagging import regression, tree
from evenhand.association.growing.loops import feedback
from evenhand.association.leakage import leakage
from evenhand.association.measures import Association, deaa, eaa, geaa, r_ripa

__all__ = [
    "Association",
    "accuracy",
    "amplification",
    "audit",
    "cosine_matrix",
    "deaa",
    "direction",
    "directions",
    "eaa",
    "feedback",
    "geaa",
    "leakage",
    "most_biased",
    "projection",
    "r_ripa",
    "regression",
    "tree",
]
