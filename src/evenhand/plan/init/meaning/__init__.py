"""What it means: which column is what, which table is which, who the users are."""
