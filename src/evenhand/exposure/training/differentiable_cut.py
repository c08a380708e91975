"""Exact Plackett-Luce exposure cut at k as a torch function, with its gradient.

With u_i = exp(x + a_i) as in `differentiable`, the chance that r clocks have rung at x is the coefficient of
z^r in G(z) = prod_j g_j(z), g_j(z) = e^(-u_j) + z (1 - e^(-u_j)). Coefficients are means over a circle, with
z_m = rho e^(i pi (2 m + 1) / M) and M >= k even:

    sum_{r < k} w_r [z^r] G = Re sum_{m < M / 2} c_m G(z_m),    c_m = (2 / M) sum_{r < k} w_r z_m^(-r),

up to rho^M (the coefficients from M on come back as lower ones). So a cut is a mixture of complex patiences
z_m: exposure and gradient are those of `differentiable`, real parts taken. No z_m is on the negative axis,
where a g_j could be 0.

Only clocks that are at it are looked at in every node. Those that have rung for certain, q of them, leave
the weights from w_q on. Those of small u are power series in u, since

    r(u) = u / (1 + z (e^u - 1)) = sum_p s_p(z) u^p,    log g(u) = (z - 1) sum_p s_p(z) u^p / p

within the nearest pole, log(1 - 1/z), so all of them together need sums of powers of their weights, and are
given a polynomial in their weight; in the gradient u r'(u) is sum_p p s_p u^p.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import torch
from torch import Tensor

from evenhand.exposure.rankings.quadrature import Quadrature, quadrature_for
from evenhand.exposure.training.differentiable import RUNG, Cut, Nodes

# The largest u for power series: a share of the radius within which they converge, and never more than this.
SHARE_OF_RADIUS, LARGEST_SMALL = 1 / 6, 0.5
# After so many nodes it is seen again which clocks are at it.
STRETCH = 8
HALVINGS = 30


@dataclass(frozen=True)
class Setting:
    """What follows from the cut alone: `enough` clocks on average end it, `busiest` of u > small do."""

    quadrature: Quadrature
    enough: float
    busiest: int


@lru_cache(maxsize=64)
def setting(cut: Cut) -> Setting:
    k = len(cut.weights)
    points, rho = circle_of(k, cut.accuracy)
    radius = min(abs(cmath.log(1 - 1 / cmath.rect(rho, math.pi * m / points))) for m in range(1, points, 2))
    small = min(radius * SHARE_OF_RADIUS, LARGEST_SMALL)
    quadrature = quadrature_for(cut.accuracy, k, small, radius)
    enough = enough_clocks(k, quadrature.stop)
    return Setting(quadrature, enough, math.ceil(enough / -math.expm1(-small)))


def circle_of(k: int, accuracy: float) -> tuple[int, float]:
    """M and rho. Rounding grows by rho^(-k), which is at most accuracy / 1e-14, and rho^M is a tenth of the
    accuracy: M is k for accuracies to about 1e-6, 2 k for 1e-9 and 7 k for 1e-12."""
    growth = min(max(math.log(accuracy / 1e-14), math.log(100)), math.log(1e7))
    least = max(k, math.ceil(k * math.log(10 / accuracy) / growth))
    points = least + least % 2
    return points, math.exp(math.log(accuracy / 10) / points)


def enough_clocks(k: int, stop: float) -> float:
    """The mean number of clocks that have rung at which fewer than k have with a chance of at most `stop`.

    Of all independent clocks of a mean of at least k, Poisson's have the largest such chance (Hoeffding
    1956, Anderson and Samuels 1967). What is left to be had is at most this chance.
    """
    depth = -math.log(stop)
    low, high = float(k), k + depth + math.sqrt(depth * (depth + 2 * k))  # Chernoff's bound is enough
    while high - low > 1e-3 * high:
        mean = (low + high) / 2
        chance = math.fsum(math.exp(r * math.log(mean) - mean - math.lgamma(r + 1)) for r in range(k))
        low, high = (low, mean) if chance <= stop else (mean, high)
    return high


def widest(cut: Cut, items: int) -> int:
    """At most so many complex numbers a user in a node."""
    points, _ = circle_of(len(cut.weights), cut.accuracy)
    return min(items, setting(cut).busiest) * (points // 2)


def integrate(nodes: Nodes, upstream: Tensor | None, cut: Cut) -> Tensor:
    """Exposure, or with `upstream` its gradient in the log weights, as `differentiable.integrate`."""
    quadrature = setting(cut).quadrature
    out = (nodes.a + nodes.low[:, None]).exp_().mul_(cut.weights[0] / math.expm1(quadrature.step))
    if upstream is not None:
        out.mul_(upstream)
    first, places, rest, end = _first_clocks(nodes, setting(cut))
    above = None if upstream is None else upstream.gather(1, places)
    others = _Light(rest, upstream, quadrature)
    got = torch.zeros_like(first)
    for x, window, weights in _stretches(nodes.low, end, first, cut):
        circle = _circle(weights, cut.accuracy, quadrature.terms, first.device)
        _stretch(x, window, first, above, others, circle, quadrature, end, got)
    return out.add_(others.given()).scatter_add_(1, places, got).mul_(quadrature.step)


def _first_clocks(nodes: Nodes, known: Setting) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The largest log weights of each user, as many as may have u > small before the end, and their places;
    all log weights without them; and that end: the x at which enough clocks have rung, or the last node if
    there are not as many. The others have 1 - e^(-u) > (1 - small) u up to there.
    """
    first, places = nodes.a.topk(min(nodes.a.shape[1], known.busiest), dim=1)
    rest = nodes.a.scatter(1, places, -math.inf)
    others = rest.exp().sum(dim=1) * (1 - known.quadrature.small)
    low, high = nodes.low, torch.maximum(nodes.last, nodes.low)
    for _ in range(HALVINGS):
        x = (low + high) / 2
        rung = torch.expm1(-(first + x[:, None]).clamp_(max=RUNG).exp_()).sum(dim=1).neg_()
        over = rung + others * x.exp() >= known.enough
        low, high = torch.where(over, low, x), torch.where(over, x, high)
    return first, places, rest, high


