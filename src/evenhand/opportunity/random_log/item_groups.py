"""Are the items of a group, all together, drawn as often as others? And which items are of which group?

With s_ck the draws of group k by user c, less its share of the items among all draws of c, |sum_c s_ck| is
held against its largest value over groups with signs of users turned. The items of a group may all be drawn
too seldom where items on the whole hardly differ, as it has few.

Where the log alone tells the groups, an item that was never drawn is in none that is known. Uniform draws
miss as large a part of each, but draws with probabilities miss those that are drawn seldom: there any number
of these items may be of any group, and a group is off by what it is beyond that.
"""

from __future__ import annotations

from dataclasses import replace

import ibis.expr.types as ir
import numpy as np
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.opportunity.logs.counting import BUCKETS, Question
from evenhand.opportunity.measures import Array
from evenhand.opportunity.random_log.draws import draws_of
from evenhand.stats.sign_flips import p_value, signs

# Uniform logs in which any group is told, at most.
SURPRISING = 0.01
# Of a group of which fewer draws are expected nothing is said.
LEAST_OF_A_GROUP = 50
# A catalogue tells the groups where so many rows of the log agree: else its column is something else.
AGREE = 0.95
# Groups of a log are of items where so few of those that were drawn again have several: one that has moved to
# another group is left out, and of groups of users nearly all have several.
SEVERAL = 0.05


def groups_apart(
    random: inputs.Table,
    question: Question,
    item: str,
    shelf: ir.Table,
    catalogue: inputs.Table | None,
    seed: int,
) -> dict[str, float]:
    """Groups whose items are surely not drawn as often as an average item, and how many times as often.

    Nothing where groups are not of items. Where the catalogue does not tell them, what is found is too little
    rather than too much.
    """
    known, by_catalogue = _groups_of_items(random, question, item, catalogue)
    weighted = question.probability is not None and not by_catalogue
    if known is None or (weighted and catalogue is None):
        return {}
    offered = shelf.inner_join(known, "item")
    counted = random.run(offered.group_by("group").aggregate(items=offered.count()))
    held = counted.set_index("group")["items"].sort_index()
    draws = draws_of(random, question, item, shelf, BUCKETS).inner_join(known, "item")
    # Decimals, as sums of floats depend on the order of the rows.
    sums = {"draws": draws.draws, "squares": draws.draws**2}
    sums = {name: part.cast("decimal(38, 6)").sum() for name, part in sums.items()}
    drawn = random.run(draws.group_by("user", "group").aggregate(**sums))
    if len(held) < 2 or drawn.empty:
        return {}
    drawn = drawn.astype(dict.fromkeys(sums, float)).sort_values(["user", "group"])
    table = drawn.pivot_table(index="user", columns="group", values="draws", aggfunc="sum", fill_value=0.0)
    own = table.reindex(columns=held.index, fill_value=0.0).to_numpy(dtype=float)
    unseen = 0
    if weighted:
        seen = random.expr.select(item=random.expr[item]).distinct()
        unseen = int(random.run(shelf.anti_join(seen, "item").count().as_table()).to_numpy()[0, 0])
    of_group = drawn.groupby("group")["squares"].sum().reindex(held.index, fill_value=0.0)
    chances, sure = surely_apart(
        own, of_group.to_numpy(dtype=float), held.to_numpy(dtype=float), unseen, seed
    )
    names = [f"{question.group} = {name}" for name in held.index]
    return {
        name: float(chance) for name, chance, is_sure in zip(names, chances, sure, strict=True) if is_sure
    }


