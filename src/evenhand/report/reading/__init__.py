"""What a reader is told, and in which order: the same for every page, terminal and file."""
