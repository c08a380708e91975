"""EAA of a large catalogue on a GPU: right, and how fast beside NumPy?

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

    from evenhand.association.evidence import UnitSums
    from evenhand.association.vectors import devices
    from evenhand.association.vectors.checks import checked, cosines
    from evenhand.stats.means.two_samples import shuffle_two

    count, users, dimensions = (
        (int(value) for value in sys.argv[1:4]) if len(sys.argv) > 3 else (1_000_000, 200_000, 64)
    )
    rng = np.random.default_rng(0)
    items = rng.normal(size=(count, dimensions)).astype(np.float32)
    people = rng.normal(size=(users, dimensions)).astype(np.float32)
    a, b = people[: users // 2], people[users // 2 :]

    def all_eaa(device: str | None) -> np.ndarray:
        with devices.on(device):
            tested, first, second = checked("items", items), checked("a", a), checked("b", b)
            return cosines(tested, UnitSums.of(first).means[0] - UnitSums.of(second).means[0])

    all_eaa("cuda")  # wakes the device
    shuffle_two(rng.normal(size=100), rng.normal(size=100), permutations=20, seed=0)  # compiles
    print(f"{torch.cuda.get_device_name(0)}: {count:,} items, {users:,} users, {dimensions} dimensions")
    scores = {}
    for device in ("cuda", None):
        started = time.perf_counter()
        scores[device] = all_eaa(device)
        alone = time.perf_counter() - started
        shuffle_two(scores[device][::2], scores[device][1::2], permutations=10_000, seed=0)
        both = time.perf_counter() - started
        print(f"  {device or 'NumPy':5}  all EAA {alone:6.3f} s   with 10,000 permutations {both:6.3f} s")
    worst = np.abs(scores["cuda"] - scores[None]).max()
    print(f"  largest difference of an EAA {worst:.1e}")
    if worst > 1e-12:
        raise AssertionError("the GPU and NumPy differ")


if __name__ == "__main__":
    main()
