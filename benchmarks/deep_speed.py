"""13 million pairs through DeepFM: how many a second, on the CPU and on a GPU?

    python benchmarks/deep_speed.py [--pairs 13000000] [--cpu-pairs 13000000]

A data set of the size of LFM360K: 260,000 users with 50 candidates each of 140,000 items; users have
attributes of 2, 111 and 239 values. The weights are drawn, as speed does not depend on them. On the CPU the
saved arrays are scored by NumPy, as audits score a folder that `evenhand train` wrote; on the GPU the torch
module, as audits score a module that they are given (`from_torch`), in batches of two sizes, and then with
pairs and scores that are on the GPU already. Needs of Evenhand's dependencies torch, pandas, SciPy and
threadpoolctl alone. Both must give the same scores.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from association_training import SOURCE, without_tables

USERS, ITEMS, CANDIDATES = 260_000, 140_000, 50
VALUES = {"gender": 2, "age": 111, "country": 239}
BATCHES = (65_536, 1 << 21)  # the default of the adapter, and a large one
CHECKED = 200_000
REPEATS = 3


def deepfm(rng: np.random.Generator) -> Any:
    """A DeepFM whose scores differ, and the interactions that it belongs to: ids alone."""
    import torch

    from evenhand.recommenders.models import deepfm as home
    from evenhand.recommenders.taken.features import Features, Field, id_field
    from evenhand.recommenders.taken.interactions import Interactions

    told = (
        Field(
            name,
            "user",
            tuple(map(str, range(count))),
            rng.integers(1, count + 1, (USERS, 1)).astype(np.int32),
            count + 1,
        )
        for name, count in VALUES.items()
    )
    features = Features((id_field("user", USERS), *told), (id_field("item", ITEMS),))
    nothing = np.zeros(0)
    nobody = np.zeros(0, dtype=np.int64)
    ids = Interactions(np.arange(USERS), np.arange(ITEMS), nobody, nobody, nothing, nothing)
    torch.manual_seed(0)
    model = home.DeepFM(ids, home.DEFAULTS, features)
    with torch.no_grad():
        model.vectors.normal_(0, 0.3)
        model.wide.normal_(0, 0.3)
    return model, ids


def without_adapters() -> None:
    """Make the adapter of torch modules importable where the libraries that read tables are not installed."""
    without_tables()
    if find_spec("ibis") is None:
        room = types.ModuleType("evenhand.recommenders.adapters")
        room.__path__ = [str(SOURCE / "recommenders" / "adapters")]
        sys.modules["evenhand.recommenders.adapters"] = room


def said(where: str, score: Callable[[], Any], pairs: int, repeats: int = REPEATS) -> float:
    """Print the best of some runs."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        score()
        seconds.append(time.perf_counter() - started)
    took = min(seconds)
    print(f"| {where} | {pairs:,} | {took:.2f} | {pairs / took:,.0f} |", flush=True)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=USERS * CANDIDATES)
    parser.add_argument("--cpu-pairs", type=int, default=USERS * CANDIDATES)
    asked = parser.parse_args()
    without_adapters()
    import torch
    from threadpoolctl import threadpool_limits

    from evenhand.recommenders.adapters.torch_modules import from_torch

    rng = np.random.default_rng(0)
    model, ids = deepfm(rng)
    user = np.repeat(np.arange(asked.pairs // CANDIDATES) % USERS, CANDIDATES)
    item = rng.integers(ITEMS, size=len(user))
    started = time.perf_counter()
    plain = model.recommender(ids)
    print(f"halves of {USERS:,} users and {ITEMS:,} items: {time.perf_counter() - started:.1f} s\n")
    print("| where | pairs | s | pairs a second |\n|---|---|---|---|")
    some = slice(0, asked.cpu_pairs)
    with threadpool_limits(1):
        said("NumPy, one thread", lambda: plain.score_pairs(user[some], item[some]), len(user[some]), 1)
    expected = plain.score_pairs(user[:CHECKED], item[:CHECKED])
    if not torch.cuda.is_available():
        return
    model.to("cuda")
    print(f"| {torch.cuda.get_device_name(0)}: | | | |")
    for batch in BATCHES:
        black_box = from_torch(model, ids.user_ids, ids.item_ids, batch=batch)
        found = black_box.score_pairs(user[:CHECKED], item[:CHECKED])  # wakes the device
        said(
            f"`from_torch`, batches of {batch:,}",
            lambda box=black_box: box.score_pairs(user, item),
            len(user),
        )
    both = [torch.from_numpy(side).to("cuda") for side in (user, item)]

    def there() -> None:
        with torch.no_grad():
            for users, items in zip(*(side.split(BATCHES[1]) for side in both), strict=True):
                model(users, items)
        torch.cuda.synchronize()

    there()
    said("the module alone, pairs and scores on the GPU", there, len(user))
    worst = np.abs(found - expected).max()
    print(f"\nlargest difference of a score {worst:.1e}, scores from {found.min():.1f} to {found.max():.1f}")
    if worst > 1e-3:
        raise AssertionError("the GPU and NumPy differ")


if __name__ == "__main__":
    main()
