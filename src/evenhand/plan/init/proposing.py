"""From paths to a draft of a plan: what can be asked of these data, and what cannot."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import InputError
from evenhand.plan.init.columns import id_of
from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.learning import learnt_ids
from evenhand.plan.init.logs import traffic_of
from evenhand.plan.init.looking import Looked
from evenhand.plan.init.opening import opened
from evenhand.plan.init.profiling import profile
from evenhand.plan.init.questions import creators, embeddings, envy, exposure, users
from evenhand.plan.init.questions.found import Found
from evenhand.plan.init.recognising import Recognised, recognise

Progress = Callable[[str], None]
QUESTIONS = (creators, users, exposure, envy, embeddings)


@dataclass(eq=False)
class Seen:
    """All that was found and recognised, before anything is chosen."""

    found: Found
    notes: list[str]
    marks: list[str]

    def tables(self) -> Iterable[Recognised]:
        return self.found.tables


def see(looked: Looked, progress: Progress = lambda message: None) -> Seen:
    """Profile every table and recognise what it is; one that cannot be read is said, and left out."""
    profiles, notes = [], list(looked.notes)
    with tempfile.TemporaryDirectory(prefix="evenhand-init-") as scratch:
        for number, files in enumerate(looked.tables, start=1):
            progress(f"table {number} of {len(looked.tables)}, {files.name}")
            try:
                profiles.append(profile(opened(files, Path(scratch))))
            except InputError as error:
                notes.append(f"Not read: {error}")
        learnt = learnt_ids(profiles)
        no_items = not learnt["item"] and not any(id_of(one, "item") for one in profiles)
        tables = [recognise(one, learnt, creators_are_items=no_items) for one in profiles]
        marks = [
            f"{name} is taken to be the id of {side}s, by what it is the key of. Only this says so: check it."
            for side, names in learnt.items()
            for name in sorted(names)
        ]
        traffic = traffic_of([one for one in tables if one.role == "log"])
    notes += [note for table in tables for note in table.notes] + traffic.notes
    notes += [
        f"{one.name} was not recognised: {', '.join(one.profile.columns)}."
        for one in tables
        if one.role == "unknown"
    ]
    for role in ("users", "items", "creators", "candidates", "scores", "lists", "preferences", "policies"):
        alike = [one.name for one in tables if one.role == role]
        if len(alike) > 1:
            several = f"There are {len(alike)} tables of {role}: {', '.join(alike)}."
            marks.append(f"{several} The plan says which are used.")
    return Seen(Found(tables, traffic, looked.arrays, looked.models), notes, marks)


def propose(seen: Seen) -> Draft:
    """The questions that can be asked, with what was chosen for them."""
    draft = Draft(marks=[*seen.marks, *seen.found.traffic.marks], notes=list(seen.notes))
    for question in QUESTIONS:
        question.propose(seen.found, draft)
    return draft
