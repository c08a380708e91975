"""Torch modules: the scores of the adapter are those of the module in evaluation mode."""

from typing import Any

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender, from_torch

pytestmark = pytest.mark.slow  # the library is in the extra `models`, which `make test` does not install

USERS, ITEMS = np.array(["u3", "u1", "u2"]), np.array([30, 10, 20, 40, 50])  # not sorted


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def network(torch: Any, output: Any = None) -> Any:
    """A small network with dropout, so that training mode would give other scores each time."""

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(1)
            self.users, self.items = torch.nn.Embedding(3, 8), torch.nn.Embedding(5, 8)
            self.dropout = torch.nn.Dropout(0.5)
            self.last = torch.nn.Linear(8, 1)

        def forward(self, users: Any, items: Any) -> Any:
            scores = self.last(self.dropout(torch.tanh(self.users(users) * self.items(items))))
            return scores if output is None else output(scores)

    return Network()


@pytest.mark.parametrize("output", [None, lambda scores: scores[:, 0], lambda scores: scores.bfloat16()])
def test_scores_are_those_of_the_module(torch: Any, output: Any) -> None:
    module = network(torch, output)
    ours = from_torch(module, USERS, ITEMS, batch=4)
    codes = torch.arange(3).repeat_interleave(5), torch.arange(5).repeat(3)
    with torch.no_grad():
        theirs = module.eval()(*codes).float().reshape(3, 5).numpy()
    module.train()
    assert np.allclose(ours.score(np.repeat(USERS, 5), np.tile(ITEMS, 3)), theirs.ravel(), atol=1e-6)
    best = ours.rank(USERS, k=5)
    expected = np.sort(theirs, axis=1)[:, ::-1].ravel()
    assert np.allclose(best["score"], expected, atol=1e-6)
    if output is None:  # bfloat16 has ties
        assert best["item_id"].to_list() == ITEMS[np.argsort(-theirs, axis=1)].ravel().tolist()


def test_the_module_is_left_as_it_was(torch: Any) -> None:
    module = network(torch)
    module.train()
    module.last.eval()
    as_recommender(module, user_ids=USERS, item_ids=ITEMS).rank()
    assert module.training
    assert module.dropout.training
    assert not module.last.training
    assert all(weight.grad is None for weight in module.parameters())


def test_a_module_without_parameters_has_a_device_too(torch: Any) -> None:
    class Sum(torch.nn.Module):
        def forward(self, users: Any, items: Any) -> Any:
            return users * 10 + items

    assert from_torch(Sum(), USERS, ITEMS).score(["u2"], [40]).tolist() == [23.0]


def test_a_module_for_fewer_users_fails_at_once(torch: Any) -> None:
    with pytest.raises(InputError, match="does not know all of 4 users and 5 items"):
        from_torch(network(torch), [*USERS, "u4"], ITEMS)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (lambda scores: scores.sum(), r"returned an array of shape \(\)"),
        (lambda scores: scores * float("nan"), "1 scores of 1 that are not finite"),
        (lambda scores: (scores, scores), "returned a tuple, but must return a tensor"),
    ],
)
def test_another_output_is_refused(torch: Any, output: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_torch(network(torch, output), USERS, ITEMS)
