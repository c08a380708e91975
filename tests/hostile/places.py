"""Where and how a run happens: folders to write into, the environment, limits, and two runs at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hostile.cases import Case, End, plain
from hostile.doors import AUDITS, Outcome, command, numbers_of, one_sentence, words_of, world


def cases() -> Iterator[Case]:
    for name, (end, prepare) in FOLDERS.items():
        yield Case("folders to write into", name, "opportunity", end, _writing(prepare))
    for name, (end, value) in OPTIONS.items():
        yield Case("options", name, "opportunity", end, _with_options(value))
    for name, zone in ZONES.items():
        for audit in ("series", "envy"):
            yield Case("time zones", name, audit, "same", _in_zone(audit, zone))
    for audit, name, (end, start, changes) in PROCESSES:
        yield Case("processes", name, audit, end, _process(audit, start, changes))
    yield Case("processes", "two runs into one folder", "opportunity", "same", _two_at_once)


def _tables(audit: str, folder: Path) -> dict[str, Path]:
    return {name: plain(world()[name], folder / name) for name in AUDITS[audit].tables}


# Folders


def _writing(prepare: Callable[[Path], Any]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        tables = _tables("opportunity", folder)
        before = {path: path.read_bytes() for path in tables.values()}
        out = prepare(folder)
        ran = command(*words_of("opportunity", tables), "--json", "--min-cell", "0", "--out", out)
        if any(path.read_bytes() != content for path, content in before.items()):
            raise AssertionError("the input was changed")
        left = list(folder.rglob(".writing-*"))
        if left:
            raise AssertionError(f"left behind: {left}")
        if ran.numbers is not None and numbers_of((Path(out) / "findings.json").read_text()) != ran.numbers:
            raise AssertionError("what was written is not what was printed")
        return ran

    return run


def _made(path: Path, content: str | None = None) -> Path:
    path.mkdir() if content is None else path.write_text(content, encoding="utf-8")
    return path


def _with_folder_in_place(folder: Path) -> Path:
    (folder / "out" / "report.html").mkdir(parents=True)
    return folder / "out"


def _with_link_in_place(folder: Path) -> Path:
    (folder / "out").mkdir()
    (folder / "out" / "findings.json").symlink_to(folder / "default.parquet")
    return folder / "out"


FOLDERS: dict[str, tuple[End, Callable[[Path], Any]]] = {
    "a new one": ("same", lambda folder: folder / "out"),
    "a deep one": ("same", lambda folder: folder / "a" / "b" / "c"),
    "that of the input": ("same", lambda folder: folder),
    "one that is there": ("same", lambda folder: _made(folder / "out")),
    "one with brackets": ("same", lambda folder: folder / "[a]*?"),
    "one with blanks": ("same", lambda folder: folder / " a b "),
    "one with a line end": ("same", lambda folder: folder / "a\nb"),
    "one of Arabic": ("same", lambda folder: folder / "\u202eتقرير"),
    "one with dots": ("same", lambda folder: folder / "a" / ".." / "b"),
    "a file": ("refused", lambda folder: _made(folder / "out", "mine")),
    "below a file": ("refused", lambda folder: _made(folder / "out", "mine") / "out"),
    "a device": ("refused", lambda folder: "/dev/null"),
    "below a device": ("refused", lambda folder: "/dev/null/out"),
    "one of the system": ("refused", lambda folder: "/proc/self/out"),
    "nothing": ("refused", lambda folder: ""),
    "a zero": ("refused", lambda folder: "a\0b"),
    "a long name": ("refused", lambda folder: folder / ("x" * 300)),
    "a long path": ("refused", lambda folder: "/".join([str(folder), *["x" * 200] * 30])),
    "a home that is none": ("refused", lambda folder: "~nosuchuser/out"),
    "one with a folder in the place of a file": ("refused", _with_folder_in_place),
    "one with a link to the input": ("same", _with_link_in_place),
    "a link in a circle": ("refused", lambda folder: ((folder / "out").symlink_to("out"), folder / "out")[1]),
    "a link to nowhere": (
        "either",
        lambda folder: ((folder / "out").symlink_to("nowhere"), folder / "out")[1],
    ),
}

# Options

OPTIONS: dict[str, tuple[End, list[str]]] = {
    "the least seed": ("same", ["--seed", "0"]),
    "the largest seed": ("any", ["--seed", str(2**63 - 1)]),
    "a seed too large": ("refused", ["--seed", str(2**63)]),
    "a seed of 5,000 digits": ("refused", ["--seed", "9" * 5000]),
    "a seed with a fraction": ("refused", ["--seed", "1.5"]),
    "a seed with blanks": ("any", ["--seed", " 1 "]),
    "a seed of other digits": ("any", ["--seed", "١"]),
    "a level of nan": ("refused", ["--level", "nan"]),
    "a level of infinity": ("refused", ["--level", "inf"]),
    "a level of 1": ("refused", ["--level", "1"]),
    "a tolerance of nan": ("refused", ["--tolerance", "nan"]),
    "a tolerance with a comma": ("refused", ["--tolerance", "0,1"]),
    "a tolerance of underscores": ("any", ["--tolerance", "0.1_1"]),
    "a cell below 0": ("refused", ["--min-cell", "-1"]),
    "a large cell": ("any", ["--min-cell", str(10**30)]),
    "an empty label": ("refused", ["--label", ""]),
    "a label of SQL": ("refused", ["--label", "liked); drop table x; --"]),
    "a label of a line end": ("refused", ["--label", "liked\n"]),
    "the group as a label": ("refused", ["--label", "age"]),
    "the same label twice": ("either", ["--label", "liked"]),
    "the cluster as a group": ("either", ["--group", "user_id"]),
    "the group as a cluster": ("any", ["--cluster", "age"]),
    "a title of controls": ("same", ["--title", "\x1b[31m\x07"]),
    "a title of a million letters": ("same", ["--title", "x" * 100_000]),
    "a word too many": ("refused", ["--", "more"]),
    "a folder of dashes": ("any", ["--out", "--quiet"]),
}


def _with_options(options: list[str]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        here = Path.cwd()
        os.chdir(folder)
        try:
            words = words_of("opportunity", _tables("opportunity", folder))
            cells = [] if "--min-cell" in options else ["--min-cell", "0"]
            return command(*words, "--json", *cells, *options)
        finally:
            os.chdir(here)

    return run


# The environment

ZONES = {
    "far east": "Pacific/Kiritimati",
    "far west": "Pacific/Pago_Pago",
    "a quarter of an hour": "Asia/Kathmandu",
    "one that is none": "Nowhere/Land",
}


def _in_zone(audit: str, zone: str) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        before = os.environ.get("TZ")
        os.environ["TZ"] = zone
        time.tzset()
        try:
            return command(*words_of(audit, _tables(audit, folder)), "--json", "--min-cell", "0")
        finally:
            os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
            time.tzset()

    return run


PROCESSES: list[tuple[str, str, tuple[End, str, dict[str, str | None]]]] = [
    (
        "opportunity",
        "a language without UTF-8",
        ("same", "", {"LC_ALL": "C", "PYTHONUTF8": "0", "LANG": "C"}),
    ),
    ("opportunity", "German", ("same", "", {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"})),
    ("envy", "Turkish", ("same", "", {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"})),
    ("opportunity", "no home", ("same", "", {"HOME": None, "XDG_CACHE_HOME": None})),
    (
        "opportunity",
        "a home that is not there",
        ("same", "", {"HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}),
    ),
    (
        "opportunity",
        "a terminal of another kind",
        ("same", "", {"TERM": "dumb", "COLUMNS": "1", "LINES": "1"}),
    ),
    ("opportunity", "colours that are asked for", ("same", "", {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"})),
    ("groups", "hashes in another order", ("same", "", {"PYTHONHASHSEED": "12345"})),
    ("envy", "two threads", ("same", "", {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"})),
    ("opportunity", "warnings as errors", ("same", "", {"PYTHONWARNINGS": "error"})),
    ("opportunity", "without assertions and words", ("refused", "", {"PYTHONOPTIMIZE": "2"})),
    ("opportunity", "without assertions", ("same", "", {"PYTHONOPTIMIZE": "1"})),
    ("opportunity", "few open files", ("either", "ulimit -n 40; ", {})),
    ("opportunity", "very few open files", ("either", "ulimit -n 12; ", {})),
    ("opportunity", "no room for temporary files", ("either", "", {"TMPDIR": "/nowhere"})),
    ("opportunity", "a small stack", ("either", "ulimit -s 1024; ", {})),
    ("opportunity", "no standard input", ("same", "exec <&-; ", {})),
    ("opportunity", "files of a hundred blocks at most", ("either", "ulimit -f 100; ", {})),
]


def _process(audit: str, start: str, changes: dict[str, str | None]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        words = [
            *words_of(audit, _tables(audit, folder)),
            "--json",
            "--min-cell",
            "0",
            "--out",
            str(folder / "out"),
        ]
        environment = {key: value for key, value in (os.environ | changes).items() if value is not None}
        ran = subprocess.run(
            ["bash", "-c", start + '"$@"', "bash", sys.executable, "-m", "evenhand", *words],
            capture_output=True, text=True, env=environment, timeout=300, check=False,
        )  # fmt: skip
        return _ended(ran.returncode, ran.stdout, ran.stderr)

    return run


def _ended(code: int, out: str, err: str) -> Outcome:
    if code == 0:
        return Outcome(numbers_of(out))
    if code != 2 or out:
        raise AssertionError(f"exit {code}: {err[-600:]}")
    return Outcome(sentence=one_sentence(err.removeprefix("Error: ").removesuffix("\n")))


def _two_at_once(folder: Path) -> Outcome:
    """Whoever is last, findings and report are whole, and nothing is left behind."""
    words = words_of("opportunity", _tables("opportunity", folder))
    words += ["--json", "--min-cell", "0", "--out", str(folder / "out")]
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "evenhand", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ends = [(run, *run.communicate(timeout=300)) for run in runs]
    for run, out, err in ends:
        ended = _ended(run.returncode, out, err)
    found = {path.name for path in (folder / "out").iterdir()}
    if found != {"findings.json", "report.html", "run.log"}:
        raise AssertionError(f"the folder has {found}")
    json.loads((folder / "out" / "findings.json").read_text(encoding="utf-8"))
    return ended
