"""Which policy serves the user next, and what may be concluded: randomised blocks, and unpaired."""
