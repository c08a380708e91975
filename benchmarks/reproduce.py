"""A paper again, on the data at hand: every table and figure, published beside ours, on one page.

    .venv/bin/python benchmarks/reproduce.py fairrec --data ../shared/data
    .venv/bin/python benchmarks/reproduce.py esa --data ../shared/data --seeds 2
    .venv/bin/python benchmarks/reproduce.py ocef --quick --out build/small

DATA holds ml-1m, ml-100k, lastfm-2k and whatever else is at hand; what needs data that are not there says so.
The page is OUT/PAPER.md. What takes minutes is said beforehand. The result of each step is kept in OUT/PAPER,
so that a run that was stopped goes on; delete a file there to have a step again. `--quick` is for trying it:
made-up or small data, few repetitions, figures that mean nothing.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from replications.pages import linked_from, page
from replications.small import small
from replications.steps import Run, first_say_what_is_long, say

PAPERS = ("fairrec", "jme", "reo", "ocef", "esa")


def reproduce(paper: str, run: Run, out: Path) -> Path:
    """The page of one paper; a table or figure that is not on it is a fault."""
    room = import_module(f"replications.{paper}")
    first_say_what_is_long(run, room.MINUTES)
    parts = room.parts(run)
    known = {part.name.split(",")[0] for part in parts}
    missing = [name for name in room.EVERY if name not in known]
    if missing:
        raise ValueError(f"{paper}: nothing is said of {', '.join(missing)}.")
    how = list(room.HOW)
    if run.quick:
        how.insert(0, "**A quick run on made-up or small data: these figures say nothing about the paper.**")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{paper}.md"
    path.write_text(linked_from(out, page(room.TITLE, room.PAPER, how, parts)))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/reproduced"))
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each model")
    parser.add_argument(
        "--models", type=Path, help="folder of models that were trained already, by a GPU say"
    )
    parser.add_argument(
        "--leave-out", nargs="*", default=(), metavar="MODEL", help="models that are not to be trained"
    )
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    work = asked.out / (f"{asked.paper}-quick" if asked.quick else asked.paper)
    data = small(work / "data") if asked.quick else asked.data
    run = Run(data, work, asked.quick, asked.seeds, asked.models, tuple(asked.leave_out))
    try:
        path = reproduce(asked.paper, run, asked.out)
    except KeyboardInterrupt:
        say(f"stopped; what is done is kept in {work}, and the same command goes on")
        raise SystemExit(130) from None
    print(path)


if __name__ == "__main__":
    main()
