"""Means of values, shares, and differences between groups."""
