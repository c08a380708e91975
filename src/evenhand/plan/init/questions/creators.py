"""Do creators get equal opportunity? Needs a default and a random log, a label, and groups of items."""

from __future__ import annotations

from typing import Any

from evenhand.plan.init.drafts import Cannot, Draft, InputDraft, StepDraft
from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.meaning.columns import days_of, is_id
from evenhand.plan.init.meaning.logs import Log
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import CONTROL
from evenhand.plan.init.meaning.words import tokens
from evenhand.plan.init.questions.choosing import (
    LIMIT,
    NO_LIMIT,
    PENALTY,
    Side,
    choosable,
    cut_and_missing,
    definition,
    describes,
    far_attributes,
    is_dated_or_ranked,
    label_of,
    mark_groups,
    mark_shown,
    mark_unstated,
    of_items,
    of_words,
    others,
    remind_of_choice,
    unknown_to,
)
from evenhand.plan.init.questions.exchanging import groups_instead
from evenhand.plan.init.questions.found import Found

QUESTION = "Do creators get equal opportunity, given what users like?"
PAGE = "docs/howto/log-random-traffic.md"
MOST_STEPS = 2
MOST_ARMS = 4
# A day of a series is held against its own random rows: with fewer, no day says anything.
LEAST_DAYS, LEAST_A_DAY = 3, 1_000


def propose(found: Found, draft: Draft) -> None:
    traffic = found.traffic
    if traffic.default is None:
        unnamed = found.unlabelled()
        why = unnamed or "there is no log of what was shown, with a column that says what users liked"
        log = "" if unnamed else "a row for each item shown: user, item, a 0/1 label, a group of its creator"
        short = "Equal opportunity of creators: needs "
        short += "a label (above)" if unnamed else "a log of what was shown, with a label"
        draft.cannot.append(Cannot(QUESTION, why, log, "docs/explain/creators.md", short))
        return
    logs = [traffic.default, *([traffic.random] if traffic.random else []), *traffic.arms.values()]
    tables = list(dict.fromkeys(log.table for log in logs))
    sides = of_items(found, tables, draft)
    if traffic.random is None:
        why = _no_random(traffic.default)
        log = "a small log of uniformly random pairs, with the same label, each row tagged with what chose it"
        draft.cannot.append(Cannot(QUESTION, why, log, PAGE))
        if sides and found.first("items"):
            _parity(found, traffic.default, sides, draft)
        return
    label = label_of(tables, found, draft)
    if label is None:
        unnamed = found.unlabelled()
        why = unnamed or "no column says plainly what users liked, in both logs"
        log = "" if unnamed else "a 0/1 column with one meaning in both"
        short = "Equal opportunity of creators: needs a label (above)" if unnamed else ""
        draft.cannot.append(Cannot(QUESTION, why, log, PAGE + "#what-to-write", short))
        return
    if not choosable(sides):
        left = draft.left_out.get("items")
        left = left or far_attributes(found)
        why = left or "nothing in the logs, or in a table of items, says which group a creator or item is of"
        log = "" if left else "an attribute of creators, in the logs or in a table by item_id"
        draft.cannot.append(Cannot(QUESTION, why, log, "docs/explain/creators.md"))
        return
    remind_of_choice(traffic.default.table, label, draft)
    sensitive = [side for side in sides if side.attribute.strength >= 3]
    chosen = (sensitive or choosable(sides))[: MOST_STEPS if len(sensitive) > 1 else 1]
    mark_groups(found, draft, chosen, sides, "creators or items")
    if traffic.random.why:
        draft.marks.append(f"Random traffic: {traffic.random.told()} ({traffic.random.why}).")
    for number, side in enumerate(chosen):
        _opportunity(found, side, sides, label, draft, further=number == 0)


def _log_input(name: str, log: Log, label: Label, draft: Draft) -> InputDraft:
    told = f"{log.told()}." if log.where else ""
    return draft.add_input(
        name, log.table, where=log.where, made=label.made, label_definition=definition(label),
        comments=(*((told,) if told else ()), *of_words(label)), other_labels=others(log.table, label),
    )  # fmt: skip


