"""Words that details held in the schema before: what they said is kept as numbers, or they are left out.

Sentences are made of numbers now (`report/words`). Where an old document has the words alone, and they cannot
be read back, its finding gets a general sentence.
"""

from __future__ import annotations

import re
from typing import Any

Details = dict[str, Any]

# Said again by numbers that stood beside them.
_SAID_AGAIN: dict[str, tuple[str, ...]] = {
    "series": ("when", "tally", "which", "than"),
    "groups": ("chosen", "meaning", "p"),
    "exposure": ("policy",),
    "association": ("tell", "told", "leaning", "meaning"),
    "association_leakage": ("baseline",),
    "mitigate": ("meaning",),
    "mitigate_embeddings": ("tell", "told", "leaning", "meaning"),
    "traffic_plan": ("days", "aim", "length", "gives", "weight", "rest"),
}
_CHANGES = {
    "unchanged": "none",
    "neither of its groups' lists changed": "none",
    "not told from no change": "unclear",
}
_SIGNIFICANCE = re.compile(r"has p above (\S+) ")
_AGAINST = re.compile(r"(?:(?P<unit>\w+) before|first (?:(?P<periods>\d+) )?(?P<of>day|week)s?)")
_HALF_WIDTH = re.compile(
    r"(?:tell (?:the penalty|the relative utility of (?P<of>.*)) to|an interval of) ±(\S+) points"
)
_POWER = re.compile(r"(?:find a change of the penalty by (\S+) points in )?(\d+)% of A/B tests.*")


def in_numbers(audit: str, measure: str, details: Details) -> Details:
    """The details of an old finding without words."""
    told = {key: value for key, value in details.items() if key not in _SAID_AGAIN.get(audit, ())}
    said = str(details.get("meaning", ""))
    if measure == "penalty_change" and "which" in details:
        told["judge"] = "latest" if details["which"] == "the latest change" else "any"
    if measure == "uf" and "confirmed" in details:
        sure = said.endswith(("confirm it", "confirm that groups differ"))
        told["confirmed"] = details["confirmed"] | {"sure": sure}
    if measure == "direction" and details.get("values"):
        told["guessing"] = 1 / len(details["values"])
        told |= {"significance": float(found[1])} if (found := _SIGNIFICANCE.search(said)) else {}
    if audit == "mitigate" and said:
        told["change"] = _CHANGES.get(said, said)
    if "deciles" in details:
        told["deciles"] = [_decile(row) for row in details["deciles"]]
    if audit == "traffic_plan":
        told |= _plan(details)
    return told


def _decile(row: Details) -> Details:
    low, _, high = str(row.get("audience", "")).removesuffix("%").partition("-")
    rest = {key: value for key, value in row.items() if key != "audience"}
    return {"from": int(low) / 100, "to": int(high) / 100} | rest if high else row


def _plan(details: Details) -> Details:
    told: Details = {}
    if "daily" in details:
        told["daily"] = float(str(details["daily"]).replace(",", ""))
    aim, gives = str(details.get("aim", "")), str(details.get("gives", ""))
    if found := _HALF_WIDTH.fullmatch(aim):
        told["aim"] = {"kind": "half_width", "wanted": float(found[2]) / 100}
        told["aim"] |= {} if found["of"] is None else {"of": found["of"]}
    elif (found := _POWER.fullmatch(aim)) and found[1]:
        told["aim"] = {"kind": "power", "wanted": int(found[2]) / 100, "change": float(found[1]) / 100}
    if found := _HALF_WIDTH.fullmatch(gives):
        told |= {"reached": float(found[2]) / 100, "aim": told.get("aim", {"kind": "half_width"})}
    elif found := _POWER.fullmatch(gives):
        told |= {"reached": int(found[2]) / 100, "aim": told.get("aim", {"kind": "power"})}
    return told


def subject_in_codes(audit: str, subject: dict[str, Any]) -> dict[str, Any]:
    """What an old finding was about, without words."""
    told = dict(subject)
    if audit == "traffic_plan" and "share" in told:
        told["share"] = float(str(told["share"]).removesuffix("%")) / 100
    if audit == "series" and (found := _AGAINST.fullmatch(str(told.get("against", "")))):
        first = {"against": "first", "unit": found["of"], "periods": int(found["periods"] or 1)}
        told |= first if found["unit"] is None else {"against": "before", "unit": found["unit"]}
    if audit == "association_leakage":
        told |= _taken(told)
    if told.get("when") == "after, beside the original":
        told["when"] = "original"
    if audit == "mitigate_embeddings" and "method" in told:
        told["direction"] = re.sub(r" \((by a classifier|between the means)\)$", "", str(told["direction"]))
    return told


def _taken(subject: dict[str, Any]) -> dict[str, Any]:
    if "audience" in subject:
        return {"audience": str(subject["audience"]).removeprefix("mostly by ")}
    popularity = str(subject.get("popularity", "all"))
    if popularity == "all":
        return {}
    split = int(re.sub(r"\D", "", popularity))
    return {"popularity": "popular" if popularity.endswith("or more") else "rare", "threshold": split}
