"""What is audited: users, items, groups, relevance, and the exposure that it asks for."""
