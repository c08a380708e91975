"""The whole of `evenhand init`: look, see, ask, propose, check, write, tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import write_together
from evenhand.parameters import writable_folder
from evenhand.plan.init.checking import checked
from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.known_data import prepared
from evenhand.plan.init.looking import Looked, look
from evenhand.plan.init.proposing import Seen, propose, see
from evenhand.plan.init.writing import plan_text


@dataclass(frozen=True)
class Outcome:
    """What to say, and whether a plan was written."""

    lines: tuple[str, ...]
    written: bool


def run(
    paths: Iterable[str], out: Path, ask: bool = False, progress: Callable[[str], None] = lambda message: None
) -> Outcome:
    """Look at `paths`, and write the plan `out` where anything can be asked."""
    given = list(paths)
    home = out.parent
    writable_folder("--out", home)
    looked = look(given, progress)
    prepared(looked, home, progress)
    if looked.nothing:
        raise InputError(_nothing(given, looked))
    seen = see(looked, progress)
    if ask:
        from evenhand.plan.init.asking import answers

        answers(seen)
    draft = propose(seen)
    rows = {one.name: _rows(seen, one.files) for one in draft.inputs.values()}
    draft = checked(draft, home, rows, progress)
    told = tuple(_told(seen, draft))
    if not draft.steps:
        return Outcome(told, written=False)
    title = f"An audit of {_title(given)}"
    write_together(home if str(home) else Path("."), {out.name: plan_text(draft, home, title)})
    last = (f"Wrote {out}. Read it, then run:", f"  evenhand audit {out} --out {_beside(out)}")
    return Outcome((*told, *last), written=True)


def _rows(seen: Seen, files: object) -> int:
    return next((one.profile.rows for one in seen.found.tables if one.profile.opened.files is files), 0)


def _beside(out: Path) -> str:
    return str(out.parent / "audit") if out.stem == "audit" else str(out.parent / f"{out.stem}-report")


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
    yield "Found:"
    yield from (f"  {one.told()}" for one in seen.found.tables if one.role != "unknown")
    yield from (f"  {path.name}: vectors" for path in seen.found.arrays)
    yield from (f"  {path.name}: a trained model" for path in seen.found.models)
    if draft.steps:
        yield "Can be asked:"
        for step in draft.steps:
            yield f"  {step.keys['audit']}: {' '.join(step.comments)}"
    if draft.marks:
        yield "CHECK, as these were guessed:"
        yield from (f"  {mark}" for mark in draft.marks)
    if draft.cannot:
        yield "Cannot be asked yet:"
        for one in draft.cannot:
            yield f"  {one.question} Because {one.why}. Log: {one.log} ({one.page})."
    if draft.notes:
        yield "Also seen:"
        yield from (f"  {note}" for note in draft.notes)
