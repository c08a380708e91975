"""Try the gate of a plan on users who are split at random, many times, and count how often it alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evenhand.asked.step import Progress, Step
from evenhand.errors import InputError
from evenhand.findings import Verdict
from evenhand.more_data import verdicts_alone
from evenhand.plan.aa.splits import BUCKETS, Buckets, Findings, Splits, splits_of, why_not
from evenhand.plan.model import Plan
from evenhand.plan.running.choosing import chosen
from evenhand.plan.running.runner import opened
from evenhand.report.answers import verdict_of_audit

# Splits of an audit whose counts are split, and of one whose tables are read again for each half.
TIMES, TIMES_READ = 400, 40
Verdicts = tuple[Verdict, ...]


@dataclass
class Tried:
    """One audit: what it says of all users, and which verdicts its parts had in each split.

    `of_a_change` where arms were compared that cannot differ: one verdict a split. Otherwise there are two,
    those of the halves. `why_not` where it could not be split; `name` is what the plan calls it.
    """

    number: int
    audit: str
    of_a_change: bool = False
    asked: int = 0
    whole: Verdict | None = None
    verdicts: list[Verdicts] = field(default_factory=list)
    why_not: str = ""
    name: str | None = None

    def alarming(self, failing: Collection[Verdict]) -> Counter[int]:
        """In how many splits so many parts alarmed."""
        return Counter(sum(verdict in failing for verdict in verdicts) for verdicts in self.verdicts)

    def alarms(self, failing: Collection[Verdict]) -> Counter[Verdict]:
        """Of what kind all alarms of all parts were."""
        return Counter(verdict for verdicts in self.verdicts for verdict in verdicts if verdict in failing)


@dataclass
class Trial:
    """What was tried so far; it is filled as splits are done, so that whoever stops early has those. `times`
    is how often every audit is to be split, or None for the usual numbers; `together` where the plan asks all
    questions at once, which changes their levels and is not tried."""

    seed: int = 0
    times: int | None = None
    together: bool = False
    audits: list[Tried] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return all(one.why_not or len(one.verdicts) == one.asked for one in self.audits)


def try_gate(
    plan: Plan,
    trial: Trial,
    *,
    base: str | Path = ".",
    only: Sequence[str | int] | None = None,
    progress: Progress = lambda message: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Trial:
    """Fill `trial`: ask every audit of the plan, or `only` some by name or number, of users who are split at
    random. The splits are the same for all audits, and quick audits come first. `stopped` is asked between
    any two splits."""
    trial.together = plan.together
    progress("opening tables")
    tables, steps = opened(plan, Path(base))
    ready: list[tuple[Tried, Step, Splits]] = []
    for number, step in ((place + 1, step) for place, step in chosen(steps, only).items()):
        tried = Tried(number, step.audit, why_not=why_not(step, tables), name=step.name)
        trial.audits.append(tried)
        if tried.why_not:
            continue
        progress(f"audit {number} of {len(steps)}, {step.audit}: reading")
        try:
            splits = splits_of(step, tables, trial.seed, progress)
            tried.whole = _verdict(step, splits.whole())
        except InputError as error:
            tried.why_not = str(error).rstrip(".")
            continue
        tried.of_a_change = splits.of_a_change
        tried.asked = trial.times or (TIMES_READ if step.in_parts is None else TIMES)
        ready.append((tried, step, splits))
    for tried, step, splits in sorted(ready, key=lambda one: one[1].in_parts is None):
        for split in range(tried.asked):
            if stopped():
                return trial
            progress(f"audit {tried.number}, {step.audit}: split {split + 1} of {tried.asked}")
            order = np.random.default_rng([trial.seed, split]).permutation(BUCKETS)
            tried.verdicts.append(_verdicts(step, splits, order))
    return trial


def _verdicts(step: Step, splits: Splits, order: Buckets) -> Verdicts:
    """Those of all parts; what is refused for having too little could not be computed."""
    try:
        with verdicts_alone():
            return tuple(_verdict(step, found) for found in splits.findings(order))
    except InputError:
        return (Verdict.NOT_APPLICABLE,) * (1 if splits.of_a_change else 2)


def _verdict(step: Step, findings: Findings) -> Verdict:
    return verdict_of_audit(step.audit, findings) or Verdict.NOT_APPLICABLE
