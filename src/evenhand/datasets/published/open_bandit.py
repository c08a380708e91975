"""Open Bandit: fashion items that a bandit showed, and items that were drawn uniformly, in the same week.

Nobody says who the users are. Source: Saito, Aihara, Matsutani, Narita, "Open Bandit Dataset and Pipeline:
towards realistic and reproducible off-policy evaluation", NeurIPS 2021. The data are not part of this
package: point `open_bandit` to your own copy.
"""

from pathlib import Path

import pandas as pd

from evenhand.datasets.columns import Kind, header, read_attributes, read_columns
from evenhand.datasets.dataset import Dataset, Logs
from evenhand.datasets.records import refuse_lines, refuse_unknown
from evenhand.errors import InputError

CAMPAIGNS = ("all", "men", "women")
COLUMNS: dict[str, Kind] = {
    "timestamp": str, "item_id": int, "position": int, "click": int, "propensity_score": float,
}  # fmt: skip
CLICK = {"click": "the user clicked the item"}


def open_bandit(folder: str | Path, campaign: str | None = None) -> Dataset:
    """Read one campaign of a published folder, in which random/ and bts/ have a folder for each.

    Without a name it is the first of all, men and women that is there. Logs have propensity_score and the
    features of the user as they were published, by the name of their column.
    """
    folder = Path(folder)
    there = [
        one for one in CAMPAIGNS if (folder / "random" / one).is_dir() and (folder / "bts" / one).is_dir()
    ]
    if not there:
        raise InputError(f"{folder} has no campaign that both random/ and bts/ have (all, men or women).")
    chosen = campaign or there[0]
    if chosen not in there:
        raise InputError(f"{folder} has no campaign {chosen!r}; choose from {', '.join(there)}.")
    items = read_attributes(folder / "random" / chosen / "item_context.csv", "item_id", "item_id")
    random = _read(folder / "random" / chosen / f"{chosen}.csv", items)
    default = _read(folder / "bts" / chosen / f"{chosen}.csv", items)
    nobody = pd.DataFrame({"user_id": pd.Series(dtype="int64")})
    return Dataset(
        f"Open Bandit ({chosen})",
        nobody.assign(item_id=pd.Series(dtype="int64")),
        nobody,
        items.reset_index(drop=True),
        _notes(there, chosen, random),
        Logs(default, random, CLICK, user=None),
    )


def _read(path: Path, items: pd.DataFrame) -> pd.DataFrame:
    """A log: its first column, which has no name, numbers the rows and is passed over."""
    if not path.is_file():
        raise InputError(f"The file {path} is missing: the folder must be complete as published.")
    features = {name: str for name in header(path) if name.startswith("user_feature_")}
    frame = read_columns(path, COLUMNS | features, may_be_empty=features)
    refuse_lines(path, frame, ~frame["click"].isin([0, 1]), "click", "0 or 1")
    share = frame["propensity_score"]
    refuse_lines(path, frame, ~((share > 0) & (share <= 1)), "propensity_score", "above 0 and at most 1")
    refuse_unknown(path, frame, "item_id", items["item_id"], "item_context.csv")
    times = pd.to_datetime(frame["timestamp"], errors="coerce", utc=True, format="ISO8601")
    refuse_lines(path, frame, times.isna(), "timestamp", "a time")
    return frame.assign(timestamp=times, click=frame["click"].astype("int8")).reset_index(drop=True)


def _notes(there: list[str], chosen: str, random: pd.DataFrame) -> tuple[str, ...]:
    notes = [
        "Nobody says which rows are of one user: rows count as independent, there are no clusters, and "
        "intervals are too narrow if users come again.",
    ]
    if len(there) > 1:
        others = ", ".join(one for one in there if one != chosen)
        notes.append(f"This is the campaign {chosen}; {others} can be read by name (`open_bandit`).")
    scores = random["propensity_score"]
    if scores.max() > scores.min() * (1 + 1e-9):
        notes.append("Random items were not all drawn alike: name propensity_score as the probability.")
    return tuple(notes)
