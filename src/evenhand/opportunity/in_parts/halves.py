"""Audits of one system, asked of each half of its users. Each function gets what the call gets, and reads its
logs once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.arrays import Progress
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.findings import findings_of
from evenhand.opportunity.in_parts.parts import Findings, HalfLogs
from evenhand.opportunity.in_parts.reading import checks_of, counted, lined_up
from evenhand.opportunity.parity import catalogued, findings_of_parity
from evenhand.opportunity.random_log.findings import doubted
from evenhand.opportunity.stages import findings_of_stages
from evenhand.opportunity.users import findings_of_precision


def half_logs(*, rng: int, progress: Progress, **asked: Any) -> HalfLogs:
    """`audit`: users of both logs are split."""
    question, logs = counted({"default": asked["default"], "random": asked["random"]}, asked, progress)
    how = {key: asked[key] for key in ("level", "tolerance", "interval", "variance", "replicates")}
    checks = checks_of(asked, question, "opportunity", rng, progress)

    def found(logs: Mapping[str, LogCounts]) -> Findings:
        prepared = lined_up({"default": logs["default"]}, logs["random"], question)
        return doubted(findings_of(prepared, seed=rng, **how), checks)

    return HalfLogs(logs, found)


def half_stages(*, rng: int, progress: Progress, **asked: Any) -> HalfLogs:
    """`stages`: users of all logs are split."""
    question, logs = counted(asked["logs"], asked, progress)
    return HalfLogs(
        logs,
        lambda logs: findings_of_stages(logs, question, asked["level"], asked["tolerance"], rng, {}),
    )


def half_precision(*, rng: int, progress: Progress, **asked: Any) -> HalfLogs:
    """`user_precision`."""
    question, logs = counted({"default": asked["default"]}, asked, progress)
    return HalfLogs(
        logs,
        lambda logs: findings_of_precision(
            logs["default"], question, asked["level"], asked["tolerance"], rng
        ),
    )


def half_parity(*, rng: int, progress: Progress, **asked: Any) -> HalfLogs:
    """`parity`, whose catalogue stays whole."""
    question, logs = counted({"default": asked["default"]}, asked, progress)
    items, _ = catalogued(asked["catalogue"], question)
    per = asked["requests"] or 1.0
    return HalfLogs(
        logs,
        lambda logs: findings_of_parity(
            logs["default"], items, question, per, asked["level"], asked["tolerance"], rng
        ),
    )
