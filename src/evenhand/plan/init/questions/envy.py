"""Would a user be better off with another's recommendations? Needs preferences and policies."""

from __future__ import annotations

from typing import Any

from evenhand.plan.init.drafts import Cannot, Draft, NameTaken, StepDraft
from evenhand.plan.init.questions.found import Found

QUESTION = "Would a user be better off with another user's recommendations?"
PAGE = "docs/explain/envy.md#what-it-needs"


def propose(found: Found, draft: Draft) -> None:
    preferences, policies = found.first("preferences"), found.first("policies")
    if preferences is None or policies is None:
        lacking = [
            what
            for what, there in {
                "how much each user likes each item (user_id, item_id, preference), learnt from other data "
                "than the system": preferences,
                "how often each user is shown each item (user_id, item_id, probability)": policies,
            }.items()
            if there is None
        ]
        short = "Envy: needs preferences and policies" if len(lacking) > 1 else ""
        draft.cannot.append(
            Cannot(QUESTION, "not all that it needs is here", "; ".join(lacking), PAGE, short)
        )
        return
    try:
        liked = draft.add_input("preferences", preferences, ("user", "item", "preference"))
        shown = draft.add_input("policies", policies, ("user", "item", "probability"))
    except NameTaken as error:
        draft.cannot.append(Cannot(QUESTION, str(error), "columns with names of their own", PAGE))
        return
    draft.marks.append(
        f"How much users like items is taken to be {preferences.preference} of {preferences.name}. Chosen by "
        "init: check it, and that it was learnt from other data than the system."
    )
    keys: dict[str, Any] = {"audit": "envy", "preferences": liked.name, "policies": shown.name}
    users, items = (
        preferences.profile.columns[name].distinct for name in (preferences.user, preferences.item) if name
    )
    if preferences.profile.rows < users * items:
        keys["missing"] = 0.0
        draft.marks.append("Pairs without a preference are taken to have a preference of 0: check it.")
    keys |= {"epsilon": 0.05, "tolerance": 0.1}
    beside = {
        "epsilon": "how much more another policy must give to count, in the unit of preferences: agree on it",
        "tolerance": "the share of users that may be better off with it: agree on it first",
    }
    about = "Would users be better off with the recommendations of others?"
    draft.steps.append(StepDraft(keys, (about,), beside))
