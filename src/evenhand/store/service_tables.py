"""The tables of the live service's pages, as they are after the last migration."""

from __future__ import annotations

from sqlalchemy import Column, Float, PrimaryKeyConstraint, Table, Text

from evenhand.store.tables import metadata

# Who is logged in on the pages. A session's own secret is kept nowhere.
session = Table(
    "session",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("token", Text, nullable=False),  # the id of the token that it was given for
    Column("until", Float(53), nullable=False),
)

# Results that were put under a name to be shown: findings documents, each once.
published = Table(
    "published",
    metadata,
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),  # of the document
    Column("document", Text, nullable=False),
    Column("by", Text, nullable=False),  # the id of the token
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("name", "digest"),
)
