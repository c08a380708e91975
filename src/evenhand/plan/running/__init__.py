"""A plan at work: its tables opened, its steps run, and what they found joined."""
