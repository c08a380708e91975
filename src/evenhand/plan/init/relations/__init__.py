"""Which tables refer to which, and so who users, items and creators are."""
