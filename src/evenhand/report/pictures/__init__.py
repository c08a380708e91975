"""Pictures of findings."""
