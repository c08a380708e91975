"""Directions along which the values of an attribute differ: made, tested, told."""
