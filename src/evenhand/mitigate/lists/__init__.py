"""New lists for the groups that are served worst."""