def _opportunity(
    found: Found, side: Side, among: list[Side], label: Label, draft: Draft, further: bool
) -> None:
    traffic = found.traffic
    assert traffic.default is not None
    assert traffic.random is not None
    arm = next((name for name, log in traffic.arms.items() if log.table is traffic.default.table), "default")
    default = _log_input(arm, traffic.default, label, draft)
    random = _log_input("random", traffic.random, label, draft)
    shared, beside = _shared_keys(found, side, default, label, draft)
    if instead := groups_instead(side, among, draft):
        beside["group"] = instead
    checks: dict[str, Any] = {}
    if (item := traffic.random.table.item) and shared.get("cluster"):
        checks["item"] = random.called(item)  # is the random log random?
        if (catalogue := _catalogue(found, side, checks["item"], draft)) is not None:
            checks["catalogue"] = catalogue
            beside["catalogue"] = "all items that random traffic could draw"
    probability = traffic.random.table.probability
    if probability and not traffic.random.table.profile.columns[probability].constant:
        shared["probability"] = random.called(probability)
    about = f"Is what users like shown equally often, by {side.attribute.column}?"
    asked = {"audit": "opportunity", "default": default.name, "random": random.name}
    limit = {"tolerance": PENALTY}
    draft.steps.append(StepDraft(asked | shared | checks | limit, (about,), beside | {"tolerance": LIMIT}))
    if not further:
        return
    _days(traffic.default, traffic.random, side, draft, default, random, shared, beside)
    _note_perhaps_arms(found, traffic.default, draft)
    worse, more = {"tolerance": 0.02}, {"tolerance": "how much worse a change may make it: agree on it first"}
    if len(traffic.arms) > 1:
        arms = {name: _log_input(name, log, label, draft).name for name, log in traffic.arms.items()}
        about = "Does the change that is tested change that? The first arm is the baseline."
        keys = {"audit": "compare", "arms": arms, "random": random.name, **shared, **worse}
        draft.steps.append(StepDraft(keys, (about,), beside | more))
    elif columns := _experiments(traffic.default, draft):
        about = "Do the changes that are tried in this log change that?"
        keys = {
            "audit": "experiments",
            "default": default.name,
            "columns": columns,
            "random": random.name,
            **shared,
            **worse,
        }
        draft.steps.append(StepDraft(keys, (about,), beside | more))


def _catalogue(found: Found, side: Side, item: str, draft: Draft) -> str | None:
    """The table of all items, where it calls them as the log does: items that were never drawn are seen by
    it."""
    items = side.table if side.table.role == "items" else found.first("items")
    if items is None or items.item is None or not describes(items, found.main, draft):
        return None
    catalogue = draft.add_input("items", items)
    return catalogue.name if catalogue.called(items.item) == item else None


def _days(
    default: Log, random: Log, side: Side, draft: Draft, shown: InputDraft, drawn: InputDraft,
    shared: dict[str, Any], beside: dict[str, str],
) -> None:  # fmt: skip
    """Day by day, where each day has random rows enough for every group."""
    day = default.table.day
    if day is None:
        return
    draft.day = shown.called(day)
    if day not in random.table.profile.columns:
        return
    days = days_of(default.table.profile, day)
    each = random.rows / days / side.attribute.groups
    if days < LEAST_DAYS or each < LEAST_A_DAY:
        return
    keys = {"audit": "series", "default": shown.name, "random": drawn.name, **shared, "day": draft.day}
    keys["tolerance"] = PENALTY
    draft.steps.append(StepDraft(keys, ("Does it stay so from day to day?",), beside | {"tolerance": LIMIT}))


def _shared_keys(
    found: Found, side: Side, log: InputDraft, label: Label, draft: Draft
) -> tuple[dict[str, Any], dict[str, str]]:
    """What all audits of these logs are asked (label, group, where that is, users), and what to check."""
    table = found.traffic.default.table  # type: ignore[union-attr]
    keys: dict[str, Any] = {"label": log.called(label.name) if not label.rule else label.name}
    attribute = side.attribute
    if side.table is table or side.table.role == "log":
        keys["group"] = log.called(attribute.column)
    else:
        items = draft.add_input(side.table.role, side.table)
        keys |= {"group": items.called(attribute.column), "attributes": items.name}
        keys["on"] = "item_id" if side.table.role == "items" else "creator_id"
    if table.user:
        keys["cluster"] = log.called(table.user)
    mark_unstated(side, keys["group"], draft)
    more, beside = cut_and_missing({keys["group"]: attribute}, draft, unknown_to(side, table))
    return keys | more, beside


def _note_perhaps_arms(found: Found, default: Log, draft: Draft) -> None:
    """Columns of a log that stand still for each user and that no table of users has: how else could one see
    the arms of a test that nothing calls so?"""
    known = {name for table in found.of("users") for name in table.profile.columns}
    perhaps = [
        one.column
        for one in default.table.of_users
        if 2 <= len(one.sizes) <= MOST_ARMS and not one.sensitive and one.column not in known
    ]
    if perhaps:
        draft.notes.append(
            f"{default.table.name}: {' and '.join(perhaps)} has one value for each user, and stands in no "
            "table of users. If it says which version a user was given, name it: --columns "
            f"arm={perhaps[0]}."
        )


def _experiments(default: Log, draft: Draft) -> dict[str, Any] | None:
    """The columns of a log that tell arms, each with its baseline."""
    columns: dict[str, Any] = {}
    table = default.table
    arms = {
        name: tuple(table.profile.columns[name].values)
        for name in table.arms
        if name not in default.where and table.user and table.profile.depends_on([name], table.user)
    }
    for name, values in (arms | table.joined_arms).items():
        control = [value for value in values if set(tokens(str(value))) & CONTROL]
        if len(control) == 1:
            columns[name] = str(control[0])
        elif all(isinstance(value, str) for value in values):
            columns[name] = sorted(values)
            draft.marks.append(f"Baseline of {name}: {sorted(values)[0]}; nothing says so: check it.")
    return columns or None


