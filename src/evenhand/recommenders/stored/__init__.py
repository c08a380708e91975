"""Folders that hold a model."""
