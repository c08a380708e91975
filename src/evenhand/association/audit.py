"""The association audit: what do embeddings know about a sensitive attribute?

Existence and significance (Beattie 2023): is there a direction along which the vectors of entities with one
value of the attribute differ from those with another, and which groups of items lie along it?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.asked.declared.association import AskedAssociation
from evenhand.association.directions.contrasts import contrasts
from evenhand.association.directions.findings import (
    AssociationSettings,
    direction_finding,
    established,
    leaning,
)
from evenhand.association.directions.fits import MOST, Classifying, fit_of
from evenhand.association.findings import Significance
from evenhand.association.memberships import flags_of
from evenhand.association.vectors import devices, labels, sources
from evenhand.association.vectors.checks import enough
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

BY_ORDER = "Vectors that have no ids are in the order of the rows of the table beside them."


def audit(
    items: Any,
    users: Any,
    attribute: Any,
    item_groups: Any = None,
    method: str = "svc",
    permutations: int = 10_000,
    rng: int | np.random.Generator = 0,
    *,
    test: str = "crossfit",
    scheme: str = "one-vs-rest",
    toward: Any = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    overlap: str = "exclude",
    item_test: str = "permutation",
    aggregate: str = "mean",
    missing: str = "refuse",
    zeros: str = "refuse",
    against: Any = None,
    most: int = MOST,
    class_weight: str | None = None,
    cost: float | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    tolerance: float | None = None,
    per_space: bool = False,
    name: str | None = None,
    user_ids: Any = None,
    item_ids: Any = None,
    device: str | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit what the vectors of `users` know about `attribute`, and which `item_groups` go with it.

    `users` are the entities that have the attribute and `items` those that are tested; either may be users or
    items, as long as both share one space. Each is an array with a row for each entity, a .npy or .npz file,
    or a table with user_id or item_id and the vector (a column of lists, or a column for each dimension). A
    model has both (the folder that `evenhand train` wrote, a recommender, a model of implicit or LensKit):
    pass it as `items`, and None as `users`. Without groups to test, users are enough. A model whose users and
    items do not share a space is refused; with `per_space`, its users are audited alone.

    `attribute` has a value for each user: an array, a mapping or Series by id, a pair (table, column), or
    text such as "users.parquet:gender"; vectors without ids are in the order of its rows. `item_groups`
    likewise, where an item may be in several groups. Without them only directions are audited. Positive
    numbers point to the value `toward`, by default the first in order; of more than two values, to each
    against the rest or against each other (`scheme`).

    Vectors of zeros have no direction: `zeros="exclude"` leaves them out (those of a model always are), and
    what is given in the order of rows is still in that of all of them.

    `test`: `crossfit`, `permutation`, or `insample`, Beattie's own, which alarms on noise. A direction
    that fails is not used further: R-RIPA along it is `not_applicable`. `overlap` says what to do with
    items in both groups of a pair: leave them out (`exclude`), or hold all other groups fixed (`regress`).
    `item_test="rank_sum"` compares sets of items by ranks; `aggregate="sum"` makes GEAA a sum, as
    published (DEAA and R-RIPA stay means), which no tolerance is for.
    `device` is one of torch ("cuda"), or "auto" for a GPU where there is one: products of vectors are then
    computed there, and classifiers and shuffles, which are of few numbers, still by the processor.

    Findings: `direction` for each direction, `geaa` for each group, `deaa` for each pair of groups (all pairs
    unless `pairs` names some), `r_ripa` for both, with effect sizes and p-values. Intervals of the groups,
    and those of the pairs, hold at once. `tolerance`, from 0 to below 1, is for geaa, deaa and
    r_ripa, either way.
    """
    asked = AskedAssociation.checked(
        toward=toward, pairs=pairs, overlap=overlap, missing=missing, zeros=zeros, per_space=per_space,
        tolerance=tolerance, level=level, method=method, test=test, scheme=scheme, item_test=item_test,
        aggregate=aggregate, permutations=permutations, most=most, class_weight=class_weight, cost=cost,
        alpha=alpha,
    )  # fmt: skip
    settings = AssociationSettings(
        asked.method, asked.test, asked.permutations, asked.item_test, asked.overlap, asked.aggregate,
        asked.alpha, asked.level, asked.tolerance, seed_of(rng), Classifying(class_weight, cost),
    )  # fmt: skip
    fit = fit_of(asked.method, asked.most, settings.how)

    with devices.on(device):
        progress("reading vectors")
        alone = per_space or item_groups is None
        if alone and tolerance is not None:
            raise InputError(
                "tolerance is that of groups of items, and none are compared here, so nothing would be held "
                "against it; leave it out, or give item_groups."
            )
        space = sources.space(
            items, users, alone=alone, user_ids=user_ids, item_ids=item_ids, engine=engine, zeros=zeros
        )
        if not per_space:
            space.refuse_apart(
                "{}; with per_space (on the command line --per-space) its users are audited alone."
            )
        rows = space.users.vectors
        people = labels.attribute_of(attribute, space.users, "user_id", toward=toward, missing=missing)
        enough(len(people.codes) - people.empty, rows.shape[1])
        by = people.name if name is None else name
        groups = None if alone else labels.groups_of(item_groups, space.items, "item_id")
        chosen = [] if groups is None else groups.pairs(pairs)
        other = None if against is None else _other(against, rows.shape[1])

        listed = contrasts(people.codes, people.words, fit, scheme)
        excluded = _excluded(people.empty, by)
        found: list[Finding] = []
        later: list[Finding] = []
        for place, contrast in enumerate(listed, start=1):
            progress(f"direction {place} of {len(listed)}, {contrast.name}")
            line = established(contrast, rows, settings, len(listed), None if contrast.is_binary else other)
            finding = direction_finding(line, rows, by, settings, excluded)
            if space.shared is False:
                alone_because = f"{sources.NOT_SHARED}."
                finding = finding.amended(warnings=(*finding.warnings, alone_because))
            if groups is None:
                found.append(finding)
                continue
            progress(f"groups along direction {place} of {len(listed)}, {contrast.name}")
            along = Significance(
                line, space.items.vectors, rows, groups, by, settings,
                lambda scores: flags_of(scores, groups, settings.seed),
            )  # fmt: skip
            associated = along.associations(chosen) if contrast.is_binary else []
            placed = along.along_direction(chosen)
            found.append(leaning(finding, placed))
            later += associated + placed
    found += later
    sides = {"users": space.users.fingerprint} | ({} if alone else {"items": space.items.fingerprint})
    labelled = {"attribute": people.known, "item_groups": None if groups is None else groups.known}
    ordered = any(entries is not None and entries.by_order for entries in labelled.values())
    more = {
        "assumptions": (BY_ORDER,) if ordered else (),
        "excluded": space.excluded,
        "warnings": space.warnings,
    }
    found = [one.amended(**{key: (*getattr(one, key), *said) for key, said in more.items()}) for one in found]
    prints = sides | {
        name: entries.fingerprint for name, entries in labelled.items() if entries and entries.fingerprint
    }
    return AuditResult(tuple(found), prints, settings.seed)


def _other(against: Any, dimensions: int) -> np.ndarray:
    try:
        line = np.asarray(against, dtype=np.float64)
    except (TypeError, ValueError):
        line = np.empty(0)
    if line.shape != (dimensions,) or not np.isfinite(line).all() or not line.any():
        raise InputError(f"against must be one direction of {dimensions} finite numbers that are not all 0.")
    return line / np.linalg.norm(line)


def _excluded(empty: int, by: str) -> tuple[Exclusion, ...]:
    if not empty:
        return ()
    return (Exclusion(what=f"users without a value of {by}", count=empty, why="the value is missing"),)
