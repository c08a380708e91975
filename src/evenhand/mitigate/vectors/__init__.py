"""Vectors without an attribute."""
