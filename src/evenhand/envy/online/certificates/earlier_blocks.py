"""Randomised blocks as they decided, and what they said, up to schema 4 of certificates.

An arm that was given up stayed so, also where its rewards were found out later to be missing unequally: such
a doubt was a warning, and an audit could end beside it.
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
    def in_doubt(self) -> list[str]:
        return in_doubt(self.evidence, self._rules)
