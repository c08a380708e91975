"""What a plan of traffic rests on: rates that are assumed, or counted in a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.asked.declared.traffic import LEAST_SHARE
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.grouping import GroupColumns, Grouping, group_columns
from evenhand.opportunity.logs.preparation import Prepared, line_up, prepare
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.parameters import number


def assumed(
    rates: Mapping[str, float] | None,
    utilities: Mapping[str, float] | None,
    rows: float,
    random_rows: float,
    design_effect: float,
) -> Traffic:
    if rates is None or utilities is None:
        raise InputError("rates and utilities belong together: both are needed for every group.")
    for name, given in (("rates", rates), ("utilities", utilities)):
        if not isinstance(given, Mapping):
            raise InputError(f"{name} must be a number for each group: {{group: 0.02}}.")
    if set(rates) != set(utilities):
        odd = sorted(set(rates) ^ set(utilities), key=str)
        raise InputError(f"rates and utilities must name the same groups, but {odd[0]!r} is in one only.")
    if len(rates) < 2:
        raise InputError(f"rates has {len(rates)} group, but equal opportunity compares at least two.")
    p = np.array([number(f"rates[{name!r}]", rate, LEAST_SHARE, 1) for name, rate in rates.items()])
    u = np.array([number(f"utilities[{name!r}]", utilities[name], LEAST_SHARE) for name in rates])
    for what, shares in (("rates", p), ("rates times utilities", p * u)):
        if shares.sum() > 1:
            raise InputError(
                f"{what} add up to {shares.sum():.3g}, but are shares of all rows: at most 1 together."
            )
    return Traffic(group_names("rates", rates), (p * u)[None], p, rows, random_rows, design_effect)


def group_names(what: str, given: Mapping[Any, float]) -> tuple[str, ...]:
    """The groups that are given a number, as text: the names that logs have."""
    names = tuple(str(name) for name in given)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        spelt = " and ".join(repr(name) for name in given if str(name) == twice)
        raise InputError(f"{what} has the group {twice!r} twice, as {spelt}: give each group one name.")
    return names


def name_of(group: GroupColumns | None) -> str:
    """What the groups are called by, where there may be no logs to count them in."""
    return "group" if group is None else Grouping(group_columns(group), {}, keep_empty=False).name


def counted(
    default: Any,
    random: Any,
    asked: Mapping[str, Any],
    engine: Any,
    progress: Callable[[str], None],
) -> tuple[Prepared, Callable[[Iterable[Finding]], tuple[Finding, ...]]]:
    """The counts of a pilot, over all groups with a liked row in both logs, and how findings tell which rows
    they rest on.

    However few there are: the log that is planned will be longer, and have to tell these groups too.
    """
    tell: Callable[[Iterable[Finding]], tuple[Finding, ...]] = tuple
    if isinstance(default, LogCounts) != isinstance(random, LogCounts):
        raise InputError("a pilot is two logs or the counts of two logs, not one of each.")
    if isinstance(default, LogCounts):
        if default.clustered != random.clustered:
            raise InputError(
                "one log of the pilot is counted by cluster and the other is not; count both alike."
            )
        if asked["bins"] or asked["where"]:
            raise InputError("bins and where are for logs, and these are counts already: leave them out.")
        clusters = (asked["cluster"] or "cluster",) if default.clustered else ()
        name = name_of(asked["group"])
        pilot = line_up({"default": default}, random, name, {}, clusters=clusters, least=0)
    else:
        if asked["label"] is None or asked["group"] is None:
            raise InputError("label and group must be named, to count a pilot's logs.")
        log = inputs.table(default, name="default log", engine=engine)
        reference = inputs.table(random, name="random log", engine=engine)
        question, logs = rows_asked_for(Question.of(**asked), log, reference)
        pilot = prepare({"default": logs[0]}, logs[1], question, progress, least=0)
        tell = partial(told, question=question, logs=logs)
    if not pilot.comparable:
        raise InputError(f"The pilot cannot be planned from. {pilot.warnings[0]}")
    never = [
        g for g, a in zip(pilot.random.groups, pilot.logs[0].positives.sum(axis=0), strict=True) if a == 0
    ]
    if never:
        raise InputError(
            f"the pilot's default log has no positive row of {', '.join(never)}, so its rate is not known: "
            "take a longer pilot, or assume rates and utilities."
        )
    return pilot, tell
