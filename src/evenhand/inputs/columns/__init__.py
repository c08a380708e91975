"""What is in a column: names, numbers, times, bands, weights."""
