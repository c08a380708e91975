"""Opportunity day by day, with intervals that hold on every day at once."""
