"""A paper again: each table and figure of it beside what Evenhand finds, by reproduce.py."""
