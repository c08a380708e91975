"""How classes of words are written down."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as names have them: in small letters, without accents."""
    return frozenset(text.split())
