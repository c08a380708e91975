"""Joint multisided exposure fairness as a loss, for any model that gives scores.

With the exact exposure E of the Plackett-Luce policy over the scores, the target E* and D = E - E*, the six
measures are (Wu et al. 2022)

    II mean_ij D^2     IG mean_{i,G} Dbar^2    GI mean_{g,j} Dbar^2
    GG mean_{g,G} Dbar^2    AI mean_j Dbar^2   AG mean_G Dbar^2

where bars are means over the members of user groups g and item groups G. No rankings are drawn, so gradients
have no noise but that of the users in a batch. The same E gives what accuracy it costs, as exactly: the
exposure that users' relevant items get, mean_i sum_{j relevant to i} E_ij, which `relevant` rewards.

Minibatches. A mean over users that is squared comes out too large from a sample: by S^2/n (1 - n/N) for n
of N users drawn without replacement (Cochran 1977, 2.5). `batches="unbiased"` subtracts the same with the
sample's s^2, and divides by the chance that the batch holds enough of the group (two, or all of it): over
uniformly drawn batches the loss and its gradient are then those of all users on average. `batches="running"`
squares running means over past batches instead, and takes gradients through the present batch only: less
noise, but the means are those of a model that has moved on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from evenhand.errors import InputError
from evenhand.exposure.training.differentiable import open_unit, plackett_luce
from evenhand.parameters import choice, number, whole

MEASURES = ("II", "IG", "GI", "GG", "AI", "AG")

Target = Callable[[Tensor, Tensor, Tensor], Tensor]


def equal_expected_exposure(relevant: Tensor, present: Tensor, weights: Tensor) -> Tensor:
    """The m relevant items of a user share the first m positions equally, the others the rest.

    Of masks (users x items) and position weights; with RBP (1 - gamma^m) / (m (1 - gamma)) each, and
    (gamma^m - gamma^n) / ((n - m) (1 - gamma)) for the others of n items that are there.
    """
    above = torch.cat([weights.new_zeros(1), weights.cumsum(0)])
    m, n = relevant.sum(dim=1, keepdim=True), present.sum(dim=1, keepdim=True)
    wanted = above[m] / m.clamp(min=1)
    rest = (above[n] - above[m]) / (n - m).clamp(min=1)
    return torch.where(relevant, wanted, rest) * present


class JMELoss(nn.Module):
    """A weighted sum of measures of exposure fairness.

    `user_groups` and `item_groups` are a code (0, 1, ...) for each user and item, or a 0/1 table with a
    column a group where they overlap. `weights` names the measures, for example {"GG": 1.0, "AG": 1.0}.
    With `normalise` each is divided by its value at the first call, so that they start equal; make that call
    with all users if you can. `target` makes E* of relevance, presence and position weights, which are 0
    beyond `k` if given. `relevant` is the weight of the expected exposure of a user's relevant items, which
    is subtracted (with `normalise` divided by its value at the first call too): without it fairness is bought
    with accuracy. `batches` says how a part of the users stands for all: "unbiased" (the loss of a small
    batch may be below 0) or "running", means over past batches of which the share `memory` is kept.
    """

    def __init__(
        self,
        user_groups: Any,
        item_groups: Any,
        weights: Mapping[str, float],
        beta: float = 1.0,
        patience: float = 0.8,
        discount: str = "rbp",
        *,
        k: int | None = None,
        target: Target = equal_expected_exposure,
        normalise: bool = True,
        batches: str = "unbiased",
        memory: float = 0.9,
        accuracy: float = 1e-6,
        relevant: float = 0.0,
    ) -> None:
        super().__init__()
        users, items = _membership("user", user_groups), _membership("item", item_groups)
        # "All users" is one more group: AI and AG are GI and GG of it.
        self.register_buffer("user_groups", torch.cat([users, torch.ones_like(users[:, :1])], dim=1))
        self.register_buffer("item_means", items / items.sum(dim=0))
        self.relevant = number("relevant", relevant)
        self.weights = _weights(weights, may_be_none=self.relevant > 0)
        self.beta = number("beta", beta, above=True)
        self.patience = open_unit("patience", patience)
        self.discount = choice("discount", discount, ("rbp", "dcg"))
        self.k = None if k is None else whole("k", k)
        self.batches = choice("batches", batches, ("unbiased", "running"))
        self.memory, self.accuracy = number("memory", memory, 0, 1), accuracy
        self.target, self.normalise = target, normalise
        self.register_buffer("starts", torch.full((len(self.weights),), math.nan, dtype=users.dtype))
        self.register_buffer("relevant_start", torch.tensor(math.nan, dtype=users.dtype))
        self.register_buffer(
            "running", torch.full((users.shape[1] + 1, len(items)), math.nan, dtype=users.dtype)
        )

    def forward(
        self, scores: Tensor, relevance: Tensor, users: Tensor | None = None, history: Tensor | None = None
    ) -> Tensor:
        """The loss of a batch: scores and relevance (users x items), the users' places among all (all, in
        order, if not given), and a mask of items that are not shown to them again."""
        exposure, target, members = self._exposures(scores, relevance, users, history)
        difference = exposure - target
        found = self._measures(difference, members)
        if self.normalise and bool(self.starts.isnan().any()):
            with torch.no_grad():  # as if these were all users, since an unbiased estimate may be below 0
                held = members[:, members.sum(dim=0) > 0]
                first = _measures(difference, held, held.sum(dim=0), self.item_means, self.weights)
            for place, value in enumerate(first.values()):
                self.starts[place] = torch.where(value > 0, value, 1)
        scales = self.starts if self.normalise else torch.ones_like(self.starts)
        loss = sum(
            weight * found[name] / scale
            for (name, weight), scale in zip(self.weights.items(), scales.to(scores.dtype), strict=True)
        )
        return loss - self._reward(exposure, relevance) if self.relevant else loss

    def _reward(self, exposure: Tensor, relevance: Tensor) -> Tensor:
        found = (exposure * (relevance > 0)).sum(dim=1).mean()
        if not self.normalise:
            return self.relevant * found
        if bool(self.relevant_start.isnan()):
            self.relevant_start.copy_(found.detach())
        return self.relevant * found / self.relevant_start.to(found.dtype)

    def measures(
        self, scores: Tensor, relevance: Tensor, users: Tensor | None = None, history: Tensor | None = None
    ) -> dict[str, Tensor]:
        """All six measures of these users, estimated as for batches="unbiased", not normalised."""
        difference, members = self._differences(scores, relevance, users, history)
        names = dict.fromkeys(MEASURES, 1.0)
        return _measures(difference, members, self.user_groups.sum(dim=0), self.item_means, names)

    def _differences(
        self, scores: Tensor, relevance: Tensor, users: Tensor | None, history: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """D of the batch, and the groups of its users."""
        exposure, target, members = self._exposures(scores, relevance, users, history)
        return exposure - target, members

    def _exposures(
        self, scores: Tensor, relevance: Tensor, users: Tensor | None, history: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """E and E* of the batch, and the groups of its users."""
        members = self.user_groups if users is None else self.user_groups[users]
        shape = (len(members), len(self.item_means))
        for name, value in (("scores", scores), ("relevance", relevance), ("history", history)):
            if value is not None and value.shape != shape:
                raise InputError(
                    f"{name} has the shape {tuple(value.shape)}, but the groups are of {shape[0]:,} users in "
                    f"this batch and {shape[1]:,} items."
                )
        relevant = relevance > 0
        shown = scores if history is None else scores.masked_fill(history > 0, -math.inf)
        present = shown.detach() != -math.inf
        hidden = int((relevant & ~present).sum())
        if hidden:
            raise InputError(
                f"{hidden:,} relevant pairs are in the history or have no score, so nothing could expose "
                "them: the target must be relevance that the history does not contain."
            )
        without = (~relevant.any(dim=1)).nonzero()
        if len(without):
            raise InputError(
                f"{len(without):,} of {shape[0]:,} users have no relevant item, the first in row "
                f"{int(without[0])}: leave them out of the groups and of the batches."
            )
        exposure = plackett_luce(shown, self.beta, self.patience, self.discount, self.accuracy, self.k)
        positions = torch.arange(shape[1], dtype=torch.float64, device=scores.device)
        rbp = self.discount == "rbp"
        weights = self.patience**positions if rbp else 1 / torch.log2(positions + 2)
        if self.k is not None:
            weights[self.k :] = 0
        return exposure, self.target(relevant, present, weights.to(scores.dtype)), members

    def _measures(self, difference: Tensor, members: Tensor) -> dict[str, Tensor]:
        sizes = self.user_groups.sum(dim=0)
        if self.batches == "unbiased":
            return _measures(difference, members, sizes, self.item_means, self.weights)
        return self._with_running_means(difference, members)

    def _with_running_means(self, difference: Tensor, members: Tensor) -> dict[str, Tensor]:
        """Squares of running means, with the gradient 2 (running mean) d(batch mean)."""
        found = _measures(difference, members, members.sum(dim=0), self.item_means, self.weights)
        counts = members.sum(dim=0)[:, None].to(difference.dtype)
        batch = members.to(difference.dtype).T @ difference / counts.clamp(min=1)
        before = self.running.to(difference.dtype)
        kept = torch.where(before.isnan(), batch.detach(), before)
        after = torch.where(counts > 0, self.memory * kept + (1 - self.memory) * batch.detach(), before)
        if self.training:
            self.running.copy_(after)
        known = (~after.isnan()).all(dim=1)
        item_means = self.item_means.to(difference.dtype)
        for name in found:
            if name[0] in "GA":
                mean, now = (after, batch) if name[1] == "I" else (after @ item_means, batch @ item_means)
                cells = mean.square() + 2 * mean * (now - now.detach())
                found[name] = cells[-1].mean() if name[0] == "A" else cells[:-1][known[:-1]].mean()
        return found


def _measures(
    difference: Tensor, members: Tensor, sizes: Tensor, item_means: Tensor, names: Mapping[str, float]
) -> dict[str, Tensor]:
    """The named measures; of all users if the batch holds all of each group, else unbiased for them."""
    grouped = difference @ item_means.to(difference.dtype)
    found = {}
    squares: dict[str, Tensor] = {}
    for name in names:
        values = difference if name[1] == "I" else grouped
        if name[0] == "I":
            found[name] = values.square().mean()
            continue
        if name[1] not in squares:
            squares[name[1]] = _squared_means(values, members.to(values.dtype), sizes)
        found[name] = squares[name[1]][-1].mean() if name[0] == "A" else squares[name[1]][:-1].mean()
    return found


def _squared_means(values: Tensor, members: Tensor, sizes: Tensor) -> Tensor:
    """Squares of the mean of each group over all its users (groups x columns), estimated from a batch."""
    n, population = members.sum(dim=0)[:, None], sizes.to(values.dtype)[:, None]
    mean = members.T @ values / n.clamp(min=1)
    if bool((n == population).all()):
        return mean.square()
    if len(members) < 2:
        raise InputError("a batch has one user only, but two are needed to tell what is chance.")
    spread = (members.T @ values.square() - n * mean.square()) / (n - 1).clamp(min=1)
    unbiased = mean.square() - spread * (1 - n / population) / n.clamp(min=1)
    enough = (n >= 2) | (n == population)
    chance = torch.tensor(
        [_chance_of_enough(int(size), len(members), int(sizes[-1])) for size in sizes],
        dtype=values.dtype,
        device=values.device,
    )
    return torch.where(enough, unbiased, 0) / chance[:, None]


def _chance_of_enough(size: int, batch: int, user_count: int) -> float:
    """That a batch drawn from all users holds two of a group of this size, or its only member."""
    if size == 1:
        return batch / user_count

    def chance(k: int) -> float:
        if batch - k > user_count - size or k > batch:
            return 0.0
        return math.comb(size, k) * math.comb(user_count - size, batch - k) / math.comb(user_count, batch)

    return 1 - chance(0) - chance(1)


def _membership(side: str, groups: Any) -> Tensor:
    """A row a member and a column a group, from codes or from a table."""
    index = getattr(groups, "index", None)
    if not isinstance(groups, list | tuple) and index is not None and not _in_order(list(index)):
        raise InputError(
            f"{side}_groups: its index numbers the {side}s in another order; sort it by its index."
        )
    for plain in ("to_numpy", "toarray"):  # a frame, a sparse table
        groups = getattr(groups, plain)() if hasattr(groups, plain) else groups
    try:
        table = torch.as_tensor(groups).cpu()
    except (TypeError, ValueError, RuntimeError):  # text, or rows of different lengths
        table = torch.empty(0)
    if table.ndim == 1 and len(table) and not table.is_floating_point() and int(table.min()) >= 0:
        table = nn.functional.one_hot(table.long())
    if table.ndim != 2 or not len(table) or not bool(((table == 0) | (table == 1)).all()):
        raise InputError(
            f"{side}_groups must be a code (0, 1, ...) for each {side}, or a 0/1 table with a column a group."
        )
    empty = (table.sum(dim=0) == 0).nonzero()
    if len(empty):
        raise InputError(f"{side} group {int(empty[0])} has no members; number the groups without gaps.")
    return table.to(torch.float64)


def _in_order(index: list[Any]) -> bool:
    """Whether it is not the numbers of the rows in another order than theirs."""
    numbers = list(range(len(index)))
    return index == numbers or set(index) != set(numbers)


def _weights(weights: Mapping[str, float], may_be_none: bool) -> dict[str, float]:
    kept = {
        choice("a measure in weights", name, MEASURES): number(f"the weight of {name}", weight)
        for name, weight in weights.items()
    }
    kept = {name: weight for name, weight in kept.items() if weight > 0}
    if not kept and not may_be_none:
        raise InputError(f"weights names no measure with a weight above 0; there are {', '.join(MEASURES)}.")
    return kept
