"""Candidate lists, and how well each user is served by them."""
