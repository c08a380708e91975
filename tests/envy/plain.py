"""The definitions once more, in loops."""

import numpy as np


def utilities(preferences, policies, contexts=None):
    """Sum by sum: u[m, n] over contexts and items."""
    rho, pi = (t if t.ndim == 3 else t[:, None, :] for t in (preferences, policies))
    count = max(rho.shape[1], pi.shape[1])
    q = (
        np.full((len(rho), count), 1 / count)
        if contexts is None
        else np.broadcast_to(contexts, (len(rho), count))
    )
    u = np.zeros((len(rho), len(pi)))
    for m in range(len(rho)):
        for n in range(len(pi)):
            for x in range(count):
                for a in range(rho.shape[2]):
                    taste = rho[m, min(x, rho.shape[1] - 1), a]
                    u[m, n] += q[m, x] * pi[n, min(x, pi.shape[1] - 1), a] * taste
    return u


def envy(u):
    """Delta^m of a square table."""
    return [max([u[m, n] - u[m, m] for n in range(len(u))] + [0]) for m in range(len(u))]


def share_envious(u, epsilon, gamma):
    """Definition 3.2, user by user."""
    envious = 0
    for m in range(len(u)):
        better = sum(u[m, m] + epsilon < u[m, n] for n in range(len(u)))
        envious += better / len(u) > gamma
    return envious / len(u)


def random_system(rng, users=12, items=7, contexts=None):
    shape = (users, items) if contexts is None else (users, contexts, items)
    return rng.random(shape), rng.dirichlet(np.full(items, 0.3), size=shape[:-1])


def block_differences(blocks, arm, worst=False):
    """What each block that has this arm says of it in two readings, for shown orders and rewards by place,
    None where one is missing: all that is missing 0, and all 1; or the least and the most that it can be.
    """
    found = []
    for order, rewards in blocks:
        if arm not in order:
            continue
        here = rewards[order.index(arm)]
        own = [rewards[place] for place, shown in enumerate(order) if shown == 0]
        theirs = [missing if here is None else here for missing in (0.0, 1.0)]
        ours = [sum(missing if one is None else one for one in own) / len(own) for missing in (0.0, 1.0)]
        found.append((theirs[0] - ours[worst], theirs[1] - ours[not worst]))
    return found


def capitals(differences, epsilon):
    """What those hold who bet against "no better" and against "better by epsilon", one block at a time."""
    gaps = [0.5, 1, 2, 4, 8, 16]
    shares = [0.10, 0.35, 0.20, 0.15, 0.10, 0.10]
    none, some = list(shares), list(shares)
    seen = []
    for difference in differences:
        n = len(seen) + 1
        mean = sum(seen) / n
        variance = max((sum(one**2 for one in seen) + 0.5) / n - mean**2, 0.01)
        for g, gap in enumerate(gaps):
            bet = min(gap * epsilon / variance, 0.9)
            none[g] *= 1 + bet * difference
            some[g] *= 1 + bet * (epsilon - difference)
        seen.append(difference)
    return sum(none), sum(some)
