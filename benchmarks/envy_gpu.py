"""Utilities of all users under all policies on a GPU: right, and how fast beside NumPy?

    PYTHONPATH=src python benchmarks/envy_gpu.py [USERS ITEMS]      (20,000 x 5,000 by default)

Needs torch with CUDA. The package's room is loaded without its front door, so that nothing else of
Evenhand's dependencies has to be installed on the machine with the GPU.
"""

from __future__ import annotations

import sys
import time
import types
from pathlib import Path

import numpy as np

ROOM = Path(__file__).resolve().parents[1] / "src" / "evenhand" / "envy"


def main() -> None:
    room = types.ModuleType("evenhand.envy")
    room.__path__ = [str(ROOM)]
    sys.modules["evenhand.envy"] = room
    import torch

    from evenhand.envy.utilities import utilities

    users, items = (int(value) for value in sys.argv[1:3]) if len(sys.argv) > 2 else (20_000, 5_000)
    rng = np.random.default_rng(0)
    preferences = rng.random((users, items), dtype=np.float32)
    policies = rng.random((users, items), dtype=np.float32)
    policies /= policies.sum(axis=1, keepdims=True)
    utilities(preferences[:100], policies[:100], device="cuda")  # wakes the device
    seconds = {}
    found = {}
    for device in ("cuda", None):
        torch.cuda.synchronize()
        started = time.perf_counter()
        found[device] = utilities(preferences, policies, device=device)
        seconds[device] = time.perf_counter() - started
    error = float(np.abs(found["cuda"] - found[None]).max())
    print(f"{torch.cuda.get_device_name(0)}: {users:,} users x {items:,} items, tables on the host")
    print(f"cuda {seconds['cuda']:.2f} s, NumPy {seconds[None]:.2f} s, largest difference {error:.1e}")


if __name__ == "__main__":
    main()
