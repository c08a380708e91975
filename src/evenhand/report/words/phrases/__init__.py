"""Parts of sentences that more than one number decides, a file for each room; findings hold the numbers."""
