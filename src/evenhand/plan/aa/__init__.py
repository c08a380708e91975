"""How often would a gate alarm for nothing? The plan's own audits, of users who are split at random."""

from evenhand.plan.aa import told
from evenhand.plan.aa.trial import Trial, try_gate

__all__ = ["Trial", "told", "try_gate"]
