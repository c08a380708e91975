"""Audits of users who are put into parts at random, from counts that are read once."""
