"""Who is shown to whom?"""

from evenhand.exposure.browsing import dcg, positions, rbp
from evenhand.exposure.plackett_luce import plackett_luce
from evenhand.exposure.static import static

__all__ = ["dcg", "plackett_luce", "positions", "rbp", "static"]
