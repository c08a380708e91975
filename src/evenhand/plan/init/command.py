"""The whole of `evenhand init`: look, see, ask, propose, check, write, tell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.files import write_together
from evenhand.parameters import writable_folder
from evenhand.plan.init.checking import checked
from evenhand.plan.init.drafts import Draft, InputDraft
from evenhand.plan.init.meaning.logs import share_of
from evenhand.plan.init.proposing import Seen, propose, see
from evenhand.plan.init.tables.known_data import prepared
from evenhand.plan.init.tables.looking import Looked, look
from evenhand.plan.init.tables.snapshots import latest
from evenhand.plan.init.unchanged import may_be_written, signed
from evenhand.plan.init.writing import plan_text


@dataclass(frozen=True)
class Outcome:
    """What to say, and whether a plan was written."""

    lines: tuple[str, ...]
    written: bool


def run(
    paths: Iterable[str],
    out: Path,
    progress: Progress = lambda message: None,
    columns: Mapping[str, list[str]] | None = None,
) -> Outcome:
    """Look at `paths`, and write the plan `out` where anything can be asked, with what is likeliest."""
    given = list(paths)
    return write_plan(first_look(given, out, progress, columns), given, out, progress)


def first_look(
    paths: list[str], out: Path, progress: Progress, columns: Mapping[str, list[str]] | None = None
) -> Seen:
    """All that can be known before anything is chosen; `columns` are our names of columns and theirs."""
    writable_folder("--out", out.parent)
    looked = look(paths, progress)
    prepared(looked, out.parent, progress)
    latest(looked)
    if looked.nothing:
        raise InputError(_nothing(paths, looked))
    return see(looked, progress, columns)


def write_plan(seen: Seen, paths: list[str], out: Path, progress: Progress) -> Outcome:
    """Propose, try, and write."""
    draft = propose(seen)
    rows = {one.name: _rows(seen, one) for one in draft.inputs.values()}
    draft = checked(draft, out.parent, rows, progress)
    told = tuple(_told(seen, draft))
    if not draft.steps:
        return Outcome(told, written=False)
    command = f"evenhand audit {shlex.quote(str(out))} --out {shlex.quote(_beside(out))}"
    text = plan_text(draft, out.parent, f"An audit of {_title(paths)}", command)
    keep_changes(out, paths)  # once more, as looking at files and answering takes a while
    write_together(out.parent, {out.name: signed(text)})
    return Outcome((*told, f"Wrote {out}. Read it, then run:", f"  {command}"), written=True)


def keep_changes(out: Path, paths: list[str]) -> None:
    """Raise if there is a plan that init did not write, or that was changed since."""
    if not may_be_written(out):
        raise InputError(
            f"{out} is there already, and is not written over, as it is not what init wrote (any more); name "
            f"another plan, such as --out {_free(out, paths)}, or move that one."
        )


def _free(out: Path, paths: list[str]) -> Path:
    """A name for a plan that is not there: that of the data, or one with a number."""
    data = "database" if "://" in paths[0] else Path(paths[0]).resolve().stem
    names = [f"{data}.toml", *(f"{out.stem}-{number}.toml" for number in range(2, 100))]
    return next((out.parent / name for name in names if not (out.parent / name).exists()), out)


def _rows(seen: Seen, draft: InputDraft) -> int:
    """About how many rows an input has: all of its table, or the share that has the values it asks for."""
    profile = next(
        (one.profile for one in seen.found.tables if one.profile.opened.files is draft.files), None
    )
    if profile is None:
        return 0
    where = {draft.columns.get(ours, ours): wanted for ours, wanted in draft.where.items()}
    return round(profile.rows * share_of(profile, where))


def _beside(out: Path) -> str:
    """A folder for the report that is not there yet: one that is may hold the data."""
    tried = [out.stem, f"{out.stem}-report", *(f"{out.stem}-report-{number}" for number in range(2, 100))]
    free = next((name for name in tried if not (out.parent / name).exists()), tried[-1])
    return f"{out.parent / free}/"


def _title(paths: list[str]) -> str:
    names = [Path(path).resolve().name if "://" not in path else path.rpartition("/")[2] for path in paths]
    return ", ".join(dict.fromkeys(names))[:80]


def _nothing(given: list[str], looked: Looked) -> str:
    where = ", ".join(given)
    notes = " ".join(looked.notes)
    return (
        f"There is nothing in {where} that could be audited: no Parquet, CSV or TSV file, array, trained "
        f"model or known data set that can be read.{f' {notes}' if notes else ''} Name another folder."
    )


def _told(seen: Seen, draft: Draft) -> Iterator[str]:
    nothing = all(one.role == "unknown" for one in seen.found.tables)
    yield "Found:" if not nothing or seen.found.arrays or seen.found.models else "Found: nothing known."
    yield from (f"  {one.told()}" for one in seen.found.tables if one.role != "unknown")
    yield from (f"  {path.name}: vectors" for path in seen.found.arrays)
    yield from (f"  {path.name}: a trained model" for path in seen.found.models)
    if draft.first:
        yield "Do this first, and run init again:" if not draft.steps else "More can be asked if you say:"
        yield from (f"  {one}" for one in draft.first)
    if draft.steps:
        yield "Can be asked:"
        for step in draft.steps:
            yield f"  {step.keys['audit']}: {' '.join(step.comments)}"
    if draft.marks:
        yield "CHECK, as these were guessed:"
        yield from (f"  {mark}" for mark in draft.marks)
    if draft.agreed:
        yield "Chosen by you:"
        yield from (f"  {one}" for one in draft.agreed)
    if draft.cannot:
        yield "Cannot be asked yet:"
        for one in draft.cannot:
            yield f"  {one.line()}"
    # What keeps a question from being asked was said there.
    notes = [note for note in draft.notes if not any(note in one.line() for one in draft.cannot)]
    if notes:
        yield "Also seen:"
        yield from (f"  {note}" for note in notes)
