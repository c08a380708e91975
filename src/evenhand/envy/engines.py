"""Who multiplies: NumPy, or torch on a device; and the reductions that follow, made where the product is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.inputs.given import is_tensor
from evenhand.parameters import torch_device
from evenhand.products import product


class Engine(ABC):
    """Loads blocks of rows, multiplies them, and says what is needed about the product."""

    @abstractmethod
    def load(self, rows: Any) -> Any: ...

    @abstractmethod
    def product(self, left: Any, right: Any) -> Any:
        """left right', users by others."""

    @abstractmethod
    def unload(self, block: Any) -> NDArray[Any]: ...

    @abstractmethod
    def extremes(
        self, block: Any, limits: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """For each row: the largest value, its place, and how many are above the row's limit."""


class NumpyEngine(Engine):
    def load(self, rows: Any) -> Any:
        return rows

    def product(self, left: Any, right: Any) -> Any:
        return product(left, right)

    def unload(self, block: Any) -> NDArray[Any]:
        return np.asarray(block)

    def extremes(self, block: Any, limits: NDArray[np.float64]) -> tuple[Any, Any, Any]:
        place = block.argmax(axis=1)
        largest = block[np.arange(len(block)), place].astype(float)
        return largest, place, np.count_nonzero(block > limits[:, None], axis=1)


class TorchEngine(Engine):
    def __init__(self, device: Any) -> None:
        import torch

        self.device = torch.device(device)
        self.torch = torch

    def load(self, rows: Any) -> Any:
        is_sparse: bool = sparse.issparse(rows)
        dense = rows.toarray() if is_sparse else np.ascontiguousarray(rows)
        if not dense.flags.writeable:  # torch warns about memory that it must not write to
            dense = dense.copy()
        return self.torch.from_numpy(dense).to(self.device)

    def product(self, left: Any, right: Any) -> Any:
        common = self.torch.promote_types(left.dtype, right.dtype)
        return left.to(common) @ right.to(common).T

    def unload(self, block: Any) -> NDArray[Any]:
        return block.cpu().numpy()

    def extremes(self, block: Any, limits: NDArray[np.float64]) -> tuple[Any, Any, Any]:
        largest, place = block.max(dim=1)
        limit = self.torch.from_numpy(limits).to(self.device)
        above = (block > limit[:, None]).sum(dim=1)
        return largest.double().cpu().numpy(), place.cpu().numpy(), above.cpu().numpy()


def engine_for(device: str | None, *tables: Any) -> Engine:
    """NumPy, unless a device is named or a table is a tensor on one other than the CPU."""
    if device is None:
        places = {str(table.device) for table in tables if is_tensor(table)} - {"cpu"}
        device = sorted(places)[0] if places else None
    found = torch_device(device)
    return NumpyEngine() if found is None else TorchEngine(found)
