"""Who is shown what, and by which ranking, in words."""

from __future__ import annotations

from typing import Any

from evenhand.about import Subject
from evenhand.findings import Finding
from evenhand.report.vocabulary.names import heading
from evenhand.report.words import sentences
from evenhand.report.words.people import content, people

Words = dict[str, str]
# A share that reads as exactly one half, or twice, is said so.
_IN_WORDS = {"50% less": "half as much {} as", "100% more": "twice as much {} as"}


def pair(finding: Finding) -> Words:
    """ "men are shown 43% less drama than relevance asks for"."""
    about: Any = finding.about
    users, items = people(finding, "users", about["users"]), content(finding, about["items"])
    size = sentences.amount(finding)
    before, after = _IN_WORDS.get(size, f"{size} {{}} than").split("{}")
    said = policy(finding) | {"shown": f"{users} are shown {before}{items}{after} relevance asks for"}
    if size in _IN_WORDS:  # which the interval is not: "(43 to 56% less; limit 30%)"
        way = size.rpartition(" ")[2]
        said["evidence"] = f" ({sentences.evidence(finding)})".replace("%", f"% {way}", 1)
    return said


def policy(finding: Finding) -> Words:
    """Which ranking is meant, before what it does; the ranking as it is shown needs no words."""
    beta = finding.subject.get("beta", "static")
    ranking = "" if beta == "static" else f"under {which_ranking(finding.subject)}, "
    return {"ranking": system(finding)["system"] + ranking}


def system(finding: Finding) -> Words:
    """Which of several systems is meant."""
    return {"system": f"{finding.about['system']}: " if "system" in finding.about else ""}


def which_ranking(subject: Subject) -> str:
    """ "a more random ranking (beta 1)"; a temperature alone tells few readers anything."""
    beta = subject["beta"]
    return heading(beta) if isinstance(beta, str) else f"a more random ranking (beta {beta})"
