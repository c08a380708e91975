"""From looks to flags, as a pure function: each look moves every rule's standing by one step.

A flag opens after so many looks in a row that raise it, and closes after so many in a row that show no cause
for it. A look that does not decide breaks either row. One that says nothing of a finding neither counts nor
breaks the row: absence is not an all-clear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evenhand.findings import Finding
from evenhand.monitor.flags.rules import Said, condition, follows, said
from evenhand.plan.watched.monitoring import FlagRule


class Standing(NamedTuple):
    """How far a rule is with one finding: looks in a row that raise it, or that clear it while it is open."""

    raised: int = 0
    cleared: int = 0
    opened: str | None = None

    def after(self, rule: FlagRule, day: str, says: Said | None) -> Standing:
        """The standing after the look of this day."""
        if says is None:
            return self
        if self.opened is None:
            raised = self.raised + 1 if says == "raises" else 0
            return Standing(opened=day) if raised >= rule.open_after else Standing(raised=raised)
        cleared = self.cleared + 1 if says == "clears" else 0
        return Standing() if cleared >= rule.close_after else Standing(cleared=cleared, opened=self.opened)


class Look(NamedTuple):
    """The findings of one day. `asked` are the conditions that this day was looked at with before, by the
    names of rules; None for a day that is new."""

    day: str
    findings: tuple[Finding, ...]
    asked: Mapping[str, str] | None = None


@dataclass
class Episode:
    """A flag as the looks have it: of a rule and a finding, from a day to a day, or until now."""

    rule: FlagRule
    finding: str
    opened: str
    closed: str | None = None


@dataclass
class State:
    """All standings after a look, by rule and finding; those that stand at nothing are not there."""

    conditions: dict[str, str] = field(default_factory=dict)
    standings: dict[str, dict[str, Standing]] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"conditions": self.conditions, "standings": self.standings}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> State:
        standings = {
            rule: {finding: Standing(*standing) for finding, standing in of.items()}
            for rule, of in told["standings"].items()
        }
        return cls(dict(told["conditions"]), standings)


def fold(
    rules: Iterable[FlagRule], state: State, looks: Iterable[Look]
) -> tuple[list[tuple[str, State]], list[Episode]]:
    """The state after each look, and all flags that were open before the first or opened since.

    A rule whose condition is another than before begins anew; a day that was looked at before a rule was
    written is not judged by it now.
    """
    rules = list(rules)
    now = {rule.name: condition(rule) for rule in rules}
    standings = {
        rule.name: dict(state.standings.get(rule.name, {}))
        for rule in rules
        if state.conditions.get(rule.name) == now[rule.name]
    }
    by_name = {rule.name: rule for rule in rules}
    episodes = {
        (name, finding): Episode(by_name[name], finding, standing.opened)
        for name, of in standings.items()
        for finding, standing in of.items()
        if standing.opened is not None
    }
    ended: list[Episode] = []
    states: list[tuple[str, State]] = []
    for look in looks:
        asked = now if look.asked is None else look.asked
        judging = [rule for rule in rules if asked.get(rule.name) == now[rule.name]]
        for rule in judging:
            of = standings.setdefault(rule.name, {})
            for finding in look.findings:
                if not follows(rule, finding):
                    continue
                before = of.get(finding.id, Standing())
                after = before.after(rule, look.day, said(rule, finding))
                of[finding.id] = after
                if before.opened is None and after.opened is not None:
                    episodes[rule.name, finding.id] = Episode(rule, finding.id, look.day)
                elif before.opened is not None and after.opened is None:
                    episode = episodes.pop((rule.name, finding.id))
                    episode.closed = look.day
                    ended.append(episode)
        kept = {
            name: {finding: one for finding, one in of.items() if one != Standing()}
            for name, of in standings.items()
        }
        states.append((look.day, State({rule.name: now[rule.name] for rule in judging}, kept)))
    return states, [*ended, *episodes.values()]
