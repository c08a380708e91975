"""An audit in sentences: what is asked, what came out, what it has cost; people first, numbers second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.envy.online.settings import AGAIN
from evenhand.report.words.legible import line
from evenhand.report.words.numbers import count, percent_of
from evenhand.service.showing import claims
from evenhand.service.showing.durations import span

View = Mapping[str, Any]
# How a verdict of the report is marked, by outcome.
KEYS = {"envy": "violation", "no_envy": "within_tolerance", "inconclusive": "inconclusive"}
_UNCHECKABLE = (
    "Nobody can check this outcome any more: it rests on people who were deleted. A certificate that was "
    "fetched with its events before that still can be checked."
)
STATES = {"better": "better than the own", "ruled_out": "ruled out", "open": "open"}


def state(view: View) -> str:
    """In two or three words."""
    if view["outcome"] is not None:
        named = {"envy": "better off elsewhere", "inconclusive": "not decided"}
        return named.get(view["outcome"]) or claims.none_found(view)
    return "waits for names" if not view["named"] else "paused" if view["paused"] else "running"


def outcome(view: View) -> list[str]:
    """What is known, in sentences, and whether others can still check it."""
    return [*_known(view), *([] if view["checkable"] else [_UNCHECKABLE])]


def _known(view: View) -> list[str]:
    sure = f"The probability that this is wrong is at most {percent_of(view['asked']['delta'])}."
    if view["outcome"] == "envy":
        number = max(1, view["outcomes"]["envy"])
        who = "At least one person" if number == 1 else f"At least {count(number)} people"
        return [f"{who} would be better off with another's recommendations. {sure}", *_never_decided(view)]
    if view["outcome"] == "no_envy":
        return [f"{claims.no_envy(view)} {sure}", *claims.untried(view), *_left(view)]
    if view["outcome"] == "inconclusive":
        return ["Nothing is certified: the audit ended before it could decide.", *_why(view)]
    if not view["named"]:
        return ["Nobody is asked yet: the people who were drawn have not been named."]
    first = "The audit is paused: everybody gets their own recommendations." if view["paused"] else ""
    return [one for one in (first, _so_far(view)) if one]


def _so_far(view: View) -> str:
    """While nobody is decided, nothing is known: that nobody was found yet is no good news."""
    of, number = people(view["targets"]), view["decided"]
    stopped = f" {_stopped(view['undecided'])}" if view["undecided"] else ""
    if not number:
        return f"Nothing can be said yet: none of {of} is decided.{stopped}"
    some = f"{count(number)} of {of} {'is' if number == 1 else 'are'} decided"
    rest = view["targets"] - number - view["undecided"]
    still = f" Of the other {count(rest)} nothing can be said yet." if rest else ""
    whom = "this person" if number == 1 else "each of them"
    return f"Not decided yet: {some}, and for {whom} {claims.none_better(view)}.{still}{stopped}"


def _stopped(number: int) -> str:
    which = "The audit of one person" if number == 1 else f"The audits of {count(number)} people"
    return f"{which} ended without a decision."


def _never_decided(view: View) -> list[str]:
    """An audit stops at the first who is better off: of the others it says nothing."""
    number = view["targets"] - view["outcomes"]["envy"] - view["outcomes"]["no_envy"]
    if number <= 0:
        return []
    which = "One person was" if number == 1 else f"{count(number)} people were"
    return [f"{which} not decided, since an audit stops at the first who is better off."]


def _left(view: View) -> list[str]:
    left = view["outcomes"]["inconclusive"]
    return [f"{_stopped(left).removesuffix('.')}, as was planned for."] if left else []


def _why(view: View) -> list[str]:
    return [line(view["reason"], 800)] if view["reason"] else []


def people(number: int) -> str:
    return "the one person" if number == 1 else f"the {count(number)} people"


def person(view: View, one: View) -> str:
    """What is known of one of them, in a line."""
    if one["deleted"]:
        return (
            "Deleted. Kept are hashes of what was recorded, the place that was drawn and the outcome, which "
            "the certificate needs."
        )
    if one["opted_out"]:
        return "Opted out, and gets their own recommendations."
    better = [policy["of"] for policy in one["policies"] if policy["state"] == "better"]
    if one["outcome"] == "envy":
        named = " or ".join(f"person {number}" for number in better)
        return f"Would be better off with the recommendations of {named or 'another'}."
    if one["outcome"] == "no_envy":
        said = claims.none_better(view)
        return f"{said[0].upper()}{said[1:]}."
    if one["outcome"] == "inconclusive":
        return str(one["reason"] or "Ended without a decision.")
    if not one["visits"]:
        return "Not served yet."
    if view["outcome"] is not None:
        return "Not decided when the audit ended."
    left = one["of"] - one["ruled_out"]
    return f"{count(one['ruled_out'])} of {count(one['of'])} ruled out, {count(left)} open."


def asked(view: View) -> list[tuple[str, str]]:
    """What was agreed before anybody was served."""
    said = view["asked"]
    share, window = percent_of(1 - said["alpha"]), said["window_s"]
    told = [
        ("Reward", line(view["reward"], 500)),
        ("Who is asked", _who(view)),
        *claims.agreed(view),
        (
            "Limit to harm",
            f"At any time everybody has at least {share} of what their own recommendations give.",
        ),
        (
            "Deadline",
            f"A reward counts if it is observed within {span(said['deadline_s'])}, and reported "
            f"{span(said['grace_s'])} after that at the latest.",
        ),
        ("Shown", _shown(window, said["unshown"])),
    ]
    most = [
        f"{count(said['budget'])} in all" if said["budget"] else "",
        f"{count(said['daily'])} a day" if said["daily"] else "",
    ]
    if any(most):
        told.append(("Visits a person", f"At most {' and '.join(one for one in most if one)}."))
    if said["dropouts"]:
        told.append(("May drop out", people(said["dropouts"]).removeprefix("the ").capitalize()))
    if view["version"] is not None:
        told.append(("Version of policies", line(view["version"], 500)))
    if view["series"] is not None:
        told.append(("Series", f"Audit {view['link']} of {line(view['series'], 500)}"))
    return told


def _shown(window: float | None, unshown: str | None) -> str:
    if window is None:
        return "What is assigned counts as shown."
    withdrawn = f"What is not shown within {span(window)} is withdrawn: it is no visit and has no reward."
    if unshown in (None, AGAIN):  # as all were, before it could be asked
        return f"{withdrawn} It is taken to be as what was shown."
    if unshown == "worst":
        return f"{withdrawn} What is claimed must also hold with all of it as the worst that it can be."
    return f"{withdrawn} What is claimed must also hold with all of it as 0, and with all of it as 1."


def _who(view: View) -> str:
    if not claims.is_of_all(view):
        return claims.drawn(view).replace(" were ", " are ", 1)
    each = claims.others(view)
    return f"All {count(view['targets'])} users, each with the recommendations of {each}."


def cautions(view: View) -> list[str]:
    """What seems to differ by policy, before that is sure enough to end the audit."""
    said = {"missing": "Rewards seem to be missing", "withdrawn": "Recommendations seem to be withdrawn"}
    return [
        f"{said[what]} more often under some policies than others, for {_named(numbers)}; while that is "
        "so nothing is claimed of them."
        for what, numbers in view["in_doubt"].items()
        if numbers
    ]


def _named(people: Sequence[int]) -> str:
    return f"person {people[0]}" if len(people) == 1 else f"{count(len(people))} people"
