"""Whether a state that was loaded can be that of an audit: its parts are of their kind and fit together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.envy.online.designs.block import Block
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.designs.unpaired import Unpaired
from evenhand.errors import InputError
from evenhand.parameters import shown

if TYPE_CHECKING:
    from evenhand.envy.online.auditor import Auditor

_OUTCOMES = (None, "envy", "no_envy", "inconclusive")


def of_this_version(state: Mapping[str, Any], versions: tuple[int, ...]) -> Mapping[str, Any]:
    """The state, if it is of one of these versions. Earlier ones held the state of a random generator, and
    what was drawn by it does not follow from the number of the block: nobody could replay an audit of both.
    """
    if state["state"] in (1, 2, 3):
        raise InputError(
            "This audit was begun by an earlier version of evenhand, which drew what to show in another way: "
            "go on with the evenhand that began it, or begin a new one with a delta of its own."
        )
    if state["state"] in (5, 6) and state.get("doubted") is not None:
        raise InputError(
            "This audit was begun by an earlier version of evenhand, which read what was withdrawn in "
            "another way: go on with the evenhand that began it, or begin a new one with a delta of its own."
        )
    if state["state"] not in versions:
        raise InputError(
            f"This is an audit's state of version {shown(state['state'])}, but {versions[-1]} is needed."
        )
    return state


def flaw_of(auditor: Auditor) -> str | None:
    """The first thing that cannot be, in words; None where everything fits."""
    flaw = _progress(auditor)
    if flaw is not None:
        return flaw
    if isinstance(auditor.design, Blocks):
        return _blocks(auditor, auditor.design)
    checks = (_evidence, _queues, _rewards)
    return next((flaw for check in checks if (flaw := check(auditor, auditor.design)) is not None), None)


def _progress(auditor: Auditor) -> str | None:
    size, active = auditor.settings.arms + 1, auditor.active
    limit = auditor.settings.budget
    if auditor.outcome not in _OUTCOMES:
        return "its outcome is none that an audit has"
    if (auditor.reason is None) != (auditor.outcome != "inconclusive") or not _is_text(auditor.reason):
        return "its outcome and its reason do not go together"
    if not _is_text(auditor.version) or not _is_text(auditor.changed):
        return "its version is not text"
    if len(auditor.assigned) != size:
        return f"it does not have the evidence of {auditor.settings.arms:,} arms and the user's own policy"
    if not _counts([auditor.step, auditor.made, auditor.events, *auditor.assigned, *active]):
        return "some of its counts are not whole numbers of at least 0"
    if auditor.step != sum(auditor.assigned) or (limit is not None and auditor.step > limit):
        return f"its {auditor.step:,} steps are not those that arms were assigned in, or above the budget"
    if not auditor.step <= auditor.made <= auditor.events or not _is_digest(auditor.digest, auditor.events):
        return "its events and their hash do not go with its steps"
    if any(not 1 <= arm < size for arm in active) or not _rising(active):
        return "its active arms are not among its arms"
    if not active and auditor.outcome in (None, "inconclusive"):
        return "its active arms do not go with its outcome"
    if active and auditor.outcome == "no_envy":
        return "its active arms do not go with its outcome"
    return None


def _blocks(auditor: Auditor, design: Blocks) -> str | None:
    """Counts of a block design, and blocks that follow each other up to the last step."""
    size = len(auditor.assigned)
    if len(design.begun) != size or len(design.seen) != size:
        return "it does not have the evidence of its arms"
    if any(not 0 <= n <= of for n, of in zip(design.at_once, design.evidence.blocks, strict=True)):
        return "more blocks were shown at once than have entered"
    if design.crossed is not None and design.doubted is None:
        return "what was withdrawn is crossed with what is missing, and not doubted"
    for known in design.readings:
        if any(int(n) > int(begun) or n < 0 for n, begun in zip(known.blocks, design.begun, strict=True)):
            return "more blocks have entered than were begun"
        if not all(
            np.isfinite(v).all() and (np.abs(t) <= n + 1e-6).all()
            for v, t, n in zip(known.squares, known.total, known.blocks, strict=True)
        ):
            return "the differences of its blocks are not between -1 and 1"
        if not all(
            (part >= 0).all() and np.isfinite(part).all()
            for part in (known.envy, known.clear, known.missing, known.withdrawn)
        ):
            return "a capital is below 0"
    reached = [arm for arms in design.reached.values() for arm in arms]
    if not _counts(reached) or any(not 1 <= arm < size for arm in reached):
        return "claims were reached that are of no arm"
    counted = (n for one in design.seen for n in (one.count, one.lost, one.withdrawn))
    if not _counts([design.alone, design.last, design.number, *counted]):
        return "some of its counts are not whole numbers of at least 0"
    for k, one in enumerate(design.seen):
        settled = auditor.assigned[k] - sum(a.arm == k for a in design.outstanding.values())
        if one.count != settled or not _within(one.total, 0, one.count):
            return f"the rewards of arm {k} are not from 0 to 1, or not as many as its assignments"
    if not all(math.isfinite(value) for value in (*design.ledger, *design.if_liked)):
        return "its sums for the constraint are not numbers"
    return _blocks_in_order(auditor, design)


def _blocks_in_order(auditor: Auditor, design: Blocks) -> str | None:
    size = len(auditor.assigned)
    numbers = [block.number for block in design.blocks]
    if not _counts(numbers) or numbers != list(range(design.number - len(numbers) + 1, design.number + 1)):
        return "its blocks do not follow each other"
    for block in design.blocks:
        if not _counts([*block.order, *block.rewards, *block.entered, *block.withdrawn]) or not block.order:
            return "a block is not one of arms in their order"
        if any(arm >= size for arm in block.order) or not _apart(block):
            return "a block has arms that are none of its own"
        if any(place >= len(block.order) for place in (*block.rewards, *block.withdrawn)):
            return "a block has a reward of no step"
        if any(reward is not None and not _within(reward, 0, 1) for reward in block.rewards.values()):
            return "a settled reward is not from 0 to 1"
    held = [*design.places.values(), *design.offered]
    waiting = [(b.number, i) for b in design.blocks for i in range(len(b.order)) if i not in b.rewards]
    if sorted(held) != waiting or design.offered != sorted(design.offered):
        return "the rewards that are settled and those that are outstanding do not make up its blocks"
    alone = set(design.outstanding) - set(design.places)
    if alone and (auditor.outcome != "inconclusive" or len(alone) > 1):  # the last, after a change of version
        return "an assignment is outstanding that is of no block"
    order = {block.number: block.order for block in design.blocks}
    if any(order[of][place] != design.outstanding[i].arm for i, (of, place) in design.places.items()):
        return "an outstanding assignment is not of the arm that is due at its place"
    if any(not 1 <= i <= auditor.made for i in design.outstanding):
        return "an assignment is outstanding that was never made"
    if any(
        a.deadline is not None and not _within(a.deadline, -math.inf, math.inf)
        for a in design.outstanding.values()
    ):
        return "a deadline is not a number"
    return None


def _apart(block: Block) -> bool:
    """Whether each of the others is in the block once."""
    others = block.others
    return len(set(others)) == len(others) and set(block.entered) <= set(others)


def _evidence(auditor: Auditor, design: Unpaired) -> str | None:
    explored = design.explored
    if not len(design.arms) == len(design.pending.by_arm) == len(auditor.assigned):
        return "it does not have the evidence of its arms"
    if not _counts([explored.count]) or not _within(explored.total, 0, explored.count):
        return "the sum of explored rewards is not one of so many rewards from 0 to 1"
    if not _within(explored.means, 0, explored.count):
        return "the bound for the sum of explored means is not one of so many means"
    for k, arm in enumerate(design.arms):
        if not _counts([arm.count, arm.refresh, arm.look]) or arm.refresh < 1:
            return f"some counts of arm {k} are not whole numbers"
        if arm.look <= arm.count and auditor.settings.drift > 0:
            return f"the next look at arm {k} is over"
        if not _within(arm.total, 0, arm.count) or not _within(arm.first_half, 0, arm.total):
            return f"the rewards of arm {k} are not from 0 to 1"
        if not (_within(arm.low, 0, 1) and _within(arm.high, 0, 1)):
            return f"the bounds of arm {k} are not from 0 to 1"
        if (arm.radius is None) != (auditor.settings.bound != "lil" or arm.count == 0):
            return f"the radius of arm {k} does not go with its bounds"
        if arm.radius is not None and not _within(arm.radius, 0, math.inf):
            return f"the radius of arm {k} is not a number"
    return None


def _queues(auditor: Auditor, design: Unpaired) -> str | None:
    """Every assignment waits in its arm's queue until its reward has entered."""
    pending = design.pending
    waiting = [i for queue in pending.by_arm for i in queue]
    queues = [*pending.by_arm, pending.by_time]
    if not _counts([*waiting, *pending.by_time]) or not all(_rising(queue) for queue in queues):
        return "the assignments that wait are not in their order"
    if any(not 1 <= i <= auditor.step for i in (*waiting, *pending.by_time)):
        return "an assignment waits that was never made"
    for k, (queue, arm) in enumerate(zip(pending.by_arm, design.arms, strict=True)):
        if len(queue) + arm.count != auditor.assigned[k]:
            return f"the rewards of arm {k} and those that it waits for are not as many as its assignments"
    if len(pending.by_time) + design.explored.count != sum(auditor.assigned[1:]):
        return "the explored rewards and those waited for are not as many as the assignments"
    if len(set(waiting)) < len(waiting) or set(pending.by_time) & set(pending.by_arm[0]):
        return "an assignment waits for rewards of two arms"
    return None


