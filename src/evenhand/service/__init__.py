"""The live audit of a running system: which policy serves this user now, and what came of it."""
