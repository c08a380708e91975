"""Where products of vectors are computed: in NumPy, or by torch on a GPU for as long as `on` says so.

Only three things touch every number of a catalogue: the lengths of its vectors, their cosines with a line,
and sums of unit vectors. They are computed in double precision in either place, a block of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from evenhand.parameters import torch_device

# Large enough to hide the time to start a kernel, small enough for any GPU (512 MB in 64 dimensions).
BLOCK = 1 << 20

_CURRENT: ContextVar[Any] = ContextVar("device", default=None)


@contextmanager
def on(device: str | None) -> Iterator[None]:
    """Compute on this device inside the block: None is NumPy, "auto" a GPU where there is one."""
    token = _CURRENT.set(torch_device(device))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Any:
    """The device of torch in use, or None for NumPy."""
    return _CURRENT.get()


def _blocks(vectors: Any, device: Any) -> Iterator[tuple[slice, Any, Any]]:
    """Rows in double precision on the device, with their lengths."""
    import torch

    for start in range(0, len(vectors), BLOCK):
        block = slice(start, min(start + BLOCK, len(vectors)))
        part = np.ascontiguousarray(vectors[block])
        if not part.flags.writeable:  # torch warns about memory that it must not write to
            part = part.copy()
        rows = torch.from_numpy(part).to(device).double()
        yield block, rows, torch.linalg.vector_norm(rows, dim=1)


def lengths(vectors: Any, device: Any) -> Any:
    return np.concatenate([length.cpu().numpy() for _, _, length in _blocks(vectors, device)])


def cosines(vectors: Any, direction: Any, device: Any) -> Any:
    import torch

    line = torch.as_tensor(np.array(direction, dtype=np.float64), device=device)
    parts = [(rows @ line / length).cpu().numpy() for _, rows, length in _blocks(vectors, device)]
    return np.concatenate(parts)


def unit_sums(vectors: Any, weights: Any, device: Any) -> Any:
    """weights' U of the rows U at length 1; `weights` has a column for each sum."""
    import torch

    total = torch.zeros((weights.shape[1], vectors.shape[1]), dtype=torch.float64, device=device)
    for block, rows, length in _blocks(vectors, device):
        part = torch.as_tensor(np.array(weights[block], dtype=np.float64), device=device)
        total += part.T @ (rows / length[:, None])
    return total.cpu().numpy()
