"""Who may ask what of the service, and how often."""
