"""From paths to a draft of a plan: what can be asked of these data, and what cannot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.arrays import Progress
from evenhand.asked.sentences import guess
from evenhand.errors import InputError
from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.labelling.judged_lists import judge_lists
from evenhand.plan.init.labelling.labels import CHOSEN, has_rule
from evenhand.plan.init.labelling.lifted import traffic_with_labels
from evenhand.plan.init.labelling.outcomes import words_label
from evenhand.plan.init.meaning.columns import (
    LABEL,
    NAMEABLE,
    OWN,
    RANDOM_FLAG,
    id_of,
    is_time,
    numbers_rows,
)
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.recognising import recognise
from evenhand.plan.init.meaning.vocabulary import SHOWN
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.questions import creators, embeddings, envy, exposure, users
from evenhand.plan.init.questions.found import Found
from evenhand.plan.init.relations.joining import join_arms, join_creators
from evenhand.plan.init.relations.members import members_again
from evenhand.plan.init.relations.sides import Pair, Sides, sides_of
from evenhand.plan.init.tables.looking import Looked
from evenhand.plan.init.tables.opening import opened
from evenhand.plan.init.tables.profiling import Profile, profile

NOT_READ = "Not read:"
QUESTIONS = (creators, users, exposure, envy, embeddings)
# Who has both is a user and a creator: people who buy from each other.
MEMBERS = {OWN["user"], OWN["creator"]}
# Of each, one table is used.
_ROLES = (
    "users", "items", "creators", "candidates", "scores", "lists", "relevance", "preferences", "policies"
)  # fmt: skip


@dataclass(eq=False)
class Seen:
    """All that was found and recognised, before anything is chosen."""

    found: Found
    notes: list[str]
    marks: list[str]
    guessed: frozenset[str] = frozenset()  # columns that no word gives away as ids
    undecided: tuple[Pair, ...] = ()
    first: list[str] = field(default_factory=list)  # what to say before anything else
    unused: str = ""  # that the plan would not read the largest table
    named: Mapping[str, list[str]] = field(default_factory=dict)

    def tables(self) -> Iterable[Recognised]:
        return self.found.tables


def see(
    looked: Looked,
    progress: Progress = lambda message: None,
    named: Mapping[str, list[str]] | None = None,
) -> Seen:
    """Profile every table and recognise what it is; one that cannot be read is said, and left out. `named`
    are our names of columns and theirs."""
    named = named or {}
    profiles, notes = [], list(looked.notes)
    with tempfile.TemporaryDirectory(prefix="evenhand-init-") as scratch:
        for number, files in enumerate(looked.tables, start=1):
            progress(f"table {number} of {len(looked.tables)}, {files.name}")
            try:
                profiles.append(profile(opened(files, Path(scratch))))
            except InputError as error:
                notes.append(f"{NOT_READ} {error}")
        _refuse_strange(named, profiles)
        progress("which columns refer to which tables")
        sides = sides_of(profiles, named)
        _refuse_words(named.get(LABEL, ()), profiles)
        tables = [
            recognise(
                one, sides.of(one), named,
                creators_are_items=_only_creators(profiles, sides, named),
                keys=_keys_elsewhere(one, profiles),
            )
            for one in profiles
        ]  # fmt: skip
        tables += members_again(tables, named.get(OWN["creator"], ()))
        marks = [*sides.told(), *(mark for table in tables for mark in table.marks)]
        traffic = traffic_with_labels(tables, named.get(RANDOM_FLAG, ()))
        judge_lists(tables, traffic)
        main = Found(tables, traffic).main
        notes += [*join_creators(tables, main), *join_arms(tables, main)]
    undecided = _undecided(sides.undecided, profiles)
    # What is in a file that is not read may be all that is missing.
    first = [*(one for one in notes if one.startswith(NOT_READ)), *(pair.told() for pair in undecided)]
    notes = [one for one in notes if not one.startswith(NOT_READ)]
    notes += [note for table in tables for note in table.notes] + traffic.notes
    unknown = [one for one in tables if one.role == "unknown" and one.profile.looked_at]
    # What is said of undecided keys holds for all tables that have them.
    keys = {name for pair in undecided for name in pair.names}
    unnamed = [one for one in unknown if not keys & set(one.profile.columns)]
    largest = max(tables, key=lambda one: one.profile.rows, default=None)
    if largest in unnamed:
        first.append(f"{largest.not_recognised()} {sides.refers(largest.profile)}".rstrip())
    notes += _others_unknown([one for one in unnamed if one is not largest])
    unused = ""
    if largest in unknown and len(tables) > 1:
        unused = (
            f"The largest table, {largest.name} ({largest.profile.rows:,} rows), is not used, as it was not "
            "recognised (above): name its ids first, or this plan is about the rest alone."
        )
    for role in _ROLES:
        alike = [one.name for one in tables if one.role == role]
        if len(alike) > 1:
            several = f"There are {len(alike)} tables of {role}: {', '.join(alike)}."
            marks.append(f"{several} The plan says which are used.")
    labels = [label for table in tables for label in table.labels]
    label = next((one for one in labels if one.column in named.get(LABEL, ())), None)
    found = Found(tables, traffic, looked.arrays, looked.models, label=label)
    return Seen(found, notes, marks, sides.guessed, undecided, first, unused, named)


def _only_creators(profiles: list[Profile], sides: Sides, named: Mapping[str, list[str]]) -> bool:
    """Whether creators are what is recommended: somebody is shown them, and nothing else is an item."""
    has = {
        side: named.get(OWN[side])
        or any(sides.of(one).get(side) or id_of(one, side) for one in profiles)
        for side in ("user", "item")
    }  # fmt: skip
    return bool(has["user"]) and not has["item"]


def _others_unknown(tables: list[Recognised]) -> list[str]:
    """Tables of which nothing is known, each with how to name it; of many, with their columns alone."""
    if len(tables) <= 2:
        return [one.not_recognised() for one in tables]
    listed = "; ".join(f"{one.name} ({', '.join(one.profile.columns)})" for one in tables)
    return [
        f"Not recognised, as no column is known to have ids: {listed}. If one has, name it with --columns "
        "user_id=NAME, item_id=NAME or creator_id=NAME."
    ]


def _undecided(pairs: list[Pair], profiles: list[Profile]) -> tuple[Pair, ...]:
    """The pairs that nothing decides, each once, that of the largest log first."""
    rows = {one.name: one.rows for one in profiles}
    free = sorted(pairs, key=lambda pair: -rows[pair.log])
    return tuple({frozenset(pair.names): pair for pair in reversed(free)}.values())[::-1]


def _keys_elsewhere(one: Profile, profiles: list[Profile]) -> set[str]:
    """Columns of a table that number the rows of another."""
    return {
        name
        for other in profiles
        if other is not one
        for name, column in other.columns.items()
        if name in one.columns and numbers_rows(column, 1.0) and column.kind == one.columns[name].kind
    }


def _refuse_strange(named: Mapping[str, list[str]], profiles: list[Profile]) -> None:
    """Raise if a name is none of ours, or none of theirs."""
    ours = list(NAMEABLE)
    theirs = [column for one in profiles for column in one.columns]
    for name, columns in named.items():
        if name not in ours:
            meant = guess(name, ours) or f", only {', '.join(ours)}"
            raise InputError(f"--columns names {name!r}, and audits have no such column{meant}.")
        for column in columns:
            if column not in theirs:
                raise InputError(f"--columns: no table has a column {column!r}{guess(column, theirs)}.")
    for column in {one: None for columns in named.values() for one in columns}:
        things = [name for name in OWN.values() if column in named.get(name, ())]
        if len(things) > 1 and set(things) != MEMBERS:
            raise InputError(
                f"--columns names {column!r} as {' and as '.join(things)}, and a column is one of them: "
                "leave the others out. If two tables have a column of that name, rename it in one."
            )


def _refuse_words(labels: Sequence[str], profiles: list[Profile]) -> None:
    """Raise if what was named as the label has words, and nothing says which of them are liked."""
    for column in (one.columns[name] for one in profiles for name in labels if name in one.columns):
        if is_time(column) or column.numeric or has_rule(column):
            continue
        if column.kind == "text" and words_label(column) is None:
            words = ", ".join(f"{value} ({rows:,})" for value, rows in list(column.values.items())[:10])
            raise InputError(
                f"--columns names {column.name!r} as the label, which holds words: {words or 'very many'}. "
                "Only you know which of them say that a user liked something. Write a column of 0 and 1 for "
                "them; or write the plan yourself, with this line under its logs: "
                f'made.liked = {{ column = "{column.name}", among = ["..."] }} '
                "(docs/howto/from-files-to-a-plan.md)."
            )


def _scores_without_a_label(seen: Seen, draft: Draft) -> Iterator[str]:
    """Tables of scores whose lists could be judged, if one of their columns is a label."""
    for table in (one for one in seen.tables() if one.role == "scores" and one.labels):
        if any(f"column of {table.name} " in one for one in draft.first):
            continue
        possible = [one for one in table.labels if not hints(one.column, SHOWN)]
        if not possible:
            continue
        listed = "; ".join(f"--columns {LABEL}={one.column} ({one.why})" for one in possible[:4])
        yield (
            f"{table.name} has scores ({table.score}), and no column plainly says which of its pairs users "
            f"liked. If one does, it can be asked which users get the worst lists; type: {listed}."
        )


def _named_in_vain(seen: Seen, draft: Draft) -> Iterator[str]:
    """Ranks, scores and the like that somebody has named, and that no audit of the plan reads."""
    read = {theirs for one in draft.inputs.values() for theirs in one.columns.values()}
    for ours in ("rank", "score", "preference", "probability", "list_id"):
        for name in seen.named.get(ours, ()):
            if name not in read and draft.steps:
                yield f"No audit of this plan reads {name}, which was named as {ours}."


def propose(seen: Seen) -> Draft:
    """The questions that can be asked, with what was chosen for them."""
    draft = Draft(
        marks=[*seen.marks, *seen.found.traffic.marks], notes=list(seen.notes), first=list(seen.first)
    )
    for question in QUESTIONS:
        question.propose(seen.found, draft)
    creators.arms_not_read(seen.found, draft)
    if seen.unused and draft.steps:
        draft.marks.insert(0, seen.unused)
    log = seen.found.traffic.default
    if (log is None or log.table.chosen_label is None) and (unnamed := seen.found.unlabelled()):
        draft.first.append(f"{unnamed[:1].upper()}{unnamed[1:]}.")
    draft.first += _scores_without_a_label(seen, draft)
    for table in seen.tables():
        for label in (one for one in table.labels if one.strength == CHOSEN):
            if f"Label: {label.meaning}." not in draft.agreed:
                draft.notes.append(f"{table.name}: no audit of this plan reads the label {label.column}.")
    draft.notes += _named_in_vain(seen, draft)
    if any("tolerance" in step.keys for step in draft.steps):
        draft.marks.append("The limits (tolerance) are proposals: agree on yours before you run the plan.")
    if log is not None and log.table.user is None:
        draft.first.append(
            f"No column of {log.table.name} is known to have the ids of users. If one has, name it with "
            f"--columns {OWN['user']}=NAME: {', '.join(log.table.profile.columns)}."
        )
    return draft
