"""Runs the blocks of a page as somebody who pastes them: Python in one namespace, commands in one shell."""

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pages import Block, Command, blocks, commands, name_of

SECONDS = 900.0
_LINES = r"(?:[^\n]*\n)*?"
_PROGRESS = re.compile(r"^(audit \d+ of \d+, |Try: )")
_PYTHON = {"evenhand": "-m evenhand ", "python": "", "python3": ""}


class Ran(NamedTuple):
    command: str
    out: str
    err: str
    status: int


class PageError(AssertionError):
    pass


class Shell:
    """One bash for a page: what is exported, or runs in the background, is there for the next command."""

    def __init__(self, folder: Path, programs: Path):
        programs.mkdir()
        for name, words in _PYTHON.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EVENHAND_")}
        env = kept | {"PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "80"}
        self.out, self.err = programs / "out", programs / "err"
        self.bash = subprocess.Popen(
            ["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=env, text=True
        )

    def run(self, command: str) -> Ran:
        assert self.bash.stdin
        assert self.bash.stdout
        group = f"{{\n{command}\n}} >'{self.out}' 2>'{self.err}'\n"
        self.bash.stdin.write(f"{group}status=$?; echo $status; (exit $status)\n")
        self.bash.stdin.flush()
        stop = threading.Timer(SECONDS, self.bash.kill)
        stop.start()
        said = self.bash.stdout.readline()
        stop.cancel()
        status = int(said) if said.strip() else -1
        return Ran(
            command, self.out.read_text(errors="replace"), self.err.read_text(errors="replace"), status
        )

    def close(self) -> None:
        assert self.bash.stdin
        assert self.bash.stdout
        if self.bash.poll() is None:
            self.bash.stdin.write("kill $(jobs -p) 2>/dev/null; wait; exit\n")
            self.bash.stdin.close()
            try:
                self.bash.wait(30)
            except subprocess.TimeoutExpired:
                self.bash.kill()
        if not self.bash.stdin.closed:
            self.bash.stdin.close()
        self.bash.stdout.close()
        self.bash.wait()


def is_as_shown(shown: str, printed: str) -> bool:
    """Whether what was printed is what the page shows, in which `...` stands for anything: as a line of its
    own for any lines, or none."""
    lines = (_LINES if line == "..." else _within(line) for line in _tidy(shown).split("\n"))
    return re.fullmatch("".join(lines), f"{_tidy(printed)}\n", re.S) is not None


def _within(line: str) -> str:
    return ".*?".join(re.escape(part) for part in line.split("...")) + "\n"


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_page(
    page: Path, demo: Path | None, folder: Path, instead: Mapping[str, str] = MappingProxyType({})
) -> list[Ran]:
    """Runs the page in a folder with `demo/`. What was run, or the first block that is not as the page says.

    `instead` has what stands in its commands and what is run instead, such as a shorter time.
    """
    work = folder / "work"
    work.mkdir(parents=True)
    if demo is not None:
        shutil.copytree(demo, work / "demo")
    shell, names, ran = Shell(work, folder / "bin"), {"__name__": "__main__"}, []
    with socket.socket() as free:  # the port of the page may be taken
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    before = Path.cwd()
    os.chdir(work)
    try:
        for found in blocks(page):
            text = found.text.replace("8000", port)
            for written, run in instead.items():
                text = text.replace(written, run)
            block = found._replace(text=text)
            if block.file:
                path = work / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.runs and block.language == "python":
                code = "\n" * block.line + block.text
                exec(compile(code, str(page), "exec"), names)
            elif block.runs:
                ran += _console(shell, block)
    finally:
        os.chdir(before)
        shell.close()
    return ran


def _console(shell: Shell, block: Block) -> list[Ran]:
    ran = []
    wanted = commands(block)
    for number, command in enumerate(wanted):
        done = shell.run(command.command)
        ran.append(done)
        after = wanted[number + 1].command if number + 1 < len(wanted) else ""
        _check(block, command, done, asks=after.startswith("echo $?"))
    return ran


def _check(block: Block, command: Command, done: Ran, *, asks: bool) -> None:
    where = f"{name_of(block.page)}, line {command.line}: {command.command}"
    if done.status and not asks:
        raise PageError(f"{where}\nended with {done.status}:\n{done.out}\n{done.err}")
    if command.prints is None:
        return
    said = "\n".join(line for line in done.err.splitlines() if not _PROGRESS.match(line))
    printed = (done.out, f"{done.out.rstrip()}\n{said}")
    if not any(is_as_shown(command.prints, text) for text in printed):
        raise PageError(f"{where}\nprints:\n{printed[1]}\nand not:\n{command.prints}")
