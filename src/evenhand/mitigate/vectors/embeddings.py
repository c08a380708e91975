"""Vectors before and after a mitigation: what they know, which groups lean with it, and what it cost.

Everything about the attribute is measured on users whose value the mitigation never saw, before and after
alike. After a map of the same space there is a third look: the new items beside the users, and along the
direction, as they were. A model that was trained anew has axes of its own, where the old direction means
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.association import (
    BeforeAfter,
    Entities,
    Space,
    attribute_of,
    enough,
    entities,
    groups_of,
    same_space,
)
from evenhand.errors import InputError
from evenhand.mitigate.vectors.findings import (
    ALL,
    AUDIT,
    CHOSEN,
    HELD_OUT,
    NOT_JUDGED,
    TOOK_PART,
    Asked,
    probes,
    ranking_changes,
)
from evenhand.mitigate.vectors.mitigated import Mitigated, who_may_judge
from evenhand.mitigate.vectors.table import before_after
from evenhand.parameters import choice, number, whole
from evenhand.recommenders import Embeddings, Interactions, Recommender, as_recommender
from evenhand.recommenders.stored import storage
from evenhand.recommenders.taken.ids import codes_of, refuse_other_ids
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


@dataclass(frozen=True)
class EmbeddingComparison:
    """What changed (`result`), and the same as a table with a column for each time (`table`)."""

    result: AuditResult

    @property
    def table(self) -> pd.DataFrame:
        return before_after(self.result.findings)


@dataclass(frozen=True, eq=False)
class _Side:
    model: Recommender
    users: Entities
    items: Entities
    held_out: NDArray[Any] | None
    same_space: bool


def compare_embeddings(
    before: Any,
    after: Any,
    attribute: Any,
    item_groups: Any = None,
    *,
    train: Any = None,
    test: Any = None,
    pairs: Sequence[tuple[str, str]] = (),
    held_out: Any = None,
    k: int = 10,
    methods: Sequence[str] = ("svc", "centroid"),
    toward: Any = None,
    missing: str = "refuse",
    permutations: int = 10_000,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[str], None] = lambda message: None,
) -> EmbeddingComparison:
    """Compare the vectors of `before` with those of `after`, of the same users and items.

    Each is a model (a folder, a recommender, a pair of user and item vectors), or what a mitigation gave
    back. `attribute`, `item_groups`, `toward` and `missing` are those of `association.audit`; `pairs` names
    groups to compare with each other. `held_out` are the ids of the users to measure on: by default those
    that the mitigation held out, and all users where none saw the attribute (a model trained on resampled
    interactions). With `test` interactions, lists of `k` that leave out `train` are compared too, for all
    users; by default what `before` learnt from, and where it is a folder, what its training was stopped by.

    Findings: `attribute_accuracy` of fresh linear and non-linear classifiers, before, after, and its change,
    for the users who judge and, beside them, for those who took part in the mitigation;
    `direction` and `r_ripa` for each of `methods`, `geaa` and `deaa`, before, after, and where the space is
    the same, of the new items along the original direction; `geaa_change`; `ranking_change` of recall, MRR,
    NDCG, hit and precision, with intervals of paired differences over users.
    """
    chosen = [choice("methods", method, ("svc", "centroid")) for method in dict.fromkeys(methods)]
    if not chosen:
        raise InputError("methods is empty, but must name svc, centroid or both.")
    asked = Asked(
        tuple(chosen), whole("permutations", permutations, 20, 1_000_000),
        number("alpha", alpha, 0, 0.5, above=True), number("level", level, 0.5, 0.9999), seed_of(rng),
        whole("k", k),
    )  # fmt: skip
    old, new = _sides(before, after)
    people = attribute_of(attribute, old.users, "user_id", toward=toward, missing=missing)
    judges, who = _judges(old, new, people.codes, held_out)
    enough(len(judges), max(old.users.vectors.shape[1], new.users.vectors.shape[1]))
    groups = None if item_groups is None else groups_of(item_groups, old.items, "item_id")
    if groups is None and pairs:
        raise InputError("pairs names groups, but there are no item_groups.")
    named = [] if groups is None else groups.pairs(pairs)
    if new.same_space:
        same_space((old.users.name, old.users.vectors), (new.users.name, new.users.vectors))
    shown = _held_out(old.model, before, train, test)

    progress("classifying")
    codes = people.codes[judges]
    rows = old.users.vectors[judges], new.users.vectors[judges]
    found = probes(rows, codes, people, who, asked)
    made = np.setdiff1d(np.flatnonzero(people.codes >= 0), judges) if who == HELD_OUT else judges[:0]
    if len(made):
        sides = old.users.vectors[made], new.users.vectors[made]
        found += probes(sides, people.codes[made], people, TOOK_PART, asked)
    progress("directions and groups")
    both = BeforeAfter(rows, (old.items.vectors, new.items.vectors), codes, people, groups)
    seen = both.looks(named, asked, same_space=new.same_space) + both.changes(asked.level)
    found += [one.amended(audit=AUDIT) for one in seen]
    if shown is None:
        found = [one.amended(warnings=(*one.warnings, NOT_JUDGED)) for one in found]
    else:
        progress("ranking")
        found += ranking_changes(old.model, new.model, *shown, people.name, asked)
    prints = {
        f"{side} {what}": getattr(of, side).fingerprint
        for of, what in ((old, "before"), (new, "after"))
        for side in ("users", "items")
    }
    return EmbeddingComparison(AuditResult(tuple(found), prints, asked.seed))


def _sides(before: Any, after: Any) -> tuple[_Side, _Side]:
    """Both, with the items that both know something about: those that a model never saw have only zeros."""
    sides = [_model("before", before), _model("after", after)]
    refuse_other_ids(sides[0][0], sides[1][0], ("before", "after"))
    seen = np.all([vectors.items.any(axis=1) for _, vectors, *_ in sides], axis=0)
    return _side("before", *sides[0], seen), _side("after", *sides[1], seen)


def _model(name: str, given: Any) -> tuple[Recommender, Embeddings, NDArray[Any] | None, bool]:
    held_out, same = None, False
    if isinstance(given, Mitigated):
        model: Recommender = given.recommender
        held_out, same = given.held_out, given.same_space
    else:
        model = as_recommender(given)
        if isinstance(given, str | Path):
            held_out, same = who_may_judge(given)
    vectors = model.embeddings
    if vectors is None:
        raise InputError(
            f"{name}: {storage.named(given, model)} has no vectors of users and items to compare."
        )
    return model, vectors, held_out, same


def _side(
    name: str,
    model: Recommender,
    vectors: Embeddings,
    held_out: NDArray[Any] | None,
    same: bool,
    seen: NDArray[np.bool_],
) -> _Side:
    users = entities(f"{name} users", vectors.users, "user", model.user_ids)
    items = entities(f"{name} items", vectors.items[seen], "item", model.item_ids[seen])
    Space(items, users, vectors.shared_space).refuse_apart(f"{name}: {{}}.")
    return _Side(model, users, items, held_out, same)


def _judges(old: _Side, new: _Side, codes: NDArray[Any], given: Any) -> tuple[NDArray[np.int64], str]:
    """Places of the users with a value that had no part in the mitigation, and who they are."""
    ids = new.held_out if given is None else np.asarray(given)
    if ids is None:
        return np.flatnonzero(codes >= 0), ALL
    if len(ids) == 0:
        return np.flatnonzero(codes >= 0), TOOK_PART
    places = np.unique(codes_of(ids, old.model.user_ids, "held-out user"))
    return places[codes[places] >= 0], HELD_OUT if given is None else CHOSEN


def _held_out(model: Recommender, before: Any, train: Any, held_out: Any) -> tuple[Interactions, Any] | None:
    """The test interactions and what lists leave out, in the codes of the model."""
    if held_out is None:
        if train is not None:
            raise InputError("train is what lists leave out, but there is no test to compare them by.")
        return None
    wanted = _coded("test", held_out, model)
    if train is not None:
        return wanted, _coded("train", train, model).matrix()
    if model.history is None:
        raise InputError("train is not given, and before does not know what it learnt from: pass train.")
    return wanted, _known(before, model, model.history, wanted)


def _known(before: Any, model: Recommender, history: Any, wanted: Interactions) -> Any:
    """What lists leave out: the history, and the validation part of a trained folder, as when it was judged;
    but what is wanted must be able to appear."""
    file = storage.table_of(before, storage.VALID_FILE) if isinstance(before, str | Path) else None
    if file is None:
        return history
    valid = _coded("valid", pd.read_parquet(file), model).matrix()
    return history + (valid - valid.multiply(wanted.matrix()))


def _coded(name: str, given: Any, model: Recommender) -> Interactions:
    frame = given.frame() if isinstance(given, Interactions) else given
    if not isinstance(frame, pd.DataFrame) or not {"user_id", "item_id"} <= set(frame.columns):
        raise InputError(f"{name} must be Interactions, or a DataFrame with user_id and item_id.")
    user = codes_of(frame["user_id"].to_numpy(), model.user_ids, "user")
    item = codes_of(frame["item_id"].to_numpy(), model.item_ids, "item")
    unknown = np.full(len(user), np.nan)
    return Interactions(model.user_ids, model.item_ids, user, item, unknown, unknown)
