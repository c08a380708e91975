"""The whole of `evenhand init`: look, see, ask, propose, check, write, tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import write_together
from evenhand.plan.init.checking import checked
from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.known_data import prepared
from evenhand.plan.init.looking import Looked, look
from evenhand.plan.init.proposing import Seen, propose, see
from evenhand.plan.init.writing import plan_text


def run(
    paths: Iterable[str], out: Path, ask: bool, progress: Callable[[str], None] = lambda message: None
) -> list[str]:
    """Write the plan, and give back what to say about it."""
    given = list(paths)
    home = out.parent
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
    progress("checking the plan")
    draft = checked(draft, home, rows)
    told = list(_told(seen, draft, out))
    if not draft.steps:
        raise InputError(
            "\n".join([*told, "No plan was written: these data answer none of the questions yet."])
        )
    title = f"An audit of {_title(given)}"
    write_together(home if str(home) else Path("."), {out.name: plan_text(draft, home, title)})
    return [*told, f"Wrote {out}. Read it, then run:", f"  evenhand audit {out} --out {_beside(out)}"]


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


def _told(seen: Seen, draft: Draft, out: Path) -> Iterator[str]:
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
