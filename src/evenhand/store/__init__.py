"""One schema in SQLite or PostgreSQL, for the days of monitors and the log of live audits."""
