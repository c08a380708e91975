"""The smallest audit that a log can keep: its arms follow from the seed, and it ends by itself."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from evenhand.errors import InputError
from evenhand.service.log.folded import Auditors


class Open(NamedTuple):
    id: int
    arm: int
    deadline: float


class Coin:
    def __init__(self, settings, seed):
        self.settings, self.seed = dict(settings), seed
        self.listener = None
        self._open, self.last, self.outcome, self.reason = {}, 0, None, None
        self.sums = [0.0, 0.0, 0, 0]  # rewards, arms, delivered, missing

    @property
    def outstanding(self):
        return list(self._open.values())

    def open(self, assignment):
        return self._open.get(assignment)

    @property
    def spent(self):
        budget = self.settings.get("budget")
        return budget is not None and self.last >= budget

    def _do(self, event):
        self.apply(event)
        if self.listener is not None:
            self.listener(event)

    def apply(self, event):
        kind, *said = event
        if kind == "assign":
            self.last = said[0]
            self._open[said[0]] = Open(said[0], said[1], said[2])
        elif kind == "withdraw":
            del self._open[said[0]]
        elif kind == "deliver":
            for number, reward in said[0]:
                one = self._open.pop(number)
                self.sums[0] += reward or 0.0
                self.sums[1] += one.arm * (reward or 0.0)
                self.sums[2] += 1
                self.sums[3] += reward is None
        elif kind == "end":
            self.outcome, self.reason = said

    def assign(self, *, deadline, version=None):
        if self.outcome is not None:
            raise InputError("The audit is over.")
        number = self.last + 1
        drawn = hashlib.sha256(f"{self.seed}/{number}".encode()).digest()[0]
        self._do(["assign", number, drawn % (self.settings["arms"] + 1), deadline, version, None])
        return self._open[number]

    def withdraw(self, assignment):
        self._do(["withdraw", assignment])

    def deliver(self, rewards):
        self._do(["deliver", [list(one) for one in rewards.items()]])
        if self.sums[2] >= (self.settings.get("budget") or 10**9):
            self._do(["end", "no_envy" if self.sums[1] < 10**9 else "envy", "All is delivered."])

    def to_dict(self):
        kept = {name: getattr(self, name) for name in ("settings", "seed", "last", "outcome", "reason")}
        return kept | {"open": [list(one) for one in self._open.values()], "sums": list(self.sums)}

    @classmethod
    def from_dict(cls, state):
        made = cls(state["settings"], state["seed"])
        made._open = {one[0]: Open(*one) for one in state["open"]}
        made.last, made.outcome, made.reason = state["last"], state["outcome"], state["reason"]
        made.sums = list(state["sums"])
        return made


COINS = Auditors(Coin, Coin.from_dict)
