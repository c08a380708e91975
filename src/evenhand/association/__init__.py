"""What do the embeddings know about a sensitive attribute?"""

from evenhand.association.amplification import amplification
from evenhand.association.audit import audit
from evenhand.association.before_after import AFTER, BEFORE, ORIGINAL, BeforeAfter, Looking
from evenhand.association.directions.contrasts import contrasts, cosine_matrix, direction, directions
from evenhand.association.directions.fits import Classifying, centred, fit_of
from evenhand.association.directions.views import accuracy, most_biased, projection
from evenhand.association.flagging import regression, tree
from evenhand.association.growing.loops import feedback
from evenhand.association.leakage import leakage
from evenhand.association.measures import Association, deaa, eaa, geaa, r_ripa
from evenhand.association.vectors.checks import enough, same_space
from evenhand.association.vectors.labels import Attribute, attribute_of, groups_of
from evenhand.association.vectors.sources import Entities, Space, entities, space

__all__ = [
    "AFTER",
    "BEFORE",
    "ORIGINAL",
    "Association",
    "Attribute",
    "BeforeAfter",
    "Classifying",
    "Entities",
    "Looking",
    "Space",
    "accuracy",
    "amplification",
    "attribute_of",
    "audit",
    "centred",
    "contrasts",
    "cosine_matrix",
    "deaa",
    "direction",
    "directions",
    "eaa",
    "enough",
    "entities",
    "feedback",
    "fit_of",
    "geaa",
    "groups_of",
    "leakage",
    "most_biased",
    "projection",
    "r_ripa",
    "regression",
    "same_space",
    "space",
    "tree",
]
