"""Who is shown what, and by which ranking, in words."""

from __future__ import annotations

from typing import Any

from evenhand.findings import Finding
from evenhand.report.words import sentences
from evenhand.report.words.people import content, people

Words = dict[str, str]


def pair(finding: Finding) -> Words:
    """ "men are shown 43% less drama than they want", or in words where a share has a short one."""
    about: Any = finding.about
    users, items = people(finding, "users", about["users"]), content(finding, about["items"])
    # A share that reads as exactly one half, or twice, is said so.
    said = {"50% less": "half as much {} as", "100% more": "twice as much {} as"}
    size = sentences.amount(finding)
    shown = said.get(size, f"{size} {{}} than").replace("{}", items)
    return {"ranking": ranking(finding), "shown": f"{users} are shown {shown} they want"}


def policy(finding: Finding) -> Words:
    return {"ranking": ranking(finding)}


def ranking(finding: Finding) -> str:
    """Which ranking is meant, before what it does; the ranking as it is shown needs no words."""
    beta = finding.subject.get("beta")
    if beta in (None, "static"):
        return ""
    return "in the lists as shown, " if beta == "observed" else f"under a more random ranking (beta {beta}), "
