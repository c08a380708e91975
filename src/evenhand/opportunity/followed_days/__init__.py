"""Opportunity from day to day: what is kept of a day, and what a look at it says."""
