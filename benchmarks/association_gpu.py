"""EAA, GEAA and DEAA of a large catalogue on a GPU: right, and how fast beside NumPy?

    PYTHONPATH=src python benchmarks/association_gpu.py [ITEMS USERS DIMENSIONS]   (1,000,000 200,000 64)

Needs torch with CUDA. The package's room is loaded without its front door, so that nothing else of
Evenhand's dependencies has to be installed on the machine with the GPU.
"""

from __future__ import annotations

import sys
import time
import types
from pathlib import Path

import numpy as np

ROOM = Path(__file__).resolve().parents[1] / "src" / "evenhand" / "association"


def main() -> None:
    room = types.ModuleType("evenhand.association")
    room.__path__ = [str(ROOM)]
    sys.modules["evenhand.association"] = room
    import torch

    from evenhand.association.measures import deaa, eaa

    count, users, dimensions = (
        (int(value) for value in sys.argv[1:4]) if len(sys.argv) > 3 else (1_000_000, 200_000, 64)
    )
    rng = np.random.default_rng(0)
    items = rng.normal(size=(count, dimensions)).astype(np.float32)
    people = rng.normal(size=(users, dimensions)).astype(np.float32)
    a, b = people[: users // 2], people[users // 2 :]
    half = count // 2
    deaa(items[:500], items[500:1000], a[:100], b[:100], device="cuda")  # wakes the device, compiles
    print(f"{count:,} items, {users:,} users in A and B, {dimensions} dimensions")
    scores, found = {}, {}
    for device in ("cuda", None):
        torch.cuda.synchronize()
        started = time.perf_counter()
        scores[device] = eaa(items, a, b, device=device)
        alone = time.perf_counter() - started
        started = time.perf_counter()
        found[device] = deaa(items[:half], items[half:], a, b, device=device)
        together = time.perf_counter() - started
        print(
            f"  {device or 'NumPy':5}  all EAA {alone:6.3f} s   deaa(), 10,000 permutations {together:6.3f} s"
        )
    worst = np.abs(scores["cuda"] - scores[None]).max()
    print(f"  largest difference of an EAA {worst:.1e}, of DEAA "
          f"{abs(found['cuda'].estimate - found[None].estimate):.1e}")  # fmt: skip
    if worst > 1e-12:
        raise AssertionError("the GPU and NumPy differ")


if __name__ == "__main__":
    main()
