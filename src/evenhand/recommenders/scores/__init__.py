"""Recommenders that are plain arrays, scored with NumPy."""
