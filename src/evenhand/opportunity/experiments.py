"""All A/B tests that run on one log at once, arms told by its columns."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand import inputs
from evenhand.asked.declared.ab_tests import EXPERIMENTS, PLANS, AskedExperiments
from evenhand.errors import InputError
from evenhand.findings import Count, Exclusion, Finding
from evenhand.opportunity.ab_tests.arm_counting import CountedArms, count_arms, example_of_switching
from evenhand.opportunity.ab_tests.assignment import Overlap, overlap
from evenhand.opportunity.ab_tests.findings import ABTest, findings_of
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.ab_tests.overlap import FEW
from evenhand.opportunity.ab_tests.planned_split import (
    CHANGED,
    UNCHECKED,
    Split,
    is_word,
    planned,
    planned_values,
)
from evenhand.opportunity.ab_tests.sample_ratio_findings import sample_ratios
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.differences import NearFair
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.cautions import TOO_LITTLE, has_too_little
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import known_columns, line_up, same_types, unidentifiable
from evenhand.opportunity.logs.weighting import refuse_formulas_for_counts
from evenhand.opportunity.random_log.findings import checks_of_random, doubted
from evenhand.parameters import shown
from evenhand.results import AuditResult
from evenhand.stats.log_ratios.counts import Variance

Switching = Literal["refuse", "keep"]
Columns = Sequence[str] | Mapping[str, str | Sequence[str] | None]

ORTHOGONAL = "Users were assigned to the arms of each experiment independently of the other experiments."


def experiments(
    default: Any,
    random: Any,
    columns: Columns,
    label: str | Sequence[str],
    group: GroupColumns,
    cluster: Clusters = None,
    level: float = 0.95,
    tolerance: float | None = None,
    rng: int | np.random.Generator = 0,
    *,
    switching: Switching = "refuse",
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    probability: str | None = None,
    item: str | None = None,
    catalogue: Any = None,
    item_by: str | Sequence[str] | None = None,
    split: Mapping[str, Split] | Literal["equal", "any"] = "equal",
    split_by: str | None = None,
    interval: str = "hull",
    variance: Variance = "multinomial",
    shared_random: bool = True,
    near_fair: NearFair = "bounds",
    replicates: int = 10_000,
    folds: int = 20,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Compare the arms of several experiments that run on the users of one log; the rest as in `compare`.

    Each of `columns` is an experiment, whose values say which arm a row belongs to; rows where it is empty
    are in none of its arms. The baseline is the first value in order. A mapping says otherwise:
    `{"ranker": "control"}` names the baseline, `{"ranker": ["control", "b"]}` the arms, baseline first, and
    leaves other values out. Every experiment is averaged over the arms of the others, as a user is in an arm
    of each.

    Findings: those of `compare` an experiment (`about.experiment`), with intervals that hold for all
    comparisons of all experiments at once (Bonferroni) and Holm's p-values; and `arm_overlap` for each pair
    of experiments, Cramér's V of who is in which arms, with a warning where it is more than chance.

    With `cluster`, `sample_ratio` says an experiment whether its arms have the users that were planned, as in
    `compare`; `split` is "equal", "any", or the plan of each column that is not split equally:
    `{"ranker": {"control": .9, "b": .1}}`, which may be given for each value of `split_by`, as in `compare`:
    `{"ranker": {"ramp": {"control": .9, "b": .1}, "full": "equal"}}`. A user in several arms of an
    experiment is refused. `switching="keep"` is for experiments that assign requests and not users: the users
    are counted in a warning.
    """
    asked = AskedExperiments.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, item=item, item_by=item_by, tolerance=tolerance,
        split_by=split_by, interval=interval, variance=variance, shared_random=shared_random,
        near_fair=near_fair, replicates=replicates, folds=folds, switching=switching,
            )  # fmt: skip
    how = How.of(asked, rng)
    wanted = arms_wanted(columns)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    refuse_formulas_for_counts(question, interval, variance)
    check_roles(question, list(wanted))
    splits = _splits(split, list(wanted))
    found = {column: planned_values(plan, split_by, f"split of {column}") for column, plan in splits.items()}
    orders = {column: values for column, values in found.items() if values}
    default = inputs.table(default, name="default log", engine=engine)
    default.require(*wanted)
    if random is None:
        question, logs = rows_asked_for(question, default)
        question.joined(logs[0])
        findings = unidentifiable("experiments", "reo_difference", {"by": {"creators": question.group}})
        return AuditResult(told(findings, question, logs), {"default": default.fingerprint()}, how.seed)
    random = inputs.table(random, name="random log", engine=engine)
    inputs.same_label_definition(default, random)
    inputs.different_data(default, random)
    question, logs = rows_asked_for(question, default, random)
    default = logs[0]
    progress(f"counting {default.name}")
    counted = count_arms(question, default, wanted, split_by, orders)
    progress(f"counting {random.name}")
    reference, random_fingerprint = question.count(logs[1], weighted=True)
    same_types(logs, question)
    checks, more = checks_of_random(
        random, question, item, catalogue, item_by, "experiments", how.seed, progress
    )
    fingerprints = {"default": counted.fingerprint, "random": random_fingerprint}
    if question.attribute_table is not None:
        fingerprints[question.attribute_table.name] = question.attribute_table.fingerprint()
    overlaps = [overlap(crossing, question.cluster, how.seed) for crossing in counted.crossings]
    ab_tests = []
    for column, named in wanted.items():
        arms = arms_chosen(counted.logs[column], column, named, default.name)
        switched = _switching(counted, question, default, column, named, switching)
        ab_test = _ab_test(column, arms, counted, reference, question, random, switched, overlaps)
        ab_tests.append(_with_ratio(ab_test, column, counted, splits[column], split_by))
    findings = findings_of(ab_tests, how, "experiments")
    findings += tuple(_overlap_finding(each, question.group) for each in overlaps if each.v is not None)
    return AuditResult(
        checks + doubted(told(findings, question, logs), checks), fingerprints | more, how.seed
    )


