"""A search for groups where every user scored costs time or money."""
