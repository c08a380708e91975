"""Randomised blocks as they decided, and what they said, up to schema 4 of certificates.

An arm that was given up stayed so, also where its rewards were found out later to be missing unequally: such
a doubt was a warning, and an audit could end beside it. Limits were not widened by the share that is missing.
"""

from __future__ import annotations

from evenhand.envy.online.designs.block_rules import in_doubt
from evenhand.envy.online.designs.blocks import Blocks


class EarlierBlocks(Blocks):
    """Evidence and choice are those of today."""

    def _give_up(self) -> None:
        self.active = [k for k in self.active if not super(EarlierBlocks, self)._is_clear(k)]

    def _is_clear(self, arm: int) -> bool:
        return arm not in self.active

    @property
    def cost(self) -> float | None:
        """Without arms that have no block yet; what is missing is half-way between 0 and 1."""
        if not self.seen[0].count:
            return None
        n, total = self.evidence.blocks, self._totals
        tried = [(self.assigned[k], total[k] / n[k]) for k in range(1, len(n)) if n[k]]
        return float(sum(-times * difference for times, difference in tried))

    @property
    def something_lost(self) -> bool:
        """Limits were of what is told, as if that were all."""
        return False

    @property
    def in_doubt(self) -> list[str]:
        return in_doubt(self.evidence, self._rules)
