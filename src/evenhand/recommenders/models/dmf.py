"""Deep matrix factorisation (Xue and others 2017).

A user is the row of items taken, an item the column of its users; two towers of layers map both into one
space, and the score is the cosine of the two vectors. Trained by cross-entropy on one negative a positive,
with the cosine divided by a temperature, since a cosine alone cannot come near 0 or 1 in probability.
"""

from __future__ import annotations

import warnings

import torch
from scipy import sparse
from torch import Tensor, nn

from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings

# Large batches: the towers are applied to all users and items in every step.
DEFAULTS = TrainingSettings(learning_rate=0.005, regularisation=0.0, batch=32_768, epochs=40)
TEMPERATURE = 0.15


class DMF(nn.Module):
    def __init__(self, train: Interactions, settings: TrainingSettings) -> None:
        super().__init__()
        taken = train.matrix()
        # Not weights, and large: kept out of checkpoints.
        self.rows, self.columns = _torch(taken), _torch(sparse.csr_array(taken.T))
        users, items = taken.shape
        self.user_in = nn.Parameter(torch.randn(items, settings.factors) * 0.05)
        self.item_in = nn.Parameter(torch.randn(users, settings.factors) * 0.05)
        self.user_out = nn.Linear(settings.factors, settings.factors)
        self.item_out = nn.Linear(settings.factors, settings.factors)

    def _vectors(self) -> tuple[Tensor, Tensor]:
        user = self.user_out(torch.relu(self.rows @ self.user_in))
        item = self.item_out(torch.relu(self.columns @ self.item_in))
        return nn.functional.normalize(user), nn.functional.normalize(item)

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        users, items = self._vectors()
        p = users[user]
        liked = (p * items[positive]).sum(dim=1) / TEMPERATURE
        other = (p * items[negative]).sum(dim=1) / TEMPERATURE
        return -(nn.functional.logsigmoid(liked) + nn.functional.logsigmoid(-other)).mean()

    def recommender(self, train: Interactions) -> Factors:
        with torch.no_grad():
            users, items = self._vectors()
        return Factors(train.user_ids, train.item_ids, users.numpy(), items.numpy())


def _torch(matrix: sparse.csr_array) -> Tensor:
    # Rows scaled to unit length, so that active users do not saturate the first layer.
    lengths = matrix.sum(axis=1) ** 0.5
    scaled = sparse.csr_array(sparse.diags_array(1 / lengths.clip(1)) @ matrix)
    with warnings.catch_warnings():  # torch calls its sparse tensors a beta, which is no news to a user
        warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
        return torch.sparse_csr_tensor(
            torch.from_numpy(scaled.indptr).long(),
            torch.from_numpy(scaled.indices).long(),
            torch.from_numpy(scaled.data).float(),
            size=scaled.shape,
            check_invariants=False,
        )
