"""Who multiplies: NumPy, or torch on a device; and the reductions that follow, made where the product is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError


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
        self, block: Any, threshold: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """For each row: the largest value, its place, and how many are above the row's threshold."""


class NumpyEngine(Engine):
    def load(self, rows: Any) -> Any:
        return rows

    def product(self, left: Any, right: Any) -> Any:
        return left @ right.T

    def unload(self, block: Any) -> NDArray[Any]:
        return np.asarray(block)

    def extremes(self, block: Any, threshold: NDArray[np.float64]) -> tuple[Any, Any, Any]:
        place = block.argmax(axis=1)
        largest = block[np.arange(len(block)), place].astype(float)
        return largest, place, np.count_nonzero(block > threshold[:, None], axis=1)


class TorchEngine(Engine):
    def __init__(self, device: str) -> None:
        import torch

        try:
            self.device = torch.device(device)
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:  # torch has its own for each device
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(f"device is {device!r}, which torch cannot use here ({reason}).") from None
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

    def extremes(self, block: Any, threshold: NDArray[np.float64]) -> tuple[Any, Any, Any]:
        largest, place = block.max(dim=1)
        limit = self.torch.from_numpy(threshold).to(self.device)
        above = (block > limit[:, None]).sum(dim=1)
        return largest.double().cpu().numpy(), place.cpu().numpy(), above.cpu().numpy()


def engine_for(device: str | None, *tables: Any) -> Engine:
    """NumPy, unless a device is named or a table is a tensor on one other than the CPU."""
    if device is None:
        places = {str(table.device) for table in tables if hasattr(table, "detach")} - {"cpu"}
        device = sorted(places)[0] if places else None
    if device is None:
        return NumpyEngine()
    if not isinstance(device, str):
        raise InputError(f"device is {device!r}, but must be a name such as 'cpu' or 'cuda', or 'auto'.")
    try:
        import torch
    except ImportError:
        if device == "auto":
            return NumpyEngine()
        raise InputError(
            f"device is {device!r}, but torch is not installed; install the extra models."
        ) from None
    if device == "auto":
        return TorchEngine("cuda") if torch.cuda.is_available() else NumpyEngine()
    return TorchEngine(device)
