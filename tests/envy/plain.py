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
