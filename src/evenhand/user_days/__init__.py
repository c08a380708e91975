"""Audits of users, followed from day to day: a compact row a user, and looks that hold all at once."""
