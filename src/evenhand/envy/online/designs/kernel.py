"""A whole simulated audit in compiled code; `Auditor` is the plain reference that it follows step by step.

Rewards are drawn when a policy is assigned and reported some steps later. A reward enters its arm's interval
when it and all earlier ones of the arm are settled, and the sum of explored rewards when all earlier explored
ones are. Both times are known at the assignment, so a calendar with a page for each of the next steps is
enough.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.envy.online.designs.draws import Keys, drawn_alone
from evenhand.envy.online.designs.rules import (
    FIRST_DRIFT_LOOK,
    Rules,
    anticipated_upper,
    baseline_wanted,
    constraint_margin,
    has_drifted,
    lil_sum_radius,
    next_refresh,
)
from evenhand.envy.online.simulated.worlds import World, draw_report, draw_reward, mean_at
from evenhand.stats.many_looks.sequences import (
    lil_factor,
    lil_radius_of,
    mixture_lower,
    mixture_upper,
    sum_epoch,
    sum_lower_in_epoch,
    tightened,
)

INCONCLUSIVE, ENVY, NO_ENVY = range(3)


def empty_memory() -> Floats:
    """Room for bounds already computed; one serves a whole simulation, as long as its rules stay."""
    return np.full((1 << 15, 5), -1.0)


@njit(nogil=True)
def _recall(
    memory: Floats, baseline: bool, count: int, total: float, below: float, above: float
) -> tuple[float, float]:
    """The lower and the upper bound for this count and whole sum.

    Rewards of 0 and 1 lead many arms and runs to the same few counts and sums: this is most of the speed.
    """
    mixed = (count * 2 + baseline) * 0x9E3779B97F4A7C1 + int(total) * 0x5851F42D4C957F2D
    row = memory[(mixed >> 40) & (len(memory) - 1)]
    if row[0] != baseline or row[1] != count or row[2] != total:
        row[0], row[1], row[2] = baseline, count, total
        row[3] = mixture_lower(count, total, below)
        row[4] = mixture_upper(count, total, above)
    return row[3], row[4]


@njit(nogil=True)
def _leader(high: Floats, count: Ints, total: Floats, assigned: Ints, active: Ints, remaining: int) -> int:
    """The active arm that the adaptive choice shows."""
    leader, highest = 0, -np.inf
    for i in range(remaining):
        k = active[i]
        upper = anticipated_upper(high[k], count[k], total[k], assigned[k])
        if upper > highest:
            leader, highest = k, upper
    return leader


@njit(nogil=True)
def _lil_explored(
    count: Ints, total: Floats, radius: Floats, pooled: int, reward: float, delta: float
) -> float:
    """Do and others' lower bound for the sum of explored means: rewards less min(sum of beta N, phi)."""
    by_arm = 0.0
    for k in range(1, len(count)):
        if count[k] > 0:
            by_arm += total[k] - radius[k] * count[k]
    return max(by_arm, reward - lil_sum_radius(pooled, delta))


@njit(nogil=True)
def _narrowest(radius: Floats, active: Ints, remaining: int) -> float:
    least = np.inf
    for i in range(remaining):
        least = min(least, radius[active[i]])
    return least


@njit(nogil=True)
def write_note(calendar: Ints, page: int, note: int) -> None:
    """Add a note to the end of a page. Rows: first note of a page, last note of a page, next note after a
    note.
    """
    calendar[2, note] = -1
    if calendar[0, page] < 0:
        calendar[0, page] = note
    else:
        calendar[2, calendar[1, page]] = note
    calendar[1, page] = note


