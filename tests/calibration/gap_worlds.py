"""Groups whose lists are mended, and how the largest gap between them truly changes."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from evenhand.groups.cells import Cells, Groups
from evenhand.groups.lists.metrics import METRICS
from evenhand.mitigate.lists.trial import Trial, run_trial

Floats = NDArray[np.float64]
RANKS = 1 / np.arange(1, 6)


@dataclass(frozen=True)
class Gaps:
    """Groups with these true means, to be mended by `gain`, and how a user's value is drawn.

    `stays`: how alike a user's values before and after are. `kind`: "smooth" values (of what is shown, so the
    same users choose and are measured), "heavy" ones (the same, lognormal), "tight" ones (the same, close
    together, of the last group lower with a few that are 1, the share `rare`; all gain alike) or "ranks"
    (reciprocal ranks of labels that are mostly 0, so that halves choose and measure).
    """

    sizes: tuple[int, ...]
    means: tuple[float, ...]
    gain: float
    kind: str = "smooth"
    share: float = 0.1
    stays: float = 0.7
    rare: float = 0.0

    @property
    def metric(self) -> str:
        return {"smooth": "urd", "tight": "urd", "heavy": "urp", "ranks": "mrr"}[self.kind]

    def users(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Group, value before, and value if the list is mended, of each user."""
        group = np.repeat(np.arange(len(self.sizes)), self.sizes)
        mean, users = np.array(self.means)[group], len(group)
        if self.kind == "smooth":
            first, second = rng.normal(size=(2, users))
            second = self.stays * first + np.sqrt(1 - self.stays**2) * second
            return group, mean + 0.15 * first, mean + self.gain + 0.15 * second
        if self.kind == "tight":
            last = group == len(self.sizes) - 1
            centre = np.where(last, (mean - self.rare) / (1 - self.rare), mean)
            few = last & (rng.random(users) < self.rare)
            value = np.where(few, 1.0, centre + 0.01 * rng.normal(size=users))
            return group, value, value + self.gain
        stay = rng.random(users) < self.stays
        if self.kind == "heavy":
            first, second = rng.lognormal(-(1.5**2) / 2, 1.5, (2, users))
            return group, mean * first, (mean + self.gain) * np.where(stay, first, second)
        hit, size = rng.random((2, users)), rng.choice(RANKS, (2, users))
        hit[1], size[1] = np.where(stay, hit[0], hit[1]), np.where(stay, size[0], size[1])
        before, after = (hit * RANKS.mean() < [mean, mean + self.gain]) * size
        return group, before, after

    def truth(self, chosen: NDArray[np.int64]) -> float:
        """The change of the gap if these groups are mended."""
        before = np.array(self.means)
        after = before.copy()
        after[chosen] += self.gain
        return float(np.ptp(after) - np.ptp(before))


def _trial(world: Gaps, rng: np.random.Generator) -> Trial:
    """The library's; what it takes for lists is the mask of those that are mended."""
    group, before, after = world.users(rng)
    cells = Cells.of(["group"], [[str(g) for g in range(len(world.sizes))]], [group])
    return run_trial(
        SimpleNamespace(item=np.zeros(len(group), dtype=bool)),
        Groups.single(cells, np.arange(len(world.sizes))),
        METRICS[world.metric],
        world.share,
        min(world.sizes),
        lambda mask: SimpleNamespace(item=mask),
        lambda lists: {world.metric: np.where(lists.item, after, before)},
        rng,
        0.95,
    )


def gap_changes(world: Gaps, runs: int) -> dict[str, float]:
    """How many intervals hold the truth, lie below or above it, say better or worse; their median width."""
    rng = np.random.default_rng(6)
    found = dict.fromkeys(("held", "below", "above", "better", "worse"), 0.0)
    widths = []
    for _ in range(runs):
        trial = _trial(world, rng)
        gap = trial.changes[0].gap
        truth = np.mean([world.truth(chosen) for chosen in trial.halves or (trial.chosen,)])
        found["below"] += gap.high < truth - 1e-12
        found["above"] += gap.low > truth + 1e-12
        found["better"] += gap.high < 0
        found["worse"] += gap.low > 0
        widths.append(gap.high - gap.low)
    found["held"] = runs - found["below"] - found["above"]
    return found | {"width": float(np.median(widths))}


def ladder(groups: int, low: float, high: float) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, groups).tolist())


EQUAL = {
    "8 groups of 100, equal, one gains .05": Gaps((100,) * 8, (0.5,) * 8, 0.05),
    "8 groups of 200 in steps, reciprocal ranks": Gaps((200,) * 8, ladder(8, 0.1, 0.3), 0.05, "ranks"),
}
FEW_FAR = {
    "100 beside 5,000, equal, a 1 in 100, gain .003": Gaps(
        (5_000, 100), (0.5, 0.5), 0.003, "tight", 0.5, rare=0.01
    ),
    "40 beside 2,000, equal, a 1 in 33, gain .01": Gaps(
        (2_000, 40), (0.5, 0.5), 0.01, "tight", 0.5, rare=0.03
    ),
}
HARD = {
    "50 groups of 40, equal, five gain .08": Gaps((40,) * 50, (0.5,) * 50, 0.08),
    "100 groups of 60, equal, one gains .1, values stay": Gaps(
        (60,) * 100, (0.5,) * 100, 0.1, "smooth", 0.01, 1.0
    ),
    "8 groups of 100 in steps, heavy tails": Gaps((100,) * 8, ladder(8, 0.4, 0.6), -0.05, "heavy"),
    "50 groups of 40, equal, reciprocal ranks, five gain .1": Gaps((40,) * 50, (0.2,) * 50, 0.1, "ranks"),
    "20 groups of 60, 3% of hits, nothing gained": Gaps((60,) * 20, (0.014,) * 20, 0.0, "ranks"),
}
CLEAR = {
    "8 groups of 100, one far below, gains .08": Gaps((100,) * 8, (0.3, *[0.45] * 3, *[0.5] * 3, 0.6), 0.08),
    "4 groups of 1,000 in steps, the worst gains .05": Gaps((1_000,) * 4, ladder(4, 0.4, 0.6), 0.05),
    "8 groups of 2,000 in steps, reciprocal ranks": Gaps((2_000,) * 8, ladder(8, 0.1, 0.3), 0.05, "ranks"),
}
