"""A result as a page, a terminal's text, or a notebook's cell."""
