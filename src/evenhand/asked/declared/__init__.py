"""One declaration for each audit, room by room."""
