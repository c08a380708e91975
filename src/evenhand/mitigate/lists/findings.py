"""From a trial to findings: what the re-ranking did, for whom, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evenhand.findings import Count, Finding, Interval
from evenhand.groups import METRICS, Better, Compared, people_of
from evenhand.mitigate.before_and_after import Change, MetricChange
from evenhand.mitigate.lists.gaps import GapChange
from evenhand.mitigate.lists.rerank import Goal
from evenhand.mitigate.lists.trial import Trial

CHOSEN, OTHERS = "chosen groups", "everybody else"
_APART = "paired, halves choose and measure in turn"
_PAIRED = "paired differences"
_ANY_ENDS = "simultaneous over pairs of groups"
_MEASURED_APART = (
    "Groups were chosen by one half of the users and measured in the other, both ways, so what they owe to "
    "bad luck is not counted as a gain. The groups whose lists were changed in the end are chosen by all "
    "users."
)
_MENDED = (
    "These are the lists that were chosen for their values and mended; those of new users of the same groups "
    "leave less to mend, and gain less."
)
_EXTREMES = (
    "The two gaps are those of the groups found at the ends, and of many small groups some are there by "
    "chance. The interval allows for that: it holds whichever groups are at the ends in truth."
)
_FEW_FAR = (
    "No group has a few users far from all others whom chance left out: how far they could be is not known."
)
_AS_ANYBODY = "Users of these groups whom chance left out change by no more than anybody in these data would."


@dataclass(frozen=True)
class Asked:
    """What was asked for, as far as the findings say it."""

    goal: Goal
    metric: str
    k: int
    share: float
    strength: float
    level: float


def findings(trial: Trial, compared: Compared, asked: Asked) -> list[Finding]:
    """`rerank_change` for the chosen groups and for everybody else, `uf_change`, and `rerank_side_effect` of
    every other metric in the chosen groups.
    """
    changes = {change.metric: change for change in trial.changes}
    main = changes.pop(asked.metric)
    groups = compared.groups
    independent, *others = METRICS[asked.metric].assumptions
    unknown = (_FEW_FAR,) if METRICS[asked.metric].share is None else ()
    known = {
        name: (_AS_ANYBODY,) if METRICS[name].column is None else () for name in (asked.metric, *changes)
    }
    said = (independent, _MEASURED_APART if trial.halves else _MENDED, *others)
    say = _Speaker(", ".join(groups.of.attributes), asked, trial.halves is not None)
    common: dict[str, Any] = {
        "audit": "mitigate",
        "excluded": compared.excluded,
        "assumptions": (*said, *known[asked.metric]),
        # Those who were chosen are a part of all groups, and so are the others.
        "people": people_of(groups, trial.chosen) | {CHOSEN: main.chosen.users, OTHERS: main.others.users},
    }
    chosen = [{"group": groups.name(g), "users": int(groups.sizes[g])} for g in trial.chosen]
    mitigated = len(chosen) if trial.halves is None else sum(len(half) for half in trial.halves)
    details: dict[str, Any] = {
        "goal": asked.goal,
        "strength": asked.strength,
        "groups_compared": len(groups),
        "groups_chosen": len(chosen),
        "chosen": chosen,
        "groups_better": main.groups_better,
        "groups_worse": main.groups_worse,
    }
    if trial.halves is not None:
        details["chosen_by_halves"] = [[groups.name(g) for g in half] for half in trial.halves]
    return [
        Finding(
            measure="rerank_change",
            warnings=_warnings(main, list(changes.values()), mitigated, say),
            **say.change(main, main.chosen, CHOSEN, details),
            **common,
        ),
        Finding(
            measure="rerank_change",
            warnings=_about_others(main, say),
            **say.change(main, main.others, OTHERS, {}),
            **common,
        ),
        Finding(
            measure="uf_change",
            warnings=_about_gap(main, say),
            **say.change(main, main.gap, None, {"groups": main.gap.groups}),
            **(common | {"assumptions": (*said, _EXTREMES, *unknown)}),
        ),
        *(
            Finding(
                measure="rerank_side_effect",
                warnings=() if other.chosen.users else (f"{say.label(other)} is defined for none of them.",),
                **say.change(other, other.chosen, CHOSEN, {}),
                **(common | {"assumptions": (*said, *known[other.metric])}),
            )
            for other in changes.values()
        ),
    ]


@dataclass(frozen=True)
class _Speaker:
    """The parts of a finding that all changes have, in the same words."""

    by: str
    asked: Asked
    apart: bool

    @property
    def luck(self) -> str:
        """Means of labels move by chance as well; what is shown is what it is."""
        return ", by chance or not" if self.apart else ""

    def label(self, change: MetricChange) -> str:
        return METRICS[change.metric].label(self.asked.k)

    def change(
        self, metric: MetricChange, change: Change | GapChange, who: str | None, details: dict[str, Any]
    ) -> dict[str, Any]:
        known = bool(np.isfinite(change.difference))
        method = _APART if self.apart else _PAIRED
        if isinstance(change, GapChange):
            method = f"{method}, {_ANY_ENDS}"
        # Where not one list changed there is nothing to be unsure of.
        has_interval = bool(np.isfinite(change.low)) and change.low < change.high
        said = {
            "before": change.before,
            "after": change.after,
            "change": _side(change, _better(metric, who)),
        }
        if isinstance(change, Change):
            said |= {"users_better": change.users_better, "users_worse": change.users_worse}
        return {
            "about": {"by": {"users": self.by}, "metric": self.label(metric)}
            | ({} if who is None else {"who": who}),
            "estimate": change.difference if known else None,
            "interval": Interval(low=change.low, high=change.high, level=self.asked.level, method=method)
            if has_interval
            else None,
            "harm": "below" if _better(metric, who) == "higher" else "above",
            "n": Count(change.users if isinstance(change, Change) else metric.everybody.users, "users"),
            "details": (said if known else {}) | details,
        }


def _better(metric: MetricChange, who: str | None) -> Better:
    """A gap (of nobody in particular) is better when it is smaller, whatever the metric."""
    return "lower" if who is None else metric.better


def _side(change: Change | GapChange, better: Better) -> Literal["none", "worse", "better", "unclear"]:
    if change.difference == 0 and change.low == change.high:
        return "none"
    if _is_worse(change, better):
        return "worse"
    if _is_worse(change, "lower" if better == "higher" else "higher"):
        return "better"
    return "unclear"


def _is_worse(change: Change | GapChange, better: Better) -> bool:
    """Whether the whole interval is on the bad side of no change."""
    return bool(change.high < 0) if better == "higher" else bool(change.low > 0)


def _warnings(
    main: MetricChange, others: Sequence[MetricChange], mitigated: int, say: _Speaker
) -> tuple[str, ...]:
    """What a reader of the gain should know first: who lost by it, and in what."""
    found = []
    label = say.label(main)
    if _is_worse(main.chosen, main.better):
        found.append(f"The chosen groups are served worse than before, by {label} itself.")
    if main.groups_worse:
        found.append(f"{main.groups_worse:,} of {mitigated:,} chosen groups got worse in {label}{say.luck}.")
    for other in others:
        if _is_worse(other.chosen, other.better):
            found.append(
                f"The chosen groups got worse in {say.label(other)}: from {other.chosen.before:.3g} to "
                f"{other.chosen.after:.3g}."
            )
    return (*found, *_about_others(main, say), *_about_gap(main, say))


def _about_others(main: MetricChange, say: _Speaker) -> tuple[str, ...]:
    if main.others.users == 0:
        return ("All groups were chosen, so there is nobody else.",)
    if main.others.users_worse:
        return (f"{main.others.users_worse:,} users of other groups got worse in {say.label(main)}.",)
    return ()


def _about_gap(main: MetricChange, say: _Speaker) -> tuple[str, ...]:
    if main.gap.after > main.gap.before:
        return (
            f"The largest gap between groups in {say.label(main)} grew: from {main.gap.before:.3g} to "
            f"{main.gap.after:.3g}{say.luck}.",
        )
    return ()
