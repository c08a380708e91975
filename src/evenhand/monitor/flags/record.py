"""After a look: flags that open, close or are withdrawn, stored with their messages in the transaction of the
look, so that there is never one without the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from evenhand.findings import Finding
from evenhand.monitor.flags import words
from evenhand.monitor.flags.changes import Kind, compared
from evenhand.monitor.flags.debounce import Episode, fold
from evenhand.monitor.flags.events import Events
from evenhand.monitor.flags.looks import Looks
from evenhand.monitor.flags.rules import condition, follows, said
from evenhand.plan.watched.monitoring import FlagRule, Monitoring

_NAMED = 5


@dataclass(frozen=True)
class Raised:
    """What a look changed: sentences for whoever ran it; of flags that stay open because the last look does
    not decide; names of rules that no finding of it fits, probably misspelt, with the ids there are; and what
    happened to a flag, once for each sentence."""

    texts: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()


def after_looks(connection: Connection, monitor_id: int, monitoring: Monitoring | None, since: str) -> Raised:
    """Follow the current looks from the day `since` on, the first whose look is new or another than before.

    Told again of the same looks, it changes nothing.
    """
    monitoring = monitoring or Monitoring()
    looks = Looks(connection, monitor_id, since)
    states, episodes = fold(monitoring.flags, looks.state_before(), looks.each())
    conditions = {rule.name: condition(rule) for rule in monitoring.flags}
    changes, moved = compared(looks.told(), episodes, conditions)
    looks.keep(states)
    events = Events(looks, monitoring)
    texts = [events.write(change) for change in changes]
    for one in moved:
        events.move(one)
    last = () if looks.last is None else looks.last.findings
    unmatched = [
        _unmatched(rule, last) for rule in monitoring.flags if not any(follows(rule, one) for one in last)
    ]
    return Raised(
        tuple(texts),
        tuple(_undecided(looks, episodes)),
        tuple(unmatched) if last else (),
        tuple(change.kind for change in changes),
    )


def _unmatched(rule: FlagRule, findings: Sequence[Finding]) -> str:
    """A rule that no finding fits; where it names an id, with those that there are of its measure."""
    begins = "" if rule.id is None else rule.id.partition("/")[0]
    there = sorted({str(one.id) for one in findings if begins and str(one.id).startswith(f"{begins}/")})
    more = f" and {len(there) - _NAMED:,} more" if len(there) > _NAMED else ""
    return f"{rule.name} (there is {', '.join(there[:_NAMED])}{more})" if there else rule.name


def _undecided(looks: Looks, episodes: list[Episode]) -> Iterator[str]:
    """Flags that the last look leaves open because it does not decide."""
    if looks.last is None:
        return
    findings = {finding.id: finding for finding in looks.last.findings}
    for episode in episodes:
        finding = findings.get(episode.finding)
        if episode.closed is None and finding is not None and said(episode.rule, finding) == "undecided":
            yield words.stays_open(episode, looks.last_day, words.said_of(looks.last, episode))
