"""From files that nobody has described to a plan: look, profile, recognise, propose, write."""
