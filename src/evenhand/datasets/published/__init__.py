"""Public data sets as their publishers write them, a file each."""
