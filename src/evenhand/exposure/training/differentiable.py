"""Exact Plackett-Luce exposure as a torch function: a model can be trained through it.

With clocks a_i = (y_i - max y) / beta, u_i(x) = exp(x + a_i), g_i = gamma + (1 - gamma) exp(-u_i),
r_i = u_i exp(-u_i) / g_i and G = prod_j g_j, the exposure of item i under RBP is

    E_i = integral r_i(x) G(x) dx            (with t = e^x; trapezoid rule with step h)

and, since dg_k/da_k = -(1 - gamma) r_k g_k, the gradient of a loss with v_i = dLoss/dE_i is

    dLoss/da_k = integral G r_k [v_k (1 - u_k + (1 - gamma) r_k) - (1 - gamma) sum_i v_i r_i] dx.

Both are sums over the same nodes, so the backward pass goes through the nodes again and keeps nothing of the
forward pass but the scores: memory is users x items, whatever the number of nodes. Any other discount is a
mixture of gammas. On CUDA single precision goes to one fused kernel where Triton is installed. A cut at k is
a mixture of complex gammas, see `differentiable_cut`.

Needs torch alone (a cut NumPy, DCG SciPy), so that it can be used where the rest of Evenhand's dependencies
are not installed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from typing import Any

import torch
from torch import Tensor

from evenhand.errors import InputError
from evenhand.parameters import choice, number, whole

# Beyond u = exp(6) a clock has rung in any precision, and u exp(-u) must not become inf * 0.
RUNG = 6.0
# Spreads of a beyond this are narrowed, so that the number of nodes does not grow with 1 / beta.
WIDE = 64.0
# Elements worked on at a time: such that a CPU keeps them in its cache and a GPU has enough to do.
CHUNK = {"cpu": 1 << 17, "cuda": 1 << 26}
NODES_BETWEEN_LOOKS = 4
# Work grows as k^2, and double precision cannot do better than this with a cut.
LONGEST_CUT = 500
FINEST_CUT = 1e-12


def plackett_luce(
    scores: Tensor,
    beta: float = 1.0,
    patience: float = 0.8,
    discount: str = "rbp",
    accuracy: float = 1e-6,
    k: int | None = None,
) -> Tensor:
    """Expected position weight of each item (users x items) in a Plackett-Luce ranking with weights
    exp(score / beta): RBP patience^(rank - 1), or DCG 1 / log2(1 + rank), and 0 beyond `k` if given.

    A score of minus infinity is an item that is not there (padding, or history): its exposure is 0. The
    absolute error is at most about `accuracy`, and about 1e-6 in single precision, whatever was asked.
    Differentiable once in the scores.

    A `k` beyond the number of items cuts nothing off; others are from 1 to 500, and computed in double
    precision, to 1e-12 at best.
    """
    beta = number("beta", beta, above=True)
    accuracy = number("accuracy", accuracy, 1e-14, 1e-2)
    choice("discount", discount, ("rbp", "dcg"))
    if (
        not isinstance(scores, Tensor)
        or scores.ndim != 2
        or scores.dtype not in (torch.float32, torch.float64)
    ):
        raise InputError("scores must be a torch tensor of users x items in single or double precision.")
    patience = open_unit("patience", patience)
    k = None if k is None else checked_cut(k, scores.shape[1], patience if discount == "rbp" else 1, accuracy)
    if k is not None:
        weights = position_weights(discount, patience, k)
        return _Exposure.apply(scores, Cut(beta, max(accuracy, FINEST_CUT), weights))
    mixture = ((patience,), (1.0,)) if discount == "rbp" else dcg_mixture(scores.shape[1], accuracy)
    return _Exposure.apply(scores, Mixture(beta, *mixture, accuracy))


def open_unit(name: str, value: Any) -> float:
    """`value`, if it is between 0 and 1 and neither."""
    if number(name, value, 0, 1, above=True) == 1:
        raise InputError(f"{name} is 1, but must be below 1: users who never leave see everything.")
    return float(value)


def checked_cut(k: int, items: int, patience: float, accuracy: float) -> int | None:
    """`k`, or None if next to nobody, or no item, gets beyond it."""
    k = whole("k", k)
    if k >= items or patience**k <= accuracy / 10:
        return None
    if k > LONGEST_CUT:
        raise InputError(
            f"k is {k:,} and there are {items:,} items, but exact exposure is for cuts at {LONGEST_CUT} or "
            "less; give a smaller k, or none."
        )
    return k


def position_weights(discount: str, patience: float, ranks: int) -> tuple[float, ...]:
    """Of the first `ranks` positions."""
    if discount == "rbp":
        return tuple(patience**r for r in range(ranks))
    return tuple(1 / math.log2(r + 2) for r in range(ranks))


def dcg_mixture(ranks: int, accuracy: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Gammas and shares: sum_c share_c gamma_c^(r - 1) is 1 / log2(1 + r) to this accuracy, r <= `ranks`."""
    from evenhand.exposure.rankings.browsing import dcg

    mixture = dcg().mixture(max(ranks, 1), accuracy)
    assert mixture is not None  # only a cut has none
    gammas, shares = mixture
    return tuple(map(float, gammas)), tuple(map(float, shares))


