"""An audit in numbers, as its page shows it: no ids, and no more people or policies than anybody looks at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import func, select

from evenhand.report.words.legible import line
from evenhand.service.log.reading import left_out, notes_of, summary
from evenhand.service.log.streams import AuditStream, PersonStream
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store

MOST_PEOPLE = 24  # that are drawn
MOST_POLICIES = 12  # of each
_ASKED = (
    "epsilon", "delta", "alpha", "gamma", "lambda_", "criterion", "population", "budget", "daily", "dropouts",
    "deadline_s", "grace_s", "window_s", "unshown",
)  # fmt: skip


def version(store: Store, audit: str) -> int:
    """A number that grows whenever anything happens in an audit."""
    s = tables.stream
    with store.reading() as connection:
        return int(connection.execute(select(func.sum(s.c.seq)).where(s.c.audit == audit)).scalar() or 0)


def began(store: Store, audit: str, targets: int) -> float | None:
    """When somebody was first served; None before that."""
    e = tables.event
    first = select(func.min(e.c.at)).where(
        e.c.audit == audit, e.c.stream.in_(range(1, targets + 1)), e.c.seq <= 3, e.c.kind == "assign"
    )  # after the events that name the person and, but in older logs, hold what was agreed
    with store.reading() as connection:
        return connection.execute(first).scalar()


def view_of(about: AuditStream, people: Sequence[PersonStream]) -> dict[str, Any]:
    """Numbers of the whole audit, and of those people who are drawn."""
    there = [one for one in people if one.number not in about.deleted]
    audits: list[Any] = [one.audited for one in there]
    costs = [each.cost for each in audits if each.cost is not None]
    margins = [(each.margin, one.number) for each, one in zip(audits, there, strict=True) if each.step]
    doubts = [(one.number, each.design.in_doubt) for each, one in zip(audits, there, strict=True)]
    outcomes = list(about.outcomes.values())
    drawn = _chosen(about, people)
    return summary(about) | {
        "asked": {name: about.settings.get(name) for name in _ASKED},
        "policies_each": policies_each(about),
        "outcomes": {name: outcomes.count(name) for name in ("envy", "no_envy", "inconclusive")},
        "visits": sum(_visits(one) for one in there),
        "unshown": sum(len(one.unshown) for one in there),
        "open": sum(_open(one) for one in there),
        "cost": sum(costs) if costs else None,
        "cost_share": _cost_share(audits),
        "left_out": sum(left_out(one) for one in there),
        "notes": notes_of(about),
        "margin": _least(margins),
        "own": _told(sum(_shown(one, 0) for one in there), (each.design.seen[0] for each in audits)),
        "others": _told(
            sum(_visits(one) - _shown(one, 0) for one in there),
            (seen for each in audits for seen in each.design.seen[1:]),
        ),
        "in_doubt": {
            what: [number for number, found in doubts if what in found] for what in ("missing", "withdrawn")
        },
        "last_at": max((one.at for one in there), default=None),
        "people": [_person(about, one) for one in drawn],
        "not_drawn": len(people) - len(drawn),
    }


def policies_each(about: AuditStream) -> int:
    """Against how many others each is tried."""
    return len(about.arms[0]) if about.arms else 0


def _chosen(about: AuditStream, people: Sequence[PersonStream]) -> list[PersonStream]:
    """Who is better off elsewhere comes first. Then all in their order; of too many, those who are not
    decided."""
    outcomes = {one.number: about.outcomes.get(one.number) for one in people}
    rank = {"envy": 0, None: 1}
    ordered = sorted(people, key=lambda one: (rank.get(outcomes[one.number], 2), one.number))
    return sorted(ordered[:MOST_PEOPLE], key=lambda one: (outcomes[one.number] != "envy", one.number))


def _person(about: AuditStream, one: PersonStream) -> dict[str, Any]:
    gone, left = one.number in about.deleted, one.number in about.opted_out
    told = {"number": one.number, "deleted": gone, "opted_out": left}
    if gone:
        return told | {"outcome": about.outcomes.get(one.number), "policies": [], "more": 0}
    audit: Any = one.audited
    others, better, active = range(1, len(audit.assigned)), set(audit.design.better), set(audit.active)
    # The audit itself tries most often what seems best.
    ordered = sorted(
        others, key=lambda arm: (arm not in better, arm not in active, -audit.assigned[arm], arm)
    )
    drawn = sorted(ordered[:MOST_POLICIES])
    reason = None if audit.reason is None else line(audit.reason, 800)
    return told | {
        "outcome": audit.outcome,
        "reason": reason,
        "visits": _visits(one),
        "unshown": len(one.unshown),
        "open": _open(one),
        "cost": audit.cost,
        "left_out": left_out(one),
        "margin": _finite(audit.margin),
        "ruled_out": len(others) - len(active),
        "of": len(others),
        "policies": [_policy(about, one, arm, better, active) for arm in drawn],
        "more": len(others) - len(drawn),
    }


def _visits(one: PersonStream) -> int:
    """What was assigned is a visit once it is shown, where that is asked for."""
    audit: Any = one.audited
    return int(audit.step) - len(one.unshown)


def _open(one: PersonStream) -> int:
    """Visits that wait for their reward."""
    return len(one.audited.outstanding) - len(one.unshown)


def _shown(one: PersonStream, arm: int) -> int:
    """How often a person was shown what a policy recommends."""
    audit: Any = one.audited
    waiting = (audit.open(number) for number in one.unshown)
    return int(audit.assigned[arm]) - sum(each is not None and each.arm == arm for each in waiting)


def _cost_share(audits: Iterable[Any]) -> float | None:
    """What people lost, as a share of what their own recommendations would have given in as many visits."""
    lost = own = 0.0
    for each in audits:
        seen = each.design.seen[0]
        if each.cost is not None and seen.count > seen.lost:
            lost += each.cost
            own += each.step * seen.total / (seen.count - seen.lost)
    return lost / own if own else None


def _least(margins: Sequence[tuple[float, int]]) -> dict[str, Any] | None:
    """The least room to the limit of harm, and whose it is where it is one person's; None where nobody was
    served."""
    if not margins:
        return None
    least = min(margin for margin, _ in margins)
    closest = [number for margin, number in margins if margin == least]
    return {"least": _finite(least), "of": closest[0] if len(closest) == 1 else None}


def _policy(
    about: AuditStream, one: PersonStream, arm: int, better: set[int], active: set[int]
) -> dict[str, Any]:
    audit: Any = one.audited
    low, estimate, high = audit.design.bounds(arm)
    state = "better" if arm in better else "open" if arm in active else "ruled_out"
    told = {"of": about.arms[one.number - 1][arm - 1], "state": state}
    return (
        told
        | {"low": low, "estimate": estimate, "high": high}
        | _told(_shown(one, arm), [audit.design.seen[arm]])
    )


def _told(shown: int, settled: Iterable[Any]) -> dict[str, int]:
    """How often policies were shown, withdrawn and settled, and how often no reward was reported."""
    told = {"shown": shown, "withdrawn": 0, "unreported": 0, "settled": 0}
    for seen in settled:
        told["withdrawn"] += seen.withdrawn
        told["unreported"] += seen.lost
        told["settled"] += seen.count
    return told


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