def arms_wanted(columns: Columns) -> dict[str, list[str]]:
    """The arms that are named for by column: none for all, one for the baseline."""
    names = columns if isinstance(columns, Sequence | Mapping) and not isinstance(columns, str) else ()
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"columns is {shown(columns)}, but must be {EXPERIMENTS.be}.")
    given = columns if isinstance(columns, Mapping) else dict.fromkeys(columns)
    if len(given) < len(names):
        raise InputError(f"columns names an experiment twice: {', '.join(map(str, columns))}.")
    wanted = {}
    for column, arms in given.items():
        if isinstance(arms, Mapping):
            raise InputError(
                f"experiment {column!r}: its arms are {shown(arms)}, but must be the baseline, or a list "
                "with the baseline first."
            )
        named = [arms] if isinstance(arms, str | int | float | bool) else list(arms or ())
        wanted[column] = [str(arm).lower() if isinstance(arm, bool) else str(arm) for arm in named]
        if len(set(wanted[column])) < len(named):
            raise InputError(f"experiment {column!r}: an arm is named twice in {', '.join(wanted[column])}.")
    return wanted


def check_roles(question: Question, columns: Sequence[str]) -> None:
    """Refuse an experiment that is the label, the group or the user."""
    for role, names in (
        ("label", question.labels), ("group", question.groups), ("cluster", question.clusters),
        ("probability", (question.probability,)),
    ):  # fmt: skip
        for column in columns:
            if column in names:
                raise InputError(
                    f"{column!r} is both the {role} and an experiment; name the column that says which arm "
                    "a row belongs to."
                )


def arms_chosen(
    logs: Mapping[str, LogCounts], column: str, named: Sequence[str], name: str
) -> dict[str, LogCounts]:
    """The arms to compare, baseline first."""
    for arm in named:
        if arm not in logs:
            close = difflib.get_close_matches(arm, logs, n=1)
            guess = f" Did you mean {close[0]!r}?" if close else ""
            values = f"It has: {', '.join(logs)}." if logs else "It is empty in all rows."
            raise InputError(f"{name}: experiment {column!r} has no row of arm {arm!r}.{guess} {values}")
    # A value that nobody named and that hardly occurs is no arm, and must not spoil those that are.
    usable = [arm for arm, log in logs.items() if not has_too_little(log)]
    order = list(named) if len(named) > 1 else list(dict.fromkeys([*named, *usable]))
    order = order if len(order) > 1 else list(dict.fromkeys([*named, *logs]))
    if len(order) < 2:
        only = f"has only one value, {order[0]!r}" if order else "is empty in all rows"
        raise InputError(f"{name}: experiment {column!r} {only}, but a comparison needs at least two arms.")
    return {arm: logs[arm] for arm in order}


def _switching(
    counted: CountedArms,
    question: Question,
    log: inputs.Table,
    column: str,
    named: Sequence[str],
    switching: Switching,
) -> str | None:
    """What to say about users in several arms of `column`; raises where they are refused."""
    if not counted.switched[column]:
        return None
    looked_at = "" if counted.all_users else " that were looked at (a sixteenth of all)"
    people = f"{counted.switched[column]:,} of {counted.user_count:,} {question.cluster}{looked_at}"
    said = f"{people} are in several arms of {column}"
    if switching == "keep":
        return f"{said}: its arms share users, whose rows count as dependent."
    user, one, other = example_of_switching(question, log, column, named)
    raise InputError(
        f"{log.name}: {said}, for example {question.cluster}={user} in {one!r} and {other!r}. In an A/B "
        "test a user stays in one arm: correct the assignment or drop these users; if requests and not users "
        "were assigned, say switching='keep' (--switching keep)."
    )


