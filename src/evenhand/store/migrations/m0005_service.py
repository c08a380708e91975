"""The live service: who is logged in on its pages, and results that were put there to be shown."""

from __future__ import annotations

from sqlalchemy import Column, Connection, Float, MetaData, PrimaryKeyConstraint, Table, Text

_metadata = MetaData()

Table(
    "session",
    _metadata,
    Column("hash", Text, primary_key=True),
    Column("token", Text, nullable=False),
    Column("until", Float(53), nullable=False),
)

Table(
    "published",
    _metadata,
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("name", "digest"),
)


def change(connection: Connection) -> None:
    _metadata.create_all(connection, checkfirst=False)
