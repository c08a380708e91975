"""What a plan says of being followed from day to day: what raises a flag, and who is told."""
