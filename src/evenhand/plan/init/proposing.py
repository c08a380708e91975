"""From paths to a draft of a plan: what can be asked of these data, and what cannot."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import InputError
from evenhand.plan.init.drafts import Draft
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

    def tables(self) -> Iterable[Recognised]:
        return self.found.tables


def see(looked: Looked, progress: Progress = lambda message: None) -> Seen:
    """Profile every table and recognise what it is; one that cannot be read is said, and left out."""
    tables, notes = [], list(looked.notes)
    with tempfile.TemporaryDirectory(prefix="evenhand-init-") as scratch:
        for number, files in enumerate(looked.tables, start=1):
            progress(f"table {number} of {len(looked.tables)}, {files.name}")
            try:
                tables.append(recognise(profile(opened(files, Path(scratch)))))
            except InputError as error:
                notes.append(f"Not read: {error}")
        traffic = traffic_of([one for one in tables if one.role == "log"])
    notes += [note for table in tables for note in table.notes] + traffic.notes
    notes += [
        f"{one.name} was not recognised: {', '.join(one.profile.columns)}."
        for one in tables
        if one.role == "unknown"
    ]
    return Seen(Found(tables, traffic, looked.arrays, looked.models), notes)


def propose(seen: Seen) -> Draft:
    """The questions that can be asked, with what was chosen for them."""
    draft = Draft(marks=list(seen.found.traffic.marks), notes=list(seen.notes))
    for question in QUESTIONS:
        question.propose(seen.found, draft)
    return draft