@dataclass(frozen=True)
class Mixture:
    """What exposure is asked for: the mixture of patiences is sum_c share_c gamma_c^(rank - 1)."""

    beta: float
    gammas: tuple[float, ...]
    shares: tuple[float, ...]
    accuracy: float

    @property
    def step(self) -> float:
        """|e^-u| stays below 1 up to Im x = pi/2, so the trapezoid rule with step h errs by at most
        (4 pi e / h) exp(-pi^2 / h) (from the strip of half-width pi/2 - h / (2 pi)): this h keeps it below
        the accuracy."""
        return math.pi**2 / math.log(100 / self.accuracy)


@dataclass(frozen=True)
class Cut:
    """Exposure by weights of the first positions, the first of which is 1, and 0 beyond them."""

    beta: float
    accuracy: float
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Nodes:
    """Log weights of the items, with the first and the last node of each user."""

    a: Tensor
    low: Tensor
    last: Tensor


def last_clock(accuracy: float) -> float:
    """The u at which what is left of u exp(-u) is below the accuracy."""
    return 1 + 1.25 * math.log(1 / accuracy)


def place(scores: Tensor, asked: Mixture | Cut) -> Nodes:
    """Left of `low` the integrand is r_i = u_i to first order, whose geometric series is added in closed
    form; the second order, e^(2 low) sum w / 2, is below the accuracy. Right of `last` all clocks have rung.
    """
    best = scores.amax(dim=1, keepdim=True)  # NaN if there is one
    if not bool((best < math.inf).all()):
        wrong = ~(scores < math.inf)
        raise InputError(
            f"{int(wrong.sum()):,} of {scores.numel():,} scores are NaN or infinite, the first for the user "
            f"in row {int(wrong.any(dim=1).nonzero()[0])}; only minus infinity is allowed, for an item that "
            "is not there."
        )
    absent = scores == -math.inf
    a = (scores - best.clamp(min=torch.finfo(scores.dtype).min)).div_(asked.beta)
    a.clamp_(min=torch.finfo(scores.dtype).min).masked_fill_(absent, -math.inf)
    least = a.masked_fill(absent, 0).amin(dim=1)
    if a.numel() and bool((least < -WIDE).any()):
        a = _narrowed(a, math.log(a.shape[1] / asked.accuracy))
        least = a.masked_fill(absent, 0).amin(dim=1)
    total = a.exp().sum(dim=1).clamp_(min=1)
    low = (math.log(asked.accuracy) - total.log()) / 2
    return Nodes(a, low, math.log(last_clock(asked.accuracy)) - least)


def _narrowed(a: Tensor, most: float) -> Tensor:
    """Gaps between neighbouring log weights cut to `most`: beyond it the order of the two is certain (the
    lighter comes first with probability e^-gap), so exposures and gradients stay as they are."""
    ordered, place = a.sort(dim=1, descending=True)
    gaps = (ordered[:, :-1] - ordered[:, 1:]).clamp_(max=most)
    kept = torch.cat([torch.zeros_like(a[:, :1]), -gaps.nan_to_num_(nan=0.0).cumsum(dim=1)], dim=1)
    return torch.empty_like(a).scatter_(1, place, kept).masked_fill_(a == -math.inf, -math.inf)


class _Exposure(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, asked: Mixture | Cut) -> Tensor:
        ctx.asked = asked
        ctx.save_for_backward(scores)
        return _in_chunks(scores, None, asked)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        (scores,) = ctx.saved_tensors
        return _in_chunks(scores, upstream, ctx.asked).div_(ctx.asked.beta), None


