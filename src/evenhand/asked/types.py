"""Parameters that several audits share: each with one range and one sentence of help, and how they are
written on a command line.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evenhand.asked.marks import Must, Written
from evenhand.parameters import LARGEST_SEED

# Sections of `--help`, in their order; a parameter of how it is computed has one of its own.
DATA, QUESTION = "Data", "Question"
PILOT, ASSUMED = "From a pilot", "Without a pilot, from assumed rates"
REWARDS, OVER_TIME, METHOD, OUTPUT = "Rewards", "Over time", "Method", "Output"
SECTIONS = (DATA, QUESTION, PILOT, ASSUMED, REWARDS, OVER_TIME, METHOD, OUTPUT)
HOW = Written(section=METHOD)
# A parameter of a call that the command has not.
NEVER = Written(never=True)

Level = Annotated[float, Field(ge=0.5, le=0.9999, description="Confidence level of all intervals.")]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED, description="Seed of everything random.")]


def below(most: float, what: str) -> Must:
    """A tolerance that `what` can be beyond: with one as large as `most`, nothing would be outside it."""
    return Must(
        f"a number from 0 to below {most:g}",
        beyond=f"{what} cannot be more than {most:g}, so nothing would ever be outside it",
    )
