"""The six measures in plain loops over pairs, to hold the fast ones against."""

from collections.abc import Sequence

import numpy as np


def plain_measures(exposure, target, random, user_groups, item_groups, user_weights=None, item_weights=None):
    """name -> (fairness, disparity, relevance, constant); `item_groups` are lists of items."""
    users, items = range(len(exposure)), range(len(exposure[0]))
    people = [[u for u in users if user_groups[u] == g] for g in sorted(set(user_groups))]
    user_weights = user_weights or [1 / len(people)] * len(people)
    item_weights = item_weights or [1 / len(item_groups)] * len(item_groups)
    each_user = [([u], 1 / len(users)) for u in users]
    each_item = [([i], 1 / len(items)) for i in items]
    of_users = {"I": each_user, "G": list(zip(people, user_weights, strict=True)), "A": [(list(users), 1.0)]}
    of_items = {"I": each_item, "G": list(zip(item_groups, item_weights, strict=True))}
    found = {}
    for name in ("II", "IG", "GI", "GG", "AI", "AG"):
        parts = [0.0, 0.0, 0.0, 0.0]
        for some_users, weight in of_users[name[0]]:
            for some_items, share in of_items[name[1]]:
                e, t, r = (_mean(matrix, some_users, some_items) for matrix in (exposure, target, random))
                values = ((e - t) ** 2, (e - r) ** 2, 2 * (e - r) * (t - r), (t - r) ** 2)
                for place, value in enumerate(values):
                    parts[place] += weight * share * value
        found[name] = tuple(parts)
    return found


def plain_corrected(difference, user_groups, item_groups):
    """GI, GG, AI and AG of D with s^2 / n subtracted in every cell, groups and items weighing the same."""
    d = np.asarray(difference)
    by_group = np.stack([d[:, list(members)].mean(axis=1) for members in item_groups], axis=1)
    everybody = [0] * len(d)
    out = {}
    for name, values, codes in (
        ("GI", d, user_groups),
        ("GG", by_group, user_groups),
        ("AI", d, everybody),
        ("AG", by_group, everybody),
    ):
        cells = []
        for g in sorted(set(codes)):
            for column in range(values.shape[1]):
                cell = [values[u, column] for u in range(len(d)) if codes[u] == g]
                cells.append(np.mean(cell) ** 2 - np.var(cell, ddof=1) / len(cell))
        out[name] = float(np.mean(cells))
    return out


def plain_target(grades: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Equal expected exposure of one user: rank by grade, share the weights of the ranks of a grade."""
    order = sorted(range(len(grades)), key=lambda i: -grades[i])
    slots = {
        grade: [weights[rank] for rank, i in enumerate(order) if grades[i] == grade] for grade in set(grades)
    }
    return [sum(slots[grade]) / len(slots[grade]) for grade in grades]


def _mean(matrix, users, items):
    return sum(matrix[u][i] for u in users for i in items) / (len(users) * len(items))
