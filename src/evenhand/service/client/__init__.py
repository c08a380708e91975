"""What a running system uses: ask whose policy serves a user now, say what was shown and what came of it."""

from evenhand.service.client.assignment import Assignment
from evenhand.service.client.client import Client
from evenhand.service.client.hashing import hashed_user

__all__ = ["Assignment", "Client", "hashed_user"]
