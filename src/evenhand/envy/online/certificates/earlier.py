"""Certificates of earlier versions, as far as their logs can be replayed.

Up to schema 3 everything was drawn from one random generator in the order in which it was asked for, events
did not say the order of a block or the end of an audit, and a system had one chain over all its users. The
first schema knew the unpaired design only; in the second audits in blocks chose policies by another rule. Up
to schema 4 an audit in blocks could decide while it was in doubt (`earlier_blocks.py`), and certificates said
less.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Floats
from evenhand.envy.online.assumptions import BLOCKS, DOUBTED, DOUBTED_AT_FIRST, UNTOLD
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.doubts import NOTHING_CLAIMED, warnings_with
from evenhand.envy.online.certificates.earlier_blocks import EarlierBlocks
from evenhand.envy.online.certificates.replay import Replay, in_earlier_words
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.designs.draws import Draws
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.system import SystemAudit
from evenhand.errors import ChangedError, InputError

FOURTH = 4
SCHEMAS = (1, 2, 3, FOURTH)
# What certificates of the first schema did not have.
_AFTER_THE_FIRST = ("assumptions", "exploring_share", "cost_at_most", "carry_over")
# What certificates of systems did not have up to the fourth.
_OF_SYSTEMS_SINCE = ("warnings", "cost_at_most", "not_compared", "not_counted")
# What certificates of audits in blocks said of the constraint before they spoke of what is not shown.
_CONSTRAINT = (
    "Another policy is tried in at most a share alpha of steps, which is sure, or as far as past rewards "
    "allow. That it costs the user at most a share alpha of reward holds with the stated error, and only "
    "while the differences between policies stay as they are."
)
# What certificates of audits in blocks took for granted up to the fourth.
_NEXT_STEP = (
    "What is shown now does not change how the next recommendation is liked. If it does, that is charged to "
    "the wrong policy, which no audit can rule out; the estimate of such a carry-over is a hint."
)
LATER_SETTINGS = {"design": "unpaired", "unreported": "compare"}


class EarlierDraws(Draws):
    """Numbers from one generator, one after another."""

    def __init__(self, seed: int, settings: AuditorSettings) -> None:
        self._rng = np.random.default_rng(seed)
        self._drawn_too = settings.choice == "uniform"  # the others of a block were drawn before their order

    def of(self, number: int, count: int) -> Floats:
        before = self._rng.bit_generator.state
        drawn = self._rng.random(count)
        self._rng.bit_generator.state = before  # only what is used is drawn
        return drawn

    def for_order(self, drawn: Floats, others: int) -> Floats:
        skipped = others if self._drawn_too else 0
        self._rng.random(skipped + others)
        return drawn[skipped:]

    def alone(self, step: int) -> float:
        return float(self._rng.random())


class FourthReplay(Replay):
    """A log of schema 4, whose events are those of today."""

    def __init__(self, audit: Auditor | SystemAudit) -> None:
        super().__init__(audit)
        for one in self.users.values():
            if isinstance(one.design, Blocks):
                one.design = EarlierBlocks(one.settings, one.design.draws)

    def as_written(self, found: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """The certificate of this log as the earlier version wrote it."""
        found = {**found, "assumptions": _as_worded(found["assumptions"])}
        if isinstance(self.audit, Auditor):
            kept = {name: value for name, value in found.items() if name != "not_compared"}
            kept |= {"schema": FOURTH, "warnings": warnings_with(NOTHING_CLAIMED, self.audit)}
            return kept | _carried(self.audit)
        kept = {name: value for name, value in found.items() if name not in _OF_SYSTEMS_SINCE}
        rows = [
            {name: value for name, value in row.items() if name not in _OF_SYSTEMS_SINCE}
            for row in found["users"]
        ]
        return {**kept, "schema": FOURTH, "users": rows}


class EarlierReplay(FourthReplay):
    """A log of schema 1 to 3: events without orders and ends, and one chain over all of them."""

    def __init__(self, audit: Auditor | SystemAudit) -> None:
        super().__init__(audit)
        self._of_users: dict[Any, tuple[int, str]] = dict(self.chains)
        self._of_all = (0, "")
        for one in self.users.values():
            one.design.draws = EarlierDraws(one.seed, one.settings)

    def take(self, logged: Any, place: int) -> None:
        super().take(logged, place)
        if isinstance(self.audit, SystemAudit):
            if len(logged) != 2:
                raise ChangedError(f"Event {place:,} of the log has a salt, as none of this schema had.")
            user, event = logged
            self._of_all = _linked(self._of_all, logged)
        else:
            user, event = None, logged
        self._of_users[user] = _linked(self._of_users[user], event)

    def _happen(self, user: Any, event: Any, place: int) -> None:
        if event[0] == "assign":
            _, number, arm, deadline, version = event
            told = ["assign", number, arm, deadline, version, None]
        else:
            told = list(event)
        if event[0] not in ("assign", "deliver"):
            raise InputError(f"it is {event[0]!r}, but must be assign or deliver.")
        super()._happen(user, told, place)
        self._due[user].clear()  # the end of an audit was no event

    def _again(self, audit: Auditor, event: Any) -> None:
        kind, *rest = event
        listener = audit.listener
        assert listener is not None

        def heard(made: list[Any]) -> None:
            listener([*made[:5], None] if made[0] == "assign" else made)

        audit.listener = heard
        if kind == "assign" and isinstance(self.audit, SystemAudit):
            user = next(name for name, one in self.users.items() if one is audit)
            self.audit.assign_earlier(user, rest[2], rest[3])
        else:
            super()._again(audit, event)

    def as_written(self, found: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """What a longer audit would need was simulated with numbers that nobody can draw again, and is taken
        as it is.
        """
        found, schema = super().as_written(found, document), document["schema"]
        gone = ["warnings", "population_digest", *(_AFTER_THE_FIRST if schema == 1 else ())]
        kept = {name: value for name, value in found.items() if name not in gone}
        kept["schema"] = schema
        left_out = {"dropouts", *(LATER_SETTINGS if schema == 1 else ())}
        kept["settings"] = {k: v for k, v in found["settings"].items() if k not in left_out}
        kept["events"] = _chain(self._of_all if "users" in kept else self._of_users[None])
        if "users" in kept:
            kept["users"] = [
                {
                    **{name: value for name, value in row.items() if name not in (*gone, "reason")},
                    "events": _chain(self._of_users[row["user"]]),
                }
                for row in kept["users"]
            ]
        else:
            kept["arms"] = [{k: v for k, v in arm.items() if k != "withdrawn"} for arm in kept["arms"]]
            kept["needs"] = document.get("needs")
        kept["reason"] = in_earlier_words(kept["reason"])  # that of a system quotes one user's
        return kept


def earlier_replay(audit: Auditor | SystemAudit, schema: int) -> FourthReplay:
    """Of a log with a certificate of this earlier schema."""
    return FourthReplay(audit) if schema == FOURTH else EarlierReplay(audit)


def assumed_as_in(document: Mapping[str, Any], assumptions: list[str]) -> list[str]:
    """In the words of the document, if it says them as they were said before."""
    first = [each for each in assumptions if each != UNTOLD]
    said = (first, assumed_before(first))
    return next((each for each in said if each == document.get("assumptions")), assumptions)


def assumed_before(assumptions: Sequence[str]) -> list[str]:
    """As certificates were worded, some of the fifth schema too: before they spoke of what is not shown, or
    where it is doubted, as they spoke of it first.
    """
    if DOUBTED in assumptions:
        return [DOUBTED_AT_FIRST if each == DOUBTED else each for each in assumptions]
    *_, shown, constraint = BLOCKS
    return [_CONSTRAINT if each == constraint else each for each in assumptions if each != shown]


def _as_worded(assumptions: Sequence[str]) -> list[str]:
    first = [each for each in assumptions if each != UNTOLD]
    return [_NEXT_STEP if each == BLOCKS[1] else each for each in assumed_before(first)]


def _carried(audit: Auditor) -> dict[str, Any]:
    """What a step did to the next, as it was estimated, with limits that did not hold (`carry_over.py`)."""
    if not isinstance(audit.design, Blocks):
        return {}
    carried = audit.design.carry_over.estimate
    named = None if carried is None else dict(zip(("estimate", "low", "high"), carried, strict=True))
    return {"carry_over": named}


def _linked(chain: tuple[int, str], event: Any) -> tuple[int, str]:
    line = json.dumps(event, separators=(",", ":"))
    return chain[0] + 1, hashlib.sha256(f"{chain[1]}\n{line}".encode()).hexdigest()


def _chain(chain: tuple[int, str]) -> dict[str, Any]:
    return {"count": chain[0], "sha256": chain[1]}
