"""A run that is interrupted goes on where it stopped, and ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.plan.running.unfinished import FOLDER

MITIGATE = """
[inputs.users]
path = "data/users.parquet"
[inputs.candidates]
path = "data/candidates.parquet"
[inputs.items]
path = "data/items.parquet"
[inputs.history]
path = "data/default.parquet"
[[audits]]
audit = "mitigate"
users = "users"
candidates = "candidates"
items = "items"
history = "history"
attributes = "gender"
goal = "popularity"
[[audits]]
audit = "groups"
users = "users"
candidates = "candidates"
attributes = "gender"
tolerance = 0.1
"""


@pytest.fixture(autouse=True)
def _no_page(monkeypatch):
    """Drawing takes longer than all the rest, and a page follows from the findings."""
    monkeypatch.setattr("evenhand.report.pages.html.render", lambda document, min_cell: "a page")


class Stop:
    """Interrupts a run at its n-th word of progress; counts those of a whole one."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.words = at, []

    def __call__(self, message: str) -> None:
        self.words.append(message)
        if len(self.words) == self.at:
            raise KeyboardInterrupt


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.log"
    }


def ran_steps(stop: Stop) -> set[str]:
    return {words.split(":")[0] for words in stop.words if words.startswith("audit ")}


@pytest.mark.parametrize("together", [False, True])
def test_interrupted_anywhere_and_resumed_it_is_the_same_byte_for_byte(plan, tmp_path, together):
    whole = Stop()
    eh.plan.run(plan(), tmp_path / "whole", together=together, progress=whole)
    expected = files(tmp_path / "whole")
    assert len(ran_steps(whole)) == 2
    resumed = 0
    for at in range(1, len(whole.words) + 1):
        out = tmp_path / f"out{at}"
        with pytest.raises(KeyboardInterrupt):
            eh.plan.run(plan(), out, together=together, progress=Stop(at))
        again = Stop()
        eh.plan.run(plan(), out, together=together, progress=again)
        assert files(out) == expected
        assert not (out / FOLDER).exists()
        resumed += len(ran_steps(again)) < 2
    assert resumed > 0


def test_what_a_step_writes_beside_findings_is_kept_too(folder, tmp_path):
    path = folder / "audit.toml"
    path.write_text(MITIGATE, encoding="utf-8")
    whole = Stop()
    eh.plan.run(path, tmp_path / "whole", progress=whole)
    with pytest.raises(KeyboardInterrupt):
        eh.plan.run(path, tmp_path / "out", progress=Stop(len(whole.words)))
    again = Stop()
    eh.plan.run(path, tmp_path / "out", progress=again)
    assert ran_steps(again) == set()
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert "candidates.parquet" in files(tmp_path / "out")
    assert "kept from a run that was interrupted" in (tmp_path / "out" / "run.log").read_text()


@pytest.fixture
def interrupted(plan, tmp_path):
    """A run with its first step finished."""
    whole = Stop()
    eh.plan.run(plan(), tmp_path / "whole", progress=whole)
    second = next(n for n, words in enumerate(whole.words, start=1) if words.startswith("audit 2"))
    with pytest.raises(KeyboardInterrupt):
        eh.plan.run(plan(), tmp_path / "out", progress=Stop(second))
    (kept,) = (tmp_path / "out" / FOLDER).iterdir()
    return kept


def test_a_finished_step_is_not_run_again(interrupted, plan, tmp_path):
    again = Stop()
    eh.plan.run(plan(), tmp_path / "out", progress=again)
    assert [step[:7] for step in ran_steps(again)] == ["audit 2"]


def test_another_tolerance_is_another_step(interrupted, plan, tmp_path):
    again = Stop()
    changed = plan('cluster = "user_id"', 'cluster = "user_id"\ntolerance = 0.2')
    assert eh.plan.run(changed, tmp_path / "out", progress=again) == eh.plan.run(changed)
    assert len(ran_steps(again)) == 2


