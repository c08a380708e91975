"""Which users are served worst? Needs candidates with scores and labels, or a log with labels, and users."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from evenhand.plan.init.drafts import Cannot, Draft, NameTaken, StepDraft
from evenhand.plan.init.questions.choosing import (
    LIMIT,
    PENALTY,
    Side,
    choosable,
    cut_and_missing,
    definition,
    label_of,
    mark_groups,
    mark_shown,
    mark_unstated,
    of_users,
    of_words,
    others,
    remind_of_choice,
    unknown_to,
)
from evenhand.plan.init.questions.exchanging import groups_instead
from evenhand.plan.init.questions.found import Found

QUESTION = "Which users are served worst, and is that more than chance?"
MOST_ATTRIBUTES = 2
LEAST_IN_A_COMBINATION = 100


def propose(found: Found, draft: Draft) -> None:
    candidates, model = found.first("candidates"), _model(found)
    log = found.traffic.default
    source = candidates or (log.table if log else None)
    if source is None and model is None:
        unnamed = found.unlabelled()
        why = unnamed or "there are no lists that could be judged"
        log_ = "the candidates of each user: user_id, item_id, score, and label (0/1); or a log with a label"
        log_ = "" if unnamed else log_
        short = "Which users are served worst: needs "
        short += "a label (above)" if unnamed else "a log with a label, or candidates"
        draft.cannot.append(Cannot(QUESTION, why, log_, "docs/explain/users.md", short))
        return
    in_source = [source] if source and candidates is None else []
    sides = of_users(found, in_source, draft)
    if candidates is not None or model is not None:
        sides = [side for side in sides if side.table.role == "users"]
    if not choosable(sides):
        left = draft.left_out.get("users")
        why = left or "nothing says which groups users are of"
        log_ = "" if left else "a table of user_id and attributes, one row a user"
        draft.cannot.append(Cannot(QUESTION, why, log_, "docs/explain/users.md"))
        return
    if candidates is not None or model is not None:
        _groups(found, sides, draft)
    elif log is not None:
        _precision(found, sides, draft)


def _model(found: Found) -> str | None:
    """A trained model whose folder has what it was judged by."""
    return next((str(one) for one in found.models if (one / "candidates.parquet").is_file()), None)


def choose(found: Found, sides: list[Side], draft: Draft) -> list[Side]:
    """Two attributes at most, of one table."""
    table = choosable(sides)[0].table
    own = [side for side in choosable(sides) if side.table is table]
    sensitive = _one_age([side for side in own if side.attribute.strength >= 3])
    chosen = sensitive[:MOST_ATTRIBUTES] or own[:1]
    mark_groups(found, draft, chosen, sides, "users")
    return chosen


def _combined(chosen: list[Side]) -> list[list[Side]]:
    """The attributes together, if groups stay large: the gaps of many small groups are chance. Otherwise each
    by itself."""
    groups = math.prod(side.attribute.groups for side in chosen)
    large = chosen[0].table.profile.rows >= LEAST_IN_A_COMBINATION * groups
    return [chosen] if large else [[side] for side in chosen]


def _one_age(sides: list[Side]) -> list[Side]:
    """Age and its bands are one attribute: the bands, which somebody has agreed on."""
    ages = sorted(
        (side for side in sides if side.attribute.is_age), key=lambda side: bool(side.attribute.bins)
    )
    return [side for side in sides if side not in ages[1:]]


def _groups(found: Found, sides: list[Side], draft: Draft) -> None:
    log = found.traffic.default
    judged = log is not None and log.table.user is not None and log.table.chosen_label is not None
    for number, chosen in enumerate(_combined(choose(found, sides, draft))):
        step = _groups_of(found, chosen, draft)
        if step is None:
            return
        if judged and number == 0:
            apart = replace(draft, marks=[], notes=[], agreed=[])
            instead = _precisions(found, sides, apart)
            marks = tuple(apart.marks)
            step = replace(step, otherwise=tuple(replace(one, marks=marks) for one in instead))
        single = [[side] for side in chosen] if len(chosen) > 1 else []
        alone = tuple(one for each in single if (one := _groups_of(found, each, draft)) is not None)
        draft.steps.append(replace(step, alone=alone))


def _groups_of(found: Found, chosen: list[Side], draft: Draft) -> StepDraft | None:
    """The audit of these attributes together; None where a column cannot have the name that it needs."""
    users = draft.add_input("users", chosen[0].table)
    keys: dict[str, Any] = {"audit": "groups"}
    candidates = found.first("candidates")
    if candidates is not None:
        label = label_of([candidates], found, draft)
        assert label is not None
        made = {"label": label.made[label.name]} if label.rule else {}
        also = {} if label.rule else {"label": label.column}
        try:
            keys["candidates"] = draft.add_input(
                "candidates", candidates, ("user", "item", "score", "listed"), also=also, made=made,
                label_definition=label.meaning, other_labels=others(candidates, label),
                comments=of_words(label),
            ).name  # fmt: skip
        except NameTaken as error:
            draft.cannot.append(
                Cannot(QUESTION, str(error), "columns with names of their own", "docs/explain/users.md")
            )
            return None
    else:
        keys["model"] = _model(found)
    called = {users.called(side.attribute.column): side.attribute for side in chosen}
    keys |= {"users": users.name, "attributes": list(called)}
    keys |= {"metric": "mrr", "k": 5, "tolerance": 0.05}
    more, beside = cut_and_missing(called, draft)
    keys |= more
    beside["tolerance"] = "the largest gap that you would accept, in MRR: agree on it first"
    about = f"Which users get the worst lists, by {' and '.join(called)}, and is that more than chance?"
    return StepDraft(keys, (about,), beside)


def _precision(found: Found, sides: list[Side], draft: Draft) -> None:
    steps = _precisions(found, sides, draft)
    draft.steps += steps
    if not steps:
        why, short = "no column says plainly what users liked", "Which users are served worst: needs a label"
        draft.cannot.append(Cannot(QUESTION, why, "a 0/1 label", "docs/explain/users.md", short))
        return
    why = "users are compared by what they liked of what they were shown; whole lists could not be judged"
    draft.cannot.append(
        Cannot("Which combinations of users get the worst lists?", why,
               "the candidates of each user: user_id, item_id, score, and label (0/1). Or train a reference "
               "model with `evenhand train --split leave-one-out`, and run init on its folder, too",
               "docs/reference/recommenders.md",
               "Which combinations of users get the worst lists: needs candidates with scores, or a model")
    )  # fmt: skip


def _precisions(found: Found, sides: list[Side], draft: Draft) -> list[StepDraft]:
    """For each attribute: are users of all groups shown what they like? None without a label."""
    log = found.traffic.default
    assert log is not None
    label = label_of([log.table], found, draft)
    if label is None:
        return []
    steps: list[StepDraft] = []
    remind_of_choice(log.table, label, draft)
    if found.traffic.random is None:
        mark_shown(log, draft)
    chosen = choose(found, sides, draft)
    arm = next((name for name, one in found.traffic.arms.items() if one.table is log.table), "default")
    default = draft.add_input(
        arm, log.table, where=log.where, made=label.made, label_definition=definition(label),
        other_labels=others(log.table, label), comments=of_words(label),
    )  # fmt: skip
    for side in chosen:
        attribute = side.attribute
        keys: dict[str, Any] = {"audit": "user_precision", "default": default.name}
        keys["label"] = label.name if label.rule else default.called(label.column)
        if side.table.role == "users":
            users = draft.add_input("users", side.table)
            keys |= {"group": users.called(attribute.column), "attributes": users.name, "on": "user_id"}
        else:
            keys["group"] = default.called(attribute.column)
        if log.table.user:
            keys["cluster"] = default.called(log.table.user)
        mark_unstated(side, keys["group"], draft)
        more, beside = cut_and_missing({keys["group"]: attribute}, draft, unknown_to(side, log.table))
        keys |= {**more, "tolerance": PENALTY}
        beside["tolerance"] = LIMIT
        if instead := groups_instead(side, sides, draft):
            beside["group"] = instead
        about = f"Are users of all groups shown what they like, by {attribute.column}?"
        steps.append(StepDraft(keys, (about,), beside))
    return steps
