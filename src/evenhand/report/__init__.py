"""Findings for readers: sentences, pictures, a page, a terminal and a notebook. Nothing here computes."""
