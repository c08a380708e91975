"""Very small groups are not published."""
