"""Who is asked, and whose policies they try: drawn by places, so that nobody else's id is ever known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evenhand.envy.online.drawing import draw_targets, error_for_audits, passes_for, seeds_for

# What of an audit's settings is handed to the audit of each user.
_OF_A_USER = ("epsilon", "alpha", "bound", "choice", "budget", "drift", "design", "unreported", "unshown")


class Drawn(NamedTuple):
    """`places[i]` is where person i + 1 stands among all users; `arms[n - 1]` are the people whose policies
    target n tries, by number; `seeds` and `settings` are those of the targets' audits."""

    places: list[int]
    arms: list[list[int]]
    seeds: list[int]
    settings: dict[str, Any]


def draw(population: int, seed: int, settings: Mapping[str, Any]) -> Drawn:
    """A function of its arguments alone, so that everybody can draw again."""
    generator = np.random.default_rng(seed)
    criterion, delta = settings["criterion"], settings["delta"]
    shares = settings["gamma"], settings["lambda_"]
    found = draw_targets(population, criterion, delta, *shares, generator, settings["dropouts"])
    seeds = seeds_for(len(found), seed, generator)
    targets = list(found)
    others = sorted({place for arms in found.values() for place in arms} - set(targets))
    places = targets + others
    numbers = {place: number for number, place in enumerate(places, start=1)}
    arms = [[numbers[place] for place in found[target]] for target in targets]
    of_a_user = {name: settings[name] for name in _OF_A_USER if name in settings}
    of_a_user |= {"delta": error_for_audits(criterion, delta), "users": len(targets), "arms": len(arms[0])}
    passes = passes_for(population, criterion, delta, *shares, settings["dropouts"])
    of_a_user |= {"passes": passes} if passes > 1 else {}
    return Drawn(places, arms, seeds, of_a_user)
