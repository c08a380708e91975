"""What an audit may be asked to do, checked once."""

from __future__ import annotations

from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.parameters import choice as one_of
from evenhand.parameters import number, whole

# More arms than any audit could try, and more steps and users than any could have.
MOST_ARMS, MOST_STEPS, MOST_USERS = 1_000_000, 10**15, 10**12
# A smaller probability of error, once shared out, would be lost in rounding.
LEAST_ERROR = 1e-100

BOUNDS = ("mixture", "lil")
CHOICES = ("adaptive", "uniform")
DESIGNS = ("blocks", "unpaired")
UNREPORTED = ("compare", "worst")


def design_of(design: str | None, bound: str) -> str:
    """Blocks unless something else is said; the published bound is one of the unpaired design."""
    return ("unpaired" if bound == "lil" else "blocks") if design is None else design


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

    @classmethod
    def checked(
        cls,
        arms: int,
        epsilon: float,
        delta: float,
        alpha: float,
        bound: str,
        choice: str,
        budget: int | None,
        drift: float,
        users: int,
        design: str | None = None,
        unreported: str = "compare",
    ) -> AuditorSettings:
        """An InputError names the first that cannot be used.

        The source needs epsilon and alpha above 0 for an audit to end at all, and delta below 1/2.
        """
        bound = one_of("bound", bound, BOUNDS)
        design = design_of(design, bound)
        if one_of("design", design, DESIGNS) == "blocks" and bound == "lil":
            raise InputError(
                "bound is 'lil', that of the published algorithm, which has no blocks; leave design "
                "(--design) out, or say 'unpaired'."
            )
        if one_of("unreported", unreported, UNREPORTED) == "worst" and design == "unpaired":
            raise InputError(
                "unreported is 'worst', but the unpaired design counts what is not reported as 0; take "
                "design 'blocks' (--design)."
            )
        delta = number("delta", delta, 0, 0.5, above=True)
        if delta == 0.5:
            raise InputError(
                "delta is 0.5, but must be below 0.5: an audit may not be wrong as often as a coin."
            )
        epsilon = number("epsilon", epsilon, 0, 1, above=True)
        if epsilon == 1:
            raise InputError("epsilon is 1, but must be below 1: no reward is better by more than that.")
        drift = number("drift", drift, 0, 0.5)
        for name, error in (("delta", delta), ("drift", drift)):
            if 0 < error < LEAST_ERROR:
                raise InputError(f"{name} is {error:g}, but must be at least {LEAST_ERROR:g}.")
        return cls(
            whole("arms", arms, 1, MOST_ARMS),
            epsilon,
            delta,
            number("alpha", alpha, 0, 1, above=True),
            bound,
            one_of("choice", choice, CHOICES),
            None if budget is None else whole("budget", budget, 1, MOST_STEPS),
            drift,
            whole("users", users, 1, MOST_USERS),
            design,
            unreported,
        )

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()
