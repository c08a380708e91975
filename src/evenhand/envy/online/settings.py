"""What an audit may be asked to do, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evenhand.asked.declared.envy_online import AskedOfOne
from evenhand.errors import InputError
from evenhand.parameters import whole

# More arms than any audit could try.
MOST_ARMS = 1_000_000
# What audits did with assignments that were never shown, before they could be asked.
AGAIN = "again"
# A smaller probability of error, once shared out, would be lost in rounding.
LEAST_ERROR = 1e-100


def design_of(design: str | None, bound: str) -> str:
    """Blocks unless something else is said; the published bound is one of the unpaired design."""
    return ("unpaired" if bound == "lil" else "blocks") if design is None else design


def chose_by_an_earlier_rule(settings: Mapping[str, Any]) -> bool:
    """Whether an audit of the second schema with these settings would choose otherwise now. It was as sure as
    one that begins now, but what was shown in it cannot be derived any more.
    """
    return bool(settings["design"] == "blocks" and settings["choice"] == "adaptive")


class AuditorSettings(NamedTuple):
    """Parameters of `Auditor`, with their meaning there."""

    arms: int
    epsilon: float
    delta: float
    alpha: float
    bound: str
    choice: str
    budget: int | None
    drift: float
    users: int
    design: str
    unreported: str
    unshown: str
    passes: int = 1

    @classmethod
    def of(cls, arms: int, asked: AskedOfOne, unshown: str = "compare", passes: int = 1) -> AuditorSettings:
        """An InputError names what cannot be used together.

        Do and others need epsilon and alpha above 0 for an audit to end at all, and delta below 1/2.
        """
        design = design_of(asked.design, asked.bound)
        if design == "blocks" and asked.bound == "lil":
            raise InputError(
                "bound is 'lil', that of the published algorithm, which has no blocks; leave design "
                "(--design) out, or say 'unpaired'."
            )
        if asked.unreported == "worst" and design == "unpaired":
            raise InputError(
                "unreported is 'worst', but the unpaired design counts what is not reported as 0; take "
                "design 'blocks' (--design)."
            )
        for name, error in (("delta", asked.delta), ("drift", asked.drift)):
            if 0 < error < LEAST_ERROR:
                raise InputError(f"{name} is {error:g}, but must be at least {LEAST_ERROR:g}.")
        return cls(
            whole("arms", arms, 1, MOST_ARMS), asked.epsilon, asked.delta, asked.alpha, asked.bound,
            asked.choice, asked.budget, asked.drift, asked.users, design, asked.unreported, unshown, passes,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return without_later(self._asdict())


def with_later(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as an audit takes them, of one that may have been begun before all of them could be asked."""
    return {"unshown": AGAIN, "passes": 1, **settings}


def without_later(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As they are written: what an audit could not be asked before is left out where it is as it was then,
    so that what was written before and what is written now are the same.
    """
    before = (("unshown", AGAIN), ("passes", 1))
    return {name: value for name, value in settings.items() if (name, value) not in before}