def _ab_test(
    column: str,
    arms: Mapping[str, LogCounts],
    counted: CountedArms,
    reference: LogCounts,
    question: Question,
    random: inputs.Table,
    switched: str | None,
    overlaps: Sequence[Overlap],
) -> ABTest:
    prepared = line_up(
        {f"{column} = {arm}": log for arm, log in arms.items()},
        reference,
        question.group,
        {},
        clusters=question.clusters,
        known=known_columns(random),
        probability=question.probability,
    )
    outside = counted.outside[column]
    others = {arm: log for arm, log in counted.logs[column].items() if arm not in arms}
    scarce = {arm: log.total for arm, log in others.items() if has_too_little(log)}
    excluded = [
        Exclusion(what=what, count=count, why=why)
        for what, count, why in (
            (f"rows without {column}", outside, "in no arm of this experiment"),
            (
                f"rows of other arms of {column}",
                sum(log.total for arm, log in others.items() if arm not in scarce),
                "not named for",
            ),
            *((f"{column} = {arm}", rows, TOO_LITTLE) for arm, rows in scarce.items()),
        )
        if count
    ]
    several = len(counted.logs) > 1
    prepared = replace(
        prepared,
        excluded=(*prepared.excluded, *excluded),
        assumptions=(*prepared.assumptions, *((ORTHOGONAL,) if several else ())),
    )
    said = [
        each.warning(len(overlaps))
        for each in overlaps
        if column in (each.crossing.first, each.crossing.second)
    ]
    warnings = [text for text in (switched, *said) if text is not None]
    return ABTest(
        prepared, tuple(arms), {"by": {"creators": question.group}, "experiment": column}, tuple(warnings)
    )


def _splits(split: Mapping[str, Split] | Literal["equal", "any"], columns: Sequence[str]) -> dict[str, Split]:
    """The plan of each experiment."""
    if not isinstance(split, Mapping):
        if not is_word(split):
            raise InputError(f"split is {shown(split)}, but must be {PLANS.be}.")
        return dict.fromkeys(columns, split)
    for column in split:
        if column not in columns:
            raise InputError(
                f"split has a plan for {shown(column)}, which is no experiment here: give it by column, such "
                f"as {{{columns[0]!r}: {{'control': .9, 'treatment': .1}}}}."
            )
    return {column: split.get(column, "equal") for column in columns}


def _with_ratio(
    ab_test: ABTest, column: str, counted: CountedArms, split: Split, attribute: str | None
) -> ABTest:
    """The test with whether its arms have the users that were planned, where users were assigned."""
    plan = planned(split, ab_test.arms, attribute, f"split of {column}")
    if plan is not None and plan.changes:
        ab_test = replace(ab_test, warnings=(*ab_test.warnings, CHANGED.format(by=attribute)))
    stayed = counted.stayed[column].reindex(columns=list(ab_test.arms), fill_value=0)
    unclear = counted.unclear[column]
    if plan is None or not stayed.sum().all() or unclear.sum() > FEW * counted.user_count:
        return replace(ab_test, assumptions=(UNCHECKED,))
    users = {str(value): row.tolist() for value, row in zip(stayed.index, stayed.to_numpy(), strict=True)}
    checks = sample_ratios(
        users, {str(value): int(several) for value, several in unclear.items()}, plan, ab_test.arms,
        "experiments", ab_test.about, attribute, everyone=counted.all_users,
    )  # fmt: skip
    return replace(ab_test, checks=checks)


def _overlap_finding(found: Overlap, group: str) -> Finding:
    crossing = found.crossing
    return Finding(
        audit="experiments",
        measure="arm_overlap",
        about={"by": {"creators": group}, "experiment": crossing.first, "with": crossing.second},
        estimate=found.v,
        p_value=None if crossing.left_out else found.p_value,
        n=Count(int(crossing.counts.to_numpy().sum()), "users or rows"),
        people={
            f"{arm}, {other}": int(count)
            for arm, row in crossing.counts.iterrows()
            for other, count in row.items()
        },
        details={
            "unit": found.unit,
            "counts": [
                {"arm": arm, "other_arm": other, "count": int(count)}
                for arm, row in crossing.counts.iterrows()
                for other, count in row.items()
            ],
        },
    )
