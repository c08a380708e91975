"""The arithmetic of randomised blocks, once: the step-by-step auditor and the simulation kernel both call it.

**The block.** Some other policies and some steps of the user's own, in an order that is drawn at random. For
a policy k of the block

    D = (reward under k) - (mean reward of the block's own steps),

and over the drawing of the order D has the mean of mu_k - mu_0 over the steps of the block, whatever these
rewards are and however they move, as long as they do not depend on the order. So a level that moves for both
policies alike cannot be taken for a difference. A step of the user's own outside a block is no evidence.

**The outcome.** For each policy two gamblers bet on its differences, in the order of its blocks (Waudby-Smith
and Ramdas 2023): against "no better", with the capital prod (1 + b D), and against "better by epsilon", with
prod (1 + b (epsilon - D)). Each holds several bets b = gap/variance at once, for gaps of epsilon/2, epsilon,
2 epsilon, ..., the variance as seen in earlier blocks of the policy. If the claim is true, the capital ever
reaches c with probability at most 1/c. Only one outcome can be wrong. Where nobody is better, only "envy" is:
one of K policies of M users has reached K M/(.9 delta). Where one is better by epsilon or more, only
"no_envy" is: *that* policy has been discarded at 1/(.9 delta), and no union is needed. (Where people
may leave a system, one of several may be the one who stays: `passes_for` says by how much each is surer.)

**What is missing.** Every block has two readings, D' and D'', and a claim needs the capital of both. With
`compare` all that is missing is 0 in one and 1 in the other. If what is lost would on average have been c,
under one policy as under the other, mu_k - mu_0 lies between the means of the two whatever c is and whatever
shares are lost, so a claim that is false is false in one of them. (Where it is lost at random c is mu_k and
mu_0, and "better by epsilon" becomes "by epsilon times the share of the policy's rewards that is reported".)
With `worst` the readings are the least and the most that D can have been. Readings that nothing tells apart
so far are kept once.
Where shares differ much no claim can be reached. Two more gamblers bet on each side of equal shares, for each
arm and for all others of a block together; when one of them has 2 K M/.02 (2 M/.02 for all together) the
audit is inconclusive, and while one has 3, claims wait. An assignment that was never shown is withdrawn: no
step, and its place in the block is offered again. Who is shown it then is not who was to see it, so unless
`unshown` is "again" all this is kept a second time, with a place that was ever withdrawn as missing, and a
claim needs both: if what was withdrawn would have been c on average under every policy, it is right whatever
c is. Where some is withdrawn by chance c is not the same, and differences shrink: the two readings together
to no less than 1 - w of one, w of all being withdrawn. So there a policy that is "better by epsilon" owes
half of epsilon in blocks in which its place was shown at once, and 0 in others; or, where w is small, epsilon
with all that is not known as good for it as it can be (`owes`). What is missing and what was withdrawn may
have been of another c each: once there is both, all is
kept a third time, with what is missing 1 and what was withdrawn 0, and the other way round.
Gamblers of the same kind as above bet on whether places of one
policy are withdrawn more often than places of the own in the same block: over the drawing of the order they
are as often, unless it depends on the policy.

**The constraint.** With m others in a block of B steps,

    Y = sum of D + alpha B (mean reward of the block's own steps)

has the mean of what the block adds to sum mu_{k_s} - (1 - alpha) t mu_0, the left side of constraint (3) of
Do and others (2022); a step outside a block adds alpha times its reward. `changing_sum_lower` bounds their
sum from below, with .07 delta, whatever the level does. (What is missing is 0; with `worst` an own reward is
1 where that makes Y smaller.) A block may begin

    (a) when E + 1 <= alpha (t + 1): exploring steps are at most a share alpha, so that even useless policies
        keep the constraint while differences stay as they are; one policy, ceil(1/alpha) steps;
    (b) when the bound allows the worst that the block can do, m (1 - alpha), beside what blocks that are not
        settled can have done: up to four policies and about sqrt(m) own steps. Own steps that the constraint
        asked for so far are asked for inside the blocks, where they make the comparison sharper.

Otherwise the own policy is shown. The bound for the sum of D alone, with .03 delta, limits the user's cost;
with `compare` it holds in both readings of what is missing, since likes that get lost under the own policy
would else hide what the others cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.envy.online.designs.rules import NO_BUDGET
from evenhand.envy.online.settings import AuditorSettings
from evenhand.stats.many_looks.changing_sums import changing_sum_lower, mixed_sum_lower, sum_bets

# Shares of delta: the outcome, the constraint, the limit of the cost.
_OUTCOME, _CONSTRAINT, _COST = 0.90, 0.07, 0.03
# How often equal shares of missing rewards may be called different, in an audit or in any of a system, which
# one inconclusive user keeps from passing. No part of delta: it certifies nothing.
UNEQUAL = 0.02
# A claim waits while the evidence that rewards are missing unequally is as strong as this capital.
_DOUBT = 3.0
# More others at once gain little, and a longer block is hit harder by a level that moves.
MOST_AT_ONCE = 4
# Random numbers of a block: which of the others it has, if that is drawn, and at which of its steps they are.
DRAWS = 2 * MOST_AT_ONCE
# Beyond it more own steps in a block add nothing to the comparison.
LONGEST_BLOCK = 1_000
# Gaps that are bet on, in units of epsilon, with their shares of the first capital.
_GAPS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_SHARES = np.array([0.10, 0.35, 0.20, 0.15, 0.10, 0.10])
# A bet risks at most this share of the capital, and a variance is taken to be at least that.
_MOST_BET, _LEAST_VARIANCE = 0.9, 0.01
# Bets on differences in what is missing, in units of epsilon, half of the capital on each side. A difference
# of shares matters if it is about as large as epsilon, and bets that are larger by much would find none.
_MISSING_BETS = (1.0, 4.0, 16.0)
# Less capital than this is given up, which keeps numbers out of the range where arithmetic is slow.
_RUINED = 1e-100


class BlockRules(NamedTuple):
    """What an audit was asked to do, and the capital at which it decides."""

    epsilon: float
    alpha: float
    adaptive: bool
    budget: int
    envy: float
    clear: float
    unequal: float
    worst: bool
    constraint: Floats
    cost: Floats


def block_rules_for(settings: AuditorSettings) -> BlockRules:
    """The rules of one audit; `settings.users` such audits share delta."""
    delta, arms, users = settings.delta, settings.arms, settings.users
    reach = float(min(arms, MOST_AT_ONCE))
    return BlockRules(
        epsilon=settings.epsilon,
        alpha=settings.alpha,
        adaptive=settings.choice == "adaptive",
        budget=NO_BUDGET if settings.budget is None else settings.budget,
        envy=arms * users / (_OUTCOME * delta),
        clear=settings.passes / (_OUTCOME * delta),
        unequal=2.0 * users / UNEQUAL,
        worst=settings.unreported == "worst",
        constraint=sum_bets(_CONSTRAINT * delta / users, reach),
        cost=sum_bets(_COST * delta / users, reach),
    )


class Evidence(NamedTuple):
    """What blocks have said of every arm: differences, their sum and their squares, and the capitals of those
    who bet on them, in two readings. The second is only kept where `apart`, else it is the first. The first
    row, the user's own, is unused; but for what is missing or was withdrawn it is of all others.
    """

    blocks: Ints
    apart: Ints
    total: Floats
    squares: Floats
    envy: Floats
    clear: Floats
    missing: Floats
    withdrawn: Floats


def no_evidence(size: int) -> Evidence:
    sums, ones = np.zeros((size, 2)), np.ones((size, 2, len(_GAPS)))
    sides = np.ones((size, 2 * len(_MISSING_BETS)))
    none = np.zeros(size, np.int64)
    return Evidence(none, none.copy(), sums, sums.copy(), ones, ones.copy(), sides, sides.copy())


def crossed(known: Evidence) -> Evidence:
    """The same with its readings in the other order, where there are two."""
    other = deepcopy(known)
    for part in (other.total, other.squares, other.envy, other.clear):
        part[other.apart == 1] = part[other.apart == 1][:, ::-1]
    return other


@njit(nogil=True)
def _kept(capital: float) -> float:
    return capital if capital > _RUINED else 0.0


@njit(nogil=True)
def readings(reward: float, lost: float, own: float, gone: float, rules: BlockRules) -> tuple[float, float]:
    """The two readings of a difference: a reward, or 0 and `lost` = 1 if it is missing, less the mean of the
    block's own, of which a share `gone` is missing and counts 0.
    """
    if rules.worst:
        return reward - (own + gone), reward + lost - own
    return reward - own, reward + lost - (own + gone)


@njit(nogil=True)
def bet(
    known: Evidence,
    arm: int,
    first: float,
    second: float,
    more_lost: float,
    rules: BlockRules,
    owed: tuple[float, float] = (1.0, 1.0),
    usually: float = 1.0,
    usually_owed: float = 1.0,
) -> None:
    """Take one more difference of this arm in both readings, and by how much more of the arm's is missing.

    `owed` is what each reading is at least, in units of epsilon, if the arm is better by epsilon (`owes`);
    `usually` and `usually_owed` are the shares of a difference, and of epsilon, that readings have so far,
    the scales of the gaps that are bet on.
    """
    if first != second and known.apart[arm] == 0:
        known.apart[arm] = 1
        known.total[arm, 1], known.squares[arm, 1] = known.total[arm, 0], known.squares[arm, 0]
        known.envy[arm, 1], known.clear[arm, 1] = known.envy[arm, 0], known.clear[arm, 0]
    _bet(known, arm, 0, first, rules, owed[0], usually, usually_owed)
    if known.apart[arm] == 1:
        _bet(known, arm, 1, second, rules, owed[1], usually, usually_owed)
    known.blocks[arm] += 1
    bet_on_missing(known, arm, more_lost, rules)


class Owed(NamedTuple):
    """What two readings are at least if an arm is better by epsilon, and usually are; units of epsilon."""

    readings: tuple[float, float]
    usually: float


def owes(first: float, second: float, most: float, at_once: float, usually: float, rules: BlockRules) -> Owed:
    """Where what was withdrawn is read as missing. `at_once` is 0 where the arm's place was withdrawn, and
    `usually` the share of blocks in which it was not.

    A difference can be no larger than `most`, with all that is not known as good for the arm as it can be.
    Where little is withdrawn that is held against epsilon. Else, if what is withdrawn depends on chance and
    on how it is liked, shares w1 of likes and w0 of dislikes are, and the readings of d are (1 - w1) d and
    (1 - w0) d: together at least d times the share that is shown at once, whatever w1 and w0 are at the time.
    So each owes half of it. (All of it in the larger one is too much: likes may be withdrawn at some times,
    dislikes at others.) Which of the two is held is chosen by earlier blocks.
    """
    usually_most = 1.0 - (1.0 - usually) / rules.epsilon
    if usually_most > 0.5 * usually:
        owed = (1.0 - (most - first) / rules.epsilon, 1.0 - (most - second) / rules.epsilon)
        return Owed(owed, usually_most)
    return Owed((0.5 * at_once, 0.5 * at_once), 0.5 * usually)


@njit(nogil=True)
def _seen(known: Evidence, arm: int, reading: int) -> tuple[float, float]:
    """Mean and variance of the arm's differences, as if one more had been 0 with a square of .5: a single
    block does not tell how much they vary.
    """
    n = known.blocks[arm]
    mean = known.total[arm, reading] / (n + 1.0)
    variance = (known.squares[arm, reading] + 0.5) / (n + 1.0) - mean * mean
    return mean, max(variance, _LEAST_VARIANCE)


@njit(nogil=True)
def _bet(
    known: Evidence,
    arm: int,
    reading: int,
    difference: float,
    rules: BlockRules,
    owed: float,
    usually: float,
    usually_owed: float,
) -> None:
    _, variance = _seen(known, arm, reading)
    envy, clear = known.envy[arm, reading], known.clear[arm, reading]
    for g in range(len(_GAPS)):
        gap = _GAPS[g] * rules.epsilon
        share = min(gap * usually / variance, _MOST_BET)
        envy[g] = _kept(envy[g] * (1.0 + share * difference))
        share = min(gap * usually_owed / variance, _MOST_BET)
        clear[g] = _kept(clear[g] * (1.0 + share * (rules.epsilon * owed - difference)))
    known.total[arm, reading] += difference
    known.squares[arm, reading] += difference * difference


@njit(nogil=True)
def envied(known: Evidence, arm: int, rules: BlockRules) -> bool:
    """Whether "no better than the user's own" is refuted, in both readings."""
    return _all_hold(known.envy[arm], known.apart[arm], rules.envy)


@njit(nogil=True)
def cleared(known: Evidence, arm: int, rules: BlockRules) -> bool:
    """Whether "better by epsilon or more" is refuted, in both readings."""
    return _all_hold(known.clear[arm], known.apart[arm], rules.clear)


@njit(nogil=True)
def _all_hold(bets: Floats, apart: int, needed: float) -> bool:
    return _capital(bets[0]) >= needed and (apart == 0 or _capital(bets[1]) >= needed)


@njit(nogil=True)
def _capital(bets: Floats) -> float:
    capital = 0.0
    for g in range(len(bets)):
        capital += _SHARES[g] * bets[g]
    return capital


@njit(nogil=True)
def bet_on_missing(known: Evidence, arm: int, more_lost: float, rules: BlockRules) -> None:
    """By how much more of this arm's rewards is missing than of the block's own; arm 0 stands for all others
    of a block together, who tell sooner.
    """
    if more_lost != 0.0:
        _bet_on_shares(known.missing[arm], more_lost, rules)


@njit(nogil=True)
def bet_on_withdrawn(known: Evidence, arm: int, more_withdrawn: float, rules: BlockRules) -> None:
    """By how much more of this arm's steps were withdrawn before they were shown; arm 0 as above."""
    if more_withdrawn != 0.0:
        _bet_on_shares(known.withdrawn[arm], more_withdrawn, rules)


