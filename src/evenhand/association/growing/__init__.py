"""Whether an association grew from one state of a model to another."""