def _stretches(
    low: Tensor, end: Tensor, first: Tensor, cut: Cut
) -> Iterator[tuple[Tensor, slice, tuple[float, ...]]]:
    """The first node of each stretch, the clocks that are at it in it for any user, and the weights that are
    left once the clocks before them have rung; until all users are at their end, which may come nearer."""
    quadrature = setting(cut).quadrature
    for stretch in count():
        x = low + stretch * STRETCH * quadrature.step
        going = (x < end)[:, None]
        after = torch.minimum(x + STRETCH * quadrature.step, end)
        rung = (first + x[:, None] > math.log(quadrature.rung)) | ~going
        busy = (first + after[:, None] > math.log(quadrature.small)) & going
        ahead, last, goes = torch.stack(
            [rung.sum(dim=1).amin(), busy.sum(dim=1).amax(), going.any().long()]
        ).tolist()
        if not goes or ahead >= len(cut.weights):
            return
        yield x, slice(ahead, last), cut.weights[ahead:]


@dataclass(frozen=True)
class Circle:
    """Points z_m and coefficients c_m, with s_p(z_m) and (z_m - 1) s_p(z_m) / p in rows, p = 1, 2, ..."""

    z: Tensor
    shares: Tensor
    series: Tensor
    logarithm: Tensor


@lru_cache(maxsize=256)
def _circle(weights: tuple[float, ...], accuracy: float, terms: int, device: torch.device) -> Circle:
    points, rho = circle_of(len(weights), accuracy)
    angles = torch.arange(1, points, 2, dtype=torch.float64) * (math.pi / points)
    z = torch.polar(torch.full_like(angles, rho), angles)
    ranks = torch.arange(len(weights), dtype=torch.float64)
    inverse = torch.polar((rho**-ranks).expand(len(z), -1), -angles[:, None] * ranks)
    shares = (inverse * torch.tensor(weights, dtype=torch.float64)).sum(dim=1) * (2 / points)
    series = [torch.ones_like(z)]
    for p in range(1, terms):
        terms_before = (series[p - j] / math.factorial(j) for j in range(1, p + 1))
        series.append(-z * torch.stack([*terms_before]).sum(dim=0))
    table = torch.stack(series, dim=1)
    logarithm = (z - 1)[:, None] * table / torch.arange(1, terms + 1)
    return Circle(z.to(device), shares.to(device), table.to(device), logarithm.to(device))


