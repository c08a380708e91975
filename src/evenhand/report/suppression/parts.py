"""Parts of a finding that tell of very few: entries of its lists, tables of counts, days of a series."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import TypeAdapter

from evenhand.findings import Finding
from evenhand.pictures import Picture, Series, Shares
from evenhand.report.suppression.too_small import is_small, with_others

NAMELESS = "(suppressed group)"
# With these, what is left of the groups would tell what is hidden.
LISTED_BY_SIZE = ("advantaged", "disadvantaged")
_PICTURES: TypeAdapter[tuple[Picture, ...]] = TypeAdapter(tuple[Picture, ...])
TOTALS = ("rows", "expected_rows", "users_in_buckets", "users_scored", "lists_scored")


def changed(finding: Finding, change: Callable[[Any], Any]) -> dict[str, Any]:
    """Details and pictures after a change of what is in them, as they are given to `amended`."""
    drawn = [picture.model_dump(mode="json", exclude_none=True) for picture in finding.pictures]
    told = change({"details": finding.details, "pictures": drawn})
    return {"details": told["details"], "pictures": _PICTURES.validate_python(told["pictures"])}


def hidden_days(followed: Sequence[Series], min_cell: int) -> frozenset[str]:
    """Days on which a group, or all of them, have too few in any of these series."""
    return frozenset(
        day.day
        for series in followed
        for day in series.days
        if getattr(day, "against_n", None) is None
        and _is_about_few(day.model_dump(exclude_none=True), min_cell)
    )


def decides_by_few(finding: Finding, days: frozenset[str], min_cell: int) -> bool:
    """Whether a series is told by a day that is itself not published."""
    return finding.series is not None and any(
        day.day == finding.details.get("day")
        and (day.day in days or _is_about_few(day.model_dump(exclude_none=True), min_cell))
        for day in finding.series.days
    )


def without_small(told: Any, days: frozenset[str], min_cell: int) -> Any:
    """What is told without entries of lists about fewer than `min_cell` people; of days, that they are there.

    A table of counts goes as a whole: its total is known, so that one missing cell would follow. So do the
    counts of all days where one is hidden, and of groups with their users a second one.
    """

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            if (value.get("kind"), value.get("of")) == ("shares", "gain"):
                return (
                    Shares.model_validate(value).folded(min_cell).model_dump(mode="json", exclude_none=True)
                )
            return {key: kept(item) for key, item in value.items()}
        if isinstance(value, list):
            if any(_is_small_cell(item, min_cell) for item in value):
                return []
            few = [_is_about_few(item, min_cell) or _is_of_day(item, days) for item in value]
            others = with_others(_users(value), min_cell)
            return [
                {"day": item["day"], "estimate": None} if hidden else _uncounted(kept(item), days)
                for place, (item, hidden) in enumerate(zip(value, few, strict=True))
                if place not in others and (not hidden or ("day" in item and not all(few)))
            ]
        return value

    return kept(told)


def without_names(value: Any, names: Iterable[str]) -> Any:
    if isinstance(value, dict):
        return {key: without_names(item, names) for key, item in value.items() if key not in names}
    if isinstance(value, list):
        return [without_names(item, names) for item in value]
    return NAMELESS if isinstance(value, str) and value in names else value


def without_totals(value: Any) -> Any:
    """Details without what counts the data as a whole."""
    if isinstance(value, dict):
        # The rows of a picture have a name there, and no number.
        counts = {key for key in TOTALS if not isinstance(value.get(key), str)}
        return {key: without_totals(item) for key, item in value.items() if key not in counts}
    return [without_totals(item) for item in value] if isinstance(value, list) else value


def without_counts(value: Any) -> Any:
    """Details without a number of people or rows; what is drawn of groups and their sizes goes as a whole."""
    if isinstance(value, dict):
        return {
            key: without_counts(item)
            for key, item in value.items()
            if key not in LISTED_BY_SIZE and not (_counts(key) and isinstance(item, int | float))
        }
    if isinstance(value, list):
        return [without_counts(item) for item in value if not _is_map_of_means(item)]
    return value


def _is_map_of_means(item: Any) -> bool:
    return isinstance(item, dict) and (item.get("kind"), item.get("of")) == ("map", "mean")


def _counts(key: str) -> bool:
    words = {"rows", "positives", "users"}
    return key in ("n", "count", "people") or bool(words.intersection(key.split("_")))


def _users(items: list[Any]) -> dict[int, int]:
    """The users of those entries of a list that are groups, by place."""
    return {
        place: item["users"]
        for place, item in enumerate(items)
        if isinstance(item, dict) and "group" in item and isinstance(item.get("users"), int) and item["users"]
    }


def _uncounted(item: Any, days: frozenset[str]) -> Any:
    if not days or not isinstance(item, dict) or "day" not in item:
        return item
    return {key: value for key, value in item.items() if key not in ("n", "against_n", "people")}


def _is_of_day(item: Any, days: frozenset[str]) -> bool:
    return isinstance(item, dict) and item.get("day") in days


def _is_about_few(item: Any, min_cell: int) -> bool:
    if not isinstance(item, dict):
        return False
    # What a change is held against follows from the change.
    counts = item.get("users", item.get("n")), item.get("against_n"), item.get("people")
    return any(isinstance(counted, int) and is_small(counted, min_cell) for counted in counts)


def _is_small_cell(item: Any, min_cell: int) -> bool:
    """Whether an entry is one of a table of counts, of few but not of nobody."""
    return isinstance(item, dict) and isinstance(item.get("count"), int) and is_small(item["count"], min_cell)
