"""What an audit has cost people, and whether the limit to harm is held, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.report.words.legible import line
from evenhand.report.words.numbers import count, percent_of

View = Mapping[str, Any]


def cost(view: View) -> str:
    """What the audit took from people, or gave them, in the words of the reward, and what that rests on."""
    if view["cost"] is None:
        said = "yet of what it costs" if view["outcome"] is None else "of what it cost"
        return f"Nothing is known {said}.{_left_out(view)}"
    about = "So far about" if view["outcome"] is None else "About"
    would = "their own recommendations would have given"
    if _is_nothing(view["cost"]):
        return f"{about} as many rewards as {would}.{_left_out(view)}"
    fewer = "fewer" if view["cost"] > 0 else "more"
    return (
        f"{about} {_rewards(view['cost'])} {fewer} than {would}{_share(view['cost_share'])}."
        f"{_left_out(view)} A reward is: {line(view['reward'], 500).rstrip('.')}."
    )


def _share(share: float | None) -> str:
    """Of what the own recommendations give, as the limit to harm is."""
    if share is None:
        return ""
    said = "less than 1%" if abs(share) < 0.01 else f"about {abs(share):.0%}"
    return f", which is {said} of that"


def _left_out(view: View) -> str:
    number = view["left_out"]
    if not number:
        return ""
    of = count(view["others"]["shown"])
    which = "wait for a reward" if view["outcome"] is None else "were not settled then"
    taken = "is taken to be as the rest" if view["cost"] is not None else "is not known"
    return (
        f" What came of {count(number)} of the {of} visits with others' recommendations, whose blocks "
        f"{which}, {taken}."
    )


def cost_in_short(view: View) -> str:
    """A loss is called a loss."""
    if view["cost"] is None:
        return "–"
    if _is_nothing(view["cost"]):
        return "about none"
    return f"{_rewards(view['cost'])} {'lost' if view['cost'] > 0 else 'gained'}"


def _is_nothing(lost: float) -> bool:
    return abs(lost) < 0.05


def _rewards(lost: float) -> str:
    number = abs(lost)
    return f"{number:,.0f} rewards" if number >= 10 else f"{number:.1f} rewards"


def margin(view: View) -> str:
    """Whether the limit to harm is held, and who is closest to it, where one person is."""
    share = percent_of(1 - view["asked"]["alpha"])
    if view["margin"] is None:
        who = "Of those who were not deleted nobody" if view["deleted"] else "Nobody"
        return f"{who} has been served."
    of = view["margin"]["of"]
    if not is_held(view):
        who = "somebody" if of is None else f"person {of}"
        return f"For {who} it is not certain now that they have {share} of what their own would give."
    closest = "" if of is None else f"; person {of} is closest to that limit"
    return f"Everybody has at least {share} of what their own recommendations would give{closest}."


def is_held(view: View) -> bool:
    least = view["margin"]["least"]
    return least is not None and least >= 0
