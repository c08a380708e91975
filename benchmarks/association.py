"""What the association audit costs beside the literal definition.

    .venv/bin/python benchmarks/association.py [--items 1000000] [--users 200000] [--dimensions 64]
    .venv/bin/python benchmarks/association.py --groups 20

In one run: EAA of all items by the identity and 10,000 permutations of DEAA over them, half of the items
against the other half; and EAA by the double sum of its definition, cosine by cosine, on a sample of items
with all users, as it is written and as one matrix product. Ratios are of the times an item.

With --groups, the whole audit of as many groups that overlap, all pairs of them, and nothing else.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray

from evenhand.association import audit, deaa, eaa
from evenhand.stats.means.two_samples import shuffle_two

Floats = NDArray[np.float64]
SAMPLE = 20
PERMUTATIONS = 10_000


def double_sum(items: NDArray[np.float32], a: NDArray[np.float32], b: NDArray[np.float32]) -> Floats:
    """EAA as it is defined (Beattie 2023, Eq. 5.1): all cosines of an item with A and with B, a set at a
    time, by NumPy; a loop over single pairs in Python would be hundreds of times slower still."""

    def mean_cosine(item: Floats, others: Floats) -> float:
        return float((others @ item / (np.linalg.norm(others, axis=1) * np.linalg.norm(item))).mean())

    first, second = a.astype(np.float64), b.astype(np.float64)
    return np.array(
        [mean_cosine(item, first) - mean_cosine(item, second) for item in items.astype(np.float64)]
    )


def one_product(items: NDArray[np.float32], a: NDArray[np.float32], b: NDArray[np.float32]) -> Floats:
    """The same double sum at its fastest: unit vectors in single precision, all cosines by one product."""
    units = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (items, a, b)]
    return (units[0] @ units[1].T).mean(axis=1) - (units[0] @ units[2].T).mean(axis=1)


def compare(count: int, users: int, dimensions: int, sample: int = SAMPLE) -> dict[str, float]:
    """Seconds of each part, and the ratio of the times an item."""
    rng = np.random.default_rng(0)
    items = rng.normal(size=(count, dimensions)).astype(np.float32)
    people = rng.normal(size=(users, dimensions)).astype(np.float32)
    a, b = people[: users // 2], people[users // 2 :]
    eaa(items[:100], a[:100], b[:100])
    shuffle_two(rng.normal(size=100), rng.normal(size=100), permutations=20, seed=0)  # compiles

    start = time.perf_counter()
    scores = eaa(items, a, b)
    all_eaa = time.perf_counter() - start
    start = time.perf_counter()
    shuffle_two(scores[: count // 2], scores[count // 2 :], permutations=PERMUTATIONS, seed=0)
    permutations = time.perf_counter() - start
    start = time.perf_counter()
    deaa(items[: count // 2], items[count // 2 :], a, b, permutations=PERMUTATIONS)
    whole = time.perf_counter() - start
    start = time.perf_counter()
    literal = double_sum(items[:sample], a, b)
    plain = time.perf_counter() - start
    start = time.perf_counter()
    product = one_product(items[: 10 * sample], a, b)
    fastest = (time.perf_counter() - start) / len(product)
    if not np.allclose(literal, scores[:sample], atol=1e-9):
        raise AssertionError("the identity and the double sum differ")
    return {
        "all_eaa": all_eaa,
        "permutations": permutations,
        "deaa": whole,
        "double_sum_an_item": plain / sample,
        "one_product_an_item": fastest,
        "ratio_an_item": (plain / sample) / (all_eaa / count),
        "ratio_of_one_product": fastest / (all_eaa / count),
    }


def whole_audit(count: int, users: int, dimensions: int, groups: int) -> dict[str, float]:
    """Seconds, seconds of the processor and memory of an audit whose first group leans with the attribute."""
    rng = np.random.default_rng(0)
    items = rng.normal(size=(count, dimensions)).astype(np.float32)
    people = rng.normal(size=(users, dimensions)).astype(np.float32)
    gender = np.where(rng.random(users) < 0.7, "M", "F")
    people[gender == "F", 0] += 0.3
    member = rng.random((count, groups)) < np.linspace(0.02, 0.2, groups)
    member[np.arange(count), rng.integers(groups, size=count)] = True
    items[member[:, 0], 0] += 0.2
    before = _gigabytes()
    start, processor = time.perf_counter(), time.process_time()
    found = audit(items, people, gender, member)
    return {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - processor,
        "before": before,
        "peak": _gigabytes(),
        "findings": len(found.findings),
        "direction": float(found.find("direction").estimate or 0),
    }


def _gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--groups", type=int)
    chosen = parser.parse_args()
    if chosen.groups:
        found = whole_audit(chosen.items, chosen.users, chosen.dimensions, chosen.groups)
        print(
            f"{found['findings']:,.0f} findings: {found['seconds']:.0f} s, {found['processor']:.0f} s of the "
            f"processor; {found['peak']:.2f} GiB at the peak, {found['before']:.2f} GiB before it"
        )
        return
    found = compare(chosen.items, chosen.users, chosen.dimensions)
    print(f"{chosen.items:,} items, {chosen.users:,} users in A and B, {chosen.dimensions} dimensions")
    print(f"  all EAA, input checked                {found['all_eaa']:8.2f} s")
    print(f"  {PERMUTATIONS:,} permutations of their DEAA    {found['permutations']:8.2f} s")
    print(f"  together                              {found['all_eaa'] + found['permutations']:8.2f} s")
    print(f"  deaa() from vectors, all its parts    {found['deaa']:8.2f} s")
    print(f"  double sum, an item                   {found['double_sum_an_item']:8.4f} s")
    print(f"  double sum by one product, an item    {found['one_product_an_item']:8.4f} s")
    print(
        f"  an item by the identity is {found['ratio_an_item']:,.0f} times faster than the first, "
        f"{found['ratio_of_one_product']:,.0f} times faster than the second"
    )


if __name__ == "__main__":
    main()
