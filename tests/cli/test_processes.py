"""The installed command in a process of its own: what only shows there. Each costs a second or two."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evenhand as eh

SCRIPT = Path(sys.executable).with_name("evenhand")
AUDIT = (
    "opportunity", "--default", "default.parquet", "--random", "random.parquet", "--label", "liked",
    "--group", "creator_age",
)  # fmt: skip


def command(*words: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=120, check=False, **options
    )


def beside_progress(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """What is said on standard error but for what is being done, which a slow machine is told."""
    return [line for line in ran.stderr.splitlines() if not line.startswith("audit ")]


def test_the_demo_finds_what_was_planted_and_its_plan_finds_the_same_from_any_folder(tmp_path):
    elsewhere = os.environ | {"PATH": "/usr/bin:/bin"}
    ran = command("demo", "--out", "demo", "--seed", "3", "--verbose", cwd=tmp_path, env=elsewhere)
    assert (ran.returncode, beside_progress(ran)) == (0, [])
    assert "Report: demo/report.html" in ran.stdout
    assert "REO penalty of the control: planted 0.180, found 0." in ran.stdout
    assert "Envious users: planted 10.0% who are served by the taste of somebody else" in ran.stdout
    assert "found 10.0% who would get more than 0.05 more" in ran.stdout
    assert ran.stdout.endswith(f"Try: {SCRIPT} audit demo/audit.toml --out again\n")
    made = tmp_path / "demo"
    assert {path.name for path in made.iterdir()} == {
        "audit.toml", "data", "findings.json", "report.html", "run.log",
    }  # fmt: skip
    result = eh.AuditResult.load(made)
    assert result.seed == 3
    for arm, planted in (("control", 0.18), ("treatment", 0.08)):
        interval = result.find("reo_penalty", by="creator_age", arm=arm).interval
        assert interval.low < planted < interval.high

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ran = command("audit", made / "audit.toml", "--out", "again", cwd=elsewhere)
    assert (ran.returncode, beside_progress(ran)) == (0, [])
    assert len(ran.stdout.splitlines()) <= 29  # and the demo itself has one line more
    assert ran.stdout.endswith("\nReport: again/report.html\n")
    for name in ("findings.json", "report.html"):
        assert (elsewhere / "again" / name).read_bytes() == (made / name).read_bytes()


def test_json_alone_on_standard_output_and_the_exit_code_asked_for(logs):
    ran = command(*AUDIT, "--json", "--fail-on", "violation")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert json.loads(ran.stdout)["schema"] == "evenhand.findings/2"


def test_bad_input_is_a_sentence_on_standard_error(logs):
    ran = command(*AUDIT, "--cluster", "userid", "--out", "audit")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Error: default log: there is no column 'userid'. Did you mean 'user_id'?")
    assert ran.stderr.count("\n") == 1
    assert not Path("audit").exists()


@pytest.mark.parametrize(
    ("words", "code"), [((), 0), (("--json", "--fail-on", "violation"), 1)], ids=["text", "json"]
)
def test_a_reader_who_leaves_changes_nothing(logs, words, code):
    reading, writing = os.pipe()
    os.close(reading)  # nobody will read a word of it
    with os.fdopen(writing, "w") as gone:
        ran = subprocess.run(
            [SCRIPT, *AUDIT, *words], stdout=gone, stderr=subprocess.PIPE, text=True, check=False, timeout=120
        )
    assert (ran.returncode, ran.stderr) == (code, "")


@pytest.mark.parametrize("words", [AUDIT, (*AUDIT, "--json"), ("--help",)], ids=["text", "json", "help"])
def test_output_that_is_closed_changes_nothing(logs, words):
    ran = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", SCRIPT, *words],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_symbols_that_the_terminal_lacks_do_not_end_a_run(logs):
    ran = command(*AUDIT, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Do creators get equal opportunity?" in ran.stdout
    assert ran.stdout.isascii()


def test_python_without_docstrings_and_assertions(logs):
    words = (sys.executable, "-OO", "-m", "evenhand", *AUDIT, "--json")
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == command(*AUDIT, "--json").stdout
    ran = subprocess.run((*words, "--out", "x"), capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Error: Python was started with -OO")  # altair lives on docstrings


@pytest.mark.parametrize("asked", ["--version", "--help"])
def test_version_and_help_need_no_engine(asked):
    words = f"import sys; from evenhand.cli import main; sys.argv = ['evenhand', {asked!r}]; main.main()"
    heavy = "import atexit; atexit.register(lambda: print(HEAVY & {*sys.modules}))"
    heavy = heavy.replace("HEAVY", "{'numpy', 'pandas', 'pydantic', 'duckdb', 'ibis', 'scipy', 'numba'}")
    ran = subprocess.run(
        [sys.executable, "-c", f"{heavy}; {words}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("\nset()\n")


def test_an_interrupt_is_one_sentence_and_no_report(tmp_path):
    data = tmp_path / "demo" / "data"
    # Started in the background, as tests may be, a process is told to ignore interrupts: this one is not.
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    start += "from evenhand.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", start, "demo", "--out", tmp_path / "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        limit = time.monotonic() + 60
        while not data.exists() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)  # while the tables are written or counted
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "Error: Interrupted.\n")
    assert not (tmp_path / "demo" / "findings.json").exists()
    assert not (tmp_path / "demo" / "report.html").exists()


def test_compiled_code_can_be_interrupted():
    """A simulation that would take hours: its loop never comes back to look for an interrupt."""
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    start += "import evenhand.envy; print('ready', flush=True); from evenhand.cli.main import main; main()"
    words = ("envy", "simulate", "--means", ".5,.5", "--epsilon", ".00001")
    process = subprocess.Popen(
        [sys.executable, "-c", start, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "Error: Interrupted.\n")


@pytest.mark.parametrize("module", ["evenhand", "evenhand.cli.main"])
def test_both_modules_run(module):
    ran = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == f"evenhand {eh.__version__}\n"