def arms_not_read(found: Found, draft: Draft) -> None:
    """Say of columns that tell arms, and that no audit reads, why not: of those that somebody has named, and
    of those of the log."""
    default = found.traffic.default.table if found.traffic.default else None
    compared = any(step.keys["audit"] == "compare" for step in draft.steps)
    for table in found.tables:
        own = [*table.arms, *table.joined_arms] if table is default and not compared else table.named_arms
        for name in own:
            if not any(name in step.keys.get("columns", {}) for step in draft.steps):
                question = f"Do the versions that {name} of {table.name} tells apart change anything?"
                why, log = _why_no_arms(found, table, name)
                draft.cannot.append(Cannot(question, why, log, "docs/explain/creators-experiments.md"))


def _why_no_arms(found: Found, table: Recognised, name: str) -> tuple[str, str]:
    """Why a column of arms is not read, and what to log."""
    default, own = found.traffic.default, "which version a user was given, in a column of its own"
    if default is None or default.table is not table:
        return f"the log of default traffic is not {table.name}", f"it in that log: {own}"
    if name in default.where:
        rows = found.traffic.random.told() if found.traffic.random else table.name
        return (
            f"the same column says which rows are random ({rows}), and arms are compared among all others, "
            "by a column that says nothing else"
        ), own
    joined = name in table.joined_arms
    if table.user and not joined and name not in table.profile.depends_on([name], table.user):
        return f"users are in several of the values of {name}, so none was given one version alone", own
    if found.traffic.random is None:
        return "versions are held against random traffic, and there is none", "a small share of random pairs"
    if not joined and table.profile.columns[name].numeric:
        return (
            f"the values of {name} are numbers, and nothing says which of them is the baseline",
            "words for them, of which one says control",
        )
    return "no audit of equal opportunity is in this plan, which it is a part of", "what that lacks"


def _no_random(default: Log) -> str:
    """That no random traffic was found, and which columns may tell of it: only whoever logs it knows."""
    table = default.table
    sample = ", of which a sample was looked at" if table.profile.opened.sampled else ""
    where = f"in {table.name}{sample}"
    why = f"no random traffic was found {where}, to say what users like when anything is shown"
    columns = table.profile.columns
    tags = [columns[name] for name in table.tags if columns[name].values]
    told = [f"{one.name} ({', '.join(map(str, list(one.values)[:6]))})" for one in tags]
    such = f", such as {' or '.join(told[:3])}," if told else ""
    return f"{why}. If a column{such} says which rows were drawn at random, name it: --columns random=NAME"


def _not_seen_to_be_shown(found: Found, table: Recognised) -> str:
    """Why a table without a label may be of what was never shown: a snapshot of scores says who could be."""
    profile = table.profile
    columns = profile.columns.items()
    of_pairs = {name for name, c in columns if c.kind == "number" and not is_id(c) and not c.values}
    for key in (table.user, table.item):
        of_pairs -= set(profile.depends_on(sorted(of_pairs), key)) if key else set()
    lists = [one.name for one in found.of("lists")]
    if not of_pairs and not lists:
        return ""
    why = f"{', '.join(sorted(of_pairs))} may be a score" if of_pairs else f"{lists[0]} has places in lists"
    return (
        f"{table.name} was not taken as what users were shown: it has no time and no place in a list, and "
        f"{why}. If it is, add a column with the time."
    )


def _parity(found: Found, default: Log, sides: list[Side], draft: Draft) -> None:
    """What can be said without random traffic: exposure against the catalogue, whatever users like."""
    side = next((one for one in choosable(sides) if one.table.role == "items"), None)
    items = found.first("items")
    if side is None or items is None or default.table.item is None:
        return
    plain = default.table.chosen_label is not None or is_dated_or_ranked(default.table)
    if not plain and (doubt := _not_seen_to_be_shown(found, default.table)):
        draft.notes.append(doubt)
        return
    mark_shown(default, draft)
    mark_groups(found, draft, [side], sides, "creators or items")
    log = draft.add_input("default", default.table, where=default.where)
    catalogue = draft.add_input("items", items)
    keys: dict[str, Any] = {
        "audit": "parity", "default": log.name, "catalogue": catalogue.name,
        "group": catalogue.called(side.attribute.column), "attributes": catalogue.name, "on": "item_id",
    }  # fmt: skip
    if default.table.user:
        keys["cluster"] = log.called(default.table.user)
    more, beside = cut_and_missing({keys["group"]: side.attribute}, draft, unknown_to(side, default.table))
    about = "Are items shown in proportion to what there is, whatever users like?"
    beside["tolerance"] = f"how far groups may be from the average, as a share; {NO_LIMIT}"
    draft.steps.append(StepDraft(keys | more, (about,), beside, {"tolerance": PENALTY}))