@njit(nogil=True)
def _bet_on_shares(sides: Floats, more: float, rules: BlockRules) -> None:
    for g in range(len(_MISSING_BETS)):
        gained = min(_MISSING_BETS[g] * rules.epsilon, _MOST_BET) * more
        sides[2 * g] = _kept(sides[2 * g] * (1.0 + gained))
        sides[2 * g + 1] = _kept(sides[2 * g + 1] * (1.0 - gained))


@njit(nogil=True)
def _mean(sides: Floats) -> float:
    capital = 0.0
    for g in range(len(sides)):
        capital += sides[g]
    return capital / len(sides)


@njit(nogil=True)
def withdrawn_unequally(known: Evidence, arm: int, rules: BlockRules) -> bool:
    """Whether steps of this arm (0: of all others) and of the user's own are withdrawn in shares that differ
    by more than chance. No reading of a reward helps there: who is not shown a policy does not judge it.
    """
    needed = rules.unequal * (len(known.withdrawn) - 1 if arm > 0 else 1)
    return _mean(known.withdrawn[arm]) >= needed


@njit(nogil=True)
def unequal(known: Evidence, arm: int, rules: BlockRules) -> bool:
    """Whether rewards of this arm (0: of all others) and of the user's own are missing in shares that differ
    by more than chance, or their steps were withdrawn so.
    """
    needed = rules.unequal * (len(known.missing) - 1 if arm > 0 else 1)
    lost = not rules.worst and _mean(known.missing[arm]) >= needed
    return lost or withdrawn_unequally(known, arm, rules)


