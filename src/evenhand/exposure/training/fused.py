"""The quadrature of `differentiable` as one Triton kernel: a program a user, the user's row in registers.

Only scores are read and exposures written, so the work is arithmetic alone. The product of the g_j is formed
as prod (1 + z_j) - 1 by (1 + y)(1 + z) = 1 + (y + z + yz): most z are tiny, sums of their logarithms would
need as accurate a logarithm near 1 as the hardware does not have, and their plain product would lose them.
Single precision; `differentiable.integrate` is the reference.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import triton
import triton.language as tl
from torch import Tensor

if TYPE_CHECKING:
    from evenhand.exposure.training.differentiable import Mixture, Nodes

# More would not fit in the registers of one program.
MOST_ITEMS = 1 << 14


@triton.jit
def _joined(y, z):
    return y + z + y * z


@triton.jit
def _kernel(
    a_rows, upstream_rows, out_rows, lows, lasts, gammas, shares,
    items, mixture, step, left, accuracy,
    WIDTH: tl.constexpr, BACKWARD: tl.constexpr,
):  # fmt: skip
    user = tl.program_id(0).to(tl.int64)
    item = tl.arange(0, WIDTH)
    there = item < items
    a = tl.load(a_rows + user * items + item, mask=there, other=float("-inf"))
    low = tl.load(lows + user)
    last = tl.load(lasts + user)
    out = tl.exp(a + low) * left
    if BACKWARD:
        v = tl.load(upstream_rows + user * items + item, mask=there, other=0.0)
        out *= v
    x = low
    node = 0
    alive = 1.0
    while (alive > accuracy) & (x < last):
        u = tl.exp(tl.minimum(a + x, 6.0))
        e = tl.exp(-u)
        # 1 - e loses its digits where u is small: there the series to u^5, whose rest is below 5e-8 of it.
        series = u * (1 - u * (0.5 - u * (1 / 6 - u * (1 / 24 - u * (1 / 120)))))
        rung = tl.where(u < 0.125, series, 1 - e)
        alive = 0.0
        for c in range(mixture):
            gamma = tl.load(gammas + c)
            share = tl.load(shares + c)
            z = rung * (gamma - 1)
            r = u * e / tl.maximum(gamma + (1 - gamma) * e, 1e-37)
            together = 1 + tl.reduce(z, 0, _joined)
            alive = tl.maximum(alive, together)
            # What is left is at most this; below it rounding would be multiplied by r, up to -log gamma.
            together = tl.where(together > accuracy, together, 0.0)
            if BACKWARD:
                everyone = tl.sum(v * r, 0)
                out += share * together * r * (v * (1 - u + (1 - gamma) * r) - (1 - gamma) * everyone)
            else:
                out += share * together * r
        node += 1
        x = low + node * step
    tl.store(out_rows + user * items + item, out * step, mask=there)


def integrate(nodes: Nodes, upstream: Tensor | None, asked: Mixture) -> Tensor:
    """As `differentiable.integrate`, for rows of at most `MOST_ITEMS` items in single precision."""
    a = nodes.a.contiguous()
    above = a if upstream is None else upstream.contiguous()
    out = torch.empty_like(a)
    users, items = a.shape
    width = max(32, triton.next_power_of_2(items))
    _kernel[(users,)](
        a_rows=a,
        upstream_rows=above,
        out_rows=out,
        lows=nodes.low,
        lasts=nodes.last,
        gammas=torch.tensor(asked.gammas, dtype=a.dtype, device=a.device),
        shares=torch.tensor(asked.shares, dtype=a.dtype, device=a.device),
        items=items,
        mixture=len(asked.gammas),
        step=asked.step,
        left=sum(asked.shares) / math.expm1(asked.step),
        accuracy=asked.accuracy,
        WIDTH=width,
        BACKWARD=upstream is not None,
        num_warps=min(32, max(1, width // 256)),
    )
    return out
