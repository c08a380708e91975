"""A question a file: what it needs of the data, and the steps that ask it."""
