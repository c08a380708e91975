"""Days of evidence in a store, what they say together, and whom to tell."""
