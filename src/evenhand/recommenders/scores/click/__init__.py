"""Click models over categorical features, scored with NumPy alone, so that a saved one needs no torch."""
