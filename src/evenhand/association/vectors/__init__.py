"""Vectors on the way in, and what is known about whose they are."""