@njit(nogil=True)
def run_audit(
    means: Floats,
    rules: Rules,
    world: World,
    levels: Floats,
    key: np.uint64,
    reward_rng: np.random.Generator,
    memory: Floats,
    trace: Ints,
) -> tuple[int, int, float, float, Ints]:
    """Outcome, duration, cost, least margin of constraint (3) with the true means, pulls of every arm.

    `key` is that of the audit's seed. The first `len(trace)` choices are written there.
    """
    size = len(means)
    assigned, count = np.zeros(size, np.int64), np.zeros(size, np.int64)
    total, low, high = np.zeros(size), np.zeros(size), np.ones(size)
    radius = np.full(size, np.inf)
    refresh = np.ones(size, np.int64)
    look, first_half = np.full(size, FIRST_DRIFT_LOOK), np.zeros(size)
    active, remaining = np.arange(1, size), size - 1

    pages = world.longest + 1
    by_arm, by_time = np.full((3, pages), -1), np.full((3, pages), -1)
    note_arm, note_reward = np.zeros(pages, np.int64), np.zeros(pages)
    last_entry = np.zeros(size + 1, np.int64)  # of every arm, and of all explored

    pooled_count, pooled_total, explored_means = 0, 0.0, 0.0
    next_epoch, needed, tilt, scale = 1, 0.0, 0.0, 1.0
    explored, most, wanted = 0, 0, 1.0
    late = world.longest > 0
    leader, leader_stale = 1, late
    factor, narrowest, lil_stale = lil_factor(size, rules.delta), np.inf, True
    first, moves = levels[0], len(levels) > 1
    gained, margin, own = 0.0, np.inf, 0.0
    step = 0

    for now in range(1, rules.budget + pages):
        if now <= rules.budget:
            # Choose (Algorithm 1, lines 3 to 5).
            step = now
            if rules.adaptive and leader_stale:
                leader = _leader(high, count, total, assigned, active, remaining)
                leader_stale = late  # outstanding pulls count, too
            candidate = leader if rules.adaptive else active[int(drawn_alone(key, step) * remaining)]
            if rules.lil:
                if lil_stale:
                    narrowest = _narrowest(radius, active, remaining)
                    explored_means = _lil_explored(
                        count, total, radius, pooled_count, pooled_total, rules.delta
                    )
                    lil_stale = False
                stay = radius[0] > narrowest
                bound = explored_means + low[candidate]
            else:
                stay = assigned[0] < wanted
                bound = explored_means
            allowed = constraint_margin(bound, step, assigned[0], rules.alpha, high[0]) >= 0.0
            arm = candidate if allowed and not stay else 0
            if step <= len(trace):
                trace[step - 1] = arm
            assigned[arm] += 1
            if arm > 0 and not rules.lil:
                explored += 1
                most = max(most, assigned[arm])
                wanted = baseline_wanted(explored, most)
            mean = means[arm] + first
            if moves:
                mean = mean_at(means, levels, arm, step)
                own += mean_at(means, levels, 0, step)
            else:
                own = step * (means[0] + first)
            gained += mean
            margin = min(margin, gained - (1.0 - rules.alpha) * own)

            reward, wait, _ = draw_report(reward_rng, world, arm, draw_reward(reward_rng, world, mean))
            note = step % pages
            note_arm[note], note_reward[note] = arm, reward
            last_entry[arm] = max(last_entry[arm], step + wait)
            write_note(by_arm, last_entry[arm] % pages, note)
            if arm > 0:
                last_entry[size] = max(last_entry[size], step + wait)
                write_note(by_time, last_entry[size] % pages, note)

        # Enter what is due.
        page = now % pages
        note, by_time[0, page] = by_time[0, page], -1
        while note >= 0:
            pooled_count += 1
            pooled_total += note_reward[note]
            lil_stale = True
            note = by_time[2, note]
            if not rules.lil:
                if pooled_count == next_epoch:
                    needed, tilt, scale = sum_epoch(pooled_count, rules.explored)
                    next_epoch *= 2
                bound = sum_lower_in_epoch(pooled_count, pooled_total, needed, tilt, scale)
                explored_means = max(explored_means, bound)
        changed = drifted = False
        note, by_arm[0, page] = by_arm[0, page], -1
        while note >= 0:
            k = note_arm[note]
            count[k] += 1
            total[k] += note_reward[note]
            note = by_arm[2, note]
            if rules.lil:
                radius[k] = lil_radius_of(count[k], factor)
                average = total[k] / count[k]
                low[k], high[k] = max(0.0, average - radius[k]), min(1.0, average + radius[k])
                changed = True
                lil_stale = lil_stale or k > 0
            elif count[k] >= refresh[k]:
                refresh[k] = next_refresh(count[k])
                below = rules.arm_lower if k > 0 else rules.baseline_lower
                above = rules.arm_upper if k > 0 else rules.baseline_upper
                if total[k] == int(total[k]):
                    new_low, new_high = _recall(memory, k == 0, count[k], total[k], below, above)
                else:
                    new_low, new_high = tightened(count[k], total[k], low[k], high[k], below, above)
                if new_low > low[k] or new_high < high[k]:
                    low[k], high[k] = max(low[k], new_low), min(high[k], new_high)
                    changed = True
            if rules.drift > 0.0 and 2 * count[k] == look[k]:
                first_half[k] = total[k]
            elif rules.drift > 0.0 and count[k] == look[k]:
                drifted = drifted or has_drifted(count[k], first_half[k], total[k], rules.drift)
                first_half[k] = total[k]
                look[k] *= 2
        if drifted:
            return INCONCLUSIVE, step, own - gained, margin, assigned
        if not changed:
            continue

        # Decide (Algorithm 1, lines 7 to 9).
        kept, envied = 0, False
        for i in range(remaining):
            k = active[i]
            if high[k] > low[0] + rules.epsilon:
                active[kept] = k
                kept += 1
                envied = envied or low[k] > high[0]
        lil_stale = lil_stale or kept < remaining
        if kept < remaining and not rules.lil:
            explored = most = 0
            for i in range(kept):
                explored += assigned[active[i]]
                most = max(most, assigned[active[i]])
            wanted = baseline_wanted(explored, most)
        remaining = kept
        if envied:
            return ENVY, step, own - gained, margin, assigned
        if remaining == 0:
            return NO_ENVY, step, own - gained, margin, assigned
        leader_stale = True
    return INCONCLUSIVE, step, own - gained, margin, assigned


@njit(nogil=True)
def run_audits(
    means: Floats,
    rules: Rules,
    world: World,
    levels: Floats,
    keys: Keys,
    reward_rng: np.random.Generator,
    memory: Floats,
) -> tuple[Ints, Ints, Floats, Floats, Ints]:
    """`run_audit` with one key after another: its answers, a row a run."""
    runs = len(keys)
    outcomes, durations = np.empty(runs, np.int64), np.empty(runs, np.int64)
    costs, margins = np.empty(runs), np.empty(runs)
    pulls = np.empty((runs, len(means)), np.int64)
    untraced = np.empty(0, np.int64)
    for i in range(runs):
        run = run_audit(means, rules, world, levels, keys[i], reward_rng, memory, untraced)
        outcomes[i], durations[i], costs[i], margins[i], pulls[i] = run
    return outcomes, durations, costs, margins, pulls
