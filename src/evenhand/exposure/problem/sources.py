"""What scores are held against, as a caller has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Weights = Mapping[str, float] | None


@dataclass(frozen=True)
class Sources:
    """Arrays, or tables with the names of their columns; the meaning of each is that in `exposure.audit`."""

    relevance: Any
    user_groups: Any
    item_groups: Any
    user_group: str | Sequence[str] | None
    item_group: str | None
    user_weights: Weights
    item_weights: Weights
    propensity: Any
    exclude: Any
    engine: Any
