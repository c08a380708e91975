"""Counts as bytes: the same counts give the same bytes, in the fewest that hold whole numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from evenhand.opportunity.evidence import LogCounts, Weights

_WHOLE = (np.uint8, np.uint16, np.uint32, np.int64)
_LENGTH = 4


@dataclass(frozen=True)
class Packed:
    """Counts of some logs, by name, and what else has to be known of them (plain JSON)."""

    about: Mapping[str, Any]
    logs: Mapping[str, LogCounts]

    def to_bytes(self) -> bytes:
        told: dict[str, Any] = {"about": self.about, "logs": {}}
        arrays: list[bytes] = []
        for name, log in sorted(self.logs.items()):  # as JSON has them
            parts = {part: _smallest(array) for part, array in _arrays(log).items()}
            told["logs"][name] = {
                "groups": log.groups,
                "missing": _missing(log),
                "arrays": {part: [array.dtype.str, len(array)] for part, array in parts.items()},
            }
            # A group after the other: neighbours are then alike, and take less room.
            arrays += [np.ascontiguousarray(array.T).tobytes() for array in parts.values()]
        head = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        return len(head).to_bytes(_LENGTH, "little") + head + b"".join(arrays)

    @classmethod
    def of_bytes(cls, content: bytes) -> Packed:
        at = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        told = json.loads(content[_LENGTH:at])
        logs = {}
        for name, one in told["logs"].items():
            found, groups = {}, tuple(one["groups"])
            # The keys were sorted on the way in; the arrays are in the order of `_arrays`.
            for part in sorted(one["arrays"], key=_PARTS.index):
                kind, buckets = one["arrays"][part]
                count = buckets * len(groups)
                flat = np.frombuffer(content, dtype=kind, count=count, offset=at)
                found[part] = flat.reshape(len(groups), buckets).T.astype(_TYPES.get(part, float))
                at += flat.nbytes
            logs[name] = _log(groups, found, *one["missing"])
        return cls(told["about"], logs)


_TYPES = {"rows": np.int64, "positives": np.int64}
_OF_WEIGHTS = [part.name for part in fields(Weights)]
_PARTS = ["rows", "positives", *(f"weights {name}" for name in _OF_WEIGHTS), "by_item"]


def _arrays(log: LogCounts) -> dict[str, Any]:
    found = {"rows": log.rows, "positives": log.positives}
    if log.weights is not None:
        found |= {f"weights {name}": getattr(log.weights, name) for name in _OF_WEIGHTS}
    return found | ({} if log.by_item is None else {"by_item": log.by_item})


def _missing(log: LogCounts) -> list[int]:
    """Rows without a group and their people; and those that no table has, where there are any."""
    return [log.missing, log.missing_people, *([log.unseen, log.unseen_people] if log.unseen else [])]


def _log(
    groups: tuple[str, ...],
    found: Mapping[str, Any],
    missing: int,
    people: int,
    unseen: int = 0,
    unseen_people: int = 0,
) -> LogCounts:
    weights = None
    if f"weights {_OF_WEIGHTS[0]}" in found:
        weights = Weights(*(found[f"weights {name}"] for name in _OF_WEIGHTS))
    return LogCounts(
        groups, found["rows"], found["positives"], missing, weights, found.get("by_item"), people,
        unseen, unseen_people,
    )  # fmt: skip


def _smallest(array: Any) -> Any:
    """The same numbers in the type of the fewest bytes; numbers that are not whole as they are."""
    if not np.array_equal(array, np.rint(array)) or np.abs(array).max(initial=0) >= 2**53:
        return array.astype("<f8")
    kind = next(kind for kind in _WHOLE if array.max(initial=0) <= np.iinfo(kind).max)
    return array.astype(np.dtype(kind).newbyteorder("<"))
