"""What keeps a log over the years: checks, backups, retention."""