@njit(nogil=True)
def doubtful(known: Evidence, arm: int, rules: BlockRules) -> bool:
    """Whether they seem to be: then nothing is claimed of the arm, until more is known."""
    lost = not rules.worst and max(_mean(known.missing[arm]), _mean(known.missing[0])) >= _DOUBT
    return lost or max(_mean(known.withdrawn[arm]), _mean(known.withdrawn[0])) >= _DOUBT


def in_doubt(known: Evidence, rules: BlockRules) -> list[str]:
    """Which of the two, what is missing and what was withdrawn, seem to differ by policy for some arm."""
    both = {"missing": known.missing, "withdrawn": known.withdrawn}
    return [
        name
        for name, sides in both.items()
        if not (rules.worst and name == "missing") and float(sides.mean(axis=1).max()) >= _DOUBT
    ]


class Ledger(NamedTuple):
    """Terms of the constraint that have entered: own rewards and others' differences, for predictions; what
    the steps add to the constraint, and the differences alone, each with squared distances from predictions.
    """

    own: int = 0
    own_total: float = 0.0
    others: int = 0
    others_total: float = 0.0
    added: float = 0.0
    added_squares: float = 0.0
    differences: float = 0.0
    differences_squares: float = 0.0


@njit(nogil=True)
def entered(
    ledger: Ledger, others: int, steps: int, own: float, gone: float, rewards: float, alpha: float
) -> Ledger:
    """The ledger after a block of so many steps, with the mean reward of its own and the sum of its others'.

    The mean of the own may have been larger by `gone`, and what makes the sums smaller is taken. Predictions
    are cut so that no value is more than `others` below its own, the reach of the bound.
    """
    own_before = (ledger.own_total + 0.5) / (ledger.own + 1.0)
    own_steps = steps - others
    squares, differences_squares = ledger.added_squares, ledger.differences_squares
    weight = others - alpha * steps
    added = rewards - weight * own - max(weight, 0.0) * gone
    predicted = alpha * steps * own_before
    difference = rewards - others * (own + gone)
    if others > 0:
        expected = others * ledger.others_total / (ledger.others + 1.0)
        predicted = min(predicted + expected, alpha * steps, float(others))
        differences_squares += (difference - min(expected, 0.0)) ** 2
    squares += (added - predicted) ** 2
    return Ledger(
        ledger.own + own_steps,
        ledger.own_total + own_steps * own,
        ledger.others + others,
        ledger.others_total + difference,
        ledger.added + added,
        squares,
        ledger.differences + difference,
        differences_squares,
    )


