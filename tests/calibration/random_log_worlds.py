"""Random logs that are random, in five ways, and some that are not: draws of items by user."""

import numpy as np
import pandas as pd

from evenhand.opportunity import audit, compare
from evenhand.opportunity.random_log.by_column_findings import by_value
from evenhand.opportunity.random_log.item_groups import surely_apart
from evenhand.stats.sign_flips import agreement

ITEMS, USERS, DRAWS = 300, 200, 10


def draws(kind: str, rng: np.random.Generator, spread: float = 0.0) -> np.ndarray:
    """Draws of each item, users x items, each with its weight. `spread` is the log-normal one of the chances
    of items."""
    chances = np.exp(rng.normal(0, spread, ITEMS))
    sizes, weights, times = np.full(USERS, DRAWS), np.ones(ITEMS), np.ones(USERS * DRAWS, dtype=int)
    if kind == "heavy users":
        sizes = np.minimum(1 + (rng.pareto(1.2, USERS) * DRAWS / 4).astype(int), 2_000)
        times = np.ones(sizes.sum(), dtype=int)
    if kind == "refreshes":
        times = rng.integers(1, 5, USERS * DRAWS)
    if kind == "weighted":
        weights = rng.uniform(0.2, 2, ITEMS)
    chances = chances * weights / (chances * weights).sum()
    if kind == "slates without replacement":
        # Gumbel's trick: the largest of perturbed log chances are a sample without replacement.
        items = np.argsort(-np.log(chances) - rng.gumbel(size=(USERS, ITEMS)), axis=1)[:, :DRAWS].ravel()
    else:
        items = rng.choice(ITEMS, size=sizes.sum(), p=chances)
    table = np.zeros((USERS, ITEMS))
    np.add.at(table, (np.repeat(np.arange(USERS), sizes), items), times / weights[items])
    return table


KINDS = ["independent", "slates without replacement", "refreshes", "heavy users", "weighted"]


def p_values(kind: str, runs: int, spread: float = 0.0, seed: int = 7) -> np.ndarray:
    """Of the test on a catalogue of all items."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        table = draws(kind, rng, spread)
        sizes = table.sum(axis=1)
        found.append(agreement(table @ table.T - np.outer(sizes, sizes) / ITEMS, rng)[1])
    return np.array(found)


# How many values a column has, whether all draws of a user are of one (his country) or not (days), how users
# draw, and whether values have rows alike.
COLUMNS = {
    "days": (8, False, "independent", True),
    "days, sparse": (8, False, "independent", False),
    "days, slates without replacement": (8, False, "slates without replacement", True),
    "days, refreshes": (8, False, "refreshes", True),
    "days, heavy users": (8, False, "heavy users", True),
    "days, weighted": (8, False, "weighted", True),
    "countries": (3, True, "independent", True),
    "countries, sparse": (12, True, "independent", False),
    "countries, heavy users": (12, True, "heavy users", False),
}
FEWER, SHOWN = 100, 120  # users and items


def draws_by(
    column: str, rng: np.random.Generator, spread: float = 0.0, shift: float = 0.0, favourite: bool = False
):
    """Draws, users, values of a column and items, a row each. `spread` as above, for all values alike;
    `shift` is that of the chances of items between values. A `favourite` is one item that half of all draws
    are of, everywhere."""
    several, of_user, kind, alike = COLUMNS[column]
    often = np.full(several, 1 / several) if alike else rng.dirichlet(np.full(several, 0.3))
    weights = rng.uniform(0.2, 2, SHOWN) if kind == "weighted" else np.ones(SHOWN)
    chances = weights * np.exp(rng.normal(0, spread, SHOWN) + rng.normal(0, shift, (several, SHOWN)))
    if favourite:
        chances[:, 0] = chances[:, 1:].sum(axis=1)
    sizes = np.full(FEWER, DRAWS)
    if kind == "heavy users":
        sizes = np.minimum(1 + (rng.pareto(1.2, FEWER) * DRAWS / 4).astype(int), 2_000)
    users = np.repeat(np.arange(FEWER), sizes)
    if kind == "slates without replacement":
        # Two slates a user, each of one day.
        days = rng.choice(several, size=2 * FEWER, p=often)
        values, first = np.repeat(days, DRAWS // 2), np.log(chances[days])
        items = np.argsort(-first - rng.gumbel(size=first.shape), axis=1)[:, : DRAWS // 2].ravel()
    else:
        drawn = rng.choice(several, size=FEWER if of_user else len(users), p=often)
        values = drawn[users] if of_user else drawn
        up_to = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
        items = np.minimum((rng.random(len(users))[:, None] > up_to[values]).sum(axis=1), SHOWN - 1)
    times = rng.integers(1, 5, len(users)) if kind == "refreshes" else 1
    return times / weights[items], users, np.unique(values, return_inverse=True)[1], items


def p_values_by(column: str, runs: int, seed: int = 8, **chances: float) -> np.ndarray:
    """Of the test whether what is drawn depends on the column; `chances` of items as in `draws_by`."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        total, products, linear, _ = by_value(*draws_by(column, rng, **chances))
        found.append(agreement(products, rng, total, linear)[1])
    return np.array(found)


