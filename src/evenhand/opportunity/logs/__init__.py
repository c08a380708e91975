"""From logs to counts: which rows, which groups, which columns, and what must be said about them."""
