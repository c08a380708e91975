"""What a design in blocks is written as, in the state of an audit, and read from."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.envy.online.designs.block import Block, SettledRewards
from evenhand.envy.online.designs.block_rules import Evidence, Ledger, no_evidence
from evenhand.envy.online.designs.carry_over import CarryOver
from evenhand.envy.online.pending import Assignment

if TYPE_CHECKING:
    from evenhand.envy.online.designs.blocks import Blocks


def written(design: Blocks) -> dict[str, Any]:
    return {
        "evidence": _plain(design.evidence),
        "doubted": None if design.doubted is None else _plain(design.doubted),
        "crossed": None if design.crossed is None else _plain(design.crossed),
        "at_once": design.at_once.tolist(),
        "ledger": list(design.ledger),
        "if_liked": list(design.if_liked),
        "active": list(design.active),
        "reached": {claim: list(arms) for claim, arms in design.reached.items()},
        "begun": design.begun.tolist(),
        "seen": [[one.count, one.total, one.lost, one.withdrawn] for one in design.seen],
        "blocks": [
            [
                b.number,
                list(b.order),
                b.before,
                [[place, b.rewards[place]] for place in sorted(b.rewards)],
                list(b.entered),
                list(b.withdrawn),
            ]
            for b in design.blocks
        ],
        "offered": [list(place) for place in design.offered],
        "number": design.number,
        "alone": design.alone,
        "last": design.last,
        "outstanding": [
            [a.id, a.arm, a.deadline, *design.places.get(a.id, ())] for a in design.outstanding.values()
        ],
        "carry_over": design.carry_over.to_list(),
    }


def read(design: Blocks, state: Mapping[str, Any]) -> None:
    _fill(design.evidence, state["evidence"])
    at_once = state.get("at_once", state["evidence"]["blocks"])  # nothing was doubted before it was kept
    design.at_once[...] = np.array(at_once, dtype=np.int64).reshape(design.at_once.shape)
    design.doubted, design.crossed = (_loaded(state.get(name), design) for name in ("doubted", "crossed"))
    design.ledger = _ledger(state["ledger"])
    design.if_liked = _ledger(state["if_liked"])
    design.active = list(state["active"])
    design.reached = {claim: list(state["reached"][claim]) for claim in ("envy", "clear")}
    design.begun[...] = np.array(state["begun"], dtype=np.int64).reshape(design.begun.shape)
    design.seen = [
        SettledRewards(count, float(total), lost, withdrawn)
        for count, total, lost, withdrawn in state["seen"]
    ]
    design.blocks = deque(
        Block(number, list(order), before, dict(rewards), list(done), list(withdrawn))
        for number, order, before, rewards, done, withdrawn in state["blocks"]
    )
    design.offered = [(number, place) for number, place in state["offered"]]
    design.number, design.alone, design.last = state["number"], state["alone"], state["last"]
    design.outstanding, design.places = {}, {}
    for i, arm, deadline, *where in state["outstanding"]:
        design.outstanding[i] = Assignment(i, arm, deadline)
        if where:
            number, place = where
            design.places[i] = (number, place)
    design.carry_over = CarryOver.from_list(state["carry_over"])


def _loaded(values: Mapping[str, Any] | None, design: Blocks) -> Evidence | None:
    if values is None:
        return None
    known = no_evidence(len(design.assigned))
    _fill(known, values)
    return known


def _plain(known: Evidence) -> dict[str, Any]:
    return {name: part.tolist() for name, part in known._asdict().items()}


def _fill(known: Evidence, values: Mapping[str, Any]) -> None:
    for name, part in known._asdict().items():
        part[...] = np.array(values[name], dtype=part.dtype).reshape(part.shape)


def _ledger(values: Any) -> Ledger:
    named = dict(zip(Ledger._fields, values, strict=True))
    return Ledger(**{name: type(Ledger._field_defaults[name])(value) for name, value in named.items()})
