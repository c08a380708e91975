"""Exposure that a model can be trained through."""