def _rewards(auditor: Auditor, design: Unpaired) -> str | None:
    """What waits is either outstanding, or settled behind something outstanding."""
    pending = design.pending
    waiting = {i for queue in (*pending.by_arm, pending.by_time) for i in queue}
    of_arm = {i: k for k, queue in enumerate(pending.by_arm) for i in queue}
    if any(of_arm.get(i) != a.arm for i, a in pending.outstanding.items()):
        return "an outstanding assignment is not among those of its arm"
    if any(
        a.deadline is not None and not _within(a.deadline, -math.inf, math.inf)
        for a in pending.outstanding.values()
    ):
        return "a deadline is not a number"
    if any(not _within(reward, 0, 1) for reward in pending.settled.values()):
        return "a settled reward is not from 0 to 1"
    if set(pending.outstanding) & set(pending.settled) or waiting != {*pending.outstanding, *pending.settled}:
        return "the rewards that are settled and those that are outstanding do not make up those waited for"
    if any(queue and queue[0] in pending.settled for queue in (*pending.by_arm, pending.by_time)):
        return "a settled reward waits for nothing"
    return None


def _counts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in values)


def _within(value: Any, low: float, high: float) -> bool:
    """Whether this is a finite number in the range, but for rounding in a long sum."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return False
    return low - 1e-6 <= value <= high + 1e-6


def _rising(values: Iterable[int]) -> bool:
    return all(one < other for one, other in pairwise(values))


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_digest(value: Any, events: int) -> bool:
    if not isinstance(value, str):
        return False
    return value == "" if events == 0 else len(value) == 64 and set(value) <= set("0123456789abcdef")
