"""Arms of A/B tests: who is in them, whether they can be compared, and how they differ."""