def p_values_of_counts(kind: str, runs: int, seed: int = 11) -> dict[str, np.ndarray]:
    """Of rows that repeat what a user had, and of items that were never drawn, by the audit itself."""
    rng = np.random.default_rng(seed)
    catalogue = pd.DataFrame({"item": np.arange(ITEMS)})
    found: dict[str, list[float]] = {"random_repeats": [], "random_missing": []}
    for _ in range(runs):
        table = draws(kind, rng).astype(int)
        user, item = (np.repeat(place, table[table > 0]) for place in np.nonzero(table))
        log = pd.DataFrame(
            {"user_id": user, "item": item, "group": item % 2, "liked": (item % 3 == 0).astype(int)}
        )
        result = audit(log.head(500), log, "liked", "group", "user_id", item="item", catalogue=catalogue)
        for measure, values in found.items():
            values.append(result.find(measure).p_value or 0.0)
    return {measure: np.array(values) for measure, values in found.items()}


def fair_audit(
    rng: np.random.Generator, chance: float, few: int = 15, heavy: bool = False, moved: bool = False
):
    """A fair system; the first `few` items, a group of their own, are drawn so many times as often as others
    into the random log, where a few users may have most draws. The first may have `moved` to the others."""
    users, rows = 1_000, 30_000
    chances = np.where(np.arange(ITEMS) < few, chance, 1.0)
    activity = 0.2 + rng.pareto(1.2, users) if heavy else np.ones(users)
    items = rng.integers(0, ITEMS, rows), rng.choice(ITEMS, rows, p=chances / chances.sum())
    stays = np.arange(rows) < rows / 2 if moved else True
    logs = [
        pd.DataFrame(
            {
                "user_id": rng.choice(users, rows, p=activity / activity.sum()),
                "item": item,
                "group": np.where((item < few) & ((item > 0) | stays), "few", "others"),
                "liked": (rng.random(rows) < 0.1).astype(int),
            }
        )
        for item in items
    ]
    catalogue = pd.DataFrame({"item": np.arange(ITEMS)})
    return audit(*logs, "liked", "group", "user_id", item="item", catalogue=catalogue)


def of_many_items(rng: np.random.Generator, chance: float, told: bool = True):
    """A fair system of more items than there are draws; those of a twentieth, a group of their own, are drawn
    so many times as often as others. The catalogue tells the groups or not."""
    items, users, rows = 200_000, 1_500, 30_000
    few = items // 20
    drawn = rng.random(rows) < few * chance / (few * chance + items - few)
    shown = rng.integers(0, items, rows)
    random = np.where(drawn, rng.integers(0, few, rows), rng.integers(few, items, rows))
    logs = [
        pd.DataFrame(
            {
                "user_id": rng.integers(0, users, rows),
                "item": item,
                "group": np.where(item < few, "few", "others"),
                "liked": (rng.random(rows) < 0.1).astype(int),
            }
        )
        for item in (shown, random)
    ]
    catalogue = pd.DataFrame({"item": np.arange(items)})
    if told:
        catalogue["group"] = np.where(catalogue["item"] < few, "few", "others")
    return audit(*logs, "liked", "group", "user_id", item="item", catalogue=catalogue)


def with_weights(rng: np.random.Generator):
    """A fair system; users have from 5 to all of the items as candidates, and the probability with which each
    row was drawn is known. Thirty groups by Zipf's law."""
    items, users, rows = 400, 400, 10
    shares = 1 / np.arange(1, 31)
    group = np.sort(
        rng.permutation(np.resize(np.repeat(np.arange(30), np.ceil(99 * shares).astype(int)), items))
    )
    candidates = np.exp(rng.uniform(np.log(5), np.log(items), users)).astype(int)
    drawn = [rng.choice(rng.permutation(items)[:number], rows) for number in candidates]
    random = pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(users), rows),
            "item": np.concatenate(drawn),
            "p": 0.005 / np.repeat(candidates, rows),
        }
    )
    default = pd.DataFrame({"user_id": rng.integers(0, users, 4_000), "item": rng.integers(0, items, 4_000)})
    logs = [
        log.assign(group=group[log["item"]], liked=(rng.random(len(log)) < 0.3).astype(int))
        for log in (default, random)
    ]
    catalogue = pd.DataFrame({"item": np.arange(items)})
    return audit(*logs, "liked", "group", "user_id", probability="p", item="item", catalogue=catalogue)


