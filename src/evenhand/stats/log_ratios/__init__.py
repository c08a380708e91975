"""Ratios of counts, on the scale of logs."""
