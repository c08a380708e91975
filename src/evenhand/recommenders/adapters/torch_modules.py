"""PyTorch modules that score pairs of codes, as recommenders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.recommenders.adapters.libraries import library
from evenhand.recommenders.adapters.pairwise import BATCH, Pairwise
from evenhand.recommenders.taken.ids import Codes


def from_torch(module: Any, user_ids: Any, item_ids: Any, *, batch: int = BATCH) -> Pairwise:
    """A recommender from a module whose forward takes two tensors of codes and returns one score a pair.

    The code of a user or item is its place in `user_ids` or `item_ids`. The module is run where its
    parameters are, in evaluation mode (no dropout) and without gradients; it is left in the mode it was in.
    """
    torch = library("torch")
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"a {type(module).__name__} is not a torch module.")
    what = f"the module {type(module).__name__}"

    def score(user: Codes, item: Codes) -> Any:
        device = _device(module)
        codes = [torch.from_numpy(np.ascontiguousarray(places)).to(device) for places in (user, item)]
        with _evaluating(module), torch.no_grad():
            try:
                scores = module(*codes)
            except IndexError as error:
                raise InputError(
                    f"{what} does not know all of {len(user_ids):,} users and {len(item_ids):,} items "
                    f"({error}); give the ids in the order of its codes, from 0."
                ) from error
        if not isinstance(scores, torch.Tensor):
            raise InputError(
                f"{what} returned a {type(scores).__name__}, but must return a tensor of scores."
            )
        return scores.to(device="cpu", dtype=torch.float64).numpy()

    return Pairwise(score, user_ids, item_ids, batch=batch, what=what)


def _device(module: Any) -> Any:
    """Where the module's numbers are; one without any runs on the CPU."""
    for tensors in (module.parameters(), module.buffers()):
        for tensor in tensors:
            return tensor.device
    return "cpu"


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    # One part may be frozen while the rest is in training, so each gets its own mode back.
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
