"""Run a plan: open every table, check every step, then run the steps and join what they found."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.files import write_together
from evenhand.mitigate import Mitigation
from evenhand.parameters import plain_path, writable_folder
from evenhand.plan import erase_step, new_lists
from evenhand.plan.envy_step import EnvyStep
from evenhand.plan.erase_step import Erased, EraseStep
from evenhand.plan.exposure_step import ExposureStep
from evenhand.plan.model import Plan, Step, load
from evenhand.plan.user_steps import UserStep
from evenhand.plan.vector_step import AttributeStep
from evenhand.results import AuditResult

LOG_FILE = "run.log"


def run(
    plan: Plan | str | Path,
    out: str | Path | None = None,
    *,
    base: str | Path | None = None,
    seed: int | None = None,
    min_cell: int = 5,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Run a plan (or a plan file) and, with `out`, write findings.json, report.html and run.log there, and
    candidates.parquet where a step re-ranks lists, or model/ where one takes an attribute out of vectors.

    Paths in the plan are relative to the plan file's folder, or to `base` for a plan made in Python. `seed`
    overrides the plan's. Times and absolute paths are in run.log alone.
    """
    if not isinstance(plan, Plan):
        base = Path(plan).parent if base is None else base
        plan = load(plan)
    if out is not None:
        writable_folder("out", out)
    journal = _Journal()
    with journal.step("opening tables"):
        progress("opening tables")
        tables = _open(plan, Path(base or "."))
        steps = [_at_home(step, base) for step in plan.audits]
        for number, step in enumerate(steps, start=1):
            with _named(number, plan, step.audit):
                step.check(tables)
        if out is not None:
            new_lists.check(Path(out), steps, tables)
            numbered = enumerate(steps, start=1)
            erasing = {number: step for number, step in numbered if isinstance(step, EraseStep)}
            erase_step.check_folders(Path(out), erasing)
    results = []
    reranked: dict[int, Mitigation] = {}
    erased: dict[int, Erased] = {}
    chosen = plan.seed if seed is None else seed
    for number, step in enumerate(steps, start=1):
        prefix = f"audit {number} of {len(steps)}, {step.audit}"
        with journal.step(prefix), _named(number, plan, step.audit):
            ran = step.run(tables, chosen, _prefixed(progress, prefix))
            if isinstance(ran, Mitigation):
                reranked[number] = ran
            elif isinstance(ran, Erased):
                erased[number] = ran
            results.append(ran if isinstance(ran, AuditResult) else ran.result)
    scope = {key: value for key, value in plan.scope.model_dump().items() if value}
    joined = reduce(add, results)
    result = AuditResult(joined.findings, joined.inputs, chosen, scope=scope)
    if out is not None:
        progress("writing the report")
        result.save(out, min_cell=min_cell)
        new_lists.write(Path(out), reranked)
        for number, name in erase_step.folder_names(list(erased)).items():
            erased[number].erasure.save(Path(out) / name)
        write_together(Path(out), {LOG_FILE: journal.text(tables)})
    return result


def _open(plan: Plan, base: Path) -> dict[str, inputs.Table]:
    tables = {}
    for name, spec in plan.inputs.items():
        paths = [spec.path] if isinstance(spec.path, str) else spec.path
        located = [_located(path, base) for path in paths]
        tables[name] = inputs.table(
            located[0] if len(located) == 1 else located,
            name=name,
            columns=spec.columns,
            engine=plan.engine,
            label_definition=spec.label_definition,
            timezone=spec.timezone,
        )
    return tables


def _located(path: str, base: Path) -> str:
    """`path` from the folder of the plan; addresses and absolute paths stay as they are."""
    return path if "://" in path else str(base / plain_path("a path of the plan", path))


def _at_home(step: Step, base: str | Path | None) -> Step:
    """The step with what it names by path (a model or several, vectors) found from the folder of the plan."""
    home = Path(base or ".")
    keys: tuple[str, ...] = ()
    if isinstance(step, ExposureStep | UserStep | EnvyStep):
        keys = ("model",)
    elif isinstance(step, AttributeStep):
        keys = step.paths
    named = {key: getattr(step, key) for key in keys if getattr(step, key) is not None}
    return step.model_copy(update={key: _all_located(path, home) for key, path in named.items()})


def _all_located(paths: Any, home: Path) -> Any:
    return [_all_located(path, home) for path in paths] if isinstance(paths, list) else _located(paths, home)


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
