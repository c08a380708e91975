"""What is there: which files are one table, and what their columns hold."""
