"""What is asked of a log, a module a kind of request."""
