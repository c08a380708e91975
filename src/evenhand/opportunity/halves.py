"""The same audit of users who are put into parts at random: from counts by bucket, no log is read again.

A hash of the id decides in which of 1,024 buckets a user is, whatever the user is shown or likes. So buckets
that are put into parts at random are users put into parts at random, each with all rows, and the counts of a
part are those of its buckets. Users of one bucket stay together, which makes a part no less a random one: it
has half as many clusters as a log of its size would have, and hardly wider intervals for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.asked.declared.ab_tests import AskedOfDifferences
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.ab_tests.findings import ABTest
from evenhand.opportunity.ab_tests.findings import findings_of as findings_of_tests
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.findings import findings_of
from evenhand.opportunity.logs.asked_rows import rows_asked_for
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.preparation import Prepared, count_logs, line_up
from evenhand.opportunity.parity import catalogued, findings_of_parity
from evenhand.opportunity.stages import findings_of_stages
from evenhand.opportunity.users import findings_of_precision

Buckets = NDArray[np.int64]
Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class HalfLogs:
    """An audit of one system, asked of each half of its users: what differs between the halves is chance."""

    counted: Mapping[str, LogCounts]
    found: Callable[[Mapping[str, LogCounts]], Findings]
    of_a_change: bool = False

    def findings(self, order: Buckets) -> list[Findings]:
        """Those of each half, where the buckets are in this order."""
        halves = np.array_split(order, 2)
        return [self.found({name: log.of(half) for name, log in self.counted.items()}) for half in halves]

    def whole(self) -> Findings:
        return self.found(self.counted)


@dataclass(frozen=True)
class ArmsAtRandom:
    """A comparison, asked of arms among which all their users are dealt out anew: no arm can differ."""

    arms: Mapping[str, LogCounts]
    found: Callable[[Mapping[str, LogCounts]], Findings]
    of_a_change: bool = True

    def findings(self, order: Buckets) -> list[Findings]:
        """Those of arms that have as many of the rows as before, where the buckets are in this order."""
        everybody = reduce(add, self.arms.values())
        rows = np.array([log.total for log in self.arms.values()], dtype=float)
        ends = np.rint(len(order) * rows.cumsum() / rows.sum()).astype(int)[:-1]
        dealt = zip(self.arms, np.split(order, ends), strict=True)
        return [self.found({arm: everybody.of(part) for arm, part in dealt})]

    def whole(self) -> Findings:
        return self.found(self.arms)


def half_logs(*, rng: int, progress: Callable[[str], None], **asked: Any) -> HalfLogs:
    """Read the logs of `audit`, asked these arguments, once: users of both are split."""
    question, counted = _counted({"default": asked["default"], "random": asked["random"]}, asked, progress)
    how = {key: asked[key] for key in ("level", "tolerance", "interval", "variance", "replicates")}

    def found(logs: Mapping[str, LogCounts]) -> Findings:
        prepared = _lined_up({"default": logs["default"]}, logs["random"], question)
        return findings_of(prepared, seed=rng, **how)

    return HalfLogs(counted, found)


def half_stages(*, rng: int, progress: Callable[[str], None], **asked: Any) -> HalfLogs:
    """The same of `stages`."""
    question, counted = _counted(asked["logs"], asked, progress)
    return HalfLogs(
        counted,
        lambda logs: findings_of_stages(logs, question, asked["level"], asked["tolerance"], rng, {}),
    )


def half_precision(*, rng: int, progress: Callable[[str], None], **asked: Any) -> HalfLogs:
    """The same of `user_precision`."""
    question, counted = _counted({"default": asked["default"]}, asked, progress)
    return HalfLogs(
        counted,
        lambda logs: findings_of_precision(
            logs["default"], question, asked["level"], asked["tolerance"], rng
        ),
    )


def half_parity(*, rng: int, progress: Callable[[str], None], **asked: Any) -> HalfLogs:
    """The same of `parity`, whose catalogue stays whole."""
    question, counted = _counted({"default": asked["default"]}, asked, progress)
    items, _ = catalogued(asked["catalogue"], question)
    return HalfLogs(
        counted,
        lambda logs: findings_of_parity(
            logs["default"],
            items,
            question,
            asked["requests"] or 1.0,
            asked["level"],
            asked["tolerance"],
            rng,
        ),
    )


def arms_at_random(*, rng: int, progress: Callable[[str], None], **asked: Any) -> ArmsAtRandom:
    """Read the logs of `compare`, asked these arguments, once. The random log, which all arms share, stays
    whole."""
    question, counted = _counted({**asked["arms"], "random": asked["random"]}, asked, progress)
    random = counted.pop("random")
    how = How.of(AskedOfDifferences(**{key: asked[key] for key in AskedOfDifferences.model_fields}), rng)

    how = replace(how, more_data=False)

    def found(arms: Mapping[str, LogCounts]) -> Findings:
        prepared = _lined_up(arms, random, question)
        test = ABTest(prepared, prepared.arms, {"by": {"creators": question.group}})
        return findings_of_tests([test], how, "compare")

    return ArmsAtRandom(counted, found)


def _lined_up(logs: Mapping[str, LogCounts], random: LogCounts, question: Question) -> Prepared:
    return line_up(
        logs, random, question.group, {}, clusters=question.clusters, probability=question.probability
    )


def _counted(
    logs: Mapping[str, Any], asked: Mapping[str, Any], progress: Callable[[str], None]
) -> tuple[Question, dict[str, LogCounts]]:
    """The counts of these logs by bucket of users."""
    if logs.get("random", logs) is None:
        raise InputError("there is no random log, so that nothing can be computed.")
    question = Question.of(
        asked.get("label"), asked["group"], asked["cluster"], asked["attributes"], asked["on"],
        asked["missing"], asked.get("probability"), bins=asked["bins"], where=asked["where"],
        labelled="label" in asked,
    )  # fmt: skip
    if question.item is not None:
        raise InputError(
            "its errors are over users and items at once, and counts by item do not say whose they are; name "
            "the user column alone to try its gate."
        )
    opened = {name: inputs.table(log, name=f"{name} log") for name, log in logs.items()}
    question, chosen = rows_asked_for(question, *opened.values())
    return question, count_logs(dict(zip(opened, chosen, strict=True)), question, progress)[0]
