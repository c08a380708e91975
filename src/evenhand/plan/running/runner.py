"""Run a plan: open every table, check every step, then run the steps and join what they found."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from evenhand import inputs
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.files import write_together
from evenhand.findings import Finding
from evenhand.parameters import writable_folder
from evenhand.plan.checking import crosswise
from evenhand.plan.checking.mistakes import Mistake, PlanError
from evenhand.plan.loading import load
from evenhand.plan.model import Plan
from evenhand.plan.running import input_names, new_files, opening
from evenhand.plan.running.apart import told_apart
from evenhand.plan.running.choosing import called, chosen
from evenhand.plan.running.days import over
from evenhand.plan.running.shared_rows import shared_rows
from evenhand.plan.running.taken import Taken, taken
from evenhand.plan.running.together import run_together
from evenhand.plan.running.unfinished import Unfinished
from evenhand.plan.running.untaken import LeftOut, untaken, warned
from evenhand.report.since import refuse_unrelated
from evenhand.report.words.labels import faults
from evenhand.results import AuditResult, can_be_drawn

LOG_FILE = "run.log"


def run(
    plan: Plan | str | Path,
    out: str | Path | None = None,
    *,
    base: str | Path | None = None,
    seed: int | None = None,
    min_cell: int = 5,
    together: bool | None = None,
    only: Sequence[str | int] | None = None,
    compare: AuditResult | str | Path | None = None,
    days: str | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Run a plan (or a plan file) and, with `out`, write findings.json, report.html and run.log there, and
    candidates.parquet where a step re-ranks lists, or model/ where one takes an attribute out of vectors.

    Paths in the plan are relative to the plan file's folder, or to `base` for a plan made in Python. `seed`
    overrides the plan's, and so does `together`: no violation of any question is then false, all at once.
    `only` runs some of the audits, by their names or numbers; `compare` is an earlier result (or its folder),
    since which the report says what changed; `days`, where paths have {day}, are "2026-01-01..2026-01-31",
    one date or "all" that are there. Times and absolute paths are in run.log alone.

    A run that was interrupted goes on where it stopped when it is started again with the same `out`: steps
    that were finished are not run again, unless the plan, the data, the seed or Evenhand has changed.
    """
    if not isinstance(plan, Plan):
        base = Path(plan).parent if base is None else base
        plan = load(plan)
    if together is not None:
        plan = plan.model_copy(update={"together": together})
    plan = over(plan, Path(base or "."), days)
    asked = chosen(plan.audits, only)
    if compare is not None and not isinstance(compare, AuditResult):
        compare = AuditResult.load(compare)
    if compare is not None:
        refuse_unrelated(compare.document, [step.model_dump(mode="json") for step in asked.values()])
    if out is not None:
        writable_folder("out", out)
        can_be_drawn()
    journal = _Journal()
    with journal.step("opening tables"):
        progress("opening tables")
        tables, steps = opened(plan, Path(base or "."), asked)
        made = new_files.names(steps)
        if out is not None:
            new_files.refuse_over_inputs(Path(out), made, steps, tables)
        as_they_are = _read_as_they_are(steps)
        left = untaken(plan.inputs, Path(base or "."), plan.engine, as_they_are)
        read = {name: tables[name] for name in tables if name in as_they_are}
        unnamed = taken(plan.inputs, read, plan.columns)
    chosen_seed = plan.seed if seed is None else seed
    numbers = [place + 1 for place in asked]
    unfinished = Unfinished(
        Path(out) if out is not None and len(steps) > 1 else None, plan, tables, chosen_seed
    )

    def run_step(number: int, step: Step) -> tuple[Any, tuple[Finding, ...]]:
        """Run the step of a number, of those that are run; or take what an earlier run has kept of it."""
        prefix = f"audit {numbers[number - 1]} of {len(plan.audits)}, {step.audit}"
        ran = unfinished.found(step)
        with journal.step(prefix if ran is None else f"{prefix}: kept from a run that was interrupted"):
            if ran is None:
                with _named(numbers[number - 1], plan):
                    ran = step.run(tables, chosen_seed, _prefixed(progress, prefix))
                unfinished.keep(step, ran)
        return ran, (ran.result if number in made else ran).findings

    with unfinished.until_done():
        if plan.together:
            all_ran = run_together(steps, run_step)
        else:
            all_ran = [run_step(number, step)[0] for number, step in enumerate(steps, start=1)]
        results = [ran.result if number in made else ran for number, ran in enumerate(all_ran, start=1)]
        results = [
            replace(one, findings=warned(one.findings, dict(step.input_names()).values(), left))
            for step, one in zip(steps, results, strict=True)
        ]
        result = _joined(plan, asked, steps, results, tables, chosen_seed)
        if many := [one.counted() for one in left if one.many]:
            result = replace(result, plan={**(result.plan or {}), "untaken": many})
        # One value is what `not` was written for; more may be one release and the next, or an experiment.
        if several := [one.counted() for one in unnamed if len(one.frequent) > 1]:
            result = replace(result, plan={**(result.plan or {}), "taken": several})
        result = result if compare is None else result.since(compare.published(min_cell))
        if out is not None:
            progress("writing the report")
            result.save(out, min_cell=min_cell)
            for number, name in made.items():
                all_ran[number - 1].write(Path(out) / name)
            write_together(Path(out), {LOG_FILE: journal.text(tables, [*left, *unnamed])})
    return result