def _stretch(
    x: Tensor,
    window: slice,
    first: Tensor,
    above: Tensor | None,
    others: _Light,
    circle: Circle,
    quadrature: Quadrature,
    end: Tensor,
    got: Tensor,
) -> None:
    """Add the nodes from x on to what the first clocks have `got` and to the polynomial of the others.

    Nobody can get more than the expected weight of the next position, so a user for whom that is below what
    counts is at the `end`.
    """
    a, v = first[:, window], None if above is None else above[:, window]
    later = slice(window.stop, None)
    light = (_Light(first[:, later], None if above is None else above[:, later], quadrature), others)
    mass = x[:, None]
    for node in range(STRETCH):
        at = x + node * quadrature.step
        u = (a + at[:, None]).clamp_(max=RUNG).exp_()
        inverse, together = _factors(u, circle.z)
        powers = [part.powers(at) for part in light]
        for part, power in zip(light, powers, strict=True):
            together = together * torch.exp(part.logarithm(power, circle))
        mass = torch.where((at < end)[:, None], together * circle.shares, 0)
        ringing = u * torch.exp(-u)
        pull = None
        if v is None:
            got[:, window] += ringing * _mixed(mass, inverse)
        else:
            everyone = _summed(v * ringing, inverse.mT)
            for part, power in zip(light, powers, strict=True):
                everyone = everyone + part.everyone(power, circle)
            less = mass * (1 - circle.z)
            pull = less * everyone
            own = (1 - u) * _mixed(mass, inverse) + ringing * _mixed(less, inverse.square())
            got[:, window] += ringing * (v * own - _mixed(pull, inverse))
        for part, power in zip(light, powers, strict=True):
            part.give(mass, pull, power, circle)
    got[:, later] += light[0].given()
    end.masked_fill_(mass.real.sum(dim=1) <= quadrature.stop, -math.inf)


def _factors(u: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    """1 / g (users x points x clocks), and the products of g."""
    g = 1 - torch.expm1(-u)[:, None, :] * (z - 1)[:, None]
    inverse = g.conj() / (g.real.square() + g.imag.square())
    return inverse, g.prod(dim=2)


def _summed(mass: Tensor, each: Tensor) -> Tensor:
    return (mass.to(each.dtype)[:, None, :] @ each)[:, 0]


def _mixed(mass: Tensor, each: Tensor) -> Tensor:
    """The real part of the sum over points, for each clock."""
    return _summed(mass, each).real


class _Light:
    """Clocks of small u, by sums of the powers of their weights as shares of the largest."""

    def __init__(self, a: Tensor, upstream: Tensor | None, quadrature: Quadrature) -> None:
        self.upstream, self.small = upstream, quadrature.small
        nothing = a.new_full((len(a), 1), torch.finfo(a.dtype).min / (2 * quadrature.terms))
        self.largest = torch.cat([a, nothing], dim=1).amax(dim=1, keepdim=True)
        self.share = (a - self.largest).exp_()
        self.degrees = torch.arange(1, quadrature.terms + 1, dtype=a.dtype, device=a.device)
        power, sums, pulls = self.share.clone(), [], []
        for _ in range(quadrature.terms):
            sums.append(power.sum(dim=1))
            if upstream is not None:
                pulls.append((power * upstream).sum(dim=1))
            power.mul_(self.share)
        self.sums = torch.stack(sums, dim=1)
        self.pulls = torch.stack(pulls, dim=1) if pulls else self.sums
        self.own, self.shared = torch.zeros_like(self.sums), torch.zeros_like(self.sums)

    def powers(self, x: Tensor) -> Tensor:
        """u, u^2, ... of the largest; users at their end may have larger ones, which must not overflow."""
        return torch.exp((self.largest + x[:, None]).clamp_(max=math.log(self.small)) * self.degrees)

    def logarithm(self, powers: Tensor, circle: Circle) -> Tensor:
        """The sum of log g at each point."""
        return (self.sums * powers).to(circle.z.dtype) @ circle.logarithm.T

    def everyone(self, powers: Tensor, circle: Circle) -> Tensor:
        """The sum of v r at each point."""
        return (self.pulls * powers).to(circle.z.dtype) @ circle.series.T

    def give(self, mass: Tensor, pull: Tensor | None, powers: Tensor, circle: Circle) -> None:
        """Add a node to the polynomial, in the gradient to that of the clock's own v and to that of all."""
        self.own += (mass @ circle.series).real * powers
        if pull is not None:
            self.shared += (pull @ circle.series).real * powers

    def given(self) -> Tensor:
        if self.upstream is None:
            return self._polynomial(self.own)
        own = self._polynomial(self.own * self.degrees).mul_(self.upstream)
        return own.sub_(self._polynomial(self.shared))

    def _polynomial(self, coefficients: Tensor) -> Tensor:
        """Of the shares, without a constant."""
        out = torch.zeros_like(self.share)
        for coefficient in coefficients.flip(1).unbind(1):
            out.add_(coefficient[:, None]).mul_(self.share)
        return out
