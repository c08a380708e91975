"""What is unusual about the rows of a day."""

from __future__ import annotations

from sqlalchemy import Connection


def change(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE day ADD COLUMN remarks TEXT")
