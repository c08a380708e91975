"""How much users would gain from the list that suits them best: enough for a picture, and about nobody."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats
from evenhand.pictures import Share, Shares

# Few users would leave gaps between more bars than these.
_BARS, _FEW_BARS, _FEW = 20, 10, 1000
# Users of a bar; a report may be asked for more.
_FEWEST = 5
# Less than this cannot be parted into bars: numbers so small have no others between them.
_LEAST = 1e-300


def gains(envy: Floats) -> tuple[Shares, ...]:
    """The share of users between each two of equally spaced gains; nothing where nobody would gain."""
    most = float(envy.max(initial=0.0))
    if most < _LEAST:
        return ()
    counts, edges = np.histogram(envy, _BARS if len(envy) >= _FEW else _FEW_BARS, (0.0, most))
    shares = (counts / len(envy)).round(6)
    everybody = Share(group="all users", users=len(envy), shares=tuple(shares.tolist()))
    return (Shares(of="gain", edges=tuple(edges.tolist()), groups=(everybody.folded(_FEWEST),)),)
