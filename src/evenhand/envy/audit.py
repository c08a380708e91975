"""The envy audit with known preferences: would a user be better off with another user's recommendations?

Envy-freeness (Do and others 2022): a system is epsilon-envy-free when no user would get more than epsilon
more from the policy of somebody else (Definition 3.1), and (epsilon, gamma, lambda)-envy-free when at most
the share lambda of users finds more than the share gamma of all policies better than their own by more than
epsilon (Definition 3.2). Utilities are compared within a user only, never between users.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.asked.declared.envy import AskedEnvy
from evenhand.envy import findings, group_findings
from evenhand.envy.checks import unpacked
from evenhand.envy.engines import engine_for
from evenhand.envy.epsilon import about_epsilon, refuse_too_large, warned
from evenhand.envy.evidence import compare
from evenhand.envy.group_envy import group_envy
from evenhand.envy.grouping import read_groups
from evenhand.envy.reading import EnvyProblem, read
from evenhand.envy.sampling import draw
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

# Multiplications for all pairs that take hours rather than days on a few cores: 100,000 users x 5,000 items.
MOST_WORK = 1e14


def audit(
    preferences: Any,
    policies: Any = None,
    *,
    epsilon: float = 0.05,
    gamma: float = 0.1,
    tolerance: float | None = 0.1,
    contexts: Any = None,
    inverse_temperature: float | None = None,
    missing: float | None = None,
    groups: Any = None,
    group: str | Sequence[str] | None = None,
    sample: tuple[int, int] | None = None,
    top: int = 0,
    level: float = 0.95,
    device: str | None = None,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit who would be better off with whose recommendations, preferences being known.

    `preferences` and `policies` are arrays (users x items, or users x contexts x items with the weights
    `contexts`), frames with user ids for an index and item ids for columns, or tables: user_id, item_id,
    preference for every pair (`missing` is what pairs that are not listed count as) and user_id, item_id,
    probability (what is not listed is not shown). Either may be a recommender or the folder of a trained one:
    its scores are the preferences, or give policies by a softmax at `inverse_temperature`, as scores in an
    array do. Without `policies` they are such a softmax over the preferences.

    `epsilon` is how much more utility another policy must give to count, in the unit of the preferences (the
    default is meant for such from 0 to 1), `gamma` the share of policies that may, and `tolerance` the share
    of users, lambda, that may be envious then. `groups` is a label for each user, or a table of user_id and
    the column (or columns) `group`.

    `sample=(users, policies)` looks at that many users, drawn at random, and at that many policies for each,
    and says how far the share of envious users of the whole system may be off.

    Findings: `average_envy`, `envious_users` for gamma 0 and as given. Nobody is named by id unless it is
    asked for: with `top`, `envy_pair` for so many users who envy most, and whose policy most would like best.
    With groups also `envious_users` and `average_envy` of each group, and `group_envy` for the `top` pairs of
    groups, at least 10. The tolerance is lambda for the shares of envious users, and epsilon for
    `group_envy`, a utility. From a sample: `envious_users` (of all and of each group) and `sampled_envy`.
    """
    asked = AskedEnvy.checked(
        epsilon=epsilon, gamma=gamma, tolerance=tolerance, inverse_temperature=inverse_temperature,
        missing=missing, group=group, sample=sample, top=top, level=level,
    )  # fmt: skip
    epsilon, gamma, limit, level, drawn = (
        asked.epsilon,
        asked.gamma,
        asked.tolerance,
        asked.level,
        asked.sample,
    )
    seed = seed_of(rng)
    calculator = engine_for(device, preferences, unpacked(policies))
    progress("reading")
    problem = read(preferences, policies, contexts, inverse_temperature, missing, engine)
    refuse_too_large(epsilon, problem.bounds)
    if group is not None and groups is None:
        raise InputError("group is a column of groups, so give that table, too.")
    grouped = (
        None if groups is None else read_groups(groups, group, problem.user_ids, engine, problem.numbered)
    )
    found: list[Finding]
    cautions: list[str] = []
    if drawn is None:
        _refuse_too_much(problem)
        evidence = compare(problem.preferences, problem.policies, epsilon, calculator, progress)
        found = findings.about_users(evidence, problem.user_ids, problem.bounds, gamma, limit, level, top)
        utilities = evidence.own
        if grouped is not None:
            found += group_findings.about_members(
                evidence, grouped, problem.bounds, gamma, limit, level, seed
            )
    else:
        progress(f"{drawn[0]:,} users against {drawn[1]:,} policies each")
        generator = np.random.default_rng(seed)
        seen = draw(problem.preferences, problem.policies, *drawn, epsilon, generator)
        utilities = seen.own
        cautions += _needless(drawn, problem)
        found = findings.about_sample(seen, problem.bounds, epsilon, gamma, limit, level)
        if grouped is not None:
            found += group_findings.about_drawn_members(seen, grouped, epsilon, gamma, limit, level)
    if grouped is not None:
        progress("groups")
        most, names = max(top, 10), len(grouped.names)
        envy = group_envy(problem.preferences, problem.policies, grouped.codes, names, level, most)
        found += group_findings.about_pairs(envy, grouped, epsilon, level, most)
    prints = dict(problem.fingerprints)
    if grouped is not None and grouped.fingerprint is not None:
        prints["users"] = grouped.fingerprint
    cautions += about_epsilon(problem.bounds, utilities, epsilon)
    return AuditResult(warned(found, cautions), prints, seed)


def _needless(drawn: tuple[int, int], problem: EnvyProblem) -> list[str]:
    users = problem.preferences.user_count
    if drawn[0] * drawn[1] < users * problem.policies.user_count:
        return []
    return [
        f"The sample of {drawn[0]:,} users and {drawn[1]:,} policies for each is no less work than all "
        f"{users:,} users and policies: without a sample the audit is exact."
    ]


def _refuse_too_much(problem: EnvyProblem) -> None:
    users, width = problem.preferences.user_count, problem.preferences.width
    work = float(users) * problem.policies.user_count * width
    if work > MOST_WORK:
        raise InputError(
            f"{users:,} users against as many policies over {width:,} items are {work:.1g} products; give "
            "sample=(2000, 200), on the command line --sample 2000,200, to look at 2,000 users and 200 "
            "policies for each."
        )
