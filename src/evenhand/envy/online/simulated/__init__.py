"""Audits of made-up users: how they end, how long they take."""
