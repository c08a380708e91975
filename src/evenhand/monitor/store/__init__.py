"""Where a monitor keeps its days: one schema in SQLite or PostgreSQL."""
