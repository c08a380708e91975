"""Who changed a plan, when, and what: a list in the plan itself, and whether all changes are in it."""

from __future__ import annotations

import json
import sys
import tomllib
from datetime import date
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import content_of, is_utf8, only_one, write_together
from evenhand.plan import kept_plans
from evenhand.plan.checking.mistakes import Source
from evenhand.plan.loading import load, read
from evenhand.plan.model import Plan, Revision
from evenhand.report.words.legible import line


def unrecorded(plan: Plan) -> bool:
    """Whether the plan has been changed since its last revision was written down; what nobody has ever
    written down is not asked."""
    known = [one.fingerprint for one in plan.revisions if one.fingerprint is not None]
    return bool(known) and plan.source is not None and known[-1] != plan.source.fingerprint


def add(path: Path, who: str, what: str, when: date, today: date) -> Revision:
    """Write a revision into a plan, in its place by date; the rest of the file stays as it is, letter by
    letter. The last one has the fingerprint of the plan as it is now, and what the plan says is kept beside
    it; what the plan said when an earlier one was forgotten, nobody knows."""
    for name, text in (("who", who), ("what", what)):
        if not text.strip():
            raise InputError(
                f"{name} is empty; say {'who changed the plan' if name == 'who' else 'what changed'}."
            )
        if not is_utf8(text):
            raise InputError(f"{name} has bytes that are no letters in UTF-8; write it anew.")
    if when > today:
        raise InputError(f"{when} is not yet, so nothing was changed on it; today is {today}.")
    with only_one(path.resolve().parent):  # two at once would each write without the other's
        return _added(path, who, what, when)


def _added(path: Path, who: str, what: str, when: date) -> Revision:
    plan = load(path)
    source, content = read(path)
    later = next((place for place, one in enumerate(plan.revisions) if one.when > when), None)
    revision = Revision(
        who=who, when=when, what=what, fingerprint=source.fingerprint if later is None else None
    )
    whole = _with(path, source, revision, later)
    there = path.resolve()  # a link stays one
    files = {there.name: whole}
    if revision.fingerprint is not None:
        said = {key: value for key, value in content.items() if key != "revisions"}
        files[kept_plans.place_of(there).name] = kept_plans.text_with(there, revision.fingerprint, said)
    write_together(there.parent, files)
    return revision


def _with(path: Path, source: Source, revision: Revision, later: int | None) -> str:
    """The text of a plan with a revision, at its end or above a later one."""
    written = content_of(path).decode("utf-8")
    end = "\r\n" if "\r\n" in written else "\n"
    lines = ["[[revisions]]", *(f"{key} = {_as_toml(value)}" for key, value in revision if value is not None)]
    above = None if later is None else source.lines.of(("revisions", later))
    if above is None:
        whole = written.rstrip() + 2 * end + end.join(lines) + end
    else:
        parts = written.split("\n")  # lines are counted by these, also where only some end with \r\n
        new = [one + end.removesuffix("\n") for one in (*lines, "")]
        whole = "\n".join([*parts[: above - 1], *new, *parts[above - 1 :]])
    try:
        found = tomllib.loads(whole.removeprefix("\ufeff"))["revisions"]
    except tomllib.TOMLDecodeError:
        found = []
    if revision.who not in [one.get("who") for one in found]:
        raise InputError(
            f"{path.name} has its revisions in brackets; write each below a [[revisions]] of its own, so "
            "that one can be added."
        )
    return whole


def _as_toml(value: str | date | None) -> str:
    """Text in the quotes and escapes of TOML; a date as it is."""
    if isinstance(value, date):
        return value.isoformat()
    # Letters stay letters; what cannot be seen is escaped.
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(ord(one)) for one in text)


def _escaped(letter: int) -> str:
    return f"\\u{letter:04x}" if letter <= 0xFFFF else f"\\U{letter:08x}"


def told(plan: Plan, path: Path) -> list[str]:
    """The revisions of a plan, a line each, the first first; what changed since, key by key."""
    lines = [f"{one.when}  {line(one.who)}: {line(one.what, sys.maxsize)}" for one in plan.revisions]
    if not lines:
        lines.append("No revision is written down.")
    if unrecorded(plan):
        lines.append("The plan has been changed since: nobody has written down what and why.")
        lines += _since(plan, path)
    return lines


def _since(plan: Plan, path: Path) -> list[str]:
    last = [one.fingerprint for one in plan.revisions if one.fingerprint is not None][-1]
    _, content = read(path)
    there = path.resolve()
    before = kept_plans.kept(there).get(str(last))
    if before is None:
        name = kept_plans.place_of(there).name
        return [f"Which keys have changed is not known: {name} does not have what the plan said then."]
    now = {key: value for key, value in content.items() if key != "revisions"}
    return [f"  {one}" for one in kept_plans.changes(before, json.loads(json.dumps(now, default=str)))]
