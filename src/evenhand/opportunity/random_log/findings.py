"""Is the random log random? How often each item was drawn, beside what uniform draws would do.

With a_cj draws of item j in the rows of user c (each with its weight 1/p where probabilities are given), n_c
of all items, and M items that could be drawn, s_cj = a_cj - n_c/M has mean 0 if draws are uniform. Users
agree on some items if T = |sum_c s_c|^2 - sum_c |s_c|^2 is larger than chance, found by turning signs of
users (`evenhand.stats.sign_flips`). T is an estimate of how unequal items are: T M / (n^2 - sum_c n_c^2) is
the variance of their chances, in squares of the mean one. What one user has twice, by a refresh or a slate
without replacement, is no evidence: chi-square would alarm at the first, and be blind with the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import ibis.expr.types as ir
import numpy as np
import pandas as pd
from scipy import sparse, stats

from evenhand import inputs
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Count, Finding, Verdict
from evenhand.opportunity.logs.cautions import LEAST_CLUSTERS, roughly
from evenhand.opportunity.logs.counting import BUCKETS, Question
from evenhand.opportunity.logs.preparation import dependence
from evenhand.opportunity.measures import Array
from evenhand.opportunity.over_time.lines import tally
from evenhand.opportunity.random_log.by_column_findings import columns_of, items_by
from evenhand.opportunity.random_log.draws import draws_of, shelf_of
from evenhand.opportunity.random_log.item_groups import SURPRISING, groups_apart
from evenhand.parameters import shown
from evenhand.pictures import Day
from evenhand.stats.sign_flips import agreement

# Buckets of users x items that are taken one by one; of more, items are taken in buckets too.
MOST_DRAWN = 2_000_000
ITEM_BUCKETS = 4_096
# Without a catalogue items that were never drawn are not known of, which matters where each is drawn seldom.
LEAST_DRAWS = 10
UNSEEN = (
    "There is no catalogue, so that items which were never drawn cannot be seen: only those in the log are "
    "held against each other. Name the table of all items that could be drawn."
)
NOT_RANDOM = (
    "The random log is not as random as it should be (p = {:.2g}): users who have nothing to do with each "
    "other were shown the same items too often. All numbers that rest on it may be wrong; see what draws it. "
    "Items that came or went meanwhile, or that some users cannot get, do this too: then draws may be right, "
    "but the log has too little of these items."
)
# Where the chances of items are so far apart, typically and beyond chance, nothing that rests on the log is
# decided: what people like could be what it shows. Of uniform logs one in a hundred is so.
FAR_APART = 0.25
# The same of all items of a group: its opportunity is off by as much. So nothing is decided either where that
# is more than the limit of the penalty, or of its difference between arms, which it can turn round.
PENALTIES = ("reo_penalty", "reo_difference", "running_penalty", "daily_penalty")
COME_AND_GONE = " (items that came or went meanwhile do this too)"
COME_AND_GONE_OR_RARE = (
    " (items that came or went meanwhile do this too, and items that known chances hardly ever draw)"
)
GROUP_NOT_DECIDED = (
    "the random log is not random: the items of {} are drawn {:.0%} {} often than an average one"
    + COME_AND_GONE_OR_RARE
)
NOT_DECIDED = (
    "the random log is not random: the chance of an item is typically {:.0%} away from that of an average one"
    + COME_AND_GONE
)

# Items that come and go do this, too, and harm no day by itself: so days are decided all the same.
OF_ONE_DAY = (
    "What random traffic draws depends on {} (p = {:.2g}). If the draws of some days are not random, these "
    "days may look unfair, or fair, by that alone."
)


class _Drawn(NamedTuple):
    """Draws by bucket of users and item, those of what is in the catalogue."""

    table: sparse.csr_array  # buckets of users x items
    chances: Array | None  # of buckets of items; None where all items are equally likely
    items: int
    seen: int
    rows: int
    strangers: int  # rows of items that are not in the catalogue


def checks_of_random(
    random: inputs.Table,
    question: Question,
    item: str | None,
    catalogue: Any,
    item_by: str | Sequence[str] | None,
    audit: str,
    seed: int,
    progress: Callable[[str], None],
    day: str | None = None,
) -> tuple[tuple[Finding, ...], dict[str, Fingerprint]]:
    """What stands before the numbers of `audit` where an `item` is named, and what else was read.

    Of a series it is asked by `day` without being told to, where the random log has that column.
    """
    columns = columns_of(item_by, item)
    if day is not None and day in random.columns:
        columns = tuple(dict.fromkeys((day, *columns)))
    if item is None:
        if catalogue is not None:
            raise InputError("catalogue is given, but not item: name the column with the item's id in both.")
        return (), {}
    if not isinstance(item, str) or not item:
        raise InputError(f"item is {shown(item)}, but must be the name of a column of the random log.")
    progress("looking whether random log is random")
    offered, read = None, {}
    if catalogue is not None:
        offered = inputs.table(catalogue, name="catalogue", engine=random.backend)
        read = {"catalogue": offered.fingerprint()}
    return _findings(random, question, item, offered, columns, day, audit, seed), read


def doubted(findings: Iterable[Finding], checks: Iterable[Finding]) -> tuple[Finding, ...]:
    """What was found with a random log, none of which is decided where the log is far from random."""
    findings = tuple(findings)
    limits = (each.tolerance for each in findings if each.measure in PENALTIES and each.tolerance is not None)
    too_far = min((FAR_APART, *limits))
    far = [
        NOT_DECIDED.format(check.estimate)
        for check in checks
        if check.measure == "random_items"
        and check.estimate is not None
        and check.estimate >= FAR_APART
        and (check.p_value or 0.0) <= SURPRISING
    ]
    far += [
        GROUP_NOT_DECIDED.format(group, abs(chance - 1), "more" if chance > 1 else "less")
        for check in checks
        for group, chance in check.details.get("groups_apart", {}).items()
        if abs(chance - 1) >= too_far
    ]
    return tuple(
        each.amended(doubts=(*far, *each.doubts), more_data=None, **_days_not_decided(each)) if far else each
        for each in findings
    )


def _days_not_decided(finding: Finding) -> dict[str, Any]:
    """What a series says of its days, none of which is decided either: some would still be violations."""
    series = finding.series
    if series is None or finding.tolerance is None:
        return {}
    undecided = {"verdict": Verdict.INCONCLUSIVE.value}
    days = tuple(day.model_copy(update=undecided) if isinstance(day, Day) else day for day in series.days)
    made = series.model_copy(update={"days": days})
    told = tally(Verdict.INCONCLUSIVE.value for _ in series.known)
    return {
        "pictures": tuple(made if one is series else one for one in finding.pictures),
        "details": finding.details | {name: told[name] for name in told.keys() & finding.details.keys()},
    }


def warned_of_days(findings: Iterable[Finding], checks: Iterable[Finding], day: str) -> tuple[Finding, ...]:
    """What was found of single days, with a warning where what is drawn surely depends on the day."""
    said = tuple(
        OF_ONE_DAY.format(day, check.p_value)
        for check in checks
        if check.measure == "random_items_by"
        and check.about["items_by"] == day
        and check.p_value is not None
        and check.p_value <= SURPRISING
    )
    return tuple(
        each.amended(warnings=(*each.warnings, *said)) if said and each.measure.startswith("daily_") else each
        for each in findings
    )


def _findings(
    random: inputs.Table,
    question: Question,
    item: str,
    catalogue: inputs.Table | None,
    columns: Sequence[str],
    day: str | None,
    audit: str,
    seed: int,
) -> tuple[Finding, ...]:
    """`random_items`, `random_items_by` each of the columns, and with users `random_repeats` and, with a
    catalogue too, `random_missing`."""
    cluster = question.cluster
    if item in (*question.labels, *question.groups, cluster, question.probability):
        raise InputError(f"{item!r} is the item and something else too; name the column with the item's id.")
    random.require(item, *([cluster] if cluster else []))
    shelf = shelf_of(random, item, catalogue)
    drawn = _draws(random, question, item, shelf)
    said = [] if catalogue is not None else [UNSEEN]
    if drawn.strangers and catalogue is None:
        raise InputError(f"random log: column {item!r} is empty in {drawn.strangers:,} rows; fill it.")
    if drawn.strangers:
        share = drawn.strangers / (drawn.rows + drawn.strangers)
        said.append(
            f"{roughly(share)} of the rows of the random log are of items that the catalogue does not have, "
            "and are left out of this: complete it."
        )
    common: dict[str, Any] = {
        "audit": audit,
        "about": {"by": {"creators": question.group}},
        "n": Count(drawn.rows, "rows"),
    }
    items = _items(drawn, question, catalogue is not None, tuple(said), common, seed)
    known = items.estimate is not None
    if known and (apart := groups_apart(random, question, item, shelf, catalogue, seed)):
        items = items.amended(details=items.details | {"groups_apart": apart})
    findings = [items]
    findings += [
        items_by(random, question, item, shelf, drawn.items, column, day, common, seed) for column in columns
    ]
    if cluster and drawn.rows:
        pairs, expected = _repeats(random, cluster, item, drawn.items)
        repeats = drawn.rows + drawn.strangers - pairs
        uniform = question.probability is None
        findings.append(
            Finding(
                measure="random_repeats",
                estimate=repeats / (drawn.rows + drawn.strangers),
                p_value=float(stats.poisson.sf(repeats - 1, expected)) if uniform else None,
                details={"rows": repeats, "expected_rows": round(expected)},
                **common,
            )
        )
        if catalogue is not None:
            never = drawn.items - drawn.seen
            # What is in a slate once may not be in it again, and what is repeated says nothing new.
            by_chance = drawn.items * float(np.exp(-(pairs - drawn.strangers) / drawn.items))
            findings.append(
                Finding(
                    measure="random_missing",
                    estimate=never / drawn.items,
                    p_value=float(stats.poisson.sf(never - 1, by_chance)) if uniform else None,
                    details={"items": never, "catalogue": drawn.items, "expected_items": round(by_chance)},
                    **common,
                )
            )
    return tuple(findings)


def _items(
    drawn: _Drawn,
    question: Question,
    complete: bool,
    said: tuple[str, ...],
    common: dict[str, Any],
    seed: int,
) -> Finding:
    def not_told(why: str) -> Finding:
        return Finding(measure="random_items", estimate=None, warnings=(why, *said), **common)

    if question.cluster is None:
        return not_told(
            "Whether random traffic draws all items alike cannot be told without users, who repeat what they "
            "are shown: name the user column as the cluster."
        )
    if drawn.items < 2 or (not complete and drawn.rows < LEAST_DRAWS * drawn.items):
        return not_told(
            f"Whether random traffic draws all items alike cannot be told from {drawn.rows:,} draws of "
            f"{drawn.items:,} items without a catalogue, as one cannot see which were never drawn."
        )
    table = drawn.table
    sizes = np.asarray(table.sum(axis=1)).ravel()
    table, sizes = table[sizes > 0], sizes[sizes > 0]
    if len(sizes) < LEAST_CLUSTERS:
        return not_told(
            f"Whether random traffic draws all items alike cannot be told from {len(sizes)} buckets of "
            f"{question.cluster}."
        )
    products = (table @ table.T).toarray()
    if drawn.chances is None:
        products -= np.outer(sizes, sizes) / drawn.items
    else:
        expected = np.outer(sizes, table @ drawn.chances)
        products += np.outer(sizes, sizes) * (drawn.chances**2).sum() - expected - expected.T
    found, p = agreement(products, np.random.default_rng(seed))
    pairs = sizes.sum() ** 2 - (sizes**2).sum()
    return Finding(
        measure="random_items",
        estimate=float(np.sqrt(max(0.0, found) * drawn.items / pairs)),
        p_value=p,
        details={"items": drawn.items, "users_in_buckets": len(sizes)},
        warnings=((NOT_RANDOM.format(p), *said) if p <= 0.05 else said),
        assumptions=(dependence(question.clusters[:1]),),
        **common,
    )


def _draws(random: inputs.Table, question: Question, item: str, shelf: ir.Table) -> _Drawn:
    known = draws_of(random, question, item, shelf, BUCKETS)
    found, chances = random.run(known.limit(MOST_DRAWN + 1)), None
    if len(found) > MOST_DRAWN:
        found, chances = _in_buckets(random, known, shelf)
    # In one order, whatever the engine's: sums of floats depend on it.
    found = found.sort_values(["user", "item"])
    rows = int(found["rows"].sum())
    column, names = pd.factorize(found["item"])
    if chances is not None:
        column = found["item"].to_numpy(dtype=np.int64)
    table = sparse.csr_array(
        (found["draws"].to_numpy(dtype=float), (found["user"].to_numpy(dtype=np.int64), column)),
        shape=(BUCKETS, max(1, len(names) if chances is None else len(chances))),
    )
    return _Drawn(
        table,
        chances,
        items=_number(random, shelf.count()),
        seen=len(names) if chances is None else _number(random, known.item.nunique()),
        rows=rows,
        strangers=_number(random, random.expr.count()) - rows,
    )


def _number(random: inputs.Table, counted: Any) -> int:
    return int(random.run(counted.as_table()).to_numpy()[0, 0])


def _in_buckets(random: inputs.Table, known: ir.Table, shelf: ir.Table) -> tuple[pd.DataFrame, Array]:
    """Draws by buckets of users and of items, and the share of items in each bucket."""
    made = known.group_by(user=known.user, item=inputs.bucket(known.item, ITEM_BUCKETS)).aggregate(
        draws=known.draws.sum(), rows=known.rows.sum()
    )
    held = shelf.group_by(item=inputs.bucket(shelf.item, ITEM_BUCKETS)).aggregate(items=shelf.count())
    found = random.run(held)
    chances = np.zeros(ITEM_BUCKETS)
    chances[found["item"].to_numpy(dtype=np.int64)] = found["items"].to_numpy(dtype=float)
    return random.run(made), chances / chances.sum()


def _repeats(random: inputs.Table, cluster: str, item: str, items: int) -> tuple[int, float]:
    """Pairs of a user and an item, and the rows beyond them that uniform draws would have."""
    t = random.expr
    pairs = t.group_by(user=t[cluster], item=t[item]).aggregate(rows=t.count())
    users = pairs.group_by("user").aggregate(rows=pairs.rows.sum(), items=pairs.count())
    found = random.run(users.group_by("rows").aggregate(users=users.count(), items=users["items"].sum()))
    found = found.sort_values("rows")
    n = found["rows"].to_numpy(dtype=float)
    different = items * -np.expm1(n * np.log1p(-1 / max(items, 2)))
    return int(found["items"].sum()), float(((n - different) * found["users"].to_numpy(dtype=float)).sum())
