"""Run a plan: open every table, check every step, then run the steps and join what they found."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
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
from evenhand.parameters import plain_path, writable_folder
from evenhand.plan import input_names, new_files
from evenhand.plan.apart import told_apart
from evenhand.plan.model import Plan, load
from evenhand.plan.together import run_together
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
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Run a plan (or a plan file) and, with `out`, write findings.json, report.html and run.log there, and
    candidates.parquet where a step re-ranks lists, or model/ where one takes an attribute out of vectors.

    Paths in the plan are relative to the plan file's folder, or to `base` for a plan made in Python. `seed`
    overrides the plan's, and so does `together`: no violation of any question is then false, all at once.
    Times and absolute paths are in run.log alone.
    """
    if not isinstance(plan, Plan):
        base = Path(plan).parent if base is None else base
        plan = load(plan)
    if together is not None:
        plan = plan.model_copy(update={"together": together})
    if out is not None:
        writable_folder("out", out)
        can_be_drawn()
    journal = _Journal()
    with journal.step("opening tables"):
        progress("opening tables")
        tables = open_tables(plan, Path(base or "."))
        home = Path(base or ".")
        steps = [step.at_home(lambda path: located(path, home, tables)) for step in plan.audits]
        for number, step in enumerate(steps, start=1):
            with _named(number, plan, step.audit):
                step.check(tables)
        made = new_files.names(steps)
        if out is not None:
            new_files.refuse_over_inputs(Path(out), made, steps, tables)
    chosen = plan.seed if seed is None else seed

    def run_step(number: int, step: Step) -> tuple[Any, tuple[Finding, ...]]:
        prefix = f"audit {number} of {len(steps)}, {step.audit}"
        with journal.step(prefix), _named(number, plan, step.audit):
            ran = step.run(tables, chosen, _prefixed(progress, prefix))
        return ran, (ran.result if number in made else ran).findings

    if plan.together:
        all_ran = run_together(steps, run_step)
    else:
        all_ran = [run_step(number, step)[0] for number, step in enumerate(steps, start=1)]
    written = {made[number]: ran for number, ran in enumerate(all_ran, start=1) if number in made}
    results = [ran.result if number in made else ran for number, ran in enumerate(all_ran, start=1)]
    results = told_apart(plan.audits, results)
    scope = {key: value for key, value in plan.scope.model_dump().items() if value}
    joined = reduce(add, results)
    labels = plan.labels or {}
    findings = _warned(joined.findings, faults(joined.findings, labels))
    named = input_names.named(((step, one.inputs) for step, one in zip(steps, results, strict=True)), tables)
    result = AuditResult(findings, named, chosen, scope=scope, plan=plan.told(), labels=labels)
    if out is not None:
        progress("writing the report")
        result.save(out, min_cell=min_cell)
        for name, ran in written.items():
            ran.write(Path(out) / name)
        write_together(Path(out), {LOG_FILE: journal.text(tables)})
    return result


def _warned(findings: tuple[Finding, ...], wrong: list[str]) -> tuple[Finding, ...]:
    """The findings, the first of which says what is wrong with labels: that is no reason to lose a run."""
    if not wrong:
        return findings
    first = next((one for one in findings if one.estimate is not None), findings[0])
    said = f"Labels of the plan: {'; '.join(wrong)}; write values as the data has them."
    warned = first.amended(warnings=(*first.warnings, said))
    return tuple(warned if one is first else one for one in findings)


def open_tables(plan: Plan, base: Path) -> dict[str, inputs.Table]:
    tables = {}
    for name, spec in plan.inputs.items():
        paths = [spec.path] if isinstance(spec.path, str) else spec.path
        places = [located(path, base) for path in paths]
        whole = places[0] if len(places) == 1 else places
        opened = inputs.table(
            whole if spec.table is None else inputs.stored_table(places[0], spec.table, name),
            name=name,
            columns=spec.columns,
            engine=plan.engine,
            label_definition=spec.label_definition,
            timezone=spec.timezone,
            folders=spec.folders,
        )
        tables[name] = inputs.part_of(opened, spec.where, spec.made)
    return inputs.renamed(tables, plan.columns or {})


def located(path: str, base: Path, inputs: Container[str] = ()) -> str:
    """`path` from the folder of the plan; addresses, absolute paths and names of inputs stay as they are."""
    return path if "://" in path or path in inputs else str(base / plain_path("a path of the plan", path))


def _prefixed(progress: Callable[[str], None], prefix: str) -> Callable[[str], None]:
    return lambda message: progress(f"{prefix}: {message}")


@contextmanager
def _named(number: int, plan: Plan, audit: str) -> Iterator[None]:
    """Say which audit of the plan an error belongs to, where there are several."""
    try:
        yield
    except InputError as error:
        if len(plan.audits) == 1:
            raise
        raise InputError(f"audit {number} of {len(plan.audits)} ({audit}): {error}") from error


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

    def text(self, tables: dict[str, inputs.Table]) -> str:
        lines = [
            f"started {self.started:%Y-%m-%d %H:%M:%S} UTC",
            f"python {platform.python_version()} on {platform.platform()}",
        ]
        for name, table in tables.items():
            for path in table.origin.files.paths if table.origin.files else ():
                lines.append(f"input {name}: {Path(path).resolve()}")
        lines += [f"{seconds:8.3f} s  {name}" for name, seconds in self.steps]
        return "\n".join(lines) + "\n"
