"""BERT4Rec (Sun and others 2019): a transformer over a user's items in order of time, in both directions.

h = item + position at each place, then per layer, with attention over all places that are not empty,

    a = norm(h + softmax(Q K' / sqrt(d / heads)) V),    h <- norm(a + W2 gelu(W1 a)),

and at a place that was masked score(i) = gelu(W h) . item_i + b_i. Training hides items (`MASKED` of them, or
the last alone) and learns to tell them by cross-entropy over all items. A recommendation is what is behind a
mask after the last item. Places are counted from the end, so that the mask always has the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from evenhand.errors import InputError
from evenhand.recommenders.scores.attention import SequenceScores
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.taken.sequences import NOTHING, last_items, longest, windows
from evenhand.recommenders.training import TrainingSettings

# A batch is a number of pieces of sequences, and not of pairs.
DEFAULTS = TrainingSettings(
    factors=64, learning_rate=0.001, regularisation=0.0, batch=64, epochs=200, patience=5, every=5
)
LAYERS, HEADS = 2, 2
LENGTH = 100  # places of a sequence, the mask included
MASKED = 0.2
LAST_ALONE = (
    0.2  # of the pieces, those in which the last item alone is hidden, as it is when items are scored
)
DROPPED = 0.1
ARCHITECTURE = {"layers": LAYERS, "heads": HEADS, "length": LENGTH, "masked": MASKED, "dropped": DROPPED}


class BERT4Rec(nn.Module):
    def __init__(self, train: Interactions, settings: TrainingSettings) -> None:
        super().__init__()
        d, items = settings.factors, len(train.item_ids)
        if d % HEADS:
            raise InputError(f"factors (--factors) is {d}, but must be even: bert4rec has {HEADS} heads.")
        places = min(LENGTH, longest(train) + 1)
        # Not weights: kept out of checkpoints.
        self.register_buffer("pieces", torch.from_numpy(windows(train, places)).long(), persistent=False)
        self.regularisation = settings.regularisation
        self.items = nn.Parameter(torch.empty(items + 1, d))  # the last is the mask
        self.positions = nn.Parameter(torch.empty(places, d))
        self.norm = nn.LayerNorm(d)
        self.layers = nn.ModuleList(_Layer(d) for _ in range(LAYERS))
        self.head = nn.Linear(d, d)
        self.bias = nn.Parameter(torch.zeros(items))
        for name, weight in self.named_parameters():
            if weight.ndim == 2:  # as in BERT, whose vectors of length 768 begin with 0.02
                nn.init.trunc_normal_(weight, std=0.02 * (768 / d) ** 0.5)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def sampler(self, draw: torch.Generator) -> _Masked:
        return _Masked(self.pieces, len(self.items) - 1, draw)

    def encode(self, tokens: Tensor) -> Tensor:
        """(sequences, places, d) vectors; places at the end of the table are used where there are fewer."""
        there = tokens != NOTHING
        vectors = self.items[tokens.clamp(min=0)] + self.positions[-tokens.shape[1] :]
        vectors = functional.dropout(self.norm(vectors), DROPPED, self.training)
        for layer in self.layers:
            vectors = layer(vectors, there[:, None, None])
        return vectors

    def scores(self, vectors: Tensor) -> Tensor:
        """Of all items, at places with these vectors."""
        return _gelu(self.head(vectors)) @ self.items[:-1].T + self.bias

    def loss(self, tokens: Tensor, items: Tensor, hidden: Tensor) -> Tensor:
        """`tokens` are `items` with the mask at places that are `hidden`."""
        wrong = functional.cross_entropy(self.scores(self.encode(tokens)[hidden]), items[hidden])
        return wrong + self.regularisation * self.items.square().sum() / len(self.items)

    def recommender(self, train: Interactions) -> SequenceScores:
        weights = {name: weight.detach().cpu().numpy().copy() for name, weight in self.state_dict().items()}
        sequences = last_items(train, len(self.positions) - 1)
        return SequenceScores(train.user_ids, train.item_ids, sequences, HEADS, weights)


class _Layer(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.attended = nn.Linear(d, 3 * d)
        self.joined = nn.Linear(d, d)
        self.first_norm, self.second_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.wide, self.narrow = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, vectors: Tensor, there: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(2, (HEADS, -1)).transpose(1, 2) for part in self.attended(vectors).chunk(3, dim=2)
        )
        dropped = DROPPED if self.training else 0.0
        joined = functional.scaled_dot_product_attention(query, key, value, there, dropped)
        joined = self.joined(joined.transpose(1, 2).flatten(2))
        middle = self.first_norm(vectors + functional.dropout(joined, DROPPED, self.training))
        deep = self.narrow(_gelu(self.wide(middle)))
        return self.second_norm(middle + functional.dropout(deep, DROPPED, self.training))


class _Masked:
    """Batches of pieces with some items hidden, the pieces as they are, and what is hidden."""

    def __init__(self, pieces: Tensor, mask: int, draw: torch.Generator) -> None:
        self.pieces, self.mask, self.draw = pieces, mask, draw

    def batches(self, size: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        order = torch.randperm(len(self.pieces), generator=self.draw, device=self.draw.device)
        for rows in order.split(size):
            items = self.pieces[rows]
            hidden = (self._chance(*items.shape) < MASKED) & (items != NOTHING)
            alone = (self._chance(len(items)) < LAST_ALONE) | ~hidden.any(dim=1)
            hidden[alone] = False
            hidden[alone, -1] = True  # pieces end with an item
            yield torch.where(hidden, self.mask, items), items, hidden

    def _chance(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.draw, device=self.draw.device)


def _gelu(values: Tensor) -> Tensor:
    return functional.gelu(values, approximate="tanh")
