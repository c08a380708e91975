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


class Settings(NamedTuple):
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
    ) -> Settings:
        """An InputError names the first that cannot be used.

        The source needs epsilon and alpha above 0 for an audit to end at all, and delta below 1/2.
        """
        delta = number("delta", delta, 0, 0.5, above=True)
        if delta == 0.5:
            raise InputError(
                "delta is 0.5, but must be below 0.5: an audit may not be wrong as often as a coin."
            )
        drift = number("drift", drift, 0, 0.5)
        for name, error in (("delta", delta), ("drift", drift)):
            if 0 < error < LEAST_ERROR:
                raise InputError(f"{name} is {error:g}, but must be at least {LEAST_ERROR:g}.")
        return cls(
            whole("arms", arms, 1, MOST_ARMS),
            number("epsilon", epsilon, 0, 1, above=True),
            delta,
            number("alpha", alpha, 0, 1, above=True),
            one_of("bound", bound, BOUNDS),
            one_of("choice", choice, CHOICES),
            None if budget is None else whole("budget", budget, 1, MOST_STEPS),
            drift,
            whole("users", users, 1, MOST_USERS),
        )

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()