@njit(nogil=True)
def constraint_lower(ledger: Ledger, waiting_others: int, waiting_steps: int, rules: BlockRules) -> float:
    """A lower bound for how far the constraint is from broken, after blocks that were shown.

    Blocks that are not settled can at worst have lost the whole of their others' steps.
    """
    settled = changing_sum_lower(ledger.added, ledger.added_squares, rules.constraint)
    return max(settled, 0.0 if ledger.others == 0 else -math.inf) - (
        waiting_others - rules.alpha * waiting_steps
    )


def differences_lower(ledgers: Sequence[Ledger], rules: BlockRules) -> float:
    """A lower bound for the sum of the settled differences: minus the most that they have cost the user.

    The ledgers are those of what is missing as 0 and as 1, or one of the worst that it can be.
    """
    if ledgers[0].others == 0:
        return 0.0
    sums, squares = zip(*((one.differences, one.differences_squares) for one in ledgers), strict=True)
    return mixed_sum_lower(sums, squares, rules.cost)


def told_differences_lower(ledgers: Sequence[Ledger], lost: int, rules: BlockRules) -> float:
    """The same where so many rewards of others' visits are missing, or fewer. If they were lost by chance,
    the sums are those of all differences times the share that is told, of which a lower bound is taken; each
    of the two has half of the error. No visit costs more than 1.
    """
    others = ledgers[0].others
    if others == 0:
        return 0.0
    bets = rules.cost.copy()
    bets[:, 2] += math.log(2.0)
    told = changing_sum_lower(others - lost, lost, bets) / others
    sums, squares = zip(*((one.differences, one.differences_squares) for one in ledgers), strict=True)
    lower = mixed_sum_lower(sums, squares, bets)
    return max(min(lower, lower / told) if told > 0.0 else -math.inf, float(-others))


