"""What an audit claims, in the words of its certificate: of everybody, or of a population by a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.report.words.numbers import count, percent_of

View = Mapping[str, Any]
_OF_ONE = {"envy": "better off elsewhere", "inconclusive": "not decided"}


def is_of_all(view: View) -> bool:
    """Whether everybody is tried against everybody: only then nobody may be said to be better off."""
    return bool(view["asked"]["criterion"] == "exact")


def none_found(view: View) -> str:
    """In a few words, once nobody was found to be better off."""
    return "nobody better off" if is_of_all(view) else "nobody found in a sample"


def no_envy(view: View) -> str:
    """What is claimed if nobody is found to be better off."""
    asked = view["asked"]
    if is_of_all(view):
        return (
            f"None of the {count(view['targets'])} people would be better off with another's recommendations "
            f"by more than {asked['epsilon']:g}."
        )
    return (
        f"At most {percent_of(asked['lambda_'])} of users would be better off by more than "
        f"{asked['epsilon']:g} with the recommendations of more than {percent_of(asked['gamma'])} of others."
    )


def drawn(view: View) -> str:
    """Who was tried against whom, where not everybody was against everybody."""
    everybody, targets, each = view["asked"]["population"], view["targets"], view["policies_each"]
    who = (
        f"All {count(targets)} users were"
        if targets == everybody
        else (f"Of {count(everybody)} users {count(targets)} were drawn and")
    )
    others = "all" if each == everybody - 1 else f"{count(each)} of"
    return f"{who} tried, each against {others} {count(everybody - 1)} others."


def untried(view: View) -> list[str]:
    """What a sample leaves open, in numbers; nothing where everybody was tried against everybody."""
    if is_of_all(view):
        return []
    return [f"{drawn(view)} What was not tried may be better for anybody, by any amount."]


def none_better(view: View) -> str:
    """What is found of a person who is not better off."""
    by = f"better by more than {view['asked']['epsilon']:g}"
    if view["policies_each"] == 1:
        return f"the other is not {by}"
    return f"none of {others(view)} is {by}"


def others(view: View) -> str:
    """Those against whom one person is tried."""
    number = view["policies_each"]
    said = "the other" if number == 1 else f"the {count(number)} others"
    return said if is_of_all(view) else f"{said} tried"


def of_one(view: View, outcome: str) -> str:
    """The mark of one person."""
    if outcome != "no_envy":
        return _OF_ONE[outcome]
    return "not better off" if is_of_all(view) else f"none better of {count(view['policies_each'])} tried"


def agreed(view: View) -> list[tuple[str, str]]:
    """What somebody's being better off means here, what the audit can claim, and how sure that is."""
    claimed = no_envy(view)
    if not is_of_all(view):
        claimed += " It does not claim that nobody would."
    return [
        (
            "Better off",
            "A person is better off elsewhere if the recommendations of somebody else who is tried give "
            f"more, by any amount, and is not if {none_better(view)}; a reward goes from 0 to 1.",
        ),
        ("Claimed if nobody is found", claimed),
        (
            "Error",
            f"At most {percent_of(view['asked']['delta'])} that the outcome of the whole audit is wrong or "
            "that the limit to harm is broken for anybody, together. Limits of a single policy, what is "
            "ruled out, and that a single person is not better off, hold each for itself: of many such some "
            "may be wrong.",
        ),
    ]
