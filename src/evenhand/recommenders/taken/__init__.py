"""What users took, in which order, and what is known of both sides."""
