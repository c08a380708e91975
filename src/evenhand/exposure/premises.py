"""What the numbers of the exposure audit rest on, and where to take care, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.about import About, group_of
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import GroupMatrix, group_differences
from evenhand.exposure.policy import ExposureRule, Seen
from evenhand.exposure.problem.numbered import Problem
from evenhand.findings import Count, Exclusion

SAMPLE = "Users are a sample of those the system serves, each drawn without regard to the others."
SHOWN = "The lists in the log are those that users saw; what is not in a list was not seen."
DRAWN = (
    "The lists of a user are drawn independently. Where the same list is shown again (from a cache, in a "
    "session), this is too large."
)
RELEVANT = (
    "What is relevant is what was observed to be, and everything else is not. If relevance is observed less "
    "often for some groups of items than for others, the target is wrong, and nothing in these data can tell."
)
WEIGHTED = (
    "Each relevant pair was observed with the chance that is given for it, whatever else was observed. Users "
    "of whom nothing relevant was observed count too: a list at random would be right for them."
)
# With fewer users, intervals were seen to cover 78 to 93% for 95% where relevance is rare: 90% with 200,
# one in fifty of whom likes an item group.
FEW_IN_A_GROUP, FEW_IN_ALL = 50, 500
# Of the six measures: fewer users than this make up most of it, by Kish's (1965) effective number.
FEW_MAKE_IT = 100
# Below, shares of pairs were much like those of a relevance drawn at random: correlations of .6 and more.
LITTLE_RELEVANCE = 0.5

# Among so many users there is one of 3 in 1,000 in 95% of samples.
ENOUGH_FOR_FEW = 1000
# Of the exposure that is asked for: by so much every share is too low in the mean, which is no unfairness.
NOT_SHOWN = 0.02


def of_users(about: About, name: str) -> About:
    """What findings about a group of users are about."""
    return about | {"users": group_of(_attributes(about, "users"), name)}


def of_pair(about: About, item_group: str, user_group: str) -> About:
    """What findings about items of a group shown to users of a group are about."""
    return of_users(about, user_group) | {"items": group_of(_attributes(about, "items"), item_group)}


def _attributes(about: About, whom: str) -> tuple[str, ...]:
    by = about["by"]
    assert isinstance(by, dict)
    attributes = by[whom]
    assert isinstance(attributes, tuple)
    return attributes


@dataclass(frozen=True)
class Demand:
    """What the caller wants to know about every policy."""

    tolerance: float | None
    level: float
    top: int


def common(problem: Problem, seen: Seen, rule: ExposureRule, about: About) -> dict[str, Any]:
    shown = (SHOWN,) if about["beta"] == "observed" else ()
    return {
        "audit": "exposure",
        "n": Count(seen.evidence.users, "users"),
        "excluded": _left_out(seen),
        "assumptions": (
            rule.browsing.in_words,
            RELEVANT if problem.propensities is None else WEIGHTED,
            *shown,
            SAMPLE,
        ),
    }


def _left_out(seen: Seen) -> tuple[Exclusion, ...]:
    left = []
    if without := int(seen.evidence.sums.excluded[0]):
        why = "nothing is relevant to them, so nothing is asked for"
        left.append(Exclusion(what="users without relevant items", count=without, why=why))
    if seen.without_lists:
        why = "there is nothing that they could be shown"
        left.append(Exclusion(what="users without scores or lists", count=seen.without_lists, why=why))
    return tuple(left)


def people_of(problem: Problem, evidence: Evidence) -> dict[str, int]:
    """The users of each group."""
    sizes = evidence.sums.group_users.sum(axis=1)
    return {name: int(users) for name, users in zip(problem.user_names, sizes, strict=True)}


def few_users(user_count: int, where: str) -> tuple[str, ...]:
    """About intervals that rest on few users, in all if `where` is empty; their number is not said, since a
    group may be very small."""
    enough = FEW_IN_A_GROUP if where else FEW_IN_ALL
    if user_count >= enough:
        return ()
    return (
        f"There are fewer than {enough} users {where or 'in all'}: where relevance is rare, intervals then "
        "hold less often than they say. Use more users, or merge groups.",
    )


def few_make_it(evidence: Evidence, level: int) -> tuple[str, ...]:
    """About measures that few users make up, who are served otherwise than all others."""
    total, squares = evidence.sums.all_squares[:, level].sum(), evidence.sums.fourth[level]
    if squares <= 0 or total**2 / squares >= min(FEW_MAKE_IT, evidence.users / 4):
        return ()
    return (
        "A few users make up most of this, who are served otherwise than all others. If they are ten or "
        "fewer, intervals hold in 75 to 93% of samples and not 95. Use more users.",
    )


def lists_end(problem: Problem, evidence: Evidence, rule: ExposureRule) -> tuple[str, ...]:
    """Where lists are shorter than people look. A user's targets add up to the weight of all places, and so
    does the exposure of a ranking of everything."""
    if rule.target != "equal":
        return ()
    asked = evidence.users * rule.browsing.weights(problem.item_groups.items).sum()
    missing = -group_differences(evidence).sum() / asked
    if missing < NOT_SHOWN:
        return ()
    return (
        f"{missing:.0%} of the exposure that is asked for is given to nothing, since lists end before people "
        "stop looking: shares are so much too low in the mean, also where all items are treated alike. Say "
        "with k how many places people see.",
    )


def nobody_likes(evidence: Evidence, item_group: int) -> tuple[str, ...]:
    """About an item group that nobody likes: the data do not say what is asked for by a user who does."""
    if evidence.users >= ENOUGH_FOR_FEW or evidence.sums.wanted[:, item_group].any():
        return ()
    return (
        "Nothing in this item group is relevant to anybody in these data. If a few users like it, and none "
        "of them is here, more is asked for than this says, and the interval does not know.",
    )


def little_relevance(share: float) -> tuple[str, ...]:
    """`share` is that of `from_relevance`."""
    if share >= LITTLE_RELEVANCE:
        return ()
    return (
        f"Only {share:.0%} of the exposure that is asked for comes from relevance; the rest all items share "
        "alike, whoever the user is. So these numbers say little about relevance. Give more relevant items a "
        "user, or a smaller patience.",
    )


def from_relevance(evidence: Evidence, matrix: GroupMatrix) -> float:
    """Of the exposure that is asked for, the share that items have because they are relevant to users."""
    users, sizes = evidence.sums.group_users.sum(axis=1), evidence.item_groups.sizes
    asked = users[:, None] * matrix.target * sizes
    return float((evidence.sums.wanted * sizes).sum() / asked.sum())
