"""KuaiRand (Pure, 1K, 27K): short videos that the system showed, and videos drawn at random in their place.

Random videos come from a pool of a few thousand, over 17 days; the system shows all videos, and its log
begins two weeks earlier. Only what both could show can be compared, so default traffic is that of the pool
and of the same days. Source: Gao and others, "KuaiRand: an unbiased sequential recommendation dataset with
randomly exposed videos", CIKM 2022. The data are not part of this package: point `kuairand` to your own copy.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from evenhand.datasets.columns import Kind, count_rows, pieces, read_attributes
from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.records import refuse_lines
from evenhand.errors import InputError

VARIANTS = {"pure": "KuaiRand-Pure", "1k": "KuaiRand-1K", "27k": "KuaiRand-27K"}
LABELS = {
    "is_click": "the user clicked the video",
    "long_view": "the user watched it for long",
    "is_like": "the user liked it",
    "is_follow": "the user followed its author",
    "is_comment": "the user wrote a comment",
    "is_forward": "the user passed it on",
}
# is_hate is read, but is no label: 1 means that the user wants less of it.
COLUMNS: dict[str, Kind] = {
    "user_id": int, "video_id": int, "date": int, "time_ms": int, **dict.fromkeys(LABELS, int),
    "is_hate": int, "play_time_ms": int, "duration_ms": int, "is_rand": int, "tab": int,
}  # fmt: skip
RANDOM, SAME_DAYS, EARLIER = (
    "log_random_4_22_to_5_08",
    "log_standard_4_22_to_5_08",
    "log_standard_4_08_to_4_21",
)
# Why a row of default traffic is left out.
OTHER_DAYS, OTHER_VIDEOS, MARKED = "of other days", "of videos outside the pool", "marked as random"


def kuairand(folder: str | Path) -> Dataset:
    """Read the folder of one variant (its CSV files, or `data` with them in it).

    Interactions are the pairs of default traffic that were clicked, at the time of the first click. Items are
    the videos of the pool.
    """
    folder = Path(folder)
    variant = variant_of(folder)
    random = _random(folder / f"{RANDOM}_{variant}.csv")
    pool = pd.unique(random["item_id"])
    default, left_out = _default(folder, variant, random, set(pool))
    path = folder / f"video_features_basic_{variant}.csv"
    items = read_attributes(path, "video_id", "item_id", set(pool))
    if "tag" in items:
        items["tag"] = _tags(path, items)
    users = read_attributes(folder / f"user_features_{variant}.csv", "user_id", "user_id")
    return Dataset(
        VARIANTS[variant],
        _clicked(default),
        users.reset_index(drop=True),
        items.reset_index(drop=True),
        _notes(random, len(pool), left_out),
        Logs(default.drop(columns="is_rand"), random.drop(columns="is_rand"), LABELS),
    )


def variant_of(folder: Path) -> str:
    """Which of the three is there."""
    there = [variant for variant in VARIANTS if (folder / f"{RANDOM}_{variant}.csv").is_file()]
    if len(there) == 1:
        return there[0]
    found = "several" if there else "no"
    raise InputError(
        f"{folder} has {found} {RANDOM}_pure.csv (or _1k, _27k): give the folder of one KuaiRand."
    )


def _read(path: Path) -> Iterator[pd.DataFrame]:
    for piece in pieces(path, COLUMNS):
        for label in (*LABELS, "is_rand"):
            refuse_lines(path, piece, ~piece[label].isin([0, 1]), label, "0 or 1")
        yield piece.rename(columns={"video_id": "item_id"}).astype(
            dict.fromkeys([*LABELS, "is_hate", "is_rand", "tab"], "int8")
        )


def _random(path: Path) -> pd.DataFrame:
    found = list(_read(path))
    if not found:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    frame = pd.concat(found)
    refuse_lines(path, frame, frame["is_rand"] != 1, "is_rand", "1 in the log of random traffic")
    return _dated(path, frame)


def _default(
    folder: Path, variant: str, random: pd.DataFrame, pool: set[int]
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Rows of the pool and of the days of random traffic, and how many others there are, by why."""
    paths = sorted(folder.glob(f"{SAME_DAYS}_{variant}*.csv"))
    if not paths:
        raise InputError(
            f"The file {folder / f'{SAME_DAYS}_{variant}.csv'} is missing: it is default traffic."
        )
    earlier = sum(count_rows(path) for path in folder.glob(f"{EARLIER}_{variant}*.csv"))
    left_out = {OTHER_DAYS: earlier, OTHER_VIDEOS: 0, MARKED: 0}
    first, last = (int(f"{day:%Y%m%d}") for day in (random["date"].min(), random["date"].max()))
    found = []
    for path in paths:
        for piece in _read(path):
            same_days = piece["date"].between(first, last)
            of_pool = piece["item_id"].isin(pool)
            marked = piece["is_rand"] == 1
            left_out[OTHER_DAYS] += int((~same_days).sum())
            left_out[OTHER_VIDEOS] += int((same_days & ~of_pool).sum())
            left_out[MARKED] += int((same_days & of_pool & marked).sum())
            found.append(_dated(path, piece[same_days & of_pool & ~marked]))
    default = pd.concat(found) if found else random.iloc[:0]
    if default.empty:
        raise InputError(
            f"{folder}: default traffic shows none of the {len(pool):,} videos of random traffic."
        )
    return default.reset_index(drop=True), left_out


def _dated(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    days = pd.to_datetime(frame["date"].astype(str), format="%Y%m%d", errors="coerce")
    refuse_lines(path, frame, days.isna(), "date", "a day such as 20220422")
    return frame.assign(date=days).reset_index(drop=True)


def _clicked(default: pd.DataFrame) -> pd.DataFrame:
    clicked = default[default["is_click"] == 1]
    first = clicked.groupby(["user_id", "item_id"])["time_ms"].min().reset_index()
    first["timestamp"] = (first.pop("time_ms") // 1000).astype("Int64")
    return first


def _tags(path: Path, items: pd.DataFrame) -> list[list[int]]:
    """The numbers of "12,65"; none where it is empty. A column of single tags was read as numbers."""
    texts = items["tag"].astype("string").fillna("")
    wrong = ~texts.str.fullmatch(r"(\d+(,\d+)*)?")
    refuse_lines(path, items.assign(tag=texts), wrong, "tag", "numbers such as 12,65")
    return [[int(tag) for tag in text.split(",") if tag] for text in texts]


def _notes(random: pd.DataFrame, pool: int, left_out: dict[str, int]) -> tuple[str, ...]:
    days = f"{random['date'].min():%Y-%m-%d} to {random['date'].max():%Y-%m-%d}"
    others = ", ".join(f"{why} ({count:,})" for why, count in left_out.items())
    return (
        f"Random traffic draws from {pool:,} videos on {days}, so that default traffic is restricted to "
        f"these videos and days. Rows that are left out: {others}.",
        "Interactions are the pairs of default traffic that were clicked.",
    )
