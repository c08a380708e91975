"""What certificates warn of: that something seems to differ by policy which should not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.designs.blocks import Blocks

_SEEMS = {"missing": "Rewards seem to be missing", "withdrawn": "Assignments seem to be withdrawn"}
_SHARES = "in other shares under different policies"
NOTHING_CLAIMED = "while that is so nothing is claimed"
DECIDED = "an earlier version of evenhand decided all the same"


def warnings_of(auditor: Auditor) -> list[str]:
    """What seems to differ, before it is sure enough to end the audit."""
    return warnings_with(DECIDED if auditor.outcome == "no_envy" else NOTHING_CLAIMED, auditor)


def warnings_with(consequence: str, auditor: Auditor) -> list[str]:
    return [f"{_SEEMS[what]} {_SHARES}; {consequence}." for what in _in_doubt(auditor)]


def warnings_of_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The same of a system, from its users' rows: for how many."""
    told = []
    for seems in _SEEMS.values():
        doubtful = [row for row in rows if any(each.startswith(seems) for each in row.get("warnings", ()))]
        passed = sum(row["outcome"] == "no_envy" for row in doubtful)
        if doubtful:
            so = f"{NOTHING_CLAIMED} of them"
            so += f", but for {passed:,} whom an earlier version of evenhand decided" if passed else ""
            told.append(f"{seems} {_SHARES} for {len(doubtful):,} of {len(rows):,} users; {so}.")
    return told


def _in_doubt(auditor: Auditor) -> list[str]:
    return auditor.design.in_doubt if isinstance(auditor.design, Blocks) else []