def surely_apart(
    own: Array, squares: Array, items: Array, unseen: int, seed: int
) -> tuple[Array, NDArray[np.bool_]]:
    """How many times as often as an average item those of each group are drawn, and whether that is sure.

    `own` are draws by user and group, `squares` those of a user and an item, squared and added up, by group.
    `unseen` are items that may be of any group, and were never drawn.
    """
    draws = own.sum(axis=0)
    share, every = draws / draws.sum(), items.sum() + unseen
    shares = np.clip(share, items / every, (items + unseen) / every) if unseen else items / every
    apart, expected = own - own.sum(axis=1, keepdims=True) * shares, draws.sum() * shares
    # What a draw of the group weighs: all that a user has of an item is one draw, which came again and again.
    # At least what any draw does, as the heaviest of a group may happen to be missing.
    weights = np.divide(squares, draws, out=np.zeros(len(items)), where=draws > 0)
    weights = np.maximum(weights, squares.sum() / draws.sum())
    # Of few draws signs of users know too little; what they vary by is at least what rows would. What is
    # turned is held against its own spread: else a group that lacks its heaviest draws has both too small.
    spread = np.sqrt((apart**2).sum(axis=0))
    alone = np.maximum(spread, np.sqrt(expected * weights * (1 - shares)))
    few = (expected < LEAST_OF_A_GROUP * weights) | (spread == 0)
    alone[few] = spread[few] = np.inf
    found = np.abs(apart.sum(axis=0)) / alone
    turned = np.abs(signs(len(apart), np.random.default_rng(seed)) @ apart) / spread
    return share / shares, p_value(found, turned.max(axis=1)[:, None]) <= SURPRISING


def _groups_of_items(
    random: inputs.Table, question: Question, item: str, catalogue: inputs.Table | None
) -> tuple[ir.Table | None, bool]:
    """Items and their `group`, those of several left out, and whether they are by the catalogue, which has
    those that were never drawn, or by the log. None where groups are not of items."""
    asked = replace(question, labels=(), clusters=(), where={})
    drawn = _pairs(asked, random, item)
    if catalogue is not None:
        # A catalogue that has the groups itself may be the very table of attributes.
        has_groups = set(question.groups) <= set(catalogue.columns)
        of_catalogue = replace(asked, attribute_table=None, on=()) if has_groups else asked
        try:
            offered = _pairs(of_catalogue, catalogue.on_backend_of(random), item)
        except InputError:  # it does not say of which group an item is
            offered = None
        if offered is not None and _agree(random, drawn, offered):
            return _of_one_group(offered), True
    items = drawn.group_by("item").aggregate(rows=drawn.rows.sum(), groups=drawn["group"].nunique())
    again = items.filter(items.rows > 1)
    counted = random.run(again.aggregate(items=again.count(), several=(again.groups > 1).sum()))
    number, several = (int(each or 0) for each in counted[["items", "several"]].to_numpy()[0])
    return None if several > SEVERAL * number else _of_one_group(drawn), False


def _pairs(asked: Question, table: inputs.Table, item: str) -> ir.Table:
    """Items and their groups, with the number of rows."""
    joined = asked.joined(table)
    t = joined.expr
    made = asked.by_group(t.group_by(item=t[item], **asked.keys(joined)).aggregate(rows=t.count()))
    return made.filter(made["group"].notnull())


def _of_one_group(pairs: ir.Table) -> ir.Table:
    items = pairs.group_by("item").aggregate(group=pairs["group"].min(), groups=pairs["group"].nunique())
    return items.filter(items.groups == 1).select("item", "group")


def _agree(random: inputs.Table, drawn: ir.Table, offered: ir.Table) -> bool:
    """Whether hardly any row of the log is of another group than its item is in the catalogue."""
    one = _of_one_group(offered).rename({"there": "group"})
    if drawn["group"].type() != one.there.type():
        return False
    both = drawn.inner_join(one, "item")
    same = both.rows * (both["group"] == both.there).cast("int64")
    counted = random.run(both.aggregate(rows=both.rows.sum(), same=same.sum()))
    rows, alike = (int(each or 0) for each in counted[["rows", "same"]].to_numpy()[0])
    return rows > 0 and alike >= AGREE * rows
