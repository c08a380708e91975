"""What exact Plackett-Luce exposure costs, beside sampling rankings.

    .venv/bin/python benchmarks/exposure.py                 scores of the size of MovieLens-1M, made up
    .venv/bin/python benchmarks/exposure.py MODEL           scores of a folder that `evenhand train` wrote

RBP with patience .8 at one beta, asked for to 1e-6, in single precision. The samplers draw 100 rankings a
user as Hu and others (2023) do: Gumbel noise on the scores and a full sort, or a partial sort for the top 64
(beyond which patience .8 leaves 6e-7). They are vectorised over users and have as many threads as the exact
kernel. They run on some of the users only, and their time is scaled up to all, being linear in users. Errors
are against the plain reference at 1e-12, on a few users. Memory is the peak of a fresh process that makes the
scores and the exposure of all users, compiled code included.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from evenhand.exposure.rankings.browsing import rbp
from evenhand.exposure.rankings.plackett_luce import plackett_luce
from evenhand.exposure.rankings.reference import reference
from evenhand.exposure.rankings.static import static

USERS, ITEMS, FACTORS = 6_040, 3_706, 32
DRAWS, TOP, BLOCK = 100, 64, 16
MODEL = rbp(0.8)
ACCURACY = 1e-6
TARGETS = {"full sort": 25, "top 64": 10}
MORE_ACCURATE, MEGABYTES = 1_000, 1_000


def made_up_scores(users: int, items: int, seed: int = 0) -> np.ndarray:
    """Shaped like those of a matrix factorisation: taste in 32 factors, and items that all like."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(0, 1.5 / FACTORS**0.5, (users, FACTORS)).astype(np.float32)
    items_have = rng.normal(size=(items, FACTORS)).astype(np.float32)
    liked_by_all = rng.normal(0, 1.2, items).astype(np.float32)
    return taste @ items_have.T + liked_by_all


def scores_of(folder: str) -> np.ndarray:
    """All users and items of a trained model."""
    from evenhand import recommenders

    model = recommenders.load(folder)
    users, items = len(model.user_ids), len(model.item_ids)
    scores = np.empty((users, items), dtype=np.float32)
    for start in range(0, users, 512):
        block = np.arange(start, min(start + 512, users))
        scores[block] = model.score_block(block)
    return scores


def full_sort(scores: np.ndarray, beta: float, rng: np.random.Generator) -> np.ndarray:
    """The mean over 100 rankings by noisy score of the weight of each item's position."""
    weights = MODEL.weights(scores.shape[1]).astype(np.float32)
    exposure, seen = np.zeros_like(scores), np.empty_like(scores)
    for _ in range(DRAWS):
        order = np.argsort(_lateness(scores, beta, rng), axis=1)
        np.put_along_axis(seen, order, np.broadcast_to(weights, order.shape), axis=1)
        exposure += seen
    return exposure / DRAWS


def top_sort(scores: np.ndarray, beta: float, rng: np.random.Generator) -> np.ndarray:
    """As `full_sort`, but only the first 64 are put in order, and nothing beyond them is seen."""
    top = min(TOP, scores.shape[1])
    weights = MODEL.weights(top).astype(np.float32)
    exposure = np.zeros_like(scores)
    rows = np.arange(len(scores))[:, None]
    for _ in range(DRAWS):
        late = _lateness(scores, beta, rng)
        best = np.argpartition(late, top - 1, axis=1)[:, :top]
        order = np.take_along_axis(best, np.argsort(np.take_along_axis(late, best, axis=1), axis=1), axis=1)
        exposure[rows, order] += weights
    return exposure / DRAWS


def _lateness(scores: np.ndarray, beta: float, rng: np.random.Generator) -> np.ndarray:
    """Minus (score / beta + Gumbel noise); minus Gumbel noise is the logarithm of an exponential variable."""
    late = rng.standard_exponential(scores.shape, dtype=np.float32)
    np.log(np.maximum(late, np.finfo(np.float32).tiny, out=late), out=late)  # single precision has zeros
    late -= scores / np.float32(beta)
    return late


SAMPLERS = {"full sort": full_sort, "top 64": top_sort}


def sampled(sampler: Callable[..., np.ndarray], scores: np.ndarray, beta: float, seed: int = 0) -> np.ndarray:
    """Blocks of users, which stay in the cache, on as many threads as the exact kernel has."""
    starts = range(0, len(scores), BLOCK)
    seeds = np.random.SeedSequence(seed).spawn(len(starts))

    def block(start: int, seed: np.random.SeedSequence) -> np.ndarray:
        return sampler(scores[start : start + BLOCK], beta, np.random.default_rng(seed))

    with ThreadPoolExecutor(numba.get_num_threads()) as pool:
        return np.concatenate(list(pool.map(block, starts, seeds)))


