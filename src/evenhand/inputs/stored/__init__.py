"""Files on a disk: which there are, what is in their headers, of which types."""
