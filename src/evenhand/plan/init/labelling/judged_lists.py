"""Lists of candidates whose outcome no name tells: the log's label does, or the score, which is higher where
users liked something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ibis

from evenhand.plan.init.labelling.labels import PLAUSIBLE, Label
from evenhand.plan.init.meaning.logs import Traffic
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import SHOWN
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import Profile

# How well a score must tell the two apart: the area under its ROC curve.
LEAST_AUC = 0.6
# So long a word of one name in the other is no accident: suka and disukai.
LEAST_SHARED = 4


def judge_lists(tables: Sequence[Recognised], traffic: Traffic) -> None:
    """Take scores as candidates where the label of the log, or the score, says which outcome is theirs."""
    default = traffic.default
    known = default.table.chosen_label if default is not None else None
    for table in tables:
        if table.role != "scores" or table.score is None or table.chosen_label is not None:
            continue
        # The highest scores are what is shown: that a flag of it goes with the score says nothing of likes.
        possible = [one for one in table.labels if not hints(one.column, SHOWN)]
        yes_or_no = [one for one in possible if set(one.rule) <= {"among", "empty"} and not one.values]
        told = [_judged(one, table, known) for one in yes_or_no]
        found = sorted((one for one in told if one is not None), key=lambda one: -one[0])
        if found:
            labels = [label for _, label in found]
            names = {one.column for one in labels}
            table.labels = labels + [one for one in table.labels if one.column not in names]
            table.role = "candidates"


def _judged(label: Label, table: Recognised, known: Label | None) -> tuple[float, Label] | None:
    """How much speaks for an outcome, and the outcome as a label; None if nothing does."""
    assert table.score is not None
    said = label.why.replace(", but its name says nothing", "")
    if known is not None and alike(label.column, known.column):
        why = f"{said}; it is called like {known.column} of the log"
        return 2.0, replace(label, strength=PLAUSIBLE, why=why)
    auc = score_tells(table.profile, table.score, label)
    if auc < LEAST_AUC:
        return None
    why = f"{said}; {table.score} tells it apart (AUC {auc:.2f}); nothing else says so"
    return auc, replace(label, strength=PLAUSIBLE, why=why)


def alike(one: str, other: str) -> bool:
    """Whether two names are the same, or a word of one is in a word of the other."""
    ours, theirs = tokens(one), tokens(other)
    return ours == theirs or any(
        short in long
        for a in ours
        for b in theirs
        for short, long in [sorted((a, b), key=len)]
        if len(short) >= LEAST_SHARED
    )


def score_tells(profile: Profile, score: str, label: Label) -> float:
    """How often a pair with the outcome has a higher score than one without; a half where it says nothing."""
    t = profile.table.expr
    column = t[label.column]
    is_so = column.isin(label.rule["among"]) if "among" in label.rule else column.cast("boolean")
    t = t.select(score=t[score], so=is_so.fill_null(False)).filter(ibis._.score.notnull())
    # Among equal scores the places are shared.
    each = t.group_by("score").aggregate(so=ibis._.so.sum(), rows=ibis._.count())
    each = each.mutate(
        before=ibis._.rows.sum().over(ibis.window(order_by="score", following=0)) - ibis._.rows
    )
    told = profile.run(
        each.aggregate(
            so=each.so.sum(),
            rows=each.rows.sum(),
            places=(each.so * (each.before + (each.rows + 1) / 2)).sum(),
        )
    ).iloc[0]
    so, rows = int(told["so"] or 0), int(told["rows"] or 0)
    if not 0 < so < rows:
        return 0.5
    return float((told["places"] - so * (so + 1) / 2) / (so * (rows - so)))
