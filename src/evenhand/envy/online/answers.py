"""Simulated and planned audits as a result that can be reported: what was asked, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.arrays import Progress
from evenhand.envy.online.assumptions import assumptions_of
from evenhand.envy.online.findings import about_plan, about_simulation
from evenhand.envy.online.simulated.planning import PlannedAudit, plan
from evenhand.envy.online.simulated.played import PlayedAudit, play
from evenhand.envy.online.simulated.simulation import Simulation, simulate
from evenhand.results import AuditResult

# The step-by-step auditor behind a picture takes this many steps in about ten seconds.
LONGEST_PICTURE = 100_000
AUDIT = ("design", "epsilon", "delta", "alpha", "bound", "choice", "budget")
REWARDS = ("rewards", "delay", "longest", "missing", "unreported")


@dataclass(frozen=True)
class Simulated:
    """What simulated audits did (`found`), the same as findings, and one of them step by step."""

    found: Simulation
    result: AuditResult
    played: PlayedAudit | None


@dataclass(frozen=True)
class Planned:
    """What audits would take, a row for each alpha, and the same as findings."""

    rows: list[PlannedAudit]
    result: AuditResult


def simulated(
    means: Sequence[float], runs: int, seed: int, options: Mapping[str, Any], *, draw: bool, certify: bool,
    progress: Progress = lambda message: None,
) -> Simulated:  # fmt: skip
    """Audits by `simulate` with these `options`. To `draw` or to `certify`, one is played step by step; for a
    certificate to its end, for a picture no longer than that takes a few seconds."""
    progress(f"{runs:,} simulated audits")
    found = simulate(means, runs, rng=seed, **options)
    played = None
    if draw or certify:
        progress("one audit step by step")
        most = None if certify else LONGEST_PICTURE
        played = play(means, **options, rng=seed, longest_play=most)
    result = about_simulation(
        found, means, options["epsilon"], options["delta"], options["missing"], played, _assumed(options)
    )
    setting = _setting("Simulated audits of a user's envy", means, options)
    return Simulated(found, replace(result, scope=setting), played)


def planned(
    baseline: float, gaps: Sequence[float], runs: int, seed: int, options: Mapping[str, Any]
) -> Planned:
    """Audits by `plan` with these `options`."""
    rows = plan(baseline, gaps, runs=runs, rng=seed, **options)
    means = [baseline, *(baseline + gap for gap in gaps)]
    # Each alpha has findings of its own.
    shared = {key: value for key, value in options.items() if key != "alpha"}
    setting = _setting("Planning an audit of a user's envy", means, shared)
    return Planned(rows, replace(about_plan(rows, runs, seed, _assumed(options)), scope=setting))


def _assumed(options: Mapping[str, Any]) -> tuple[str, ...]:
    return assumptions_of(options["design"], options["bound"], options["unreported"], "compare")


def _setting(title: str, means: Sequence[float], options: Mapping[str, Any]) -> dict[str, str]:
    own, *others = (f"{mean:g}" for mean in means)
    return {
        "title": title,
        "mean rewards": f"{own} (own), {', '.join(others)}",
        "audit": _said(options, AUDIT),
        "rewards": _said(options, REWARDS),
    }


def _said(options: Mapping[str, Any], names: Sequence[str]) -> str:
    """Settings in a line, without what is not set."""
    return ", ".join(f"{name} {options[name]}" for name in names if options.get(name) is not None)
