"""Who changed a plan, when, and what: a list in the plan itself, and whether all changes are in it."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import content_of, write_together
from evenhand.plan.loading import load, read
from evenhand.plan.model import Plan, Revision


def unrecorded(plan: Plan) -> bool:
    """Whether the plan has been changed since its last revision was written down; what nobody has ever
    written down is not asked."""
    known = [one.fingerprint for one in plan.revisions if one.fingerprint is not None]
    return bool(known) and plan.source is not None and known[-1] != plan.source.fingerprint


def add(path: Path, who: str, what: str, when: date) -> Revision:
    """Write a revision to the end of a plan, with the fingerprint of the plan as it is now; the rest of the
    file stays as it is, letter by letter."""
    for name, text in (("who", who), ("what", what)):
        if not text.strip():
            raise InputError(
                f"{name} is empty; say {'who changed the plan' if name == 'who' else 'what changed'}."
            )
    plan = load(path)
    last = plan.revisions[-1] if plan.revisions else None
    if last is not None and when < last.when:
        raise InputError(
            f"The last revision is of {last.when}, so this one cannot be of {when}; check the dates."
        )
    source, _ = read(path)
    revision = Revision(who=who, when=when, what=what, fingerprint=source.fingerprint)
    written = content_of(path).decode("utf-8")
    end = "\r\n" if "\r\n" in written else "\n"
    lines = ["[[revisions]]", *(f"{key} = {_as_toml(value)}" for key, value in revision)]
    whole = written.rstrip() + 2 * end + end.join(lines) + end
    try:
        tomllib.loads(whole.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        raise InputError(
            f"{path.name} has its revisions in brackets; write each below a [[revisions]] of its own, so "
            "that one can be added at the end."
        ) from None
    there = path.resolve()  # a link stays one
    write_together(there.parent, {there.name: whole})
    return revision


def _as_toml(value: str | date | None) -> str:
    """Text in the quotes and escapes that JSON and TOML share; a date as it is."""
    return value.isoformat() if isinstance(value, date) else json.dumps(value).replace("\x7f", "\\u007f")


def told(plan: Plan) -> list[str]:
    """The revisions of a plan, a line each, the first first; and what is not among them."""
    lines = [f"{one.when}  {one.who}: {one.what}" for one in plan.revisions]
    if not lines:
        lines.append("No revision is written down.")
    if unrecorded(plan):
        lines.append("The plan has been changed since: nobody has written down what and why.")
    return lines
