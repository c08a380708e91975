"""Inference as pure functions of arrays: no tables, no findings, no files."""
