"""One block: the arms in the order in which they are shown, and what is known of each place."""

from __future__ import annotations

from dataclasses import dataclass, field

Place = tuple[int, int]  # the number of a block, and a place in its order
# Ways to read what is not known: what is shown in the end, what was withdrawn as missing, and that as 0 where
# what is missing is 1, and the other way round.
AS_SHOWN, DOUBTED, CROSSED = range(3)
# When a place of another policy is withdrawn so often its reward is missing, and it is not offered again.
MOST_WITHDRAWN = 3


@dataclass
class Block:
    """Its number, arms in the order in which they are shown, the arm that was shown before it; settled
    rewards by place, None where one is missing; arms whose difference has entered; places that were withdrawn
    and are offered again, each as often as it was, where that counts.
    """

    number: int
    order: list[int]
    before: int
    rewards: dict[int, float | None] = field(default_factory=dict)
    entered: list[int] = field(default_factory=list)
    withdrawn: list[int] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        return len(self.rewards) == len(self.order)

    @property
    def others(self) -> list[int]:
        return [arm for arm in self.order if arm > 0]

    @property
    def lost(self) -> bool:
        """Whether one of its rewards is missing that was not withdrawn before."""
        return any(found is None and place not in self.withdrawn for place, found in self.rewards.items())

    def told(self, place: int, way: int = AS_SHOWN) -> tuple[float, float]:
        """The reward of this step, and 0; or 0 and 1 if it is not known. If that is doubted, it is not known
        of a place that was once withdrawn: who is shown it later is not who was to see it. If what is missing
        is crossed with that, it is 1 where what was withdrawn is 0: 1 and -1.
        """
        reward = self.rewards[place]
        if way != AS_SHOWN and place in self.withdrawn:
            return 0.0, 1.0
        if reward is None:
            return (1.0, -1.0) if way == CROSSED else (0.0, 1.0)
        return reward, 0.0

    def own(self, way: int = AS_SHOWN) -> tuple[float, float]:
        """The mean of the own rewards, and the share of them that is not known."""
        found = [self.told(place, way) for place, arm in enumerate(self.order) if arm == 0]
        total, gone = (sum(part) for part in zip(*found, strict=True))
        return total / len(found), gone / len(found)

    def most(self, place: int) -> float:
        """The most that a difference can be, whatever became of those that were withdrawn or are missing."""
        reward, unknown = self.told(place, DOUBTED)
        return reward + unknown - self.own(DOUBTED)[0]

    def more_withdrawn(self, arms: list[int]) -> float:
        """The share of the places of these arms that were ever withdrawn, less that of the own."""
        return self._more(arms, set(self.withdrawn))

    def more_given_up(self, arms: list[int]) -> float:
        """The same of those whose reward is missing because they were withdrawn too often."""
        return self._more(arms, {place for place in set(self.withdrawn) if self.given_up(place)})

    def given_up(self, place: int) -> bool:
        """Whether it was withdrawn too often, and never shown."""
        return self.rewards[place] is None and self.withdrawn.count(place) >= MOST_WITHDRAWN - 1

    def _more(self, arms: list[int], places: set[int]) -> float:
        others, own = (
            [place in places for place, arm in enumerate(self.order) if arm in some] for some in (arms, [0])
        )
        return sum(others) / len(others) - sum(own) / len(own)


@dataclass
class SettledRewards:
    """Settled rewards of one arm, in and outside blocks, and how often an assignment was withdrawn."""

    count: int = 0
    total: float = 0.0
    lost: int = 0
    withdrawn: int = 0
