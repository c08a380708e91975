"""A day of the exposure audit, read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Floats, Progress
from evenhand.asked.declared.exposure import AskedExposure
from evenhand.errors import InputError
from evenhand.exposure.asked_policies import betas_of, in_units, in_words, rules_of
from evenhand.exposure.findings import knows_relevance
from evenhand.exposure.followed_days.kept_day import ExposureDay, OfPolicy
from evenhand.exposure.followed_days.user_cells import PARTS, user_cells
from evenhand.exposure.pair_findings import cautions_of, first_weight
from evenhand.exposure.policy import Beta, gather
from evenhand.exposure.premises import common
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.reading import read
from evenhand.exposure.problem.sources import Sources
from evenhand.user_days.rows import UserRows

DEFAULT_BETAS = (8, 1, "static")  # those of `audit`


def count(asked: Mapping[str, Any], key: bytes, progress: Progress) -> tuple[ExposureDay, dict[str, Any]]:
    """Read one day, and the fingerprints of its tables."""
    question = question_of(asked)
    rules = rules_of(
        asked.get("discount", "rbp"), question.patience, question.k, question.target, asked.get("propensity")
    )
    sources = Sources(
        relevance=asked["relevance"], user_groups=asked["user_groups"], item_groups=asked["item_groups"],
        user_group=question.user_group, item_group=question.item_group, user_weights=question.user_weights,
        item_weights=question.item_weights, propensity=asked.get("propensity"), exclude=None,
        engine=asked.get("engine"),
    )  # fmt: skip
    problem, by, fingerprints = read(asked["scores"], sources)
    if problem.user_ids is None:
        raise InputError("days of exposure are followed from tables, which say who a user is; give tables.")
    betas: list[Beta] = ["observed"]
    if not isinstance(problem.scores, Lists):
        betas = betas_of(asked.get("beta", DEFAULT_BETAS))
    blocks, policies, left = [], [], ()
    for beta in betas:
        for gamma, rule in rules.items():
            rule = in_units(rule, problem, question.relative)
            about: About = {"by": by, "beta": beta}
            if len(rules) > 1:
                about["patience"] = gamma
            cells = np.full((problem.user_count, PARTS * len(problem.item_names) + 1), np.nan)

            def each(users: Any, rows: Any, cells: Floats = cells) -> None:
                cells[users] = user_cells(rows, problem.item_groups)

            seen = gather(problem, beta, rule, 0, lambda users: None, each)
            said = common(problem, seen, rule, about)
            sizes = seen.evidence.sums.group_users.sum(axis=1)
            there = zip(problem.user_names, seen.evidence.sums.wanted.tolist(), sizes, strict=True)
            wanted = {name: sums for name, sums, users in there if users}
            cautions = cautions_of(problem, seen.evidence, rule) if (sizes > 0).all() else ()
            policies.append(
                OfPolicy(
                    about, first_weight(rule), said["assumptions"], cautions,
                    knows_relevance(problem, rule), wanted,
                )
            )  # fmt: skip
            blocks.append(cells)
            left = said["excluded"]
    table = np.concatenate(blocks, axis=1)
    there = np.isfinite(table[:, 0])
    columns = {str(place): table[there, place] for place in range(table.shape[1])}
    names = tuple((name,) for name in problem.user_names)
    rows = UserRows.of(problem.user_ids[there], key, names, problem.user_group[there], columns)
    sizes = tuple(int(size) for size in problem.item_groups.sizes)
    return ExposureDay(rows, problem.item_names, sizes, tuple(policies), left), fingerprints


def question_of(asked: Mapping[str, Any]) -> AskedExposure:
    """From the arguments of the audit, of which some are tables."""
    own = {key: value for key, value in asked.items() if key in AskedExposure.model_fields}
    if "discount" in own:
        own["discount"] = in_words(own["discount"])
    return AskedExposure.checked(**({"beta": DEFAULT_BETAS} | own))
