"""Is a folder the data set that was published? Sizes and sums, beside the published ones.

    .venv/bin/python benchmarks/data_sizes.py FOLDER [FOLDER ...]

Each FOLDER is one that `evenhand.datasets.load` takes. Figures that are not sure are left out. Ends with 1 if
one differs or there is none to compare with.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from evenhand.datasets import Dataset, load
from evenhand.datasets.columns import count_rows
from evenhand.errors import InputError

Size = Callable[[Path, Dataset], int]


def users(folder: Path, data: Dataset) -> int:
    return len(data.users)


def items(folder: Path, data: Dataset) -> int:
    return len(data.items)


def pairs(folder: Path, data: Dataset) -> int:
    return len(data.interactions)


def random_rows(folder: Path, data: Dataset) -> int:
    return 0 if data.logs is None or data.logs.random is None else len(data.logs.random)


def random_positives(folder: Path, data: Dataset) -> int:
    return (
        0 if data.logs is None or data.logs.random is None else int(data.logs.random[data.logs.label].sum())
    )


def ratings(folder: Path, data: Dataset) -> int:
    return round(float(data.interactions["rating"].sum()))


def rows_of(pattern: str, without_header: bool = False) -> Size:
    """Lines of the files of this name, without their headers."""

    def counted(folder: Path, data: Dataset) -> int:
        paths = [*folder.glob(pattern), *(folder / "data").glob(pattern)]
        return sum(count_rows(path) + without_header for path in paths)

    return counted


def observed(column: str) -> Size:
    """Users or items of whom preferences are known."""
    return lambda folder, data: 0 if data.preferences is None else int(data.preferences[column].nunique())


STANDARD, RANDOM = rows_of("log_standard_*.csv"), rows_of("log_random_*.csv")
PUBLISHED: dict[str, dict[str, tuple[Size, int]]] = {
    "KuaiRand-Pure": {
        "users": (users, 27_285),
        "videos of the pool": (items, 7_583),
        "standard interactions": (STANDARD, 1_436_609),
        "random interactions": (RANDOM, 1_186_059),
    },
    "KuaiRand-1K": {
        "users": (users, 1_000),
        "standard interactions": (STANDARD, 11_713_045),
        "random interactions": (RANDOM, 43_028),
    },
    "KuaiRand-27K": {
        "users": (users, 27_285),
        "standard interactions": (STANDARD, 322_278_385),
        "random interactions": (RANDOM, 1_186_059),
    },
    "KuaiRec 2.0": {
        "users": (users, 7_176),
        "videos": (items, 10_728),
        "rows of big_matrix": (rows_of("big_matrix.csv"), 12_530_806),
        "rows of small_matrix": (rows_of("small_matrix.csv"), 4_676_570),
        "users of small_matrix": (observed("user_id"), 1_411),
        "videos of small_matrix": (observed("item_id"), 3_327),
    },
    "Yahoo! R3": {
        "users": (users, 15_400),
        "songs": (items, 1_000),
        "chosen ratings": (pairs, 311_704),
        "random ratings": (random_rows, 54_000),
    },
    "Open Bandit (all)": {
        "items": (items, 80),
        "random rows": (random_rows, 1_374_327),
        "random clicks": (random_positives, 4_768),
    },
    "Open Bandit (men)": {"items": (items, 34), "random rows": (random_rows, 452_949)},
    "Open Bandit (women)": {"items": (items, 46), "random rows": (random_rows, 864_585)},
    "LFM-360K": {
        "users": (users, 359_347),
        "rows": (rows_of("usersha1-artmbid-artname-plays.tsv", without_header=True), 17_559_530),
    },
    "Black Friday": {"users": (users, 5_891), "products": (items, 3_631), "purchases": (pairs, 550_068)},
    "MovieLens-20M": {"users": (users, 138_493), "movies": (items, 27_278), "ratings": (pairs, 20_000_263)},
    "MovieLens-25M": {"users": (users, 162_541), "movies": (items, 62_423), "ratings": (pairs, 25_000_095)},
    "MovieLens-32M": {"users": (users, 200_948), "movies": (items, 87_585), "ratings": (pairs, 32_000_204)},
    "MovieLens-1M": {
        "users": (users, 6_040),
        "movies": (items, 3_883),
        "ratings": (pairs, 1_000_209),
        "sum of ratings": (ratings, 3_582_313),
    },
    "MovieLens-100k": {
        "users": (users, 943),
        "movies": (items, 1_682),
        "ratings": (pairs, 100_000),
        "sum of ratings": (ratings, 352_986),
    },
    "Last.fm 2k (HetRec 2011)": {
        "users": (users, 1_892),
        "artists": (items, 17_632),
        "pairs": (pairs, 92_834),
    },
    "Coat": {
        "users": (users, 290),
        "coats": (items, 300),
        "chosen ratings": (pairs, 6_960),
        "random ratings": (random_rows, 4_640),
    },
}  # fmt: skip


def compared(folder: Path) -> Iterator[tuple[str, bool]]:
    """A line for each figure, and whether it is as published."""
    data = load(folder)
    yield str(data), True
    sizes = PUBLISHED.get(data.name)
    if sizes is None:
        yield f"  no published figures of {data.name} are known here", False
        return
    for what, (size, published) in sizes.items():
        found = size(folder, data)
        same = found == published
        yield f"  {what:24} {found:>13,} {'as published' if same else f'published: {published:,}'}", same


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="+")
    ends = 0
    for folder in parser.parse_args().folders:
        try:
            for line, same in compared(folder):
                print(line)
                ends |= not same
        except InputError as error:
            print(error)
            ends = 1
    raise SystemExit(ends)


if __name__ == "__main__":
    main()
