"""How a reference model is fitted, judged and written."""