@njit(nogil=True)
def _ranked(
    known: Evidence, begun: Ints, explored: int, active: Ints, remaining: int, order: Ints, upper: Floats
) -> int:
    """Active arms into `order`, how many are worth a step: those who may be as good as the best seems.

    `upper` is mean + sqrt(2 log(1 + explored) variance/blocks). Because of the logarithm an arm that was
    unlucky at first is tried again, after a time that depends on how unlucky it was, and not on how long it
    takes to give up all others (Auer and others 2002; Kano and others 2019, who look for any good arm, too).
    """
    best = -math.inf
    curiosity = 2.0 * math.log(1.0 + explored)
    for i in range(remaining):
        k = active[i]
        order[i], upper[i] = k, math.inf
        if begun[k] > 0:
            mean, variance = _seen(known, k, 0)
            # Blocks that are not settled count as if they were: else one arm would be shown over and over.
            upper[i] = mean + math.sqrt(curiosity * variance / begun[k])
            best = max(best, mean)
    worth = 0
    for i in range(remaining):
        worth += upper[i] >= best
    return max(worth, 1)


class Shown(NamedTuple):
    """What was shown so far: blocks that were begun with each arm, steps, and those of them in no block."""

    begun: Ints
    steps: int
    alone: int


@njit(nogil=True)
def next_block(
    known: Evidence,
    so_far: Shown,
    active: Ints,
    margin: float,
    rules: BlockRules,
    drawn: Floats,
    chosen: Ints,
) -> tuple[int, int]:
    """How many others the next block has, and how many steps; (0, 1) is one step of the user's own.

    The others, of those that are `active`, are written to the beginning of `chosen`, which has room for all
    arms; `margin` is what the constraint leaves. Where the others are drawn, it is by the beginning of
    `drawn`.
    """
    begun, remaining, explored = so_far.begun, len(active), 0
    for k in range(1, len(begun)):
        explored += begun[k]
    alpha = rules.alpha
    upper = np.empty(remaining)
    if rules.adaptive:
        worth = _ranked(known, begun, explored, active, remaining, chosen, upper)
    else:
        chosen[:remaining], worth = active[:remaining], remaining
    worth = min(worth, remaining, MOST_AT_ONCE)
    others = 0
    while others < worth and margin >= (others + 1) * (1.0 - alpha):
        others += 1
    if others > 0:
        own = max(1, round(math.sqrt(others)))
        if explored > 0:
            spare = min(int(others * so_far.alone / explored + 0.5), math.ceil(others / alpha) - others)
            own = max(own, spare)
    elif explored + 1 <= alpha * (so_far.steps + 1):
        others, own = 1, max(1, math.ceil(1.0 / alpha) - 1)
    else:
        return 0, 1
    steps = min(others + own, LONGEST_BLOCK)
    if so_far.steps + steps > rules.budget:  # it could not be completed
        return 0, 1
    for i in range(others):
        place = i
        if rules.adaptive:
            for j in range(i + 1, remaining):
                if upper[j] > upper[place]:
                    place = j
            upper[i], upper[place] = upper[place], upper[i]
        else:
            place = i + int(drawn[i] * (remaining - i))
        chosen[i], chosen[place] = chosen[place], chosen[i]
    return others, steps


@njit(nogil=True)
def put_in_order(chosen: Ints, others: int, steps: int, drawn: Floats, shown: Ints) -> None:
    """Draw at which of the block's steps each of the others is shown; 0 is the user's own."""
    places = np.arange(steps)
    shown[:steps] = 0
    for i in range(others):
        j = i + int(drawn[i] * (steps - i))
        places[i], places[j] = places[j], places[i]
        shown[places[i]] = chosen[i]
