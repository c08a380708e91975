"""A whole simulated audit in randomised blocks, in compiled code; `Auditor` follows the same rules step by
step.

Rewards are drawn when a policy is shown and reported some steps later. A block is settled when all of its
rewards are. Its differences enter when the earlier blocks of their arm are settled, and its term of the
constraint when all earlier ones are. All these times are known when the block has been shown, so a calendar
with a page for each of the next steps is enough.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.envy.online.designs.block_rules import (
    DRAWS,
    LONGEST_BLOCK,
    MOST_AT_ONCE,
    BlockRules,
    Ledger,
    Shown,
    bet,
    bet_on_missing,
    cleared,
    constraint_lower,
    doubtful,
    entered,
    envied,
    next_block,
    no_evidence,
    put_in_order,
    readings,
    unequal,
)
from evenhand.envy.online.designs.draws import Keys, draw
from evenhand.envy.online.designs.kernel import ENVY, INCONCLUSIVE, NO_ENVY, write_note
from evenhand.envy.online.simulated.worlds import World, draw_report, draw_reward, mean_at

_no_evidence = njit(nogil=True)(no_evidence)


@njit(nogil=True)
def run_block_audit(
    means: Floats,
    rules: BlockRules,
    world: World,
    levels: Floats,
    key: np.uint64,
    reward_rng: np.random.Generator,
    trace: Ints,
) -> tuple[int, int, float, float, Ints]:
    """Outcome, duration, cost, least margin of constraint (3) with the true means, pulls of every arm.

    `key` is that of the audit's seed. The first `len(trace)` choices are written there.
    """
    size = len(means)
    known = _no_evidence(size)
    ledger = Ledger(0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assigned, begun = np.zeros(size, np.int64), np.zeros(size, np.int64)
    active, remaining = np.arange(1, size), size - 1

    # The block that is being shown.
    chosen, shown = np.empty(size, np.int64), np.empty(LONGEST_BLOCK, np.int64)
    others, steps, position, number = 0, 0, 0, 0
    drawn = np.empty(DRAWS)
    place = np.zeros(size, np.int64)
    rewards, lost = np.zeros(MOST_AT_ONCE), np.zeros(MOST_AT_ONCE)
    own_total, own_lost, all_others, settled_by = 0.0, 0, 0.0, 0

    # Differences and terms of the constraint that wait for their time.
    pages = world.longest + 1
    room = pages + MOST_AT_ONCE
    by_arm, arm_note = np.full((3, room), -1), 0
    note_arm, note_values = np.zeros(room, np.int64), np.zeros((room, 3))
    by_time, time_note = np.full((3, room), -1), 0
    term_counts, term_values = np.zeros((room, 2), np.int64), np.zeros((room, 4))
    last_entry, last_term = np.zeros(size, np.int64), 0
    waiting_others, waiting_steps, alone = 0, 0, 0
    # Claims that were reached, and whether one waits for what is missing.
    better, below, held_back = np.zeros(size, np.bool_), np.zeros(size, np.bool_), False

    gained, margin, own = 0.0, np.inf, 0.0
    step = 0

    for now in range(1, rules.budget + pages):
        if now <= rules.budget:
            if position == steps:
                bound = constraint_lower(ledger, waiting_others, waiting_steps, rules)
                so_far = Shown(begun, step, alone)
                number += 1
                draw(key, number, drawn)
                others, steps = next_block(known, so_far, active[:remaining], bound, rules, drawn, chosen)
                if others > 0:
                    put_in_order(chosen, others, steps, drawn[MOST_AT_ONCE:], shown)
                else:
                    shown[0] = 0
                    alone += 1
                for i in range(others):
                    begun[chosen[i]] += 1
                    place[chosen[i]] = i
                position, settled_by = 0, 0
                own_total, own_lost, all_others = 0.0, 0, 0.0
            step = now
            arm = shown[position]
            position += 1
            if step <= len(trace):
                trace[step - 1] = arm
            assigned[arm] += 1
            mean = mean_at(means, levels, arm, step)
            gained += mean
            own += mean_at(means, levels, 0, step)
            margin = min(margin, gained - (1.0 - rules.alpha) * own)
            reward, wait, is_lost = draw_report(reward_rng, world, arm, draw_reward(reward_rng, world, mean))
            settled_by = max(settled_by, step + wait)
            if arm > 0:
                rewards[place[arm]], lost[place[arm]] = reward, 1.0 if is_lost else 0.0
                all_others += reward
            else:
                own_total += reward
                own_lost += is_lost

            if position == steps:  # the block has been shown
                own_steps = steps - others
                own_mean, own_gone, all_lost = own_total / own_steps, own_lost / own_steps, 0.0
                for i in range(others):
                    k = chosen[i]
                    all_lost += lost[i]
                    first, second = readings(rewards[i], lost[i], own_mean, own_gone, rules)
                    note_arm[arm_note] = k
                    note_values[arm_note, 0], note_values[arm_note, 1] = first, second
                    note_values[arm_note, 2] = lost[i] - own_gone
                    last_entry[k] = max(last_entry[k], settled_by)
                    write_note(by_arm, last_entry[k] % pages, arm_note)
                    arm_note = (arm_note + 1) % room
                term_counts[time_note, 0], term_counts[time_note, 1] = others, steps
                term_values[time_note, 0], term_values[time_note, 1] = own_mean, all_others
                term_values[time_note, 2] = all_lost / others - own_gone if others > 0 else 0.0
                term_values[time_note, 3] = own_gone if rules.worst else 0.0
                if others > rules.alpha * steps:
                    waiting_others += others
                    waiting_steps += steps
                last_term = max(last_term, settled_by)
                write_note(by_time, last_term % pages, time_note)
                time_note = (time_note + 1) % room

        # Enter what is due.
        page = now % pages
        changed, differ = False, False
        note, by_time[0, page] = by_time[0, page], -1
        while note >= 0:
            m, b = term_counts[note, 0], term_counts[note, 1]
            if m > rules.alpha * b:
                waiting_others -= m
                waiting_steps -= b
            term = term_values[note]
            ledger = entered(ledger, m, b, term[0], term[3], term[1], rules.alpha)
            if term[2] != 0.0:
                bet_on_missing(known, 0, term[2], rules)
                differ = differ or unequal(known, 0, rules)
                changed = changed or held_back
            note = by_time[2, note]
        note, by_arm[0, page] = by_arm[0, page], -1
        while note >= 0:
            k = note_arm[note]
            bet(known, k, note_values[note, 0], note_values[note, 1], note_values[note, 2], rules)
            better[k] = better[k] or envied(known, k, rules)
            below[k] = below[k] or cleared(known, k, rules)
            differ = differ or unequal(known, k, rules)
            changed = changed or better[k] or below[k]
            note = by_arm[2, note]
        if differ:
            return INCONCLUSIVE, step, own - gained, margin, assigned
        if not changed:
            continue

        # Decide.
        kept, envy, held_back = 0, False, False
        for k in range(1, size):
            if (better[k] or below[k]) and doubtful(known, k, rules):
                held_back = True
            elif better[k]:
                envy = True
        for i in range(remaining):
            if not below[active[i]] or doubtful(known, active[i], rules):
                active[kept] = active[i]
                kept += 1
        remaining = kept
        if envy:
            return ENVY, step, own - gained, margin, assigned
        if remaining == 0:  # of all others that are left is sure what was sure before
            for k in range(1, size):
                if doubtful(known, k, rules):
                    active[remaining] = k
                    remaining += 1
        if remaining == 0:
            return NO_ENVY, step, own - gained, margin, assigned
    return INCONCLUSIVE, step, own - gained, margin, assigned


@njit(nogil=True)
def run_block_audits(
    means: Floats,
    rules: BlockRules,
    world: World,
    levels: Floats,
    keys: Keys,
    reward_rng: np.random.Generator,
) -> tuple[Ints, Ints, Floats, Floats, Ints]:
    """`run_block_audit` with one key after another: its answers, a row a run."""
    runs = len(keys)
    outcomes, durations = np.empty(runs, np.int64), np.empty(runs, np.int64)
    costs, margins = np.empty(runs), np.empty(runs)
    pulls = np.empty((runs, len(means)), np.int64)
    untraced = np.empty(0, np.int64)
    for i in range(runs):
        run = run_block_audit(means, rules, world, levels, keys[i], reward_rng, untraced)
        outcomes[i], durations[i], costs[i], margins[i], pulls[i] = run
    return outcomes, durations, costs, margins, pulls
