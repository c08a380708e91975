"""Who is audited in a system, and whose policies they try: how many, and the draw itself."""

from __future__ import annotations

import math
import secrets

import numpy as np

from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, number, whole
from evenhand.parameters import choice as one_of

# Of a smaller share than this no system has a user.
LEAST_SHARE = 1e-12
# More people than anybody plans to lose in an audit.
MOST_DROPOUTS = 1_000
CRITERIA = ("probabilistic", "exact")


def sample_sizes(
    delta: float = 0.05, gamma: float = 0.1, lambda_: float = 0.1, dropouts: int = 0
) -> tuple[int, int]:
    """How many users to audit, and against how many others' policies each (Theorem 2):

    M = ceil(log(3/delta)/lambda), K = ceil(log(3 M/delta)/log(1/(1 - gamma))).

    If more than a share `lambda_` of users are (epsilon, gamma)-envious, then M users drawn at random include
    one but for delta/3, and the K policies drawn for that user include one they envy but for delta/(3 M).
    With `dropouts` c, M is such that they include more than c but for delta/3: then one is left whoever the
    c are that drop out, and even if it is because of their envy. (Their number is binomial, or less spread
    when drawn without replacement: Hoeffding 1963.)
    """
    delta = number("delta", delta, 0, 0.5, above=True)
    gamma, lambda_ = (_share(name, value) for name, value in (("gamma", gamma), ("lambda_", lambda_)))
    for name, value in (("delta", delta), ("gamma", gamma), ("lambda_", lambda_)):
        if value < LEAST_SHARE:
            raise InputError(f"{name} is {value:g}, but must be at least {LEAST_SHARE:g}.")
    users = math.ceil(math.log(3 / delta) / lambda_)
    dropouts = whole("dropouts", dropouts, 0, MOST_DROPOUTS)
    while dropouts and _at_most(dropouts, users, lambda_) > delta / 3:
        users += max(1, users // 100)
    return users, math.ceil(math.log(3 * users / delta) / -math.log1p(-gamma))


def passes_for(
    user_count: int, criterion: str, delta: float, gamma: float, lambda_: float, dropouts: int
) -> int:
    """By how much surer an audit must be before it says no envy, where so many may leave.

    Of x envious users in the audit c may leave, knowing what it says so far, and those who stay pass by
    error. So at least x - c of x pass, were nobody to leave; if each does with probability q, that has at
    most probability x q/(x - c) (Markov), however audits depend on each other. With everybody audited x is
    at least m = floor(lambda N) + 1, and m/(m - c) is enough. Of a drawn sample x is random: the least whole
    number with which that and too few envious users, together, have at most delta.
    """
    if dropouts == 0:
        return 1
    targets = targets_and_arms(user_count, criterion, delta, gamma, lambda_, dropouts)[0]
    if targets == user_count:
        least = math.floor(lambda_ * user_count) + 1
        return math.ceil(least / (least - dropouts))
    log_term = targets * math.log1p(-lambda_)
    terms = []
    for x in range(targets + 1):
        terms.append(math.exp(log_term) if log_term > -700 else 0.0)
        if x < targets:
            log_term += math.log((targets - x) / (x + 1) * lambda_ / (1.0 - lambda_))
    chance, envious = np.array(terms), np.arange(targets + 1)
    ratio = envious / np.maximum(envious - dropouts, 1)
    passes = 1
    while True:
        q = error_for_audits(criterion, delta) / passes + delta / (3 * targets)
        wrong = np.where(envious <= dropouts, 1.0, np.minimum(1.0, ratio * q))
        if float(chance @ wrong) <= delta or passes > dropouts:
            return passes
        passes += 1


def _at_most(count: int, users: int, share: float) -> float:
    """The probability that at most `count` of so many users are among a share of all."""
    term = total = users * math.log1p(-share)
    for k in range(1, min(count, users) + 1):
        term += math.log((users - k + 1) / k * share / (1.0 - share))
        total = max(total, term) + math.log1p(math.exp(-abs(total - term)))
    return math.exp(total)


def _share(name: str, value: float) -> float:
    share = number(name, value, 0, 1, above=True)
    if share == 1:
        raise InputError(f"{name} is 1, but must be below 1: a share of everybody allows any envy.")
    return share


def draw_targets(
    user_count: int,
    criterion: str,
    delta: float,
    gamma: float,
    lambda_: float,
    rng: np.random.Generator,
    dropouts: int = 0,
) -> dict[int, list[int]]:
    """Users to audit, by place, each with the users whose policies to try; all of them if few."""
    if user_count < 2:
        raise InputError(
            f"A system of {user_count:,} users has no other user's policy to try; at least 2 are needed."
        )
    targets, arms = targets_and_arms(user_count, criterion, delta, gamma, lambda_, dropouts)
    chosen = (
        np.arange(user_count)
        if targets == user_count
        else np.sort(rng.choice(user_count, targets, replace=False))
    )
    found = {}
    for user in chosen.tolist():
        # Places among the others: nothing of the size of the population is made for each user.
        others = (
            np.arange(arms) if arms == user_count - 1 else rng.choice(user_count - 1, arms, replace=False)
        )
        found[user] = (others + (others >= user)).tolist()
    return found


def targets_and_arms(
    user_count: int, criterion: str, delta: float, gamma: float, lambda_: float, dropouts: int = 0
) -> tuple[int, int]:
    """How many of so many users are drawn, and how many others for each."""
    targets, arms = sample_sizes(delta, gamma, lambda_, dropouts)
    most = 0
    if one_of("criterion", criterion, CRITERIA) == "exact":
        targets = arms = user_count
    else:
        most = math.floor(lambda_ * user_count)
    if dropouts > most and targets >= user_count:
        raise InputError(
            f"dropouts is {dropouts:,}, but with all of {user_count:,} users audited at most {most:,} may be "
            "left out: they might be the envious ones."
        )
    return min(targets, user_count), min(arms, user_count - 1)


def seeds_for(audits: int, seed: int, rng: np.random.Generator) -> list[int]:
    """A seed for the audit of each user, drawn after them by the generator of the system's seed.

    Those of a seed that nobody chose (`unforeseen_seed`) are too many to be tried out by somebody who sees
    what becomes of theirs. Smaller ones were given or are of earlier audits, which can be drawn again.
    """
    return rng.integers(2**63 if seed > LARGEST_SEED else 2**32, size=audits).tolist()


def unforeseen_seed() -> int:
    """A seed from the system's randomness, with more bits than one that can be given."""
    return secrets.randbits(127) | 1 << 127


def error_for_audits(criterion: str, delta: float) -> float:
    """What is left of `delta` for the audits: a third when two go to the drawing of users and arms."""
    return delta if criterion == "exact" else delta / 3