def timed(work: Callable[[], np.ndarray], runs: int = 1) -> tuple[float, np.ndarray]:
    """Seconds of the quickest run, and what it gave."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def compare(scores: np.ndarray, beta: float, some: int, few: int) -> None:
    """A row a method: seconds for all users, and errors on the first `few` of them."""
    users = len(scores)
    some, few = min(some, users), min(few, users)
    exact = reference(scores[:few], beta, MODEL, 1e-12)

    def errors(exposure: np.ndarray) -> tuple[float, float]:
        distance = exposure[:few] - exact
        return float(np.abs(distance).max()), float(np.sqrt((distance**2).mean()))

    plackett_luce(scores[:1], beta, accuracy=ACCURACY)  # compiled, or read from the cache
    seconds, exposure = timed(lambda: plackett_luce(scores, beta, accuracy=ACCURACY), runs=3)
    worst, typical = errors(exposure)
    print(
        f"\n{users:,} users x {scores.shape[1]:,} items, beta {beta:g}, {numba.get_num_threads()} threads\n"
    )
    print(
        "| | seconds | times slower | largest error | times larger | root mean square error | times larger |"
    )
    print("|---|---|---|---|---|---|---|")
    print(f"| exact, to 1e-6 | {seconds:.2f} | 1 | {worst:.1e} | 1 | {typical:.1e} | 1 |", flush=True)
    met = []
    for name, sampler in SAMPLERS.items():
        for_some, estimate = timed(lambda sampler=sampler: sampled(sampler, scores[:some], beta))
        for_all = for_some * users / some
        its_worst, its_typical = errors(estimate)
        slower, larger, in_mean = for_all / seconds, its_worst / worst, its_typical / typical
        print(
            f"| {name}, {DRAWS} draws ({some:,} users, scaled) | {for_all:.1f} | {slower:.0f} "
            f"| {its_worst:.1e} | {larger:,.0f} | {its_typical:.1e} | {in_mean:,.0f} |",
            flush=True,
        )
        met += [
            (f"at least {TARGETS[name]} times faster than the {name}", slower >= TARGETS[name]),
            (f"at least {MORE_ACCURATE:,} times more accurate", min(larger, in_mean) >= MORE_ACCURATE),
        ]
    for target, reached in met:
        print(f"- {target}: {'yes' if reached else 'NO'}")


def others(scores: np.ndarray, beta: float, some: int) -> None:
    """Seconds of the other browsing models, on some users, scaled to all."""
    few = scores[:some]
    settings = {
        "RBP, to 1e-12": {"accuracy": 1e-12, "dtype": np.float64},
        "RBP cut at 10": {"k": 10, "accuracy": ACCURACY},
        "DCG": {"discount": "dcg", "accuracy": ACCURACY},
        "DCG cut at 10": {"discount": "dcg", "k": 10, "accuracy": ACCURACY},
        "DCG cut at 100": {"discount": "dcg", "k": 100, "accuracy": ACCURACY},
    }
    scale = len(scores) / len(few)
    print(f"\n| other models ({len(few):,} users, scaled) | seconds |\n|---|---|")
    for name, setting in settings.items():
        plackett_luce(scores[:1], beta, **setting)
        seconds, _ = timed(lambda setting=setting: plackett_luce(few, beta, **setting))
        print(f"| {name} | {scale * seconds:.2f} |", flush=True)
    static(scores[:1])
    print(f"| static ranking | {scale * timed(lambda: static(few))[0]:.2f} |", flush=True)


def peak_memory(arguments: list[str]) -> float:
    """Megabytes, of a fresh process that does nothing else."""
    command = [sys.executable, __file__, "--memory-only", *arguments]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", help="a folder that `evenhand train` wrote")
    parser.add_argument("--beta", type=float, default=1.0)
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--some", type=int, default=320, help="users that the samplers run on")
    parser.add_argument("--few", type=int, default=16, help="users whose errors are measured")
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    scores = scores_of(options.model) if options.model else made_up_scores(options.users, options.items)
    if options.memory_only:
        plackett_luce(scores, options.beta, accuracy=ACCURACY)
        # KiB on Linux, bytes on macOS
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 977))
        return
    compare(scores, options.beta, options.some, options.few)
    others(scores, options.beta, options.some)
    peak = peak_memory(given)
    print(f"\nPeak memory {peak:,.0f} MB; below {MEGABYTES:,} MB: {'yes' if peak < MEGABYTES else 'NO'}")


if __name__ == "__main__":
    main()