def opened(
    plan: Plan, home: Path, asked: Mapping[int, Step] | None = None
) -> tuple[dict[str, inputs.Table], list[Step]]:
    """The tables of a plan and the steps that are asked for, all of them checked."""
    asked = chosen(plan.audits, None) if asked is None else asked
    read = {name for step in asked.values() for name in (*step.paths(), *dict(step.input_names()).values())}
    every = len(asked) == len(plan.audits)
    specs = {name: spec for name, spec in plan.inputs.items() if every or name in read}
    tables, wrong, meant = opening.opened(specs, home, plan.engine, plan.columns)
    steps = {
        place: step.at_home(lambda path: opening.located(path, home, tables)) for place, step in asked.items()
    }
    twice = list(crosswise.the_same_log(asked))
    wrong += twice
    twice_at = {one.place[1] for one in twice}
    right = {place: step for place, step in steps.items() if place not in twice_at}
    wrong += opening.checked(right, tables, len(plan.audits), meant)
    if not wrong:
        wrong += shared_rows(specs, right, home, plan.engine)
    if every:
        columns = {column for table in tables.values() for column in table.columns}.union(*meant.values())
        known = columns if len(tables) == len(plan.inputs) else None
        asked_for = [step.model_dump(mode="json") for step in plan.audits]
        wrong += crosswise.strange_attributes(plan.scope.attributes or (), asked_for, known)
        wrong += crosswise.unknown_day(plan.monitoring and plan.monitoring.day, known)
    if wrong:
        raise refusal(plan, wrong)
    return tables, list(steps.values())


def _read_as_they_are(steps: Sequence[Step]) -> set[str]:
    """The inputs that should have all that is theirs; what is relevant is chosen among pairs."""
    return {name for step in steps for key, name in step.input_names() if key != "relevance"}


def _joined(
    plan: Plan,
    asked: Mapping[int, Step],
    steps: Sequence[Step],
    results: list[AuditResult],
    tables: Mapping[str, inputs.Table],
    seed: int,
) -> AuditResult:
    """What all steps found, as one result with the words of the plan."""
    joined = reduce(add, told_apart(list(asked.values()), results))
    left_out = [called(step) for place, step in enumerate(plan.audits) if place not in asked]
    # Of what was left out, no label can be held against the data.
    about = crosswise.names_in(step.model_dump(mode="json") for step in asked.values())
    labels = {name: of for name, of in (plan.labels or {}).items() if not left_out or name in about}
    findings = _warned(joined.findings, faults(joined.findings, labels))
    named = input_names.named(((step, one.inputs) for step, one in zip(steps, results, strict=True)), tables)
    told = plan.model_copy(update={"audits": list(asked.values())}).told()
    if left_out:
        told["left_out"] = left_out
    return AuditResult(findings, named, seed, scope=plan.scope.head(), plan=told, labels=labels)


def _warned(findings: tuple[Finding, ...], wrong: list[str]) -> tuple[Finding, ...]:
    """The findings, the first of which says what is wrong with labels: that is no reason to lose a run."""
    if not wrong:
        return findings
    first = next((one for one in findings if one.estimate is not None), findings[0])
    said = f"Labels of the plan: {'; '.join(wrong)}; write values as the data has them."
    warned = first.amended(warnings=(*first.warnings, said))
    return tuple(warned if one is first else one for one in findings)


def _prefixed(progress: Callable[[str], None], prefix: str) -> Callable[[str], None]:
    return lambda message: progress(f"{prefix}: {message}")


def refusal(plan: Plan, wrong: list[Mistake]) -> InputError:
    """What is wrong with a plan: all of it where it is a file, or else (it is a command) the first."""
    if plan.source is not None:
        return PlanError(plan.source, wrong)
    return InputError(f"{wrong[0].said}.")


def _which(number: int, plan: Plan) -> str:
    return f"audit {number} of {len(plan.audits)} ({plan.audits[number - 1].audit})"


@contextmanager
def _named(number: int, plan: Plan) -> Iterator[None]:
    """Say which audit of the plan an error belongs to, where there are several."""
    try:
        yield
    except InputError as error:
        if len(plan.audits) == 1:
            raise
        raise InputError(f"{_which(number, plan)}: {error}") from error


class _Journal:
    """What happened when: everything that would make two equal runs differ, kept out of the findings."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC)
        self.steps: list[tuple[str, float]] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.steps.append((name, time.perf_counter() - start))

    def text(self, tables: dict[str, inputs.Table], rows: Sequence[LeftOut | Taken]) -> str:
        lines = [
            f"started {self.started:%Y-%m-%d %H:%M:%S} UTC",
            f"python {platform.python_version()} on {platform.platform()}",
        ]
        read: dict[Path, list[str]] = {}  # several inputs may be rows of the same files
        for name, table in tables.items():
            called = [name, *(f"{name}.{one.name}" for one in table.origin.joined)]
            for whose, one in zip(called, table.sources, strict=True):
                for path in one.paths:
                    read.setdefault(Path(path).resolve(), []).append(whose)
        lines += [f"input {', '.join(names)}: {path}" for path, names in read.items()]
        lines += [one.told() for one in rows]
        lines += [f"{seconds:8.3f} s  {name}" for name, seconds in self.steps]
        return "\n".join(lines) + "\n"
