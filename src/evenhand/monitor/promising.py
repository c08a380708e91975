"""How long a change would take to be flagged, from the first days of a monitor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenhand.findings import Verdict, compared
from evenhand.following import Promise, SoFar
from evenhand.monitor import records
from evenhand.monitor.following_plan import FollowedPlan
from evenhand.monitor.history import history
from evenhand.monitor.naming import monitor_name
from evenhand.monitor.whose import own_monitor
from evenhand.plan import load
from evenhand.store.connecting import Store

# Days that tell how much a day can see; with the first of them it is known before anything can have changed.
FIRST_DAYS = 14


def promises(
    plan: str | Path, store: Store, *, name: str | None = None, times: float = 1.5
) -> tuple[Promise, ...]:
    """Within how many days what is followed would be flagged, had it just become so many `times` its limit.

    It rests on the first days of the regime that counts, on how many days and looks there were since, and on
    flags that wait for as many looks in a row as the most patient one of the plan does. Empty before the
    first day, where the plan asks something else than its days, and where nothing has a tolerance. Of all
    days so far nothing is promised where these are beyond the limit already: a flag would soon be open
    without any change.
    """
    followed = FollowedPlan.of(load(plan), Path(plan).parent)
    monitoring = followed.plan.monitoring
    waits = [flag.open_after for flag in monitoring.flags or ()] if monitoring is not None else []
    found: list[Promise] = []
    with store.reading() as connection:
        known = own_monitor(connection, plan, name)
        regime = records.last_regime(connection, known.id)
        if regime is None or regime.definition != followed.definition():
            return ()
        days = records.days_of(connection, regime.id)
        so_far = SoFar(len(days), records.looks_made(connection, regime.id))
        rows = sorted(days, key=lambda row: row.day)[:FIRST_DAYS]
        for one in followed.steps if rows else ():
            kept = records.read_evidence(connection, [row.id for row in rows], one.key)
            evidence = [kept[row.id] for row in rows]
            found += one.following.promises(one.asked, evidence, times, max(waits, default=1), so_far)
    beyond = _beyond_already(store, monitor_name(plan, name))
    return tuple(replace(one, days=None) if one.finding in beyond else one for one in found)


def _beyond_already(store: Store, name: str) -> set[str]:
    """What all days so far are estimated to be beyond, sure or not, by id."""
    known = history(store, name)
    return {
        str(one.id)
        for one in (() if known.document is None else known.document.findings)
        if str(one.id) in known.of_all_days
        and one.estimate is not None
        and one.tolerance is not None
        and compared(one.estimate, one.estimate, one.tolerance, one.harm) is Verdict.VIOLATION
    }
