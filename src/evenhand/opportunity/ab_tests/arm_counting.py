"""From one log to the counts of every arm of every experiment in one pass, and to who is in which.

Rows are first added up by all arms, group and bucket of users, and the counts of each arm are made from
those sums in the same query. Who is in which arms is asked of a sixteenth of the users where there are many:
grouping all users by their arms takes longer than all else (benchmarks/opportunity_experiments.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import combinations
from types import MappingProxyType
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.opportunity.ab_tests.overlap import FEW, place_in, unplanned
from evenhand.opportunity.ab_tests.planned_split import MOST_VALUES, refuse_many, refuse_unplanned
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.counting import BUCKETS, Question

MOST_ARMS = 50
# Users in a sixteenth of the buckets, unless that finds fewer than these.
LOOKED_AT = BUCKETS // 16
ENOUGH_USERS = 20_000
# One branch of the query gives at most so many sums: a column that is an id must not fill the memory.
MOST_COUNTS = 2_000_000


@dataclass(frozen=True)
class Crossing:
    """How many users are in each pair of arms of two experiments, or rows: where no user column is known, and
    where users are in several arms.

    Then requests were assigned. Users who are in one arm of each all the same mostly came once, or are in two
    large arms: left to these, independent experiments would seem to go together. With few users in several
    arms (`left_out`) they hardly do, so that users are counted, but of many users a test would see it.
    """

    first: str
    second: str
    counts: pd.DataFrame  # a row an arm of the first, a column an arm of the second
    of_rows: bool = False
    left_out: int = 0


@dataclass(frozen=True)
class CountedArms:
    """Counts by experiment and arm; rows that are in no arm of an experiment; and who is in which.

    `user_count` is how many were looked at, `all_users` whether these are all; `switched` of them are in
    several arms of an experiment, and `stayed` in each of its arms alone. Where the values of the attribute
    have an order, `stayed` are those who began in one arm alone, at the first value at which they are in any;
    `unclear` are those of whom that cannot be said.
    """

    logs: dict[str, dict[str, LogCounts]]
    outside: dict[str, int]
    user_count: int
    all_users: bool
    switched: dict[str, int]
    stayed: dict[str, pd.DataFrame]  # a row a value of the attribute, a column an arm
    unclear: dict[str, pd.Series]  # by value of the attribute
    crossings: tuple[Crossing, ...]
    fingerprint: Fingerprint


def count_arms(
    question: Question,
    log: inputs.Table,
    asked: Mapping[str, Sequence[str]],
    attribute: str | None = None,
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> CountedArms:
    """Read `log` once; columns say which arm of each experiment a row belongs to, null for none.

    `asked` has the columns, each with its arms where only some are compared: who is in which arms is then
    asked of these alone. Users who stay in one are counted by value of the `attribute`, too; `orders` has its
    values in the order in which users come to them, for the columns where that is known.
    """
    columns = list(asked)
    log = question.joined(log)
    log.require(*columns, *([attribute] if attribute else []))
    for column in columns:
        if log.expr[column].type().is_nested():
            raise InputError(f"{log.name}: column {column!r} holds lists, not one arm a row.")
    log = inputs.as_groups(log, *columns)
    if attribute and question.cluster:
        for column, order in orders.items():
            in_arm = log.expr.filter(_among(log.expr[column], asked[column]).notnull())
            refuse_unplanned(unplanned(log, in_arm, attribute, order), order, attribute, log.name)
    found = log.run(_arms_query(question, log, asked))
    counted = found[found["part"] == "arms"]
    for number, column in enumerate(columns):
        if int((counted["first"] == number).sum()) > MOST_COUNTS:
            raise _looks_like_an_id(log, column)
    counted = question.checked(counted.drop(columns=["part", "second", "other"]), log)
    logs, outside = {}, {}
    for number, column in enumerate(columns):
        rows = counted[counted["first"] == number]
        outside[column] = int(rows.loc[rows["arm"].isna(), "rows"].sum())
        # A pass for each experiment: by all arms together the buckets would be too many.
        items = question.count_by_item(log, also_by=partial(_arm_of, column=column))
        logs[column] = _by_arm(question, rows[rows["arm"].notna()], items, log, column)
    all_users = False
    if question.cluster:
        found = log.run(_users_query(question, log, asked, LOOKED_AT, attribute, orders))
        if _users(found) < ENOUGH_USERS:
            all_users = True
            found = log.run(_users_query(question, log, asked, BUCKETS, attribute, orders))
    moved, stayed = found[found["part"] == "users"], found[found["part"] == "stayed"]
    began = {column: stayed[stayed["first"] == number] for number, column in enumerate(columns)}
    switched = {
        column: int(moved.loc[moved["first"] == number, "positives"].sum())
        for number, column in enumerate(columns)
    }
    crossings = []
    for each in _crossings(found[found["part"] == "pairs"], columns, of_rows=not question.cluster):
        several = max(switched[each.first], switched[each.second])
        if several > FEW * _users(found):
            each = _rows_in_both(log, asked, each.first, each.second)
        crossings.append(replace(each, left_out=several))
    return CountedArms(
        logs=logs,
        outside=outside,
        user_count=_users(found),
        all_users=all_users,
        switched=switched,
        stayed={column: _stayed(users, attribute, orders.get(column, ())) for column, users in began.items()},
        unclear={
            column: _stayed(users[users["arm"].isna()].assign(arm=""), attribute, orders.get(column, ())).sum(
                axis=1
            )
            for column, users in began.items()
        },
        crossings=tuple(crossings),
        fingerprint=log.fingerprint(rows=int(counted.loc[counted["first"] == 0, "rows"].sum())),
    )


def _arm_of(rows: ir.Table, column: str) -> dict[str, Any]:
    return {"arm": rows[column].cast("string")}


def _stayed(users: pd.DataFrame, attribute: str | None, order: Sequence[str]) -> pd.DataFrame:
    refuse_many(users["other"].nunique(), attribute)
    users = users.assign(other=users["other"].fillna(""))
    if order:
        places = users["other"].astype(np.int64)
        users = users.assign(other=pd.Categorical.from_codes(places.tolist(), pd.Index(list(order))))
    table = users.pivot_table(
        index="other", columns="arm", values="rows", aggfunc="sum", fill_value=0, observed=True
    )
    return table.astype(np.int64)


def _users(found: pd.DataFrame) -> int:
    return int(found.loc[found["part"] == "users", "rows"].max()) if (found["part"] == "users").any() else 0


def example_of_switching(
    question: Question, log: inputs.Table, column: str, asked: Sequence[str]
) -> tuple[Any, str, str]:
    """A user in several arms of `column`, and two of these arms; a pass of its own."""
    t = inputs.as_groups(question.joined(log), column).expr
    arm = _among(t[column], asked)
    people = t.group_by(user=t[question.cluster]).aggregate(low=arm.min(), high=arm.max())
    example = log.run(people.filter(people.low != people.high).order_by("user").limit(1)).iloc[0]
    return example["user"], str(example["low"]), str(example["high"])


def _among(arm: Any, asked: Sequence[str]) -> Any:
    """The arm of a row, null where only others were asked for; one alone names the baseline of all."""
    return ibis.cases((arm.cast("string").isin(list(asked)), arm)) if len(asked) > 1 else arm


def _arms_query(question: Question, log: inputs.Table, asked: Mapping[str, Sequence[str]]) -> ir.Table:
    """Counts of all arms; without a user column, also of the rows that two experiments have in common."""
    t, columns = log.expr, list(asked)
    arms = {f"arm_{number}": t[column] for number, column in enumerate(columns)}
    cells = question.by_group(t.group_by(**arms, **question.keys(log)).aggregate(**question.counts(log)))
    parts = [_arms_part(question, cells, number) for number in range(len(columns))]
    for first, second in [] if question.cluster else combinations(range(len(columns)), 2):
        known = cells.filter(
            *(_among(cells[f"arm_{number}"], asked[columns[number]]).notnull() for number in (first, second))
        )
        pair = known.group_by(a=known[f"arm_{first}"], b=known[f"arm_{second}"])
        parts.append(_pairs_part(first, second, pair.aggregate(rows=known.rows.sum()), cells.group.type()))
    return reduce(lambda above, below: above.union(below), parts)


def _users_query(
    question: Question,
    log: inputs.Table,
    asked: Mapping[str, Sequence[str]],
    buckets: int,
    attribute: str | None,
    orders: Mapping[str, Sequence[str]],
) -> ir.Table:
    """How many users are in several arms of each experiment, and in each pair of arms of two experiments."""
    t = log.expr
    if buckets < BUCKETS:
        t = t.filter(question.keys(log)["bucket"] < buckets)
    arms = [_among(t[column], arms) for column, arms in asked.items()]
    ends = {f"low_{number}": arm.min() for number, arm in enumerate(arms)}
    ends |= {f"high_{number}": arm.max() for number, arm in enumerate(arms)}
    if attribute:
        # In the order of its type: of days 2 and 10 the first is 2.
        ends["value"] = t[attribute].min().cast("string")
        for number, column in enumerate(asked):
            if column in orders:
                ends |= _beginning(number, arms[number], place_in(t[attribute], orders[column]))
    people = t.group_by(user=t[question.cluster]).aggregate(**ends)
    group_type = "string" if len(question.groups) > 1 else t[question.group].type()
    parts = [_users_part(people, number, group_type) for number in range(len(asked))]
    parts += [_stayed_part(people, number, group_type) for number in range(len(asked))]
    for first, second in combinations(range(len(asked)), 2):
        stayed = people.filter(
            people[f"low_{first}"] == people[f"high_{first}"],
            people[f"low_{second}"] == people[f"high_{second}"],
        )
        pair = stayed.group_by(a=stayed[f"low_{first}"], b=stayed[f"low_{second}"])
        parts.append(_pairs_part(first, second, pair.aggregate(rows=stayed.count()), group_type))
    return reduce(lambda above, below: above.union(below), parts)


def _arms_part(question: Question, cells: ir.Table, number: int) -> ir.Table:
    keys = {"arm": cells[f"arm_{number}"], "group": cells.group}
    if question.cluster:
        keys["bucket"] = cells.bucket
    counted = ("rows", "positives", inputs.PROBLEMS, inputs.UNSEEN)
    sums = {name: cells[name].sum() for name in counted if name in cells.columns}
    made = cells.group_by(**keys).aggregate(**sums).limit(MOST_COUNTS + 1)
    bucket = made.bucket if question.cluster else 0
    return _part(
        "arms", number, made, made.group.type(), arm=made.arm, group=made.group, bucket=bucket,
        **{name: made[name] for name in sums},
    )  # fmt: skip


def _pairs_part(first: int, second: int, table: ir.Table, group_type: Any) -> ir.Table:
    table = table.limit(MOST_ARMS**2)
    values = {"second": second, "arm": table.a, "other": table.b, "rows": table.rows}
    return _part("pairs", first, table, group_type, **values)


def _users_part(people: ir.Table, number: int, group_type: Any) -> ir.Table:
    moved = (people[f"low_{number}"] != people[f"high_{number}"]).cast("int64").sum()
    made = people.aggregate(rows=people.count(), positives=ibis.coalesce(moved, 0))
    return _part("users", number, made, group_type, rows=made.rows, positives=made.positives)


def _beginning(number: int, arm: Any, place: Any) -> dict[str, Any]:
    """The first place at which a user is in an arm, with the lowest arm there, and with the highest.

    In one pass and for every type of arm: as texts whose first two characters are the place, and its
    complement. A row without an arm has no text.
    """
    arm = arm.cast("string")
    return {
        f"first_{number}": (place.cast("string").lpad(2, "0") + arm).min(),
        f"last_{number}": ((MOST_VALUES - 1 - place).cast("string").lpad(2, "0") + arm).max(),
    }


def _stayed_part(people: ir.Table, number: int, group_type: Any) -> ir.Table:
    """Users by arm, null where they are in several, and by value of the attribute or place of that value."""
    low, high = people[f"low_{number}"].cast("string"), people[f"high_{number}"].cast("string")
    value = people["value"] if "value" in people.columns else ibis.literal("")
    if f"first_{number}" in people.columns:
        first, last = people[f"first_{number}"], people[f"last_{number}"]
        low, high, value = first.substr(2), last.substr(2), first.substr(0, 2)
    users = people.select(low=low, high=high, value=value).filter(lambda t: t.low.notnull())
    made = users.group_by(arm=ibis.cases((users.low == users.high, users.low)), value=users["value"])
    made = made.aggregate(rows=users.count()).limit((MOST_ARMS + 2) * (MOST_VALUES + 1))
    return _part("stayed", number, made, group_type, arm=made.arm, other=made["value"], rows=made.rows)


def _part(part: str, first: int, table: ir.Table, group_type: Any, **values: Any) -> ir.Table:
    """`table` in the columns that all parts of the answer share."""
    nothing = ibis.null().cast("string")
    arm, other = values.pop("arm", nothing), values.pop("other", nothing)
    columns = {
        "part": ibis.literal(part),
        "first": ibis.literal(first, "int64"),
        "second": ibis.literal(values.pop("second", 0), "int64"),
        "arm": arm.cast("string"),
        "other": other.cast("string"),
        "group": values.pop("group", ibis.null().cast(group_type)),
    }
    for name in ("bucket", "rows", "positives", inputs.PROBLEMS, inputs.UNSEEN):
        value = values.get(name, 0)
        columns[name] = (ibis.literal(value) if isinstance(value, int) else value).cast("int64")
    return table.select(**columns)


def _by_arm(
    question: Question, counted: pd.DataFrame, items: pd.DataFrame | None, log: inputs.Table, column: str
) -> dict[str, LogCounts]:
    arms = counted["arm"].unique().tolist()
    if len(arms) > MOST_ARMS:
        raise _looks_like_an_id(log, column)
    return {
        arm: question.tabulate(
            counted[counted["arm"] == arm], None if items is None else items[items["arm"] == arm]
        )
        for arm in sorted(arms, key=_in_order)
    }


def _in_order(arm: str) -> tuple[bool, float, str]:
    """Numbers by their size, then words: 2 comes before 10."""
    try:
        return False, float(arm), arm
    except ValueError:
        return True, 0.0, arm


def _crossings(pairs: pd.DataFrame, columns: Sequence[str], *, of_rows: bool) -> list[Crossing]:
    return [
        _crossing(
            columns[first],
            columns[second],
            pairs[(pairs["first"] == first) & (pairs["second"] == second)],
            of_rows=of_rows,
        )
        for first, second in combinations(range(len(columns)), 2)
    ]


def _crossing(first: str, second: str, counted: pd.DataFrame, *, of_rows: bool) -> Crossing:
    table = counted.pivot_table(index="arm", columns="other", values="rows", aggfunc="sum", fill_value=0)
    return Crossing(first, second, table.astype(np.int64), of_rows)


def _rows_in_both(log: inputs.Table, asked: Mapping[str, Sequence[str]], first: str, second: str) -> Crossing:
    """A pass of its own, where users are in several arms."""
    t = log.expr
    arms = t.select(arm=_among(t[first], asked[first]), other=_among(t[second], asked[second]))
    known = arms.filter(arms.arm.notnull(), arms.other.notnull())
    counted = known.group_by(arm=known.arm.cast("string"), other=known.other.cast("string"))
    made = counted.aggregate(rows=known.count()).limit(MOST_ARMS**2)
    return _crossing(first, second, log.run(made), of_rows=True)


def _looks_like_an_id(log: inputs.Table, column: str) -> InputError:
    return InputError(
        f"{log.name}: column {column!r} has more than {MOST_ARMS} values: it looks like an id and not like "
        "the arms of an experiment; name a column that says which arm a row belongs to."
    )
