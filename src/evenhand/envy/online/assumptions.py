"""What an online audit takes for granted, in the words of its certificate and of its findings."""

from __future__ import annotations

from evenhand.envy.online.settings import AGAIN, design_of

SHOWN = (
    "Whether a recommendation is shown, and is said to be, does not depend on how it would be liked. What "
    "was not shown is withdrawn and offered again. If that happens more to what is disliked, as where nobody "
    "tells that it was shown once people have left, no envy may be said where a policy is better by epsilon."
)
DOUBTED = (
    "A recommendation that was withdrawn because nobody told that it was shown would have been as good, on "
    "average, under one policy as under another; or, with rewards of 0 or 1, whether it was withdrawn "
    "depends on chance and on how it was liked, in the same way under all policies. It is offered again, and "
    "a claim is made if it holds with what is shown then, with all that was withdrawn 0, and with all of it "
    "1. If likes are withdrawn under one policy and dislikes under another, that is taken for a difference. "
    "The third time that a place of another policy is withdrawn its reward is missing. What was seen all the "
    "same, and not said to be shown, costs the user more than the constraint counts."
)
# As certificates of audits in which nothing had to be read so said it first.
DOUBTED_AT_FIRST = (
    "A recommendation that was withdrawn because nobody told that it was shown would have been as good, on "
    "average, under one policy as under another. It is offered again, and a claim is made if it holds with "
    "what is shown then, with all that was withdrawn 0, and with all of it 1. If likes are withdrawn under "
    "one policy and dislikes under another, that is taken for a difference."
)
BLOCKS = (
    "The level of rewards may move, as long as it moves by the same amount for all policies at a time. Where "
    "the difference between two policies changes, envy means that the other was better at some time, and no "
    "envy that it was not better by epsilon when it was tried: a policy that people have to get used to is "
    "given up before, and one that is only new is not found out.",
    "What is shown now does not change how the next recommendation is liked. If it does, that is charged to "
    "the wrong policy. No audit can rule it out, and none here estimates it.",
    SHOWN,
    "Another policy is tried in at most a share alpha of the steps that are assigned, which is sure, or as "
    "far as past rewards allow. While some of the user's own were assigned and are not shown, or never will "
    "be, the user may be short by a share alpha of these. That it costs the user at most a share alpha of "
    "reward holds with the stated error, and only while the differences between policies stay as they are.",
)
WORST_UNSHOWN = (
    "A recommendation that was withdrawn because nobody told that it was shown is taken as the worst that it "
    "can be for the claim that is made. It is offered again; the third time that a place of another policy "
    "is withdrawn its reward is missing. What was seen all the same, and not said to be shown, costs the "
    "user more than the constraint counts."
)
UNTOLD = (
    "Visits that are withdrawn, or whose reward is missing, are like the others: the difference between "
    "policies is the same in them. Where it is not, as where one device tells less than another and a policy "
    "is better there and worse elsewhere, envy or no envy may be wrong far more often than is said. Where "
    "devices tell less than others, audit each by itself, or take what is not told as the worst that it can "
    "be (unreported, unshown: 'worst')."
)
UNPAIRED = (
    "Mean rewards do not change while the audit lasts. If the level of all policies moves, equal policies "
    "are often called envied; the test for drift finds large changes only.",
)
ONCE = (
    "No audit before this one ended without a decision, or delta was shared with it: an audit that is begun "
    "again has an error of its own, and errors add up.",
)
MISSING = {
    "compare": "A reward that is not reported by its deadline would have been as good, on average, under one "
    "policy as under another: a claim is made if it holds with all of them 0 and with all of them 1. If "
    "likes get lost under one policy and dislikes under another, that is taken for a difference. Epsilon is "
    "of rewards as they are reported, so with a tenth missing it stands for a ninth more.",
    "worst": "A reward that is not reported by its deadline is taken as the worst that it can be for the "
    "claim that is made.",
    "unpaired": "A reward that is not reported by its deadline counts 0, and policies are compared as they "
    "are reported: if they lose different shares, that is taken for a difference.",
}


# Settings that decide what is taken for granted.
ASSUMED_BY = ("design", "bound", "unreported", "unshown")


def assumptions_of(
    design: str | None, bound: str, unreported: str, unshown: str, untold: bool = False
) -> tuple[str, ...]:
    """In plain sentences, the most important first; `untold` where some visits are taken to be as others."""
    if design_of(design, bound) == "unpaired":
        return (*UNPAIRED, MISSING["unpaired"], *ONCE)
    of_shown = {AGAIN: SHOWN, "worst": WORST_UNSHOWN}.get(unshown, DOUBTED)
    blocks = [of_shown if each == SHOWN else each for each in BLOCKS]
    return (*blocks, MISSING[unreported], *([UNTOLD] if untold else []), *ONCE)
