"""What audits, measures and details are called, a file for each question."""
