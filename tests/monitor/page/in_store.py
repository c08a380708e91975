"""A real store with a monitor in it: two days, one of which was corrected, and a flag."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Integer, LargeBinary, insert

from evenhand.documents import text_of
from evenhand.monitor.days.remarks import Remark, packed
from evenhand.results import AuditResult
from evenhand.store import tables
from evenhand.store.connecting import Store, open_store
from evenhand.store.flag_tables import flag
from monitor.page.watched import label, penalty


def put(connection, table, **values):
    """A row; columns that must have a value and were given none have an empty one."""
    for column in table.columns:
        if not column.nullable and not column.primary_key and column.name not in values:
            kind = type(column.type)
            values[column.name] = 1 if kind is Integer else b"" if kind is LargeBinary else ""
    return connection.execute(insert(table).values(**values)).inserted_primary_key[0]


def look(connection, day, finding, revision=1, current=1, reason="", made_at="2026-02-01T06:00:00+00:00"):
    known = {"monitor_id": 1, "day": day, "revision": revision, "current": current}
    remarks = packed([Remark("default has 3 rows."), Remark("known", new=False)])
    day_id = put(
        connection, tables.day, **known, regime_id=1, reason=reason, number=revision, remarks=remarks
    )
    document = text_of(AuditResult((finding,), scope={"title": "Home feed"}).document)
    put(connection, tables.look, **known, day_id=day_id, document=document, made_at=made_at)


def filled(path: Path) -> Store:
    """The store at this path, with the monitors "feed" and "empty"; the second day of "feed" is missing."""
    opened = open_store(str(path))
    corrected = {"reason": "written twice", "made_at": "2026-02-03T06:00:00+00:00"}
    with opened.writing() as connection:
        plan = json.dumps({"monitoring": {"cadence": "day"}})
        put(connection, tables.monitor, id=1, name="feed", plan=plan)
        put(connection, tables.monitor, id=2, name="empty", plan="{}")
        put(connection, tables.regime, id=1, monitor_id=1, number=1, first_day=label(1), reason="first")
        look(connection, label(3), penalty(0.3))
        look(connection, label(1), penalty(0.4), current=None)
        look(connection, label(1), penalty(0.02), 2, **corrected)
        identifier = penalty(0.3).id
        said = {"state": "open", "opened": label(3), "said": "It is large.", "acknowledged_by": "Ada"}
        put(connection, flag, monitor_id=1, rule="gap", name="gap-1", finding=identifier, **said)
        put(connection, flag, monitor_id=2, rule="gap", name="of another", finding=identifier, **said)
    return opened