def test_another_name_is_the_same_step(interrupted, plan, tmp_path):
    again = Stop()
    eh.plan.run(
        plan('cluster = "user_id"', 'cluster = "user_id"\nname = "x"'), tmp_path / "out", progress=again
    )
    assert len(ran_steps(again)) == 1


def test_another_seed_is_another_run(interrupted, plan, tmp_path):
    again = Stop()
    eh.plan.run(plan(), tmp_path / "out", seed=5, progress=again)
    assert len(ran_steps(again)) == 2


def test_another_version_is_another_run(interrupted, plan, tmp_path, monkeypatch):
    monkeypatch.setattr("evenhand.plan.running.unfinished.version", lambda name: "9.9")
    again = Stop()
    eh.plan.run(plan(), tmp_path / "out", progress=again)
    assert len(ran_steps(again)) == 2


def test_a_log_that_was_written_again_is_other_data(plan, data, folder, tmp_path):
    """Also where its size and its time are what they were."""
    log = (data / "control.parquet").read_bytes()
    (folder / "own.parquet").write_bytes(log)
    path = plan('path = "data/control.parquet"', 'path = "own.parquet"')
    whole = Stop()
    eh.plan.run(path, tmp_path / "whole", progress=whole)
    with pytest.raises(KeyboardInterrupt):
        eh.plan.run(path, tmp_path / "out", progress=Stop(len(whole.words)))
    before = os.stat(folder / "own.parquet")
    (folder / "own.parquet").write_bytes(log)
    os.utime(folder / "own.parquet", ns=(before.st_atime_ns, before.st_mtime_ns))
    again = Stop()
    eh.plan.run(path, tmp_path / "out", progress=again)
    assert len(ran_steps(again)) == 2


def test_what_is_kept_is_for_its_owner_alone(interrupted):
    assert interrupted.parent.stat().st_mode & 0o077 == 0


def test_what_is_kept_and_damaged_is_made_again(interrupted, plan, tmp_path):
    (interrupted / "findings.json").write_text("{", encoding="utf-8")
    again = Stop()
    eh.plan.run(plan(), tmp_path / "out", progress=again)
    assert len(ran_steps(again)) == 2
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_nothing_is_kept_of_a_plan_that_is_refused_while_it_runs(plan, world, folder, tmp_path):
    broken = world.default_log.assign(liked=2)
    broken.to_parquet(folder / "broken.parquet", index=False)
    path = plan('path = "data/treatment.parquet"', 'path = "broken.parquet"')
    with pytest.raises(eh.InputError, match="audit 2 of 2"):
        eh.plan.run(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_stopped_goes_on(plan, tmp_path, by):
    """As soon as the first step is kept; benchmarks/resume.py does this at random moments."""

    def started(out: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "evenhand", "audit", str(path), "--out", str(tmp_path / out), "-q"]
        return subprocess.Popen(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    path = plan()
    assert started("whole").wait() == 0
    process = started("out")
    while process.poll() is None and not list((tmp_path / "out").glob(f"{FOLDER}/[0-9a-f]*")):
        time.sleep(0.005)
    process.send_signal(by)
    assert process.wait() in (130, -signal.SIGKILL)
    assert started("out").wait() == 0
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert "kept from a run" in (tmp_path / "out" / "run.log").read_text()


def test_twenty_random_interruptions_one_after_the_other(plan, tmp_path):
    """Each leaves what the ones before have kept; in the end it is one run."""
    draw = random.Random(1)
    whole = Stop()
    eh.plan.run(plan(), tmp_path / "whole", progress=whole)
    for _ in range(20):
        try:
            eh.plan.run(plan(), tmp_path / "out", progress=Stop(draw.randint(1, len(whole.words))))
        except KeyboardInterrupt:
            continue
    eh.plan.run(plan(), tmp_path / "out")
    assert files(tmp_path / "out") == files(tmp_path / "whole")
