"""Users of a running service: what is assigned is shown later or never, rewards come late or get lost,
servers are down, moods change, people leave. The truth is known, so wrong outcomes can be counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evenhand.envy import Auditor, SystemAudit, certificate
from evenhand.envy.online.assumptions import UNTOLD
from evenhand.envy.online.designs.block_kernel import run_block_audits
from evenhand.envy.online.designs.block_rules import block_rules_for
from evenhand.envy.online.designs.draws import keys_of
from evenhand.envy.online.designs.kernel import ENVY
from evenhand.envy.online.simulated.worlds import STILL, World

DELTA, ALPHA, OWN = 0.05, 0.5, 0.4
# How much better the best of two others is, in units of epsilon, and the outcome that would be wrong.
TRUTHS = {"all equal": (0.0, "envy"), "best better by epsilon": (1.0, "no_envy")}


@dataclass(frozen=True)
class Live:
    """Shares that are never shown, of the user's own policy and of others'; such shares by mood, for others
    alone; shares of rewards that get lost; how many assignments are open at once; steps of an outage in every
    100; by how much the level moves to and fro. Of what is seen and disliked, the share of which nobody tells
    that it was shown; `withdrawn`, or missing as what counts without being shown.
    """

    own_hidden: float = 0.0
    others_hidden: float = 0.0
    hidden_in_bad_moods: float = 0.0
    lost: float = 0.0
    open_at_once: int = 1
    outage: int = 0
    level: float = 0.0
    left_at_once: float = 0.0
    withdrawn: bool = True


WORLDS = {
    "shown at once": Live(),
    "activation: 8 open, a fifth never shown": Live(0.2, 0.2, open_at_once=8),
    "half withdrawn, all alike": Live(0.5, 0.5),
    "withdrawn alike, level moves": Live(0.3, 0.3, level=0.2),
    "others withdrawn far more often": Live(0.05, 0.6),
    "others withdrawn in bad moods": Live(0.0, 0.0, hidden_in_bad_moods=0.8, level=0.2),
    "outages: 15 of 100 visits lost or hidden": Live(0.1, 0.1, outage=15, open_at_once=4),
    "outages, level moves, a tenth lost": Live(0.1, 0.1, lost=0.1, outage=15, open_at_once=4, level=0.2),
}
# What is disliked is seldom said to be shown: nothing tells that from what was never shown.
LEFT_AT_ONCE = Live(left_at_once=0.8)
LEFT = ((0.8, 0.7), (0.5, 0.7), (0.9, 0.4), (0.5, 0.4))  # such shares, and the mean of the own policy
# The same where some of all alike is never shown, too: the shares of dislikes and of all, and the own mean.
LEFT_AND_HIDDEN = (
    (0.5, 0.5, 0.7),
    (0.8, 0.2, 0.7),
    (0.5, 0.2, 0.7),
    (0.5, 0.5, 0.4),
    (0, 0.2, 0.4),
    (0, 0.5, 0.4),
)
# Means of two others and the share of dislikes that nobody tells were shown; the own policy is liked by .8.
UNLIKED = ((0.0, 1.0), (0.0, 0.8), (0.05, 1.0), (0.4, 1.0))
# Where a difference comes from what is shown to whom, and the audit shall not decide.
UNEQUAL = ("others withdrawn far more often", "others withdrawn in bad moods")


@dataclass(frozen=True)
class Lived:
    outcome: str
    steps: int
    held: bool  # but for a share alpha of own steps that were assigned before and are not shown
    ever_short: bool


def live(
    world: Live,
    better: float,
    epsilon: float,
    seed: int,
    alpha: float = ALPHA,
    means: tuple[float, ...] | None = None,
    unshown: str = "compare",
) -> Lived:
    """One audit with two others, the first better by `better`; or with these means, the own first."""
    means = (OWN, OWN + better, OWN) if means is None else means
    asked = {"epsilon": epsilon, "delta": DELTA, "alpha": alpha, "budget": 20_000, "unshown": unshown}
    auditor = Auditor(len(means) - 1, rng=seed, **asked)
    rng = np.random.default_rng([seed, 11])
    waiting: list[tuple[int, int, float, bool]] = []  # id, arm, level and whether in an outage
    gained = own = 0.0
    held, ever_short, visit = True, False, 0
    while auditor.outcome is None:
        visit += 1
        down = visit % 100 < world.outage
        level = world.level * (1 if visit % 60 < 30 else -1)
        if not auditor.spent:
            made = auditor.assign(deadline=visit)
            waiting.append((made.id, made.arm, level, down))
        while auditor.outcome is None and waiting and (len(waiting) >= world.open_at_once or auditor.spent):
            number, arm, level, down = waiting.pop(int(rng.random() * len(waiting)))
            hidden = world.own_hidden if arm == 0 else world.others_hidden
            if arm and level < 0:
                hidden = max(hidden, world.hidden_in_bad_moods)
            if rng.random() < (0.7 if down else hidden):
                auditor.withdraw(number)
                continue
            gained, own = gained + means[arm] + level, own + means[0] + level
            short = (1 - alpha) * own - gained
            ever_short = ever_short or short > 1e-9
            held = held and short <= alpha * means[0] * _own_not_shown(auditor, waiting) + 1e-9
            lost = rng.random() < (0.5 if down else world.lost)
            reward = None if lost else float(rng.random() < means[arm] + level)
            if reward == 0 and rng.random() < world.left_at_once:
                if world.withdrawn:
                    auditor.withdraw(number)
                    continue
                reward = None
            auditor.deliver({number: reward})
    return Lived(auditor.outcome, auditor.step, held, ever_short)


def _own_not_shown(auditor: Auditor, waiting: list[tuple[int, int, float, bool]]) -> int:
    """Own steps that were assigned and are open, or were withdrawn and are not assigned again."""
    withdrawn = {(block.number, place) for block in auditor.design.blocks for place in block.withdrawn}
    again = withdrawn & set(auditor.design.offered)
    orders = {block.number: block.order for block in auditor.design.blocks}
    return sum(arm == 0 for _, arm, *_ in waiting) + sum(orders[n][place] == 0 for n, place in again)


def lives(
    name: str, truth: str, runs: int, epsilon: float = 0.2, first: int = 0, unshown: str = "compare"
) -> Iterator[Lived]:
    """So many audits, with seeds from `first` on."""
    better = TRUTHS[truth][0] * epsilon
    seeds = range(first, first + runs)
    return (live(WORLDS[name], better, epsilon, seed, unshown=unshown) for seed in seeds)


def leavers(share: float, own: float, truth: str, runs: int, **options: Any) -> Iterator[Lived]:
    """The same where this share of what is disliked is never said to be shown, with other `options` of
    `live`, `withdrawn`, and what share of all alike is `hidden`."""
    hidden = options.pop("hidden", 0.0)
    told = {"own_hidden": hidden, "others_hidden": hidden, "withdrawn": options.pop("withdrawn", True)}
    world = replace(LEFT_AT_ONCE, left_at_once=share, **told)
    means = (own, own + 0.2 * TRUTHS[truth][0], own)
    return (live(world, 0, 0.2, seed, means=means, **options) for seed in range(runs))


class Unliked(NamedTuple):
    outcome: str | None
    visits: int
    short: float  # of the share 1 - alpha of what the own policy gives, at worst, of all that was seen
    in_a_row: int  # others


def unliked(mean: float, share: float, seed: int, alpha: float = 0.2, most: int = 3_000) -> Unliked:
    """One audit of a user who sees all that is assigned, for so many visits at most."""
    auditor, rng = (
        Auditor(2, epsilon=0.2, alpha=alpha, budget=20_000, rng=seed),
        np.random.default_rng([seed, 5]),
    )
    visits, gained, short, row, longest = 0, 0.0, 0.0, 0, 0
    while auditor.outcome is None and visits < most:
        visits += 1
        made = auditor.assign(deadline=visits)
        of = mean if made.arm else 0.8
        gained += of
        short = max(short, (1 - alpha) * 0.8 * visits - gained)
        row = row + 1 if made.arm else 0
        longest = max(longest, row)
        reward = float(rng.random() < of)
        if reward == 0 and rng.random() < share:
            auditor.withdraw(made.id)
        else:
            auditor.deliver({made.id: reward})
    return Unliked(auditor.outcome, visits, short, longest)


# Dropouts: two leave, and it is those with envy who do.
PLANNED = {"epsilon": 0.3, "delta": DELTA, "alpha": 0.5, "gamma": 0.5, "lambda_": 0.5, "dropouts": 2}
POPULATION = 400


def system_of_leavers(envious: bool, seed: int) -> str:
    """The outcome of a system in which nobody, or just over half, would be better off with the policies of
    just over half; up to two users with envy leave, if somebody was drawn who has it.
    """
    system = SystemAudit(range(POPULATION), rng=seed, **PLANNED)
    rng = np.random.default_rng([seed, 13])
    order = rng.permutation(POPULATION)
    with_envy = set(order[: POPULATION // 2 + 1].tolist()) if envious else set()
    good = {user: set(rng.permutation(POPULATION)[: POPULATION // 2 + 1].tolist()) for user in system.arms}
    leave = [user for user in system.arms if user in with_envy] or list(system.arms)
    for user in leave[:2]:
        system.opt_out(user)
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            liked = policy_of != user and user in with_envy and policy_of in good[user]
            system.observe(user, policy_of, float(rng.random() < (OWN + 0.3 if liked else OWN)))
            if system.outcome is not None:
                break
    return system.outcome


class Limited(NamedTuple):
    cost: float  # by true means, of all visits
    cost_at_most: float
    missed: int  # others whose true difference is outside its limits


# Means, the own first, epsilon and alpha: rewards of these get lost by chance, as many under every policy.
LOST_ALIKE = {
    "others worse, half lost": ((0.9, *[0.1] * 9), 0.5, 0.1, 1.0),
    "far better, 95% lost": ((0.1, 0.9), 0.95, 0.3, 1.0),  # given up: of what is reported it is near
    "one better, half lost": ((0.4, 0.6), 0.5, 0.1, 1.0),
    "one better, 70% lost": ((0.3, 0.6), 0.7, 0.1, 0.5),
    "twenty worse, half lost": ((0.6, *[0.2] * 20), 0.5, 0.05, 0.4),
    "others worse, 5% lost": ((0.9, *[0.1] * 9), 0.05, 0.1, 1.0),
}


def limited(world: str, seed: int) -> Limited:
    """What the certificate of one audit says it cost, and of each policy."""
    means, lost, epsilon, alpha = LOST_ALIKE[world]
    auditor = Auditor(len(means) - 1, epsilon=epsilon, delta=DELTA, alpha=alpha, budget=20_000, rng=seed)
    rng = np.random.default_rng([seed, 78])
    while auditor.outcome is None and not auditor.spent:
        made = auditor.assign(deadline=1)
        reward = float(rng.random() < means[made.arm])
        auditor.deliver({made.id: None if rng.random() < lost else reward})
    said = certificate(auditor)
    true = [mean - means[0] for mean in means]
    arms = zip(true[1:], said["arms"][1:], strict=True)
    missed = sum(not arm["low"] - 1e-9 <= gap <= arm["high"] + 1e-9 for gap, arm in arms)
    cost = -sum(gap * arm["assigned"] for gap, arm in zip(true, said["arms"], strict=True))
    return Limited(cost, said["cost_at_most"], missed)


def two_devices(better: float, seed: int) -> tuple[str | None, int]:
    """Outcome and steps where on the phone nine of ten dislikes, and on the desk nine of ten likes, are never
    said to be shown, under all policies alike, and people like more on the phone."""
    auditor = Auditor(2, epsilon=0.2, delta=DELTA, alpha=ALPHA, budget=20_000, rng=seed)
    rng, visit = np.random.default_rng([seed, 79]), 0
    while auditor.outcome is None and not auditor.spent:
        visit += 1
        made = auditor.assign(deadline=visit)
        phone = rng.random() < 0.5
        like = rng.random() < (0.75 if phone else 0.05) + (better if made.arm == 1 else 0.0)
        if rng.random() < (0.9 if phone != like else 0.0):
            auditor.withdraw(made.id)
        else:
            auditor.deliver({made.id: float(like)})
    return auditor.outcome, auditor.step


def untold_on_the_desk(seed: int, withdrawn: bool, **options: Any) -> tuple[str | None, bool]:
    """The outcome, and whether the certificate names what it rests on, where the other policy is better by .2
    on the phone and worse by .2 on the desk, half of the visits each, and three of five visits on the desk
    are never told of, under both policies alike: withdrawn, or with a missing reward."""
    auditor = Auditor(1, epsilon=0.2, delta=DELTA, alpha=ALPHA, budget=3_000, rng=seed, **options)
    rng = np.random.default_rng([seed, 81])
    while auditor.outcome is None and not auditor.spent:
        made, phone = auditor.assign(deadline=1), rng.random() < 0.5
        reward = float(rng.random() < 0.5 + (made.arm > 0) * (0.2 if phone else -0.2))
        untold = not phone and rng.random() < 0.6
        if untold and withdrawn:
            auditor.withdraw(made.id)
        else:
            auditor.deliver({made.id: None if untold else reward})
    return auditor.outcome, UNTOLD in certificate(auditor)["assumptions"]


def passed_by_leaving(
    population: int, share: float, dropouts: int, systems: int, seed: int
) -> tuple[int, float]:
    """Of so many systems in which everybody is audited, and just more than the share that is allowed has envy
    of one policy, better by epsilon, those that pass if whoever is about to be called envious leaves, up to
    the planned dropouts; and the median steps of these users."""
    asked = {"epsilon": 0.5, "delta": DELTA, "alpha": 1.0, "gamma": 0.4 / population, "lambda_": share}
    system = SystemAudit(range(population), rng=seed, dropouts=dropouts, **asked)
    one = next(iter(system.audits.values())).settings
    assert len(system.arms) == population == one.arms + 1
    with_envy = int(share * population) + 1
    means = np.array([0.25, 0.75, *[0.25] * (one.arms - 1)])
    keys = keys_of(seed, systems * with_envy)
    rng = np.random.default_rng(seed)
    codes, steps, *_ = run_block_audits(means, block_rules_for(one), World(), STILL, keys, rng)
    said = (codes == ENVY).reshape(systems, with_envy).sum(axis=1)
    return int((said <= dropouts).sum()), float(np.median(steps))
