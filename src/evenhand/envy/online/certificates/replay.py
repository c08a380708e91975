"""An audit that happens again, event by event, by its log: whatever differs from what the seed and the
rewards make of it is found out.

Events of a system are [user, event], or [user, event, salt] where leaves are salted, and [user, null, leaf]
where the event was deleted: such a user's chain can be followed, but nothing of it can be replayed. Where
only the first event of a user is so, it is their name that is not told, and all that follows is replayed.
Users share nothing but the version of the policies, so only the order of each user's own events matters.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from evenhand.envy.online.auditor import OF_THE_SERVICE, Auditor
from evenhand.envy.online.certificates.agreed import AGREED
from evenhand.envy.online.chains import grown, leaf_of
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.system import SystemAudit
from evenhand.errors import ChangedError, InputError
from evenhand.parameters import shown

# The end of a reason, which is in the log: as it is now, and as it was before.
_ADVICE = "report all of them, also those that are 0, and start again."
_EARLIER_ADVICE = "report them, or start again with unreported='worst' (--unreported)."


class Replay:
    """An audit before its first event, and what became of its log so far."""

    def __init__(self, audit: Auditor | SystemAudit) -> None:
        self.audit = audit
        self.users: dict[Any, Auditor] = audit.audits if isinstance(audit, SystemAudit) else {None: audit}
        self.chains: dict[Any, tuple[int, str]] = dict.fromkeys(self.users, (0, ""))
        self.deleted: set[Any] = set()
        self.untold: set[Any] = set()  # users of whom nothing is told but one leaf, so far
        self.agreed: dict[Any, Any] = {}  # the event that binds what the audit was begun with (`agreed.py`)
        self._due: dict[Any, list[Any]] = defaultdict(list)  # events that must come next

    def take(self, logged: Any, place: int) -> None:
        """Let the next event of the log happen again; a ChangedError if it cannot, or is another."""
        try:
            user, event, salt = self._parts(logged)
            count, head = self.chains[user]
            leaf = salt if event is None else leaf_of(event, bytes.fromhex(salt))
            self.chains[user] = count + 1, grown(head, leaf)
            if event is None:
                (self.deleted if count else self.untold).add(user)
                return
            self.untold.discard(user)
            if event[0] == AGREED:
                if count != 1:
                    raise InputError("what was agreed is said once, right after who the user is.")
                self.agreed[user] = event
            if user not in self.deleted and event[0] not in OF_THE_SERVICE:
                self._happen(user, event, place)
        except ChangedError:
            raise
        except InputError as error:
            raise ChangedError(f"Event {place:,} of the log is not possible: {error}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ChangedError(f"Event {place:,} of the log cannot be read ({_briefly(error)}).") from error

    def _parts(self, logged: Any) -> tuple[Any, Any, str]:
        if not isinstance(self.audit, SystemAudit):
            return None, list(logged), ""
        user, event, *salt = logged
        if user not in self.users:
            raise InputError(f"user {shown(user)} is not among the {len(self.users):,} drawn.")
        return user, event, salt[0] if salt else ""

    def _happen(self, user: Any, event: Any, place: int) -> None:
        audit, heard = self.users[user], []
        due = self._due[user]
        if due:
            heard.append(due.pop(0))
        else:
            audit.listener = heard.append
            try:
                self._again(audit, event)
            finally:
                audit.listener = None
            due += heard[1:]
        if event[0] == "assign":
            _same_assignment(event, heard[0], place)
        if event[0] == "end" and event == [*heard[0][:2], in_earlier_words(audit.reason)]:
            heard[0], audit.reason, audit.digest = event, event[2], self.chains[user][1]
        if _as_json(heard[:1]) != _as_json([event]):
            raise ChangedError(f"Event {place:,} of the log is not written as an audit writes it.")

    def _again(self, audit: Auditor, event: Any) -> None:
        kind, *rest = event
        if audit.outcome is not None:
            raise InputError(f"The audit is over ({audit.outcome}); nothing counts any more.")
        if kind == "assign":
            _, _, deadline, version, order = rest
            if order == []:  # the policies changed; whose version it was before may be in another's log
                audit.last_assignment(deadline, version, self._version)
            else:
                audit.assign_by(deadline, version)
        elif kind == "withdraw":
            (assignment,) = rest
            audit.withdraw(assignment)
        elif kind == "deliver":
            (delivered,) = rest
            audit.deliver(dict(delivered))
        elif kind == "end":  # people may end an audit, which then certifies nothing
            outcome, reason = rest
            if outcome == "no_envy" and isinstance(audit.design, Blocks) and audit.design.brought_back:
                # In a log that an earlier version wrote: it decided here, whatever was in doubt.
                audit.apply(event)
                if audit.listener is not None:
                    audit.listener(event)
                return
            if outcome != "inconclusive":
                raise InputError(f"these events do not make it {shown(outcome)}.")
            audit.end(reason)
        else:
            raise InputError(f"it is {_briefly(kind)}, but must be assign, withdraw, deliver or end.")

    @property
    def _version(self) -> str:
        known = [audit.version for audit in self.users.values() if audit.version is not None]
        return known[0] if known else ""

    def ended(self) -> None:
        """What a system knows of all its users, once the log is at its end."""
        if any(self._due.values()):
            raise ChangedError("The log ends before the outcome that its last rewards make is logged.")
        if isinstance(self.audit, SystemAudit):
            self.audit.take_versions()


def _same_assignment(event: Any, made: Any, place: int) -> None:
    _, number, arm, *_ = event
    if made[0] != "assign" or made[2] != arm:
        made_it = f"arm {made[2]}" if made[0] == "assign" else "another event"
        raise ChangedError(
            f"Event {place:,} of the log assigns arm {_briefly(arm)}, but these events make it {made_it}."
        )
    if made[1] != number:
        raise ChangedError(
            f"Event {place:,} of the log is assignment number {_briefly(number)}, but these events make it "
            f"number {made[1]}."
        )


def in_earlier_words(reason: str | None) -> str | None:
    """Why an audit ended, as earlier versions said it."""
    return None if reason is None else reason.replace(_ADVICE, _EARLIER_ADVICE)


def _as_json(value: Any) -> str:
    """As text, in which 1, 1.0 and true differ."""
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):  # nothing that a file could hold
        return shown(value)


def _briefly(value: Any) -> str:
    return " ".join(str(value).split())[:100] if isinstance(value, Exception) else shown(value)