def _in_chunks(scores: Tensor, upstream: Tensor | None, asked: Mixture | Cut) -> Tensor:
    """Exposure, or with `upstream` the gradient in the log weights."""
    out = torch.empty_like(scores, memory_format=torch.contiguous_format)
    rows = max(1, CHUNK.get(scores.device.type, CHUNK["cpu"]) // max(1, _width(scores, asked)))
    for start in range(0, len(scores) if scores.shape[1] else 0, rows):
        part = slice(start, start + rows)
        above = None if upstream is None else upstream[part]
        out[part] = _integral(scores[part].detach(), above, asked)
    return out


def _width(scores: Tensor, asked: Mixture | Cut) -> int:
    """Elements a user."""
    if isinstance(asked, Mixture):
        return scores.shape[1]
    from evenhand.exposure.training.differentiable_cut import widest

    return max(scores.shape[1], widest(asked, scores.shape[1]))


def _integral(scores: Tensor, upstream: Tensor | None, asked: Mixture | Cut) -> Tensor:
    if isinstance(asked, Cut):
        from evenhand.exposure.training import differentiable_cut

        above = None if upstream is None else upstream.double()
        return differentiable_cut.integrate(place(scores.double(), asked), above, asked)
    nodes = place(scores, asked)
    if _fused_fits(scores):
        from evenhand.exposure.training import fused

        return fused.integrate(nodes, upstream, asked)
    return integrate(nodes, upstream, asked)


@cache
def triton_is_there() -> bool:
    return find_spec("triton") is not None


def _fused_fits(scores: Tensor) -> bool:
    """The fused kernel keeps a user's row in registers, in single precision."""
    if not (scores.is_cuda and scores.dtype == torch.float32 and triton_is_there()):
        return False
    from evenhand.exposure.training.fused import MOST_ITEMS

    return scores.shape[1] <= MOST_ITEMS


def integrate(nodes: Nodes, upstream: Tensor | None, asked: Mixture) -> Tensor:
    """The trapezoid sum of r_k G, or with `upstream` of its derivative, one node at a time.

    All nodes left of the first are sum over m >= 1 of u(low) e^(-m h). What is left beyond a node is at most
    G there, so a user needs no more nodes once G is below the accuracy.
    """
    out = (nodes.a + nodes.low[:, None]).exp_().mul_(sum(asked.shares) / math.expm1(asked.step))
    if upstream is not None:
        out.mul_(upstream)
    for node in count():
        x = nodes.low + node * asked.step
        u = (nodes.a + x[:, None]).clamp_(max=RUNG).exp_()
        silent, rung = torch.exp(-u), torch.expm1(-u).neg_()  # each where the other has lost its digits
        alive = torch.zeros_like(x)
        for gamma, share in zip(asked.gammas, asked.shares, strict=True):
            r, together = _ringing(u, silent, rung, gamma)
            part = r if upstream is None else _slope(u, r, upstream, gamma)
            out.addcmul_(part, together[:, None], value=share)
            alive = torch.maximum(alive, together)
        # Not at every node, since on a GPU a look waits for the device.
        if node % NODES_BETWEEN_LOOKS == 0 and not bool(((alive > asked.accuracy) & (x < nodes.last)).any()):
            return out.mul_(asked.step)
    raise AssertionError("unreachable")


def _ringing(u: Tensor, silent: Tensor, rung: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """r = u exp(-u) / g of each item, and G of each user; log1p, since most items have g near 1."""
    together = (rung * (gamma - 1)).log1p_().sum(dim=1).exp_()
    g = (silent * (1 - gamma)).add_(gamma).clamp_(min=torch.finfo(u.dtype).tiny)  # 0 / 0 if gamma is 0
    return (u * silent).div_(g), together


def _slope(u: Tensor, r: Tensor, upstream: Tensor, gamma: float) -> Tensor:
    """r_k [v_k (1 - u_k + (1 - gamma) r_k) - (1 - gamma) sum_i v_i r_i]."""
    everyone = (upstream * r).sum(dim=1, keepdim=True).mul_(1 - gamma)
    return torch.sub(1, u).add_(r, alpha=1 - gamma).mul_(upstream).sub_(everyone).mul_(r)
