"""Does what is drawn depend on the day, or on who the user is? Draws of items within each value of a column.

With a_cv the draws of the items by user c in value v (vectors over items), n_cv their number, N_v the draws
in v, N all draws, r_v = N_v/N and p the share of each item among all draws, user c adds

    s_cv = a_cv - r_v a_c - (n_cv - r_v n_c) p

to how much the draws of v differ from N_v p. It has mean 0 if items have the same chances in all values,
whatever these chances are: items that are unequal in the same way everywhere are for `random_items` to tell.
Over pairs of different users c and c'

    T = sum_cc' (sum_v a_cv a_c'v/N_v - a_c a_c'/N) + |p|^2 sum_c (sum_v n_cv^2/N_v - n_c^2/N)

has mean 0 then, with |p|^2 from such pairs as well, sum_cc' a_c a_c' / sum_cc' n_c n_c'. Its law is that of
sum_cc' sum_v s_cv s_c'v/N_v with turned signs of users (`evenhand.stats.sign_flips`), each with all values.
The sum itself would not do for T: p holds the draws of the user who is held against it, which makes a heavy
user agree with others. With e_cv = a_cv - n_cv p, and K the sum over c in T that |p|^2 is taken times, T also
has in it what each user adds by himself,

    l_c = 2 p (e_c n_c/N - sum_v e_cv n_cv/N_v + K e_c (N - n_c)/(N^2 - sum_c n_c^2)),

which is 0 where items have equal chances. Where a few items have most, and a few users, it is most of T. So
it is turned with the signs, too; without it such logs alarmed in 12 to 36%. T M/N is the variance of chances
between values, in squares of the mean one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis.expr.types as ir
import numpy as np
import pandas as pd
from scipy import sparse

from evenhand import inputs
from evenhand.arrays import Ints
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.logs.cautions import LEAST_CLUSTERS
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.preparation import dependence
from evenhand.opportunity.measures import Array
from evenhand.opportunity.random_log.draws import draws_of
from evenhand.parameters import shown
from evenhand.stats.sign_flips import agreement

# Pairs of users within a bucket are lost, one in so many; more buckets only make more cells.
BUCKETS = 128
MOST_VALUES = 1_000
# Buckets of users x items x values; of more, items are taken in buckets too.
MOST_DRAWN = 2_000_000
DEPENDS = (
    "What random traffic draws depends on {column} (p = {p:.2g}): users who have nothing to do with each "
    "other were shown the same items more often where their {column} is the same. Random traffic of one "
    "{column} does not stand for another; see what draws it. Items that came or went meanwhile do this too."
)


def columns_of(item_by: str | Sequence[str] | None, item: str | None) -> tuple[str, ...]:
    """The names that `item_by` has."""
    columns = (item_by,) if isinstance(item_by, str) else () if item_by is None else item_by
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) and name for name in columns):
        raise InputError(f"item_by is {shown(item_by)}, but must be the name of a column, or several names.")
    if columns and item is None:
        raise InputError("item_by is given, but not item: name the column with the item's id, too.")
    return tuple(dict.fromkeys(columns))


def items_by(
    random: inputs.Table,
    question: Question,
    item: str,
    shelf: ir.Table,
    items: int,
    column: str,
    day: str | None,
    common: dict[str, Any],
    seed: int,
) -> Finding:
    """`random_items_by`: how much the chances of `items` items differ between values of `column`."""
    if column in (*question.labels, *question.clusters, question.probability, item):
        raise InputError(
            f"item_by is {column!r}, which is something else too; name a column of the time or of the user."
        )
    random.require(column)
    about = common | {"about": {**common["about"], "items_by": column}}

    def not_told(why: str) -> Finding:
        said = f"Whether the items that random traffic draws depend on {column} cannot be told {why}"
        return Finding(measure="random_items_by", estimate=None, warnings=(said,), **about)

    if question.cluster is None:
        return not_told("without users, who repeat what they are shown: name the user column as the cluster.")
    values = random.expr[column]
    if column == day or values.type().is_timestamp():
        values = inputs.day_key(random, column)(values)
    values = values.cast("string").fill_null("evenhand_missing")  # no name that a value may have
    count = int(random.run(values.nunique().as_table()).to_numpy()[0, 0])
    if not 2 <= count <= MOST_VALUES:
        return not_told(f"from {count:,} values: there must be from 2 to {MOST_VALUES:,}.")
    drawn = _draws(random, draws_of(random, question, item, shelf, BUCKETS, value=values), count)
    drawn = drawn.sort_values(["user", "value", "item"])
    draws = drawn["draws"].to_numpy(dtype=float)
    users, at, things = (pd.factorize(drawn[key])[0] for key in ("user", "value", "item"))
    if len(drawn) == 0 or users.max() + 1 < LEAST_CLUSTERS:
        return not_told(f"from fewer than {LEAST_CLUSTERS} buckets of {question.cluster}.")
    found, products, linear, pairs = by_value(draws, users, at, things)
    p = agreement(products, np.random.default_rng(seed), found, linear)[1]
    return Finding(
        measure="random_items_by",
        estimate=float(np.sqrt(max(0.0, found) * items / pairs)) if pairs > 0 else None,
        p_value=p,
        details={"items": items, "values": int(at.max()) + 1, "users_in_buckets": int(users.max()) + 1},
        warnings=(DEPENDS.format(column=column, p=p),) if p <= 0.05 else (),
        assumptions=(dependence(question.clusters[:1]),),
        **about,
    )


def by_value(draws: Array, users: Ints, values: Ints, items: Ints) -> tuple[float, Array, Array, float]:
    """T, its products of c and c', l_c, and the draws N less those that only tell of one user.

    A cell each of a user, a value and an item, all numbered from 0.
    """
    people, several, things = (int(numbers.max()) + 1 for numbers in (users, values, items))
    table = sparse.csr_array((draws, (users, items)), shape=(people, things))
    parts = sparse.csr_array((draws, (values * people + users, items)), shape=(several * people, things))
    sizes: Array = np.asarray(parts.sum(axis=1)).reshape(several, people)
    own, of_value, whole = sizes.sum(axis=0), sizes.sum(axis=1, keepdims=True), sizes.sum()
    scaled = draws / np.sqrt(of_value[values, 0])
    wide = sparse.csr_array((scaled, (users, values * things + items)), shape=(people, several * things))
    together = (table @ table.T).toarray()
    products = (wide @ wide.T).toarray() - together / whole
    alone = (sizes**2 / of_value).sum()
    known = whole**2 - (own**2).sum()
    only_own = alone - (own**2).sum() / whole
    found = _between(products) + _between(together) / known * only_own
    share, mean = of_value / whole, np.asarray(table.sum(axis=0)).ravel() / whole
    along, square = (parts @ mean).reshape(several, people), float(mean @ mean)
    excess, expected = sizes - share * own, along - share * along.sum(axis=0)
    crossed = (expected / of_value).T @ excess
    products += (excess / of_value).T @ excess * square - crossed - crossed.T
    # With p of the others: a user who has most draws is hardly different from a p that holds his own.
    beside = (along - sizes * square) * whole / np.maximum(whole - own, 1)
    linear = beside.sum(axis=0) * (own / whole + only_own / known * (whole - own))
    linear -= (beside * sizes / of_value).sum(axis=0)
    return float(found), products, 2 * linear, float(whole - alone)


def _between(products: Array) -> float:
    """The sum over pairs of different users."""
    return float(products.sum() - np.trace(products))


def _draws(random: inputs.Table, known: ir.Table, values: int) -> pd.DataFrame:
    found = random.run(known.limit(MOST_DRAWN + 1))
    if len(found) <= MOST_DRAWN:
        return found
    buckets = 1 << max(4, (MOST_DRAWN // (BUCKETS * values)).bit_length() - 1)
    bucketed = known.group_by(known.user, known["value"], item=inputs.bucket(known["item"], buckets))
    return random.run(bucketed.aggregate(draws=known.draws.sum()))