def with_weights_of_items(rng: np.random.Generator, rows: int = 4_000, chance: float = 1.0):
    """A fair system; half of the items are a group, of which each is drawn a third as often as of the others,
    as is known, or `chance` times as often as that. The catalogue does not tell the groups, and of 4,000 rows
    a third of that group are never drawn."""
    items, users = 2_000, 300
    known = np.where(np.arange(items) % 2, 1 / 3, 1.0)
    chances = np.where(np.arange(items) % 2, chance / 3, 1.0)
    drawn = rng.choice(items, rows, p=chances / chances.sum())
    random = pd.DataFrame({"user_id": rng.integers(0, users, rows), "item": drawn, "p": known[drawn]})
    default = pd.DataFrame({"user_id": rng.integers(0, users, 8_000), "item": rng.integers(0, items, 8_000)})
    logs = [
        log.assign(
            group=np.where(log["item"] % 2, "odd", "even"),
            liked=(rng.random(len(log)) < 0.2).astype(int),
        )
        for log in (default, random)
    ]
    catalogue = pd.DataFrame({"item": np.arange(items)})
    return audit(*logs, "liked", "group", "user_id", probability="p", item="item", catalogue=catalogue)


def with_refreshes(rng: np.random.Generator):
    """A fair system; 60 users have ten draws each, which come again and again, some hundreds of times.
    A group has one item in twenty."""
    users, draws, few = 60, 10, 15
    times = np.minimum(1 + (rng.pareto(1, users * draws) * 3).astype(int), 300)
    random = pd.DataFrame(
        {
            "user_id": np.repeat(np.repeat(np.arange(users), draws), times),
            "item": np.repeat(rng.integers(0, ITEMS, users * draws), times),
        }
    )
    default = pd.DataFrame({"user_id": rng.integers(0, users, 4_000), "item": rng.integers(0, ITEMS, 4_000)})
    logs = [
        log.assign(
            group=np.where(log["item"] < few, "few", "others"),
            liked=(rng.random(len(log)) < 0.3).astype(int),
        )
        for log in (default, random)
    ]
    catalogue = pd.DataFrame({"item": np.arange(ITEMS)})
    return audit(*logs, "liked", "group", "user_id", item="item", catalogue=catalogue)


def surely_apart_of_refreshes(rng: np.random.Generator) -> bool:
    """Whether a group with one item in ten is told, of 1,000 users with ten uniform draws each, which come
    again and again: a few of them are most of what the group has."""
    users, drawn, few = 1_000, 10, 30
    times = np.minimum(1 + (rng.pareto(1.5, users * drawn) * 2).astype(int), 200)
    table = np.zeros((users, ITEMS))
    np.add.at(table, (np.repeat(np.arange(users), drawn), rng.integers(0, ITEMS, users * drawn)), times)
    groups = np.eye(2)[(np.arange(ITEMS) >= few).astype(int)]
    _, sure = surely_apart(table @ groups, (table**2).sum(axis=0) @ groups, groups.sum(axis=0), 0, 1)
    return bool(sure.any())


def compared(rng: np.random.Generator, bias: float):
    """Control serves two groups 1.15 to .85, treatment alike; of the random log the first group's items have
    `bias` more than an average chance, and the others' as much less."""
    group, rows, users = np.arange(ITEMS) % 2, 40_000, 3_000

    def log(*often: float) -> pd.DataFrame:
        chances = np.array(often)[group]
        item = rng.choice(ITEMS, rows, p=chances / chances.sum())
        return pd.DataFrame(
            {
                "user_id": rng.integers(0, users, rows),
                "item": item,
                "group": np.array(["a", "b"])[group[item]],
                "liked": (rng.random(rows) < 0.2).astype(int),
            }
        )

    return compare(
        {"control": log(1.15, 0.85), "treatment": log(1, 1)},
        log(1 + bias, 1 - bias),
        "liked",
        "group",
        "user_id",
        item="item",
        catalogue=pd.DataFrame({"item": np.arange(ITEMS)}),
        tolerance=0.05,
    )
