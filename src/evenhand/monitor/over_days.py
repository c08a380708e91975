"""What the audits find over any days of a monitor together, as if all their rows were read at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path

from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.monitor import records
from evenhand.monitor.days.asked import days_in_it
from evenhand.monitor.days.dates import day_of
from evenhand.monitor.following_plan import FollowedPlan, differences
from evenhand.monitor.naming import monitor_name
from evenhand.monitor.whose import OF_ITS_OWN, own_monitor
from evenhand.plan import load
from evenhand.plan.running.apart import told_apart
from evenhand.results import AuditResult
from evenhand.store.connecting import Store


def over_days(
    plan: str | Path,
    store: Store,
    first: str | None = None,
    last: str | None = None,
    *,
    name: str | None = None,
) -> AuditResult:
    """The plan's followed audits over the days from `first` to `last` of the regime that counts.

    Their intervals hold for these days alone: who looks again and again goes by the looks.
    """
    bounds = [None if given is None else day_of(given).isoformat() for given in (first, last)]
    followed = FollowedPlan.of(load(plan), Path(plan).parent)
    asked = followed.plan
    results = []
    with store.reading() as connection:
        found = own_monitor(connection, plan, name)
        regime = records.last_regime(connection, found.id)
        if regime is None:
            raise InputError("The monitor has no day yet; add one.")
        if differ := differences(regime.definition, followed.definition()):
            raise InputError(
                f"The plan asks something else than the days in the store: {'; '.join(differ[:3])}. "
                f"{OF_ITS_OWN}"
            )
        rows = [
            row
            for row in records.days_of(connection, regime.id)
            if (bounds[0] is None or row.day >= bounds[0]) and (bounds[1] is None or row.day <= bounds[1])
        ]
        known = records.known_days(connection, found.id)
        if not rows:
            raise InputError(_nothing(known, bounds, regime.first_day))
        for row in rows:
            records.refuse_other_evidence(connection, row)
        for one in followed.steps:
            kept = records.read_evidence(connection, [row.id for row in rows], one.key)
            findings = one.following.together(one.asked, [kept[row.id] for row in rows], asked.seed)
            results.append(AuditResult(findings, seed=asked.seed))
    joined = reduce(add, told_apart([one.step for one in followed.steps], results))
    days = sorted(row.day for row in rows)
    whole = Fingerprint(
        source=f"The monitor {monitor_name(plan, name)}: {days_in_it(days, known, bounds, followed.period)}",
        sha256=records.digest(row.fingerprint for row in rows),
        period=(days[0], days[-1]),
    )
    scope = {
        key: value for key, value in asked.scope.model_dump().items() if isinstance(value, str) and value
    }
    return AuditResult(
        joined.findings,
        {"days": whole},
        asked.seed,
        scope=scope,
        plan=asked.told(),
        labels=asked.labels or {},
    )


def _nothing(known: dict[str, bool], bounds: Sequence[str | None], first_day: str) -> str:
    """Why there is no evidence between two days; `known` are all days, and whether they were forgotten."""
    first, last = bounds[0] or min(known), bounds[1] or max(known)
    span = first if first == last else f"{first} to {last}"
    inside = [label for label in known if first <= label <= last]
    if not inside:
        return f"No day of {span} was ever added; the monitor has days from {min(known)} to {max(known)}."
    if all(known[label] for label in inside):
        return f"The evidence of {span} was forgotten; what was found on each day is on the page."
    return (
        f"{span} is before {first_day}, when days began to be counted in another way; ask about later days."
    )
